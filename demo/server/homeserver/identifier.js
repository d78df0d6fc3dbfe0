// @ts-check
import { MatrixError } from "./errors.js";
import { readAddress } from "./threepids.js";

/**
 * The account and the password of a login request or of a password stage.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#identifier-types
 * @param {Record<string, unknown>} submitted
 * @param {import("./index.js").Homeserver} homeserver
 * @returns {Promise<import("../accounts.js").Account | null>}
 *   null if no account has this name and password; throws a MatrixError
 */
export async function authenticateByPassword(submitted, homeserver) {
  const { type, user, password } = submitted;
  const identifier = submitted["identifier"] ?? (user && { type: "m.id.user", user });
  if (typeof identifier !== "object" || identifier === null) {
    throw new MatrixError(400, "M_INVALID_PARAM", "Invalid login submission");
  }
  if (type !== "m.login.password") {
    throw new MatrixError(400, "M_UNKNOWN", `Unknown login type ${String(type)}`);
  }
  if (typeof password !== "string") {
    throw new MatrixError(400, "M_INVALID_PARAM", "Bad parameter: password");
  }
  const { accounts } = homeserver;
  const localpart = localpartOf(/** @type {Record<string, unknown>} */ (identifier), homeserver);
  // A name in different case is the same user, unless an account has exactly that name.
  const known = accounts.findByLocalpart(localpart) ? localpart : localpart.toLowerCase();
  return accounts.authenticate(known, password);
}

/**
 * @param {Record<string, unknown>} identifier
 * @param {import("./index.js").Homeserver} homeserver
 * @returns {string} an empty one if it names nobody
 */
function localpartOf({ type, user, medium, address, ...phone }, { serverName, threepids }) {
  /** @type {(userId: string) => string} */
  const ofThisServer = (userId) => {
    const [, localpart = "", server] = /^@([^:]*):(.*)$/s.exec(userId) ?? [];
    return server === serverName ? localpart : "";
  };
  switch (type) {
    case "m.id.user":
      return String(user).startsWith("@") ? ofThisServer(String(user)) : String(user);
    case "m.id.thirdparty":
      return medium === "email" || medium === "msisdn"
        ? ofThisServer(threepids.ownerOf(medium, String(address)) ?? "")
        : "";
    case "m.id.phone": {
      const number = readAddress("msisdn", {
        country: phone["country"],
        phone_number: phone["phone"],
      });
      return ofThisServer(threepids.ownerOf("msisdn", number) ?? "");
    }
    default:
      throw new MatrixError(400, "M_UNKNOWN", "Unknown login identifier type");
  }
}
