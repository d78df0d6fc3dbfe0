// `node scripts/synapse.mjs`: installs the homeserver Synapse for the tests, which they do by themselves
// where it is not there. `--remove` removes it.
import { main } from "./run.mjs";
import { ensureSynapse, removeSynapse } from "./synapse/installation.mjs";

await main(async () => {
  const [option, ...more] = process.argv.slice(2);
  if (more.length > 0 || (option !== undefined && option !== "--remove")) {
    throw new Error("Usage: node scripts/synapse.mjs [--remove]");
  }
  if (option) await removeSynapse();
  else console.log(`Synapse is in ${await ensureSynapse()}.`);
});
