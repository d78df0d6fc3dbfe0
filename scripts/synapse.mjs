// `node scripts/synapse.mjs`: installs the homeserver Synapse for the tests, which they do by themselves
// where it is not there. `--remove` removes it.
import { installer } from "./installer.mjs";
import { ensureSynapse, removeSynapse } from "./synapse/installation.mjs";

await installer("Synapse", ensureSynapse, removeSynapse);
