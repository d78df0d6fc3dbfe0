// `npm run bench`: this library and its peers, in one run. README.md says what it is for, docs/benchmarks.md
// what it found.
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { arch, cpus, release, totalmem, type } from "node:os";
import { parseArgs } from "node:util";
import { format } from "prettier";
import { installPackages } from "../../scripts/packages.mjs";
import { main, run } from "../../scripts/run.mjs";

const USAGE = `npm run bench -- [options]
  --quick        every measurement, but each hardly repeated; what was found is printed, not written
  --only NAMES   of bytes, round-trips, visit, render, vitals, throughput, heap; what was found is printed, not written
  --soak         signs in a thousand times, at servers that fail; with --quick, fifty times
  --report       measures nothing: writes the pages anew from tools/bench/results.json`;

const RESULTS = "tools/bench/results.json";
const SECTIONS = ["bytes", "round-trips", "visit", "render", "vitals", "throughput", "heap"];

const today = new Date().toISOString().slice(0, 10);

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", default: SECTIONS.join() },
    soak: { type: "boolean", default: false },
    report: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

await main(async () => {
  if (values.help) return console.log(USAGE);
  const sections = values.only.split(",");
  const unknown = sections.filter((name) => !SECTIONS.includes(name));
  if (unknown.length > 0) throw new Error(`Nothing measures ${unknown.join()}:\n${USAGE}`);
  const known = JSON.parse(await readFile(RESULTS, "utf8"));
  const measured = values.soak ? await measureSoak() : !values.report && (await measure(sections));

  const { print, write } = await import("./report/index.mjs");
  print(measured || known);
  // What is written is of one whole run, and of one whole soak.
  if (values.quick || sections.length < SECTIONS.length) return;
  const results = values.soak
    ? { ...known, ...measured }
    : { soak: known.soak, ...(measured || known) };
  const text = await format(JSON.stringify(results), { parser: "json", printWidth: 100 });
  if (!values.report) await writeFile(RESULTS, text);
  await write(results);
});

async function measureSoak() {
  const [{ openBrowser }, { progressOf }, { problemsOf, soak }] = await Promise.all([
    import("./browser.mjs"),
    import("./progress.mjs"),
    import("./soak.mjs"),
  ]);
  const browser = await openBrowser();
  try {
    const signIns = values.quick ? 50 : 1000;
    const found = await soak(browser, { signIns }, progressOf("Soak"));
    const problems = problemsOf(found);
    if (problems.length > 0) throw new Error(problems.join("\n"));
    return { soak: { date: today, ...found } };
  } finally {
    await browser.close();
  }
}

/** @param {readonly string[]} sections */
async function measure(sections) {
  await installPackages("tools/bench");
  if (!existsSync("dist/cdn")) await run("Build", "npm", ["run", "build"]);
  // What needs the peers, or is found by way of them, is there only now.
  const { measureAll } = await import("./measure.mjs");
  return {
    date: today,
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
  const text = await readFile("/etc/os-release", "utf8").catch(() => "");
  const name = /^PRETTY_NAME="?([^"\n]+)/m.exec(text)?.[1] ?? type();
  return `${name}, ${type()} ${release().split("-")[0]} ${arch()}`;
}
