// `npm run mutate [folder or file …]`: whether the core's tests detect wrong code; see README.md. The mutants
// are StrykerJS's, which has no runner for Web Test Runner, and would start a browser for each mutant.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { installPackages } from "../../scripts/packages.mjs";
import { TestPage, serve } from "./pages.mjs";
import { dryRun, planner } from "./plan.mjs";
import { describe, hasSurvived, tally } from "./report.mjs";

/** @typedef {import("./instrument.mjs").Mutant} Mutant */
/** @typedef {import("./report.mjs").Outcome} Outcome */

const FOLDERS = [
  "src/core/oauth",
  "src/core/uia",
  "src/core/session",
  "src/matrix-js-sdk/oidc-token-refresher.ts",
];
const REPORT = "coverage/mutation.json";
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    again: { type: "boolean", default: false },
    threshold: { type: "string", default: "85" },
    pages: { type: "string", default: "2" },
  },
});
await run(positionals.length > 0 ? positionals : FOLDERS);

/** @param {readonly string[]} places */
async function run(places) {
  await installPackages("tools/mutate");
  const { bundle, instrument } = await import("./instrument.mjs");
  const started = Date.now();
  const { mutants, sources, hashes } = await instrument(places);
  const known = values.again ? await lastKilled(hashes) : new Map();
  const chosen = mutants.filter((mutant) => !known.has(keyOf(mutant)));
  const { tests, files } = await bundle(sources);
  console.log(
    `${chosen.length} of ${mutants.length} mutants are tried, with ${tests.length} files of tests`,
  );

  const { origin, close } = await serve(files);
  const pages = Array.from({ length: Number(values.pages) }, () => new TestPage(origin));
  try {
    const own = places.map((place) =>
      place.replace(/^src/, "test").replace(/\/[^/]*\.ts$|\/?$/, "/"),
    );
    const dryRuns = await share(pages, tests, "Tests without a mutant", (page, test) =>
      dryRun(
        page,
        test,
        own.some((folder) => test.startsWith(folder)),
      ),
    );
    const plans = planner(dryRuns, mutants);
    const outcomes = await share(pages, chosen, "Mutants", (page, mutant) =>
      judge(page, mutant, plans),
    );
    const fresh = new Map(outcomes.map((outcome) => [outcome.id, outcome]));
    const all = mutants.flatMap((mutant) => fresh.get(mutant.id) ?? known.get(keyOf(mutant)) ?? []);
    await report(all, hashes, started);
  } finally {
    await Promise.all(pages.map((page) => page.close()));
    close();
  }
}

/** @param {Mutant} mutant */
function keyOf({ file, start, end, replacement }) {
  return [file, start, end, replacement].join();
}

/**
 * The mutants that the last run detected, by key.
 *
 * @param {Record<string, string>} hashes
 * @returns {Promise<Map<string, Outcome>>}
 */
async function lastKilled(hashes) {
  /** @type {{ outcomes: Outcome[], hashes: Record<string, string> }} */
  const last = JSON.parse(await readFile(REPORT, "utf8"));
  const killed = last.outcomes.filter(
    (outcome) => !hasSurvived(outcome) && last.hashes[outcome.file] === hashes[outcome.file],
  );
  return new Map(killed.map((outcome) => [keyOf(outcome), outcome]));
}

/**
 * Distributes work among pages. The results are in the order of the work.
 *
 * @template Work
 * @template Result
 * @param {readonly TestPage[]} pages
 * @param {readonly Work[]} work
 * @param {string} title
 * @param {(page: TestPage, one: Work) => Promise<Result>} doOne
 */
async function share(pages, work, title, doOne) {
  /** @type {Result[]} */
  const results = [];
  const queue = [...work.entries()];
  const step = Math.ceil(work.length / 20);
  let done = 0;
  await Promise.all(
    pages.map(async (page) => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const [index, one] = next;
        results[index] = await doOne(page, one);
        done += 1;
        if (done % step === 0 || queue.length === 0)
          console.log(`${title}: ${done}/${work.length}`);
      }
    }),
  );
  return results;
}

/**
 * A timeout is as good as a failure, but a slow machine can also cause it. So the other tests run too.
 *
 * @param {TestPage} page
 * @param {Mutant} mutant
 * @param {ReturnType<typeof planner>} plans
 * @returns {Promise<Outcome>}
 */
async function judge(page, mutant, plans) {
  const plan = plans.plan(mutant);
  let late;
  for (const { test, timeoutMs, job } of plan) {
    const { failure } = await page.run(job, timeoutMs);
    if (!failure) continue;
    const by = `${test}: ${failure}`;
    if (!failure.startsWith("Timed out")) {
      plans.killed(mutant, test);
      return { ...mutant, verdict: "killed", by };
    }
    // Two timeouts are not a coincidence.
    if (late) break;
    late = by;
  }
  if (late) return { ...mutant, verdict: "timed-out", by: late };
  return { ...mutant, verdict: plan.length > 0 ? "survived" : "not-covered" };
}

/**
 * @param {readonly Outcome[]} outcomes
 * @param {Record<string, string>} hashes
 * @param {number} started
 */
async function report(outcomes, hashes, started) {
  const files = tally(outcomes, ({ file }) => file);
  const folders = tally(outcomes, ({ file }) => dirname(file));
  await mkdir(dirname(REPORT), { recursive: true });
  await writeFile(REPORT, JSON.stringify({ folders, files, hashes, outcomes }, null, 1));

  console.table([...files, ...folders]);
  for (const survivor of outcomes.filter(hasSurvived)) console.log(describe(survivor));
  const minutes = ((Date.now() - started) / 60_000).toFixed(1);
  console.log(`\n${outcomes.length} mutants in ${minutes} minutes; all of it is in ${REPORT}`);
  for (const { name, score } of folders.filter((row) => row.score < Number(values.threshold))) {
    console.error(`✖ ${name}: ${score} % is less than ${values.threshold} %`);
    process.exitCode = 1;
  }
}
