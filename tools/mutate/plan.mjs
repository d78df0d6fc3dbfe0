// Which tests may notice a mutant.

/** A page that opens takes about so long, in ms: it decides which tests are tried first. */
const OPENING_MS = 100;

/** @typedef {import("./instrument.mjs").Mutant} Mutant */
/** @typedef {import("./in-page.mjs").Result & { test: string }} DryRun `test`: the file. */
/** @typedef {{ rank: number, test: string, timeoutMs: number, job: import("./in-page.mjs").Job }} Run */

/** @param {string} test */
const pathOf = (test) => `/${test.replace(/ts$/, "js")}`;

/**
 * The coverage and the time of each test of a file. A file of another folder than the mutants' that
 * fails twice is left out.
 *
 * @param {import("./pages.mjs").TestPage} page
 * @param {string} test
 * @param {boolean} isOwn
 * @returns {Promise<DryRun>}
 */
export async function dryRun(page, test, isOwn) {
  const job = { file: pathOf(test), mutant: null, tests: null, timeouts: [], hitLimit: 0 };
  let result = await page.run(job, 600_000);
  if (result.failure && !isOwn) result = await page.run(job, 600_000);
  if (!result.failure) return { test, ...result };
  const message = `${test} fails without a mutant: ${result.failure}`;
  if (isOwn) throw new Error(message);
  console.error(`✖ ${message}; it is left out`);
  return { test, failure: null, onLoad: {}, tests: [] };
}

/**
 * Knows which tests may notice a mutant, and tries first those that did so in its neighborhood.
 *
 * @param {readonly DryRun[]} dryRuns Of each file of tests.
 * @param {readonly Mutant[]} mutants
 */
export function planner(dryRuns, mutants) {
  const fileOf = new Map(mutants.map(({ id, file }) => [id, file]));
  const known = dryRuns.map((dryRun) => {
    const covered = dryRun.tests.flatMap((one) => Object.keys(one.covered));
    return { ...dryRun, sources: new Set(covered.map((id) => fileOf.get(id))) };
  });
  /** How often a file of tests noticed a mutant of a source file. @type {Map<string, number>} */
  const kills = new Map();

  /**
   * @param {typeof known[number]} dryRun
   * @param {Mutant} mutant
   * @returns {Run[]}
   */
  function runsOf({ test, tests, sources, onLoad }, { id, file }) {
    // Code that runs on loading can matter to each test, if any of them runs code of its source
    // file.
    const all = onLoad[id] && sources.has(file);
    const picked = tests.filter(({ covered }) => all || covered[id]);
    if (picked.length === 0) return [];
    const hits = picked.reduce((sum, { covered }) => sum + (covered[id] ?? 0), onLoad[id] ?? 0);
    const ms = picked.reduce((sum, one) => sum + one.ms, OPENING_MS);
    const job = {
      file: pathOf(test),
      mutant: id,
      tests: picked.map((one) => tests.indexOf(one)),
      timeouts: tests.map((one) => 2000 + 5 * one.ms),
      hitLimit: 1000 + 100 * hits,
    };
    const rank = (picked.length + 10 * (kills.get(`${file} ${test}`) ?? 0)) / ms;
    return [{ rank, test, timeoutMs: 15_000 + 5 * ms, job }];
  }

  return {
    /** The runs that a mutant has to survive. @param {Mutant} mutant */
    plan: (mutant) =>
      known.flatMap((dryRun) => runsOf(dryRun, mutant)).sort((a, b) => b.rank - a.rank),

    /** Learns which file of tests notices a mutant. @param {Mutant} mutant @param {string} test */
    killed({ file }, test) {
      const key = `${file} ${test}`;
      kills.set(key, (kills.get(key) ?? 0) + 1);
    },
  };
}
