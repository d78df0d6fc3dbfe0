import { homeserverIn } from "../core/shared/typed-names.js";

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

/** The characters of a new user ID. @see https://spec.matrix.org/v1.19/appendices/#user-identifiers */
export const isLocalpart = (name: string): boolean => /^[a-z\d._=/+-]+$/.test(name);
