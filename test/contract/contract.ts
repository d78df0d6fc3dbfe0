import { accountsContract } from "./accounts.js";
import { addressesContract } from "./addresses.js";
import type { Kind } from "./homeserver.js";
import { limitsContract } from "./limits.js";
import { loginContract } from "./login.js";
import { registrationContract } from "./registration.js";

/** The responses of a homeserver that signs users in itself. */
export function contract(kind: Kind): void {
  accountsContract(kind);
  addressesContract(kind);
  registrationContract(kind);
  limitsContract(kind);
  loginContract(kind);
}
