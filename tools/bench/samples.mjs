// What is done with times on a machine that does other things too: everybody is measured in turn, over
// and over, and told is how they compare within a turn.

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = NaN, high = NaN] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[middle]];
  return (low + high) / 2;
}

/**
 * @typedef {object} Spread
 * @property {number} median
 * @property {number} min
 * @property {number} max
 */

/**
 * @param {readonly number[]} values
 * @returns {Spread}
 */
export const spread = (values) => ({
  median: median(values),
  min: Math.min(...values),
  max: Math.max(...values),
});

/**
 * How a peer compares to us, turn by turn.
 *
 * @param {readonly number[]} theirs
 * @param {readonly number[]} ours
 */
export const ratios = (theirs, ours) =>
  spread(theirs.map((value, turn) => value / (ours[turn] ?? NaN)));

/**
 * Measures everybody in each turn, in an order that changes: who comes first has no advantage.
 *
 * @template Subject
 * @param {readonly Subject[]} subjects
 * @param {number} turns
 * @param {(subject: Subject, turn: number) => Promise<number>} measure
 * @returns {Promise<Map<Subject, number[]>>}
 */
export async function inTurns(subjects, turns, measure) {
  const samples = new Map(subjects.map((subject) => [subject, /** @type {number[]} */ ([])]));
  for (let turn = 0; turn < turns; turn += 1) {
    const first = turn % subjects.length;
    for (const subject of [...subjects.slice(first), ...subjects.slice(0, first)]) {
      samples.get(subject)?.push(await measure(subject, turn));
    }
  }
  return samples;
}
