// Which tests may notice a mutant.
import { StepFailed } from "../../scripts/run.mjs";

/** A page that opens takes about so long, in ms: it decides which tests are tried first. */
const OPENING_MS = 100;

/** @typedef {import("./instrument.mjs").Mutant} Mutant */
/** @typedef {import("./in-page.mjs").Result & { test: string }} DryRun `test`: the file. */
/** @typedef {{ rank: number, test: string, timeoutMs: number, job: import("./in-page.mjs").Job }} Run */

/** @param {string} test */
const pathOf = (test) => `/${test.replace(/ts$/, "js")}`;

/**
 * What each test of a file covers, and how long it takes. A file of another folder than the mutants' that
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
  console.error(`✖ ${test} fails without a mutant: ${result.failure}`);
  if (isOwn) throw new StepFailed(test, "");
  console.error(`${test} is left out`);
  return { test, failure: null, onLoad: {}, tests: [] };
}

/** Knows which tests may notice a mutant, and tries first those that did so in its neighborhood. */
export class Planner {
  #dry;
  /** @type {Map<string, { noticed: number, late: number }>} */
  #kills = new Map();

  /**
   * @param {readonly DryRun[]} dry Of each file of tests.
   * @param {readonly Mutant[]} mutants
   */
  constructor(dry, mutants) {
    const fileOf = new Map(mutants.map(({ id, file }) => [id, file]));
    this.#dry = dry.map((one) => ({
      ...one,
      sources: new Set(
        one.tests.flatMap(({ covered }) => Object.keys(covered).map((id) => fileOf.get(id))),
      ),
    }));
  }

  /**
   * The runs that a mutant has to survive.
   *
   * @param {Mutant} mutant
   */
  plan(mutant) {
    const all = this.#dry.flatMap((one) => this.#runsOf(one, mutant));
    return all.sort((a, b) => b.rank - a.rank);
  }

  /**
   * @param {DryRun & { sources: ReadonlySet<string | undefined> }} dry
   * @param {Mutant} mutant
   * @returns {Run[]}
   */
  #runsOf({ test, tests, sources, onLoad }, { id, file }) {
    // What was made on loading may matter to each test, where any of them comes into its source file.
    const all = onLoad[id] && sources.has(file);
    const picked = tests.filter(({ covered }) => all || covered[id]);
    if (picked.length === 0) return [];
    const hits = picked.reduce((sum, { covered }) => sum + (covered[id] ?? 0), onLoad[id] ?? 0);
    const ms = picked.reduce((sum, one) => sum + one.ms, OPENING_MS);
    const { noticed, late } = this.#kills.get(`${file} ${test}`) ?? { noticed: 0, late: 0 };
    const run = {
      rank: (picked.length + 10 * noticed) / (ms + 500 * late),
      test,
      timeoutMs: 15_000 + 5 * ms,
      job: {
        file: pathOf(test),
        mutant: id,
        tests: picked.map((one) => tests.indexOf(one)),
        timeouts: tests.map((one) => 2000 + 5 * one.ms),
        hitLimit: 1000 + 100 * hits,
      },
    };
    return [run];
  }

  /**
   * Learns which file of tests notices a mutant of a file, and which but waits in vain.
   *
   * @param {Mutant} mutant
   * @param {string} test
   * @param {boolean} timedOut
   */
  killed({ file }, test, timedOut) {
    const key = `${file} ${test}`;
    const { noticed, late } = this.#kills.get(key) ?? { noticed: 0, late: 0 };
    this.#kills.set(key, timedOut ? { noticed, late: late + 1 } : { noticed: noticed + 1, late });
  }
}
