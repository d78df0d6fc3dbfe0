// The results for the mutants.

/** @typedef {import("./instrument.mjs").Mutant} Mutant */
/** @typedef {"killed" | "timed-out" | "survived" | "not-covered"} Verdict */
/** @typedef {Mutant & { verdict: Verdict, by?: string }} Outcome `by`: the failed test. */

/** @param {Outcome} outcome */
export const hasSurvived = ({ verdict }) => verdict === "survived" || verdict === "not-covered";

/**
 * The numbers of each group. The score is in percent, and counts uncovered mutants as survivors.
 *
 * @param {readonly Outcome[]} outcomes
 * @param {(outcome: Outcome) => string} groupOf
 */
export function tally(outcomes, groupOf) {
  return [...new Set(outcomes.map(groupOf))].sort().map((name) => {
    const group = outcomes.filter((outcome) => groupOf(outcome) === name);
    /** @param {...Verdict} verdicts */
    const count = (...verdicts) => group.filter(({ verdict }) => verdicts.includes(verdict)).length;
    const killed = count("killed", "timed-out");
    return {
      name,
      killed,
      "by time": count("timed-out"),
      survived: count("survived"),
      "not covered": count("not-covered"),
      score: Number(((100 * killed) / group.length).toFixed(1)),
    };
  });
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
