// Functions that make a deviation of a value, for the rows of the table.
import type { Environment } from "./environment.js";
import type { Deviation, Endpoint, Members, Responder, Row } from "./row.js";

/** A member's value, or a function that computes it from the environment and the honest document. */
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

/** Replaces a part of the sign-in: `part("tokens")({ scope: "" })`. */
export const part =
  <P extends keyof Deviation>(name: P) =>
  (value: Exclude<Deviation[P], undefined>): Deviation => ({ [name]: value });

/** Replaces one member of a part: `member("metadata", "jwks_uri")(null)`. */
export const member =
  (of: PatchedPart, name: string) =>
  (value: Value): Deviation => ({
    [of]: (environment: Environment, honest: Members) => ({
      [name]: typeof value === "function" ? value(environment, honest) : value,
    }),
  });

/** An endpoint that gives this response to every request. */
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
