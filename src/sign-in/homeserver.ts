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
