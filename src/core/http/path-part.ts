/** A caller's setting that can't be part of a URL. Other `TypeError`s are faults in the code. */
export class InvalidSetting extends TypeError {}

/**
 * Encodes a path segment. @throws {InvalidSetting} for "", `.` and `..`, which name other paths, and
 * for half a character.
 */
export function pathPart(value: string): string {
  if (/^\.{0,2}$|\p{Cs}/u.test(value))
    throw new InvalidSetting(`"${value}" is not a part of a path`);
  return encodeURIComponent(value);
}
