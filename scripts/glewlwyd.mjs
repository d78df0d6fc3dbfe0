// `node scripts/glewlwyd.mjs`: installs the OpenID provider Glewlwyd for the tests, which they do by
// themselves where it is not there. `--remove` removes it.
import { installer } from "./installer.mjs";
import { ensureGlewlwyd, removeGlewlwyd } from "./glewlwyd/installation.mjs";

await installer("Glewlwyd", ensureGlewlwyd, removeGlewlwyd);
