// `npm run bench`: this library and its peers, in one run. README.md says what it is for and has its options,
// docs/development/benchmarks.md has what it found.
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { arch, cpus, release, totalmem, type } from "node:os";
import { parseArgs } from "node:util";
import { format } from "prettier";
import { installPackages } from "../../scripts/packages.mjs";
import { openBrowser } from "./browser.mjs";
import { weighBytes } from "./bytes.mjs";
import { measureHeap } from "./heap.mjs";
import { pagesOf } from "./html.mjs";
import { peerVersions } from "./peers.mjs";
import { measureRender } from "./render.mjs";
import { PAGES, pageWith, printed } from "./report/index.mjs";
import { measureRoundTrips } from "./round-trips.mjs";
import { startServers } from "./servers.mjs";
import { startSite } from "./site.mjs";
import { problemsOf, soak } from "./soak.mjs";
import { measureThroughput } from "./throughput.mjs";
import { drawTreemap } from "./treemap.mjs";
import { measureVisits } from "./visit.mjs";
import { measureVitals } from "./vitals.mjs";

const RESULTS = "tools/bench/results.json";

/**
 * What can be measured: how it is called, how it is named in results.json, and what does it.
 *
 * @type {Record<string, [name: string, measure: (bench: Bench) => Promise<unknown>]>}
 * @typedef {object} Bench
 * @property {import("./browser.mjs").Browser} browser
 * @property {Awaited<ReturnType<typeof startServers>>} servers
 * @property {Awaited<ReturnType<typeof startSite>>} site
 * @property {boolean} quick Whether everything is hardly repeated.
 */
const SECTIONS = {
  bytes: ["bytes", weighBytes],
  "round-trips": ["roundTrips", measureRoundTrips],
  visit: ["visits", measureVisits],
  render: ["render", measureRender],
  vitals: ["vitals", measureVitals],
  throughput: ["throughput", measureThroughput],
  heap: ["heap", measureHeap],
};

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    soak: { type: "boolean" },
    treemap: { type: "boolean" },
    report: { type: "boolean" },
  },
});
const { quick } = values;
const date = new Date().toISOString().slice(0, 10);
const sections = values.only?.split(",") ?? Object.keys(SECTIONS);
const unknown = sections.filter((name) => !SECTIONS[name]);
const known = JSON.parse(await readFile(RESULTS, "utf8"));

if (unknown.length > 0) fail(`${unknown} is not one of ${Object.keys(SECTIONS).join(", ")}.`);
else if (values.report) await write(known);
else if (!existsSync("dist/cdn")) fail("Run `npm run build` first.");
else {
  await installPackages("tools/bench");
  if (values.treemap) await drawTreemap();
  else {
    const found = values.soak ? { soak: await measureSoak() } : await measure();
    console.log(await printed(found));
    // What is written is of one whole run, and of one whole soak.
    if (!quick && !values.only)
      await write({ ...(values.soak ? known : { soak: known.soak }), ...found });
  }
}

/** @param {string} message */
function fail(message) {
  console.error(`✖ ${message}`);
  process.exitCode = 1;
}

/** @param {import("./report/index.mjs").Results} results */
async function write(results) {
  const text = await format(JSON.stringify(results), { parser: "json", printWidth: 100 });
  await writeFile(RESULTS, text);
  for (const path of PAGES) {
    await writeFile(path, await pageWith(path, results));
    console.log(`wrote ${path}`);
  }
}

async function measureSoak() {
  const browser = await openBrowser();
  try {
    const found = await soak(browser, { signIns: quick ? 50 : 1000 });
    const problems = problemsOf(found);
    if (problems.length > 0) throw new Error(problems.join("\n"));
    return { date, ...found };
  } finally {
    await browser.close();
  }
}

async function measure() {
  const browser = await openBrowser();
  const servers = await startServers();
  const site = await startSite(pagesOf(servers));
  /** @type {Record<string, unknown>} */
  const found = {};
  try {
    for (const section of sections) {
      console.log(`Measuring ${section} …`);
      const [name, measureSection] = SECTIONS[section] ?? [section, async () => undefined];
      found[name] = await measureSection({ browser, servers, site, quick });
    }
  } finally {
    await browser.close();
    await Promise.all([servers.close(), site.close()]);
  }
  return {
    date,
    machine: {
      cpu: cpus()[0]?.model.trim() ?? "unknown",
      cores: cpus().length,
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      os: await operatingSystem(),
      node: process.version,
    },
    chromium: browser.version,
    peers: await peerVersions(),
    ...found,
  };
}

async function operatingSystem() {
  const text = await readFile("/etc/os-release", "utf8").catch(() => "");
  const name = /^PRETTY_NAME="?([^"\n]+)/m.exec(text)?.[1] ?? type();
  return `${name}, ${type()} ${release().split("-")[0]} ${arch()}`;
}
