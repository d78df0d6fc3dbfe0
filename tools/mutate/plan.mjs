// The tests that can detect a mutant.

/** Opening a page takes about this long, in ms. The order of the tests depends on it. */
const OPENING_MS = 100;

/** @typedef {import("./instrument.mjs").Mutant} Mutant */
/** @typedef {import("./in-page.mjs").Result & { test: string }} DryRun `test`: the file. */
/** @typedef {{ rank: number, test: string, timeoutMs: number, job: import("./in-page.mjs").Job }} Run */

/** @param {string} test */
const pathOf = (test) => `/${test.replace(/ts$/, "js")}`;

/**
 * Measures the coverage and the time of each test in a file. A file for another folder that fails twice is
 * left out.
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
 * Plans the tests that can detect a mutant. Tests that detected others in the same file come first.
 *
 * @param {readonly DryRun[]} dryRuns The dry run of each test file.
 * @param {readonly Mutant[]} mutants
 */
export function planner(dryRuns, mutants) {
  const fileOf = new Map(mutants.map(({ id, file }) => [id, file]));
  const known = dryRuns.map((dryRun) => {
    const covered = dryRun.tests.flatMap((one) => Object.keys(one.covered));
    return { ...dryRun, sources: new Set(covered.map((id) => fileOf.get(id))) };
  });
  /** How many mutants of a source file each test file has detected. @type {Map<string, number>} */
  const kills = new Map();

  /**
   * @param {typeof known[number]} dryRun
   * @param {Mutant} mutant
   * @returns {Run[]}
   */
  function runsOf({ test, tests, sources, onLoad }, { id, file }) {
    // Code that runs while a source file loads can affect each test, if one of them runs code of that file.
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
    /** The runs that a mutant must survive. @param {Mutant} mutant */
    plan: (mutant) =>
      known.flatMap((dryRun) => runsOf(dryRun, mutant)).sort((a, b) => b.rank - a.rank),

    /** Records which test file detected a mutant. @param {Mutant} mutant @param {string} test */
    killed({ file }, test) {
      const key = `${file} ${test}`;
      kills.set(key, (kills.get(key) ?? 0) + 1);
    },
  };
}
