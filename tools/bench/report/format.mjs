// How figures are written.
import { median, ratios } from "../samples.mjs";

/** @typedef {import("../samples.mjs").Spread} Spread */

/** @param {string} subject */
export const isOurs = (subject) => subject.startsWith("ours");

const NUMBER = new Intl.NumberFormat("en-US");
/** @param {number} value */
export const number = (value) => NUMBER.format(Math.round(value));
/** @param {number} bytes */
export const kb = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;
/** @param {number} ratio */
export const times = (ratio) => `${ratio < 10 ? ratio.toFixed(2) : ratio.toFixed(0)}×`;
/** @param {Spread} spread */
export const ratioOf = ({ median, min, max }) => `${times(median)} (${times(min)} – ${times(max)})`;

/**
 * A peer's ratio to ours, turn by turn; for our own row, the time that is 1.
 *
 * @param {readonly number[]} [ms]
 * @param {readonly number[]} [ours] The same array in our own row.
 * @param {number} [least] What is less is not measured: it counts as much.
 */
export function compared(ms = [], ours = [], least = 0) {
  const atLeast = (/** @type {readonly number[]} */ values) =>
    values.map((each) => Math.max(each, least));
  if (ms !== ours) return ratioOf(ratios(atLeast(ms), atLeast(ours)));
  const one = median(ms);
  return `1 = ${one < 10 ? one.toFixed(1) : one.toFixed(0)} ms`;
}

/** From here on it is chance. */
const NEARLY = 0.95;

/**
 * What is not the same for a peer; if it is ahead of ours without that, the table says so.
 *
 * @param {string | undefined} note
 * @param {number} ratio To ours; less than 1 is better than ours.
 */
export const noteOn = (note, ratio) => note ?? (ratio < NEARLY ? "ahead: not known why" : "");
