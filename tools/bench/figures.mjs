// How figures are computed and written. Times are of a machine that has other load too, so libraries are compared within
// a turn: see `inTurns` in browser.mjs.

/** Names of the subjects in tables, if they differ. @type {Record<string, string>} */
const TITLES = {
  ours: "matrix-auth-elements",
  "matrix-js-sdk-41": "matrix-js-sdk 41.9",
  "matrix-js-sdk-43": "matrix-js-sdk 43",
  "matrix-js-sdk-41-client": "matrix-js-sdk 41.9, by createClient",
  "matrix-js-sdk-43-client": "matrix-js-sdk 43, by createClient",
  descope: "Descope web-component",
};

/** @param {string} subject */
export const titleOf = (subject) => TITLES[subject] ?? subject;
/** @param {string} subject */
export const isOurs = (subject) => subject === "ours";

/**
 * Our own row for a task.
 *
 * @template {{ task: string, subject: string }} Row
 * @param {readonly Row[]} rows
 * @param {string} task
 */
export const ourRow = (rows, task) => rows.find((row) => row.task === task && isOurs(row.subject));

const NUMBER = new Intl.NumberFormat("en-US");
/** @param {number} value */
export const number = (value) => NUMBER.format(Math.round(value));
/** @param {number} bytes */
export const kb = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;
/** @param {number} ratio */
export const times = (ratio) => `${ratio < 10 ? ratio.toFixed(2) : ratio.toFixed(0)}×`;

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = NaN, high = NaN] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[middle]];
  return (low + high) / 2;
}

/**
 * A peer's ratios to ours, turn by turn.
 *
 * @param {readonly number[]} [theirs]
 * @param {readonly number[]} [ours]
 */
export const ratios = (theirs = [], ours = []) =>
  theirs.map((value, turn) => value / (ours[turn] ?? NaN));

/** The median of ratios, the smallest, and the largest. @param {readonly number[]} values */
export const spread = (values) =>
  `${times(median(values))} (${times(Math.min(...values))} – ${times(Math.max(...values))})`;

/**
 * A peer's times relative to ours; for our own row, the time that is 1.
 *
 * @param {readonly number[]} [ms]
 * @param {readonly number[]} [ours] The same array in our own row.
 */
export function compared(ms = [], ours = []) {
  if (ms !== ours) return spread(ratios(ms, ours));
  const one = median(ms);
  return `1 = ${one < 10 ? one.toFixed(1) : one.toFixed(0)} ms`;
}

/** Smaller differences are chance. */
const NEARLY = 0.95;

/**
 * A peer's difference from ours. If a peer is ahead without one, the table says so.
 *
 * @param {string | undefined} note
 * @param {number} ratio To ours; less than 1 is better than ours.
 */
export const noteOn = (note, ratio) => note ?? (ratio < NEARLY ? "ahead: not known why" : "");

/**
 * The figures of all turns: a list for each figure, from an object for each turn.
 *
 * @template {string} Name
 * @param {readonly Record<Name, number>[]} turns
 * @returns {Record<Name, number[]>}
 */
export function columns(turns) {
  const names = /** @type {Name[]} */ (Object.keys(turns[0] ?? {}));
  const lists = names.map((name) => [name, turns.map((turn) => turn[name])]);
  return Object.fromEntries(lists);
}
