/** A server name with a top-level domain or on this machine, alone, in a user ID or in a URL. */
const COMPLETE =
  /^(@[^:\s]+:|https?:\/\/)?([\w-]+(\.[\w-]+)*\.[a-z]{2,}|localhost|\d+(\.\d+){3}|\[[\da-f:.]+\])(:\d+)?(\/\S*)?$/i;

/** As long as a server name or a user ID can be. */
const MAX_LENGTH = 255;

/** Whether a homeserver may have been typed to its end; no other is asked before the user says so. */
export const looksComplete = (homeserver: string): boolean =>
  homeserver.length <= MAX_LENGTH && COMPLETE.test(homeserver.trim());
