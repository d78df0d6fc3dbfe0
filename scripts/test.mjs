// `npm test`: everything that needs nothing but a browser. Says at the end what ran and what did not.
import { readdir } from "node:fs/promises";
import { ensureChromium } from "./browser.mjs";
import { main, run, StepFailed } from "./run.mjs";

/** A tier ends with its counts in one of these forms: web-test-runner's, or that of Node's TAP. */
const COUNTS = [/(\d+) passed, (\d+) failed/g, /# pass (\d+)[\s\S]*?# fail (\d+)/g];

let passed = 0;
let failed = 0;

/**
 * Runs a check or a tier of tests, and goes on where it failed: a person wants to know all.
 *
 * @param {string} title
 * @param {string} command
 * @param {string[]} args
 * @param {{ counts?: boolean }} [options] `counts`: the tests inside count; else it counts as one.
 */
async function check(title, command, args, { counts = false } = {}) {
  let output = "";
  let ok = true;
  try {
    output = await run(title, command, args);
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    output = error.output;
    ok = false;
  }
  const found = counts ? COUNTS.flatMap((form) => [...output.matchAll(form)]).at(-1) : undefined;
  passed += found ? Number(found[1]) : Number(ok);
  // A tier that broke down without a failed test has failed all the same.
  failed += Math.max(found ? Number(found[2]) : 0, Number(!ok));
}

await main(async () => {
  await ensureChromium();
  await run("Build", "node", ["scripts/build.mjs"]);
  await check("Types of the tests", "tsc", ["--noEmit", "--project", "test"]);
  await check("Types of the demo", "tsc", ["--noEmit", "--project", "demo"]);
  await check("Lint and walls", "eslint", ["."]);
  await check("Format", "prettier", ["--check", "--log-level", "warn", "."]);
  await check("Documentation", "node", await nodeTest("test/docs"), { counts: true });
  await check("Package", "node", await nodeTest("test/package"), { counts: true });
  await check("The demo's homeserver", "node", await nodeTest("test/server"), { counts: true });
  await check("Core and elements, in Chromium", "wtr", ["--coverage"], { counts: true });
  await check("End to end, in Chromium", "node", await nodeTest("test/e2e"), { counts: true });
  console.log(`\n${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
});

/** @param {string} folder */
async function nodeTest(folder) {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".test.ts"));
  return [
    "--import",
    "tsx",
    "--test",
    "--test-reporter=tap",
    ...files.map((file) => `${folder}/${file}`),
  ];
}
