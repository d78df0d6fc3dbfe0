// What rows are made of: functions from a value to the deviation that puts it in its place.
import type { Environment } from "./environment.js";
import type { Deviation, Endpoint, Members, Responder, Row } from "./row.js";

/** A member's value, or what makes it of the environment and of what an honest server says. */
export type Value =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly unknown[]
  | Members
  | ((environment: Environment, honest: Members) => unknown);

/** The parts of a sign-in that are patched member by member. */
type PatchedPart =
  "metadata" | "document" | "authMetadata" | "wellKnown" | "registration" | "tokens" | "claims";

/** A part of the sign-in is this: `part("tokens")({ scope: "" })`. */
export const part =
  <P extends keyof Deviation>(name: P) =>
  (value: Exclude<Deviation[P], undefined>): Deviation => ({ [name]: value });

/** One member of a part is this: `member("metadata", "jwks_uri")(null)`. */
export const member =
  (of: PatchedPart, name: string) =>
  (value: Value): Deviation => ({
    [of]: (environment: Environment, honest: Members) => ({
      [name]: typeof value === "function" ? value(environment, honest) : value,
    }),
  });

/** An endpoint responds so, whatever it is asked. */
export const endpoint =
  (name: Endpoint) =>
  (respond: Responder, login: Deviation["login"] = {}): Deviation => ({
    endpoints: { [name]: respond },
    login,
  });

/** The sign-in starts from an issuer's URL. */
export const fromIssuer = (issuer: (environment: Environment) => string): Deviation => ({
  login: (environment) => ({ issuer: issuer(environment) }),
});

export const FROM_OWN_ISSUER = fromIssuer(({ idp }) => `${idp.origin}/`);

/** The longest URL that the library reads. */
export const MAX_URL_LENGTH = 2048;

/** A URL of that many characters: its last part fills it up. */
export const filled = (url: string, length: number, last = "/"): string => url.padEnd(length, last);

/** The library's error, by its name in `OidcError` and its code. */
export const oidcError = (
  message: Row["refused"]["message"],
  code: Row["refused"]["code"],
): Row["refused"] => ({ message, code });
