// The command line of what the tests install by themselves.
import { main } from "./run.mjs";

/**
 * @param {string} name of the program; its script in this folder has the same, in lower case
 * @param {() => Promise<string>} ensure Installs it where it is not there; gives its folder.
 * @param {() => Promise<void>} remove
 */
export const installer = (name, ensure, remove) =>
  main(async () => {
    const [option, ...more] = process.argv.slice(2);
    if (more.length > 0 || (option !== undefined && option !== "--remove")) {
      throw new Error(`Usage: node scripts/${name.toLowerCase()}.mjs [--remove]`);
    }
    if (option) await remove();
    else console.log(`${name} is in ${await ensure()}.`);
  });
