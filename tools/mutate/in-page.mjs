// Runs in the page: one test file with mocha, as in web-test-runner, with one active mutant.
/* global mocha, Mocha */
import "mocha/mocha.js";
import fc from "fast-check";

/**
 * @typedef {object} Job
 * @property {string} file
 * @property {string | null} mutant Null in a dry run, which continues after a failed test.
 * @property {number[] | null} tests The indexes of the tests to run; null: all.
 * @property {number[]} timeouts The time limit of each test in ms. Default: 60,000.
 * @property {number} hitLimit The number of hits that means an endless loop.
 */

/** @typedef {Record<string, number>} Hits The number of times that each mutant ran. */

/**
 * @typedef {object} Result
 * @property {string | null} failure The first failed test, and its error.
 * @property {Hits} onLoad The hits outside of tests.
 * @property {{ title: string, ms: number, covered: Hits }[]} tests
 */

/**
 * The state that the instrumented code shares with its runner.
 *
 * @typedef {object} Stryker
 * @property {string | null} activeMutant
 * @property {number} [hitCount]
 * @property {number} [hitLimit]
 * @property {string} [currentTestId]
 * @property {{ static: Hits, perTest: Record<string, Hits> }} [mutantCoverage]
 */

/** Collects failures from the test runner. */
class Quiet extends Mocha.reporters.Base {}

// Each run tests the same cases, and does not search for the smallest failing one.
fc.configureGlobal({ seed: 1, endOnFailure: true });

/**
 * @param {Job} job
 * @returns {Promise<Result>}
 */
async function runTests({ file, mutant, tests, timeouts, hitLimit }) {
  /** @type {Stryker} */
  const stryker = {
    activeMutant: mutant,
    ...(mutant !== null && { hitCount: 0, hitLimit }),
  };
  Object.assign(globalThis, { __stryker__: stryker });
  mocha.setup({ ui: "bdd", reporter: Quiet, timeout: 60_000, bail: mutant !== null });
  /** @type {import("mocha").Test[]} */
  const all = [];
  // This hook runs before the file's own.
  mocha.suite.beforeEach(function () {
    stryker.currentTestId = String(all.findIndex((test) => test === this.currentTest));
  });
  try {
    await import(file);
  } catch (error) {
    return { failure: `On loading: ${error}`, onLoad: {}, tests: [] };
  }
  mocha.suite.eachTest((test) => {
    const timeout = timeouts[all.push(test) - 1];
    if (timeout !== undefined) test.timeout(timeout);
  });
  if (tests) keep(mocha.suite, new Set(all.filter((_, index) => tests.includes(index))));
  const failure = await firstFailure();
  const { static: onLoad, perTest } = stryker.mutantCoverage ?? { static: {}, perTest: {} };
  return {
    failure,
    onLoad,
    tests: all.map((test, index) => ({
      title: test.fullTitle(),
      ms: test.duration ?? 0,
      covered: perTest[index] ?? {},
    })),
  };
}

Object.assign(globalThis, { runTests });

/** @returns {Promise<string | null>} */
function firstFailure() {
  /** @type {string | null} */
  let failure = null;
  return new Promise((done) => {
    const runner = mocha.run(() => done(failure));
    runner.on("fail", (test, error) => {
      const late = error?.code === "ERR_MOCHA_TIMEOUT" ? "Timed out: " : "";
      failure ??= `${late}${test.fullTitle()}: ${error?.message ?? error}`;
    });
  });
}

/**
 * @param {import("mocha").Suite} suite
 * @param {ReadonlySet<import("mocha").Test>} wanted
 */
function keep(suite, wanted) {
  suite.tests = suite.tests.filter((test) => wanted.has(test));
  for (const inner of suite.suites) keep(inner, wanted);
}
