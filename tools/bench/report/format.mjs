// How figures are written.

/** @param {string} subject */
export const isOurs = (subject) => subject.startsWith("ours");

const NUMBER = new Intl.NumberFormat("en-US");
/** @param {number} bytes */
export const kb = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;
/** @param {number} ratio */
export const times = (ratio) => `${ratio < 10 ? ratio.toFixed(2) : ratio.toFixed(0)}×`;
/** @param {import("../samples.mjs").Spread} spread */
export const ratioOf = ({ median, min, max }) => `${times(median)} (${times(min)} – ${times(max)})`;
/** @param {number} ms */
export const msOf = (ms) => `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`;
/** @param {number} value */
export const number = (value) => NUMBER.format(Math.round(value));

/** @param {...(string | undefined)} parts */
export const notes = (...parts) => parts.filter(Boolean).join("; ");
