import { isText } from "../http/json.js";

/** @see https://spec.matrix.org/v1.19/appendices/#user-identifiers */
const MAX_BYTES = 255;

const isShort = (text: string): boolean =>
  text.length <= MAX_BYTES && new TextEncoder().encode(text).length <= MAX_BYTES;

/**
 * Not visible, or with an influence on what is around them: controls, bidi marks, lone surrogates, and
 * characters without ink, such as the filler of Hangul (`DI`: default ignorable) and the blank of Braille.
 */
const UNSHOWABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]/u;

/** With underscores, which some hosts have. */
const SERVER_NAME = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;

/** A host with a port, if it has one. @see https://spec.matrix.org/v1.19/appendices/#server-name */
export const isServerName = (value: unknown): value is string =>
  isText(value) && isShort(value) && SERVER_NAME.test(value);

/** Historical localparts contain other characters than new ones may, and can be empty. */
const USER_ID = /^@[^:\s]*:([^@]+)$/;

/** A user ID from a server, in the form and length of the specification. */
export const isUserId = (value: unknown): value is string =>
  isText(value) &&
  isShort(value) &&
  !UNSHOWABLE.test(value) &&
  isServerName(USER_ID.exec(value)?.[1]);

/** A device ID from a server. The specification has no grammar for it, except in a scope. */
export const isDeviceId = (value: unknown): value is string =>
  isText(value) && isShort(value) && !UNSHOWABLE.test(value) && value.trim() !== "";

/** An identifier that can't be refused, as a text that shows where it has something else than text. */
export const asShowable = (id: string): string => id.split(UNSHOWABLE).join("\uFFFD");
