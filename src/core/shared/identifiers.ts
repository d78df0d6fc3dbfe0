import { isText } from "../http/json.js";

/** @see https://spec.matrix.org/v1.19/appendices/#user-identifiers */
const MAX_BYTES = 255;

const isShort = (text: string): boolean =>
  text.length <= MAX_BYTES && new TextEncoder().encode(text).length <= MAX_BYTES;

/**
 * Characters that are invisible or change the text around them: controls, bidirectional marks, lone
 * surrogates, and blank characters, such as the Hangul filler (`DI`: default ignorable) and the
 * blanks of Braille, music, Khitan, and hieroglyphs. The page's font decides what private characters
 * show, such as a badge.
 */
const UNSHOWABLE =
  /[\u{16FE4}\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{NChar}\p{Zl}\p{Zp}\p{DI}\u2800\uFFFC\u{1D159}\u{13441}\u{13442}]/u;

/**
 * Underscores are accepted, because some hosts have them. Names that consist of dots would be
 * another path in a URL.
 */
const SERVER_NAME = /^((?!\.+(?::|$))[\w.-]+|\[[\da-f:.]{2,45}\])(:\d{1,5})?$/i;

/** A host, optionally with a port. @see https://spec.matrix.org/v1.19/appendices/#server-name */
export const isServerName = (value: unknown): value is string =>
  isText(value) && isShort(value) && SERVER_NAME.test(value);

/** The server's name and the ID in an `mxc://` URL. Undefined if they could be another path. */
export function readMxcUrl(url: string): { server: string; id: string } | undefined {
  const [, server, id] = /^mxc:\/\/([^/?#]+)\/([\w-]+)$/.exec(url) ?? [];
  return isServerName(server) && id ? { server, id } : undefined;
}

/**
 * Historical localparts can contain characters that are not allowed in new ones, and can be empty.
 */
const USER_ID = /^@[^:\s]*:([^@]+)$/;

/** A user ID from a server, in the form and length of the specification. */
export const isUserId = (value: unknown): value is string =>
  isText(value) &&
  isShort(value) &&
  !UNSHOWABLE.test(value) &&
  isServerName(USER_ID.exec(value)?.[1]);

/** A device ID from a server. The specification defines a grammar for it only in a scope. */
export const isDeviceId = (value: unknown): value is string =>
  isText(value) && isShort(value) && !UNSHOWABLE.test(value) && value.trim() !== "";

/** Whether it is a token that a header can contain. */
export const isHeaderToken = (value: unknown): value is string =>
  isText(value) && /^[!-~]+$/.test(value);

/** An identifier that can't be rejected, as text in which unshowable characters are visible. */
export const asShowable = (id: string): string => id.split(UNSHOWABLE).join("\uFFFD");
