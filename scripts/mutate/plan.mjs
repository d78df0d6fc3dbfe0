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
  #near;
  #kills = new Map();

  constructor(dry, mutants) {
    this.#dry = dry;
    const fileOf = new Map(mutants.map(({ id, file }) => [id, file]));
    // How many of a source file's mutants a file of tests covers.
    this.#near = dry.map(({ tests }) => {
      const covered = new Set(tests.flatMap((test) => Object.keys(test.covered)));
      const counts = new Map();
      for (const id of covered) counts.set(fileOf.get(id), (counts.get(fileOf.get(id)) ?? 0) + 1);
      return counts;
    });
  }

  /** The runs that a mutant has to survive. */
  plan({ id, file }) {
    return this.#dry
      .flatMap(({ test, tests, onLoad }, index) => {
        const covering = tests.flatMap(({ covered }, i) => (covered[id] ? [i] : []));
        // What happens outside a test may matter to each of them.
        const picked = onLoad[id] ? tests.map((_, i) => i) : covering;
        if (picked.length === 0) return [];
        const hits = covering.reduce((sum, i) => sum + tests[i].covered[id], onLoad[id] ?? 0);
        const ms = picked.reduce((sum, i) => sum + tests[i].ms, OPENING_MS);
        const near = this.#near[index].get(file) ?? 0;
        const kills = this.#kills.get(`${file} ${test}`) ?? 0;
        return [
          {
            rank: (near + 10 * kills + 0.1) / ms,
            test,
            patience: 15_000 + 5 * ms,
            job: {
              file: pathOf(test),
              mutant: id,
              tests: onLoad[id] ? null : picked,
              timeouts: tests.map((one) => 2000 + 5 * one.ms),
              hitLimit: 1000 + 100 * hits,
            },
          },
        ];
      })
      .sort((a, b) => b.rank - a.rank);
  }

  killed({ file }, test) {
    const key = `${file} ${test}`;
    this.#kills.set(key, (this.#kills.get(key) ?? 0) + 1);
  }
}
