// Reads the homeserver or the user from user input.
import { asBaseUrl, parseUrl, withoutTrailingSlashes } from "../http/url.js";

/** Invisible characters, except the joiners, which are part of some names. */
const INVISIBLE = /[^\P{Cf}\u200C\u200D]/gu;

/** The full-width forms of digits and punctuation, as input methods type them. URL parsers convert the letters. */
const FULL_WIDTH = /[\uFF0E\uFF10-\uFF1A\uFF20]/g;

/**
 * Matches a link to a user. The groups are the localpart and the server name. In some links, these
 * are percent-encoded.
 *
 * @see https://spec.matrix.org/v1.19/appendices/#uris
 */
const USER_LINK =
  /^(?:matrix:u\/|(?:https:\/\/)?matrix\.to\/#\/(?:@|%40))([^/?#]*?)(?::|%3A)([^/?#]+)[^]*/i;

/** The start of a user ID without its "@". If no dot follows, it is a host with a mistyped port. */
const LOCALPART = /^[^@:/\s]+:(?=[^@:/\s]+\.)/;

/** The dot at the end of an absolute domain name. */
const LAST_DOT = /^((?:https?:\/\/)?[^/]*?)\.(?=(?::\d+)?(?:\/|$))/i;

/**
 * Converts the digits and the punctuation of user input to ASCII, and removes invisible characters.
 */
export const plain = (input: string): string =>
  input
    .replace(INVISIBLE, "")
    .replace(FULL_WIDTH, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/[\u3002\uFF61]/g, ".")
    .trim();

/** A homeserver's name, user ID, or URL from user input, which may be a link to a user. */
export const homeserverIn = (input: string): string =>
  asBaseUrl(plain(input))
    .replace(USER_LINK, (_, _localpart, server: string) => server.replace(/%3A/i, ":"))
    .replace(LOCALPART, "@$&")
    .replace(LAST_DOT, "$1");

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
  const [, server] =
    /^@[^:@]*@(.+)$/.exec(text) ??
    // No email address has a port.
    /^[^:@]+@(.+:\d+)$/.exec(text) ??
    /^[^:]*:(.+)$/.exec(text) ??
    [];
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
