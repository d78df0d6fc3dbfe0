import { withoutInvisible } from "../../../ui/form/field.js";

/**
 * A token as its server wrote it: without invisible characters, with ASCII digits, and without the
 * spaces that people put between digits. Hyphens and dots stay, because a token might contain them.
 */
export function tokenOf(text: string): string {
  const token = withoutInvisible(text).replace(/\p{Nd}/gu, asciiDigit);
  return /^[\d\s]+$/.test(token) ? token.replace(/\s/g, "") : token;
}

/**
 * Like {@link tokenOf}, but for the code in a message, which contains no hyphens or dots between
 * digits.
 */
export function codeOf(text: string): string {
  const code = tokenOf(text);
  return /^[\d\s\p{P}\u2212]+$/u.test(code) ? code.replace(/\D/g, "") || code : code;
}

/** In each script, the ten digits are consecutive code points. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((code - zero) % 10);
}
