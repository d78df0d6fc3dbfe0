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
 * How a peer compares to us, turn by turn.
 *
 * @param {readonly number[]} theirs
 * @param {readonly number[]} ours
 * @returns {Spread}
 */
export function ratios(theirs, ours) {
  const values = theirs.map((value, turn) => value / (ours[turn] ?? NaN));
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/**
 * Measures everybody in each turn, in an order that changes: who comes first has no advantage.
 *
 * @template Subject
 * @template Result
 * @param {readonly Subject[]} subjects
 * @param {number} turns
 * @param {(subject: Subject) => Promise<Result>} measure
 * @returns {Promise<Map<Subject, Result[]>>}
 */
export async function inTurns(subjects, turns, measure) {
  const samples = new Map(subjects.map((subject) => [subject, /** @type {Result[]} */ ([])]));
  for (let turn = 0; turn < turns; turn += 1) {
    const first = turn % subjects.length;
    for (const subject of [...subjects.slice(first), ...subjects.slice(0, first)]) {
      samples.get(subject)?.push(await measure(subject));
    }
  }
  return samples;
}
