// `npm run bench`: this library and its peers, in one run. CONTRIBUTING.md says what it is for,
// docs/benchmarks.md what it found.
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { arch, cpus, release, totalmem, type } from "node:os";
import { parseArgs } from "node:util";
import { format } from "prettier";
import { main, run } from "../scripts/run.mjs";

const USAGE = `npm run bench -- [options]
  --quick        every measurement, but each hardly repeated; what was found is printed, not written
  --only NAMES   of bytes, round-trips, render, throughput, heap; what was found is printed, not written
  --report       measures nothing: writes the pages anew from bench/results.json`;

const RESULTS = "bench/results.json";
const SECTIONS = ["bytes", "round-trips", "render", "throughput", "heap"];

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", default: SECTIONS.join() },
    report: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

await main(async () => {
  if (values.help) return console.log(USAGE);
  const sections = values.only.split(",");
  const unknown = sections.filter((name) => !SECTIONS.includes(name));
  if (unknown.length > 0) throw new Error(`Nothing measures ${unknown.join()}:\n${USAGE}`);
  const results = values.report
    ? JSON.parse(await readFile(RESULTS, "utf8"))
    : await measure(sections);

  const { print, write } = await import("./report/index.mjs");
  print(results);
  // What is written is of one whole run.
  if (values.quick || sections.length < SECTIONS.length) return;
  const text = await format(JSON.stringify(results), { parser: "json", printWidth: 100 });
  if (!values.report) await writeFile(RESULTS, text);
  await write(results);
});

/** @param {readonly string[]} sections */
async function measure(sections) {
  console.log("Installing the peers in bench/: nothing of them is in the package …");
  await run("npm ci", "npm", ["ci", "--no-audit", "--no-fund"], { cwd: "bench" });
  if (!existsSync("dist/cdn")) await run("Build", "node", ["scripts/build.mjs"]);
  // What needs the peers, or is found by way of them, is there only now.
  const { measureAll } = await import("./measure.mjs");
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: {
      cpu: cpus()[0]?.model.trim() ?? "unknown",
      cores: cpus().length,
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      os: await operatingSystem(),
      node: process.version,
    },
    ...(await measureAll({ sections, quick: values.quick })),
  };
}

async function operatingSystem() {
  const told = await readFile("/etc/os-release", "utf8").catch(() => "");
  const name = /^PRETTY_NAME="?([^"\n]+)/m.exec(told)?.[1] ?? type();
  return `${name}, ${type()} ${release().split("-")[0]} ${arch()}`;
}
