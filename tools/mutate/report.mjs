// What a run of mutants came to.

/** @typedef {import("./instrument.mjs").Mutant} Mutant */
/** @typedef {"killed" | "timed-out" | "survived" | "not-covered"} Verdict */
/** @typedef {Mutant & { verdict: Verdict, by?: string }} Outcome `by`: the test that failed. */

/**
 * @param {readonly Outcome[]} outcomes
 * @param {(outcome: Outcome) => string} groupOf
 */
export function tally(outcomes, groupOf) {
  /** @type {Map<string, { killed: number, timedOut: number, survived: number, notCovered: number }>} */
  const groups = new Map();
  for (const outcome of outcomes) {
    const name = groupOf(outcome);
    const counts = groups.get(name) ?? { killed: 0, timedOut: 0, survived: 0, notCovered: 0 };
    if (outcome.verdict === "timed-out") counts.timedOut += 1;
    if (outcome.verdict === "survived") counts.survived += 1;
    else if (outcome.verdict === "not-covered") counts.notCovered += 1;
    else counts.killed += 1;
    groups.set(name, counts);
  }
  return [...groups]
    .map(([name, counts]) => ({ name, ...counts, score: scoreOf(counts) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** @param {Outcome} outcome */
export const hasSurvived = ({ verdict }) => verdict === "survived" || verdict === "not-covered";

/**
 * In percent; what no test covers has survived.
 *
 * @param {Record<"killed" | "survived" | "notCovered", number>} counts
 */
const scoreOf = ({ killed, survived, notCovered }) =>
  (100 * killed) / (killed + survived + notCovered);

/** @param {ReturnType<typeof tally>} rows */
export function table(rows) {
  const cells = rows.map(({ name, killed, timedOut, survived, notCovered, score }) => [
    name,
    ...[killed, timedOut, survived, notCovered].map(String),
    `${score.toFixed(1)} %`,
  ]);
  const head = ["", "killed", "by time", "survived", "not covered", "score"];
  const rowsOfText = [head, ...cells];
  const width = (/** @type {number} */ i) =>
    Math.max(...rowsOfText.map((row) => row[i]?.length ?? 0));
  return rowsOfText
    .map((row) => row.map((text, i) => (i === 0 ? text.padEnd(width(i)) : text.padStart(width(i)))))
    .map((row) => row.join("  "))
    .join("\n");
}

/** @param {Outcome} outcome */
export const describe = ({ file, line, column, original, replacement, verdict }) =>
  `${file}:${line}:${column} ${short(original)} → ${short(replacement)}` +
  (verdict === "not-covered" ? " (not covered)" : "");

/** @param {string} code */
function short(code) {
  const text = code.replace(/\s+/g, " ");
  return text.length > 90 ? `${text.slice(0, 60)} … ${text.slice(-25)}` : text;
}
