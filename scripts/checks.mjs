import { readdir } from "node:fs/promises";
import { run, StepFailed } from "./run.mjs";

/** A tier ends with its counts in one of these forms: web-test-runner's, or that of Node's TAP. */
const COUNTS = [/(\d+) passed, (\d+) failed/g, /# pass (\d+)[\s\S]*?# fail (\d+)/g];

let passed = 0;
let failed = 0;

/**
 * Runs a check or a tier of tests, and continues if it fails, to report all failures.
 *
 * @param {string} title
 * @param {string} command
 * @param {string[]} args
 * @param {{ counts?: boolean, cwd?: string, env?: Record<string, string> }} [options]
 *   `counts`: the tests inside count; else it counts as one.
 * @returns {Promise<boolean>} Whether it passed.
 */
export async function check(title, command, args, { counts = false, ...options } = {}) {
  let output = "";
  let ok = true;
  try {
    output = await run(title, command, args, options);
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    output = error.output;
    ok = false;
  }
  const found = counts ? COUNTS.flatMap((form) => [...output.matchAll(form)]).at(-1) : undefined;
  passed += found ? Number(found[1]) : Number(ok);
  // A tier that broke down without a failed test has failed all the same.
  failed += Math.max(found ? Number(found[2]) : 0, Number(!ok));
  return ok;
}

/**
 * Counts what has failed before its tests could begin, for the others to go on.
 *
 * @param {string} title
 * @param {unknown} error
 */
export function countFailure(title, error) {
  failed += 1;
  console.error(`✘ ${title}:`, error);
}

/** Prints what was counted; the process ends with 1 where anything failed. */
export function printCounts() {
  console.log(`\n${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

/**
 * The arguments by which Node runs the tests of a folder.
 *
 * @param {string} folder
 */
export async function nodeTest(folder) {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".test.ts"));
  return nodeTestOf(files.map((file) => `${folder}/${file}`));
}

/**
 * The arguments by which Node runs some files of tests.
 *
 * @param {readonly string[]} files
 */
export const nodeTestOf = (files) => ["--import", "tsx", "--test", "--test-reporter=tap", ...files];
