import { accountsContract } from "./accounts.js";
import { addressesContract } from "./addresses.js";
import type { Kind } from "./homeserver.js";
import { limitsContract } from "./limits.js";
import { loginContract } from "./login.js";
import { registrationContract } from "./registration.js";

/** What a homeserver that signs people in by itself answers. */
export function contract(kind: Kind): void {
  accountsContract(kind);
  addressesContract(kind);
  registrationContract(kind);
  limitsContract(kind);
  loginContract(kind);
}
