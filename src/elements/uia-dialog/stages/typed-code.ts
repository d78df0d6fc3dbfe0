import { withoutInvisible } from "../../../ui/form/field.js";

/**
 * A token as its server wrote it: without what no user sees, and with ASCII digits. Spaces between digits
 * are how people read them. A token might contain a hyphen or a dot.
 */
export function tokenOf(text: string): string {
  const token = withoutInvisible(text).replace(/\p{Nd}/gu, asciiDigit);
  return /^[\d\s]+$/.test(token) ? token.replace(/\s/g, "") : token;
}

/** Like {@link tokenOf}, for the code of a message: hyphens and dots between digits are not a part of it. */
export function codeOf(text: string): string {
  const code = tokenOf(text);
  return /^[\d\s\p{P}\u2212]+$/u.test(code) ? code.replace(/\D/g, "") || code : code;
}

/** Each script has its digits in a row of ten. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((code - zero) % 10);
}
