// `npm run bench`: this library and its peers, in one run. README.md says what it is for and has its options,
// docs/development/benchmarks.md has what it found.
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { arch, cpus, release, totalmem, type } from "node:os";
import { parseArgs } from "node:util";
import { format } from "prettier";
import { installPackages } from "../../scripts/packages.mjs";
import { openBrowser } from "./browser.mjs";
import { pagesOf } from "./html.mjs";
import { peerVersions } from "./peers.mjs";
import { PAGES, SECTIONS, pageWith, printed } from "./report.mjs";
import { startServers } from "./servers.mjs";
import { startSite } from "./site.mjs";
import { drawTreemap } from "./treemap.mjs";

const RESULTS = "tools/bench/results.json";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    treemap: { type: "boolean" },
    report: { type: "boolean" },
  },
});
const { quick, only } = values;
const sections = only?.split(",") ?? Object.keys(SECTIONS);
const unknown = sections.filter((name) => !SECTIONS[name]);

if (unknown.length > 0) fail(`${unknown} is not one of ${Object.keys(SECTIONS).join(", ")}.`);
else if (values.report) await write(JSON.parse(await readFile(RESULTS, "utf8")));
else if (!existsSync("dist/cdn")) fail("Run `npm run build` first.");
else {
  await installPackages("tools/bench");
  if (values.treemap) await drawTreemap();
  else {
    const found = await measure();
    console.log(await printed(found));
    // What is written is of one whole run.
    if (!quick && !only) await write(found);
  }
}

/** @param {string} message */
function fail(message) {
  console.error(`✖ ${message}`);
  process.exitCode = 1;
}

/** @param {import("./report.mjs").Results} results */
async function write(results) {
  // Microseconds are the finest that browsers measure.
  const text = JSON.stringify(results, (_, value) =>
    typeof value === "number" ? Math.round(value * 1000) / 1000 : value,
  );
  // A line for each row of a table.
  await writeFile(RESULTS, await format(text, { parser: "json", printWidth: Infinity }));
  for (const path of PAGES) {
    await writeFile(path, await pageWith(path, results));
    console.log(`wrote ${path}`);
  }
}

/** @returns {Promise<import("./report.mjs").Results>} */
async function measure() {
  const browser = await openBrowser();
  const servers = await startServers();
  const site = await startSite(await pagesOf(servers));
  /** @type {import("./report.mjs").Results} */
  const found = {
    date: new Date().toISOString().slice(0, 10),
    machine: `${await machine()}, Chromium ${browser.version}`,
    peers: await peerVersions(),
  };
  try {
    for (const section of sections) {
      console.log(`Measuring ${section} …`);
      found[section] = await SECTIONS[section]?.measure({ browser, servers, site, quick });
    }
  } finally {
    await browser.close();
    await Promise.all([servers.close(), site.close()]);
  }
  return found;
}

async function machine() {
  const cpu = cpus()[0]?.model.trim() ?? "unknown";
  const memory = Math.round(totalmem() / 2 ** 30);
  const distribution = await readFile("/etc/os-release", "utf8").catch(() => "");
  const os = /^PRETTY_NAME="?([^"\n]+)/m.exec(distribution)?.[1] ?? type();
  const kernel = `${type()} ${release().split("-")[0]} ${arch()}`;
  return `${cpu}, ${cpus().length} cores, ${memory} GiB, ${os}, ${kernel}`;
}
