import type { Environment, Medium } from "./environment.js";
import { forbidden, isJson, type Json, objectOf, refuse, textOf } from "./exchange.js";
import type { TestAccount } from "./options.js";

export const ADDRESSES = { email: "emails", msisdn: "phones" } as const;

/** An account that is not deactivated. */
export function findAccount({ data }: Environment, user: string): TestAccount | undefined {
  const found = data.accounts[user];
  return found?.deactivated ? undefined : found;
}

export function capabilitiesOf({ capabilities, hasAccounts }: Environment): Json {
  // If a provider has the accounts, its pages are for that.
  const allowed = { enabled: hasAccounts };
  const names = ["m.change_password", "m.3pid_changes", "m.get_login_token"];
  return { ...Object.fromEntries(names.map((name) => [name, allowed])), ...capabilities };
}

export function assertCapability(environment: Environment, name: string): void {
  const { enabled } = objectOf(capabilitiesOf(environment)[name]);
  if (enabled === false) throw forbidden(`${name} is disabled on this server`);
}

/**
 * A user who can sign in.
 *
 * @param user A localpart. Default: the first account.
 * @throws {TypeError} if the account doesn't exist.
 */
export function userToSignIn(
  environment: Environment,
  user: string = Object.keys(environment.data.accounts)[0] ?? "",
): string {
  if (findAccount(environment, user)) return user;
  throw new TypeError(`No account ${user}`);
}

export const userIdOf = ({ serverName }: Environment, user: string): string =>
  `@${user}:${serverName}`;

/** The localpart that a localpart or user ID names; empty for a user of another homeserver. */
export function ownLocalpart({ serverName }: Environment, user: string): string {
  const [, localpart = "", server] = /^@([^:]*):(.*)$/s.exec(user) ?? [];
  if (server === undefined) return user;
  return server === serverName ? localpart : "";
}

export function ownerOf(
  { data }: Environment,
  medium: Medium,
  address: string,
): string | undefined {
  const users = Object.keys(data.accounts);
  return users.find((user) => data.accounts[user]?.[ADDRESSES[medium]].includes(address));
}

const EMAIL = /^[^@\s]+@[^@\s]+\.[^@\s]+$/;

/** A number of another country is kept as it was typed. */
const CALLING_CODES: Readonly<Record<string, string>> = {
  ...{ AT: "43", AU: "61", BE: "32", BR: "55", CA: "1", CH: "41", CN: "86", CZ: "420", DE: "49" },
  ...{ DK: "45", ES: "34", FI: "358", FR: "33", GB: "44", IE: "353", IN: "91", IT: "39", JP: "81" },
  ...{ KR: "82", MX: "52", NL: "31", NO: "47", NZ: "64", PL: "48", PT: "351", RU: "7", SE: "46" },
  ...{ TR: "90", UA: "380", US: "1", ZA: "27" },
};

/** The address that a request names, in the form in which accounts keep it. */
export function readAddress(medium: Medium, body: Json): string {
  if (medium === "email") {
    const email = textOf(body["email"]);
    if (!EMAIL.test(email)) throw refuse(400, "M_BAD_JSON", "Unable to parse email address");
    return email.toLowerCase();
  }
  const number = textOf(body["phone_number"] ?? body["phone"]).trim();
  const digits = number.replaceAll(/\D/g, "");
  if (digits.length < 5) throw refuse(400, "M_INVALID_PARAM", "Unable to parse phone number");
  if (number.startsWith("+")) return digits;
  const code = CALLING_CODES[textOf(body["country"]).toUpperCase()];
  return code === undefined ? digits : code + digits.replace(/^0/, "");
}

/** The user that an identifier names; undefined if it is not a user of this homeserver. */
function userOfIdentifier(environment: Environment, identifier: Json): string | undefined {
  switch (identifier["type"]) {
    case "m.id.user": {
      const localpart = ownLocalpart(environment, textOf(identifier["user"]));
      // A name in other letters is the same user, unless an account has exactly that name.
      return environment.data.accounts[localpart] ? localpart : localpart.toLowerCase();
    }
    case "m.id.thirdparty": {
      const { medium, address } = identifier;
      return isMedium(medium) ? ownerOf(environment, medium, textOf(address)) : undefined;
    }
    case "m.id.phone":
      return ownerOf(environment, "msisdn", readAddress("msisdn", identifier));
    default:
      throw refuse(400, "M_UNKNOWN", "Unknown login identifier type");
  }
}

export const isMedium = (medium: unknown): medium is Medium =>
  medium === "email" || medium === "msisdn";

/**
 * The user whose password a body has; undefined if the password is wrong.
 *
 * @see https://spec.matrix.org/latest/client-server-api/#identifier-types
 */
export function userByPassword(environment: Environment, body: Json): string | undefined {
  const { user: name, password } = body;
  const identifier = body["identifier"] ?? (name && { type: "m.id.user", user: name });
  if (!isJson(identifier)) throw refuse(400, "M_INVALID_PARAM", "Invalid login submission");
  if (typeof password !== "string") {
    throw refuse(400, "M_INVALID_PARAM", "Bad parameter: password");
  }
  const user = userOfIdentifier(environment, identifier);
  const found = environment.data.accounts[user ?? ""];
  if (found?.password !== password) return undefined;
  if (found.deactivated) throw refuse(403, "M_USER_DEACTIVATED", "This account is deactivated");
  return user;
}

export function issueLoginToken(server: Environment, user: string, lifetimeMs: number): string {
  const token = server.tokenFor("login-token-");
  server.data.loginTokens[token] = { user, expiresAt: server.now() + lifetimeMs };
  return token;
}

/** The user that a login token signs in, once. */
export function takeLoginToken({ data, now }: Environment, token: string): string {
  const found = data.loginTokens[token];
  Reflect.deleteProperty(data.loginTokens, token);
  if (!found || now() >= found.expiresAt) throw forbidden("Invalid login token");
  return found.user;
}
