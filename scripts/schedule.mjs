// Runs the steps of the tests side by side, as far as the machine's cores go. Tools such as wireit and
// turbo order steps too, but do not count the tests inside them, add them up, or pass over only what
// needs a step that failed.
import { availableParallelism } from "node:os";
import { run, StepFailed } from "./run.mjs";

/**
 * @typedef {object} Step
 * @property {string} title
 * @property {readonly [command: string, ...args: string[]] | (() => Promise<unknown>)} does
 * @property {readonly Step[]} [after] What has to have succeeded before.
 * @property {() => Promise<unknown>} [begins] What has to be done directly before it.
 * @property {"tests" | "check" | "preparation"} [counts] What it adds to the number that passed: the
 *   tests that it counts by itself, one (unless said otherwise), or nothing.
 * @property {boolean} [optional] Where it fails, what comes after it is left out, which is no failure
 *   except in CI.
 * @property {number} [seconds] How long it takes, roughly: the longest way to the end is begun first.
 * @property {number} [cores] How many it keeps busy; 1 unless said otherwise.
 * @property {Record<string, string>} [env]
 * @property {string} [cwd]
 */

/** More than that are not worth the memory that browsers take. */
const CORES = Math.min(Math.max(availableParallelism(), 2), 4);

/** No step takes that long, also on a machine with four times its load: it hangs. */
const LIMIT_MS = 20 * 60_000;

/** A step's counts: those of web-test-runner, of this script, or of Node's TAP. */
const COUNTS = [/(\d+) passed, (\d+) failed/g, /# pass (\d+)[\s\S]*?# fail (\d+)/g];

/**
 * Runs steps, and those that they come after, and prints what became of each. What a failed step printed
 * is printed whole.
 *
 * @param {readonly Step[]} wanted
 * @returns {Promise<{ passed: number, failed: number, faults: readonly string[] }>} The faults are the
 *   failed steps, each with its failed tests.
 */
export async function schedule(wanted) {
  const waiting = new Set(withPredecessors(wanted));
  const urgency = urgencies([...waiting]);
  /** @type {Map<Step, Promise<void>>} */
  const running = new Map();
  /** @type {Set<Step>} */
  const succeeded = new Set();
  /** @type {Set<Step>} */
  const fallen = new Set();
  /** @type {Set<Step>} */
  const leftOut = new Set();
  /** @type {string[]} */
  const faults = [];
  let passed = 0;
  let failed = 0;

  /** @param {Step} step */
  const start = async (step) => {
    const outcome = await outcomeOf(step);
    running.delete(step);
    (outcome.ok ? succeeded : fallen).add(step);
    if (!outcome.ok && step.optional && !process.env.CI) return void leftOut.add(step);
    passed += outcome.passed;
    failed += outcome.failed;
    if (!outcome.ok) faults.push(`${step.title}: ${outcome.failed} failed`, ...outcome.titles);
  };

  while (waiting.size > 0 || running.size > 0) {
    for (const step of [...waiting]) {
      const lacks = step.after?.find((each) => fallen.has(each));
      if (!lacks) continue;
      waiting.delete(step);
      fallen.add(step);
      if (leftOut.has(lacks)) {
        leftOut.add(step);
        console.warn(`Left out: ${step.title}, because of "${lacks.title}"`);
        continue;
      }
      failed += 1;
      faults.push(`${step.title}: not run, because of "${lacks.title}"`);
    }
    const free = () => CORES - sum([...running.keys()].map(coresOf));
    const ready = [...waiting]
      .filter(({ after = [] }) => after.every((each) => succeeded.has(each)))
      .sort((one, other) => (urgency.get(other) ?? 0) - (urgency.get(one) ?? 0));
    for (const step of ready) {
      // One that takes more than there is runs alone; nothing that is less urgent overtakes it.
      if (running.size > 0 && coresOf(step) > free()) break;
      waiting.delete(step);
      running.set(step, start(step));
    }
    if (running.size > 0) await Promise.race(running.values());
  }
  return { passed, failed, faults };
}

/** @param {Step} step */
const coresOf = ({ cores = 1 }) => cores;

/** @param {readonly number[]} numbers */
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

/**
 * @param {readonly Step[]} steps
 * @returns {readonly Step[]}
 */
function withPredecessors(steps) {
  const found = new Set(steps);
  for (const { after = [] } of found) for (const step of after) found.add(step);
  return [...found];
}

/**
 * How long each step and the longest way from there to the end take.
 *
 * @param {readonly Step[]} steps
 */
function urgencies(steps) {
  /** @type {Map<Step, number>} */
  const known = new Map();
  /** @type {(step: Step) => number} */
  const of = (step) => {
    const next = steps.filter(({ after = [] }) => after.includes(step));
    const value = known.get(step) ?? (step.seconds ?? 1) + Math.max(0, ...next.map(of));
    known.set(step, value);
    return value;
  };
  for (const step of steps) of(step);
  return known;
}

/** @param {Step} step */
async function outcomeOf({ title, does, begins, counts = "check", optional, env, cwd }) {
  let output = "";
  let ok = true;
  try {
    await begins?.();
    if (typeof does === "function") await does();
    else {
      const [command, ...args] = does;
      const limits = { timeoutMs: LIMIT_MS, summarize };
      output = await run(title, command, args, { ...limits, env, ...(cwd && { cwd }) });
    }
  } catch (error) {
    ok = false;
    if (error instanceof StepFailed) output = error.output;
    else console.error(`✖ ${title}:`, optional && error instanceof Error ? error.message : error);
  }
  const found = counts === "tests" ? countsIn(output) : undefined;
  return {
    ok,
    passed: found?.passed ?? Number(ok && counts === "check"),
    // A tier that broke down without a failed test has failed all the same.
    failed: Math.max(found?.failed ?? 0, Number(!ok)),
    titles: ok ? [] : failedTests(output),
  };
}

/** A failed test's line: those of web-test-runner, or of Node's TAP. */
const FAILED_TEST = /^\s*(?:❌|𐄂|not ok \d+ -) (.+)$/gm;

/** As many as a person reads at the end; the rest stands with what the step has printed. */
const TITLES = 20;

/** @param {string} output */
function failedTests(output) {
  const titles = [...output.matchAll(FAILED_TEST)].map(([, title]) => `  ${title}`);
  return [...new Set(titles)].slice(0, TITLES);
}

/** @param {string} output */
function countsIn(output) {
  const [, passed, failed] = COUNTS.flatMap((form) => [...output.matchAll(form)]).at(-1) ?? [];
  return passed === undefined ? undefined : { passed: Number(passed), failed: Number(failed) };
}

/**
 * @param {string} output
 * @returns What the line about a step says besides its time.
 */
function summarize(output) {
  const counts = countsIn(output);
  return counts ? `${counts.passed} passed, ` : "";
}
