// `node scripts/glewlwyd.mjs`: installs the OpenID provider Glewlwyd for the tests, which they do by
// themselves where it is not there. `--remove` removes it.
import { main } from "./run.mjs";
import { ensureGlewlwyd, removeGlewlwyd } from "./glewlwyd/installation.mjs";

await main(async () => {
  const [option, ...more] = process.argv.slice(2);
  if (more.length > 0 || (option !== undefined && option !== "--remove")) {
    throw new Error("Usage: node scripts/glewlwyd.mjs [--remove]");
  }
  if (option) await removeGlewlwyd();
  else console.log(`Glewlwyd is in ${await ensureGlewlwyd()}.`);
});
