// Runs in the page: one file of tests, by the same mocha as in web-test-runner, with one mutant on.
import "mocha/mocha.js";
import fc from "fast-check";

const { mocha } = globalThis;

// The same cases in each run, and no search for the smallest one that fails.
fc.configureGlobal({ seed: 1, endOnFailure: true });

/**
 * @param {object} job
 * @param {string} job.file
 * @param {string | null} job.mutant None in a dry run, which goes on where a test fails.
 * @param {number[] | null} job.tests Which tests of the file, by their place in it; null: all.
 * @param {number[]} job.timeouts How long each test may take, in ms; where there is none, 10,000.
 * @param {number} job.hitLimit A mutant that is met more often than this has made an endless loop.
 */
globalThis.runTests = async ({ file, mutant, tests, timeouts, hitLimit }) => {
  const stryker = { activeMutant: mutant };
  if (mutant !== null) Object.assign(stryker, { hitCount: 0, hitLimit });
  globalThis.__stryker__ = stryker;
  mocha.setup({ ui: "bdd", reporter: Quiet, timeout: 10_000, bail: mutant !== null });
  try {
    await import(file);
  } catch (error) {
    return { failure: `On loading: ${error}`, tests: [] };
  }
  const all = [];
  mocha.suite.eachTest((test) => all.push(test));
  all.forEach((test, index) => {
    if (timeouts[index] !== undefined) test.timeout(timeouts[index]);
  });
  if (tests) keep(mocha.suite, new Set(tests.map((index) => all[index])));
  mocha.suite.beforeEach(function () {
    stryker.currentTestId = String(all.indexOf(this.currentTest));
  });
  // It must be the first: a file's own may be at the top too.
  mocha.suite._beforeEach.unshift(mocha.suite._beforeEach.pop());
  let failure = null;
  await new Promise((done) => {
    const runner = mocha.run(done);
    runner.on("fail", (test, error) => {
      failure ??= `${test.fullTitle()}: ${error?.message ?? error}`;
      if (error?.code === "ERR_MOCHA_TIMEOUT") failure = `Timed out: ${failure}`;
    });
  });
  const { static: onLoad = {}, perTest = {} } = stryker.mutantCoverage ?? {};
  return {
    failure,
    onLoad,
    tests: all.map((test, index) => ({
      title: test.fullTitle(),
      ms: test.duration ?? 0,
      covered: perTest[index] ?? {},
    })),
  };
};

function keep(suite, wanted) {
  suite.tests = suite.tests.filter((test) => wanted.has(test));
  for (const inner of suite.suites) keep(inner, wanted);
}

function Quiet() {
  // What failed is heard from the runner.
}
