import { parseUrl, withoutTrailingSlashes } from "../core/http/url.js";
import { homeserverIn, plain, USER_LINK } from "../core/matrix/discovery.js";

/**
 * Matches a server name with a top-level domain or on this machine, alone, in a user ID, or in a
 * URL.
 */
const COMPLETE =
  /^(@[^:\s]+:|https?:\/\/)?([\p{L}\p{M}\p{N}_-]+(\.[\p{L}\p{M}\p{N}_-]+)*\.([\p{L}\p{M}]{2,}|xn--[a-z\d-]+)|localhost|\d+(\.\d+){3}|\[[\da-f:.]+\])(:\d+)?(\/\S*)?$/iu;

const MAX_HOMESERVER_LENGTH = 255;

/** Other homeservers are looked up only when the user confirms. */
export const looksComplete = (homeserver: string): boolean =>
  homeserver.length <= MAX_HOMESERVER_LENGTH && COMPLETE.test(homeserverIn(homeserver));

/**
 * A homeserver's address as browsers read it: in ASCII, without a trailing slash. A user ID keeps
 * its localpart.
 */
export function understood(homeserver: string): string {
  const name = homeserverIn(homeserver);
  const [user = ""] = /^@[^:]*:/.exec(name) ?? [];
  const hasScheme = /^https?:/i.test(name);
  const url = parseUrl(hasScheme ? name : `https://${name.slice(user.length)}`);
  if (!url) return name;
  return user + withoutTrailingSlashes((hasScheme ? url.origin : url.host) + url.pathname);
}

/**
 * The server in a user ID or in a link to a user. The user ID can lack its "@", or have an "@"
 * instead of its colon. Undefined for a localpart or an email address.
 */
export function serverOfUser(user: string): string | undefined {
  const text = homeserverIn(user);
  const isLink = /^(matrix:|(https:\/\/)?matrix\.to\/)/i.test(user.trim());
  const [, server] = /^@[^:@]*@(.+)$/.exec(text) ?? /^[^:]*:(.+)$/.exec(text) ?? [];
  return isLink ? text : server;
}

/**
 * The user's identifier for a homeserver: the user ID in its proper form, however it was typed, or
 * the localpart.
 *
 * @see {@link serverOfUser}
 */
export function userIn(input: string): string {
  const text = plain(input);
  const server = serverOfUser(input);
  if (server === undefined) return text.replace(/^@/, "");
  const [, linked] = USER_LINK.exec(text) ?? [];
  const decode = (_: string, code: string): string => String.fromCharCode(parseInt(code, 16));
  const localpart = linked?.replace(/%([\da-f]{2})/gi, decode) ?? /^@?([^:@]*)/.exec(text)?.[1];
  return `@${localpart}:${understood(server)}`;
}

/** The characters of a new user ID. @see https://spec.matrix.org/v1.19/appendices/#user-identifiers */
export const isLocalpart = (name: string): boolean => /^[a-z\d._=/+-]+$/.test(name);

const CHOSEN = "matrix-auth-elements:homeserver";

/** Keeps the user's choice for the page that started the sign-in, if it failed on another page. */
export function keepChosen(homeserver: string | undefined): void {
  try {
    if (homeserver) sessionStorage.setItem(CHOSEN, homeserver);
  } catch {
    // Without storage, the user must choose again.
  }
}

export function takeChosen(): string | undefined {
  try {
    const homeserver = sessionStorage.getItem(CHOSEN) ?? undefined;
    sessionStorage.removeItem(CHOSEN);
    return homeserver;
  } catch {
    return undefined;
  }
}
