// `npm run mutate [folder or file …]`: whether the tests of the core notice when its code is wrong. The mutants
// are StrykerJS's; it has no runner for Web Test Runner, and would start a browser anew for each of them.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { installPackages } from "../../scripts/packages.mjs";
import { main } from "../../scripts/run.mjs";
import { openBrowser } from "./pages.mjs";
import { Planner, dryRun } from "./plan.mjs";
import { describe, hasSurvived, table, tally } from "./report.mjs";

/** @typedef {import("./instrument.mjs").Mutant} Mutant */
/** @typedef {import("./report.mjs").Outcome} Outcome */
/** @typedef {import("./pages.mjs").TestPage} TestPage */

const FOLDERS = ["src/core/oidc", "src/core/uia", "src/core/session"];
const REPORT = "coverage/mutation.json";
const USAGE = `npm run mutate -- [options] [folder or file …]   default: ${FOLDERS.join(" ")}
  --sample N      only so many mutants, drawn by chance
  --seed S        the same S draws the same mutants (1)
  --again         those that were killed in the last run, of files that are as they were, are not tried:
                  for when tests were but added
  --threshold P   exit code 1 where a folder's score is lower, in percent (85)
  --pages N       how many pages run at a time (2)`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    again: { type: "boolean", default: false },
    threshold: { type: "string", default: "85" },
    pages: { type: "string", default: "2" },
    help: { type: "boolean", default: false },
  },
});

await main(async () => {
  if (values.help) return console.log(USAGE);
  await installPackages("tools/mutate");
  const { bundle, instrument } = await import("./instrument.mjs");
  const started = Date.now();
  const places = positionals.length > 0 ? positionals : FOLDERS;
  const { mutants, sources, hashes } = await instrument(places);
  const known = values.again ? await lastKilled(hashes) : new Map();
  const drawn = draw(mutants);
  const chosen = drawn.filter((mutant) => !known.has(keyOf(mutant)));
  const { tests, files } = await bundle(sources);
  console.log(
    `${chosen.length} of ${mutants.length} mutants are tried, with ${tests.length} files of tests`,
  );

  const browser = await openBrowser(files);
  try {
    const pages = Array.from({ length: Number(values.pages) }, () => browser.newPage());
    const own = places.map((place) =>
      place.replace(/^src/, "test").replace(/\/[^/]*\.ts$|\/?$/, "/"),
    );
    const dry = await share(pages, tests, "Tests without a mutant", (page, test) =>
      dryRun(
        page,
        test,
        own.some((folder) => test.startsWith(folder)),
      ),
    );
    const planner = new Planner(dry, mutants);
    const outcomes = await share(pages, chosen, "Mutants", (page, mutant) =>
      judge(page, mutant, planner),
    );
    const fresh = new Map(outcomes.map((outcome) => [outcome.id, outcome]));
    const all = drawn.flatMap((mutant) => fresh.get(mutant.id) ?? known.get(keyOf(mutant)) ?? []);
    await report(all, hashes, started);
  } finally {
    await browser.close();
  }
});

/** @param {Mutant} mutant */
function keyOf({ file, start, end, replacement }) {
  return [file, start, end, replacement].join();
}

/**
 * What the last run found killed, by its key.
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

/** @param {readonly Mutant[]} mutants */
function draw(mutants) {
  if (values.sample === undefined) return mutants;
  const next = random(Number(values.seed));
  return mutants
    .map((mutant) => ({ mutant, lot: next() }))
    .sort((a, b) => a.lot - b.lot)
    .slice(0, Number(values.sample))
    .map(({ mutant }) => mutant)
    .sort((a, b) => Number(a.id) - Number(b.id));
}

/**
 * Numbers from 0 to 1 that follow from a seed: mulberry32.
 *
 * @param {number} seed
 */
function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Shares work out among pages; the results are in the order of the work.
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
  const step = Math.max(1, Math.ceil(work.length / (process.stdout.isTTY ? 1000 : 20)));
  let done = 0;
  const runPage = async (/** @type {TestPage} */ page) => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [index, one] = next;
      results[index] = await doOne(page, one);
      done += 1;
      if (done % step === 0 || done === work.length) {
        process.stdout.write(`${process.stdout.isTTY ? "\r" : ""}${title}: ${done}/${work.length}`);
        if (!process.stdout.isTTY || done === work.length) process.stdout.write("\n");
      }
    }
  };
  await Promise.all(pages.map(runPage));
  return results;
}

/**
 * A test that waits in vain is a sign as good as one that fails, but a slow machine may be why: so the
 * other tests are asked too.
 *
 * @param {TestPage} page
 * @param {Mutant} mutant
 * @param {Planner} planner
 * @returns {Promise<Outcome>}
 */
async function judge(page, mutant, planner) {
  const plan = planner.plan(mutant);
  let late;
  for (const { test, timeoutMs, job } of plan) {
    const { failure } = await page.run(job, timeoutMs);
    if (!failure) continue;
    const timedOut = failure.startsWith("Timed out");
    planner.killed(mutant, test, timedOut);
    const by = `${test}: ${failure}`;
    if (!timedOut) return { ...mutant, verdict: "killed", by };
    // Twice is not a coincidence.
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
  const byFile = tally(outcomes, ({ file }) => file);
  const byFolder = tally(outcomes, ({ file }) => dirname(file));
  const survivors = outcomes.filter(hasSurvived);
  await mkdir(dirname(REPORT), { recursive: true });
  await writeFile(
    REPORT,
    JSON.stringify({ folders: byFolder, files: byFile, hashes, outcomes }, null, 1),
  );

  console.log(`\n${table([...byFile, ...byFolder])}\n`);
  for (const survivor of survivors) console.log(describe(survivor));
  const minutes = ((Date.now() - started) / 60_000).toFixed(1);
  console.log(`\n${outcomes.length} mutants in ${minutes} minutes; all of it is in ${REPORT}`);
  for (const { name, score } of byFolder.filter((row) => row.score < Number(values.threshold))) {
    console.error(`✖ ${name}: ${score.toFixed(1)} % is less than ${values.threshold} %`);
    process.exitCode = 1;
  }
}
