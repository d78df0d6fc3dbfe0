// Which tests may notice a mutant.
import { StepFailed } from "../run.mjs";

/** A page that opens takes about so long, in ms: it decides which tests are tried first. */
const OPENING_MS = 100;

const pathOf = (test) => `/${test.replace(/ts$/, "js")}`;

/** What each test covers, and how long it takes. */
export async function dryRun(page, test) {
  const job = { file: pathOf(test), mutant: null, tests: null, timeouts: [], hitLimit: 0 };
  const result = await page.run(job, 120_000);
  if (result.failure) {
    console.error(`✖ ${test} fails without a mutant: ${result.failure}`);
    throw new StepFailed(test, "");
  }
  return { test, ...result };
}

/** Knows which tests may notice a mutant, and tries first those that did so in its neighborhood. */
export class Planner {
  #dry;
  #kills = new Map();

  /** @param {object[]} dry What `dryRun` told of each file of tests. */
  constructor(dry, mutants) {
    const fileOf = new Map(mutants.map(({ id, file }) => [id, file]));
    this.#dry = dry.map((one) => ({
      ...one,
      sources: new Set(
        one.tests.flatMap(({ covered }) => Object.keys(covered).map((id) => fileOf.get(id))),
      ),
    }));
  }

  /** The runs that a mutant has to survive. */
  plan({ id, file }) {
    const all = this.#dry.map((one) => this.#runOf(one, id, file)).filter(Boolean);
    return all.sort((a, b) => b.rank - a.rank);
  }

  #runOf({ test, tests, sources, onLoad }, id, file) {
    // What was made on loading may matter to each test, where any of them comes into its source file.
    const all = onLoad[id] && sources.has(file);
    const picked = tests.flatMap(({ covered }, i) => (all || covered[id] ? [i] : []));
    if (picked.length === 0) return undefined;
    const hits = picked.reduce((sum, i) => sum + (tests[i].covered[id] ?? 0), onLoad[id] ?? 0);
    const ms = picked.reduce((sum, i) => sum + tests[i].ms, OPENING_MS);
    const { noticed = 0, late = 0 } = this.#kills.get(`${file} ${test}`) ?? {};
    return {
      rank: (picked.length + 10 * noticed) / (ms + 500 * late),
      test,
      patience: 15_000 + 5 * ms,
      job: {
        file: pathOf(test),
        mutant: id,
        tests: picked,
        timeouts: tests.map((one) => 2000 + 5 * one.ms),
        hitLimit: 1000 + 100 * hits,
      },
    };
  }

  /** Learns which file of tests notices a mutant of a file, and which but waits in vain. */
  killed({ file }, test, timedOut) {
    const key = `${file} ${test}`;
    const { noticed = 0, late = 0 } = this.#kills.get(key) ?? {};
    this.#kills.set(key, timedOut ? { noticed, late: late + 1 } : { noticed: noticed + 1, late });
  }
}
