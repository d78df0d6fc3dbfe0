// Steps that several tiers come after, and how their tests are run.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensurePrograms, PROGRAMS } from "../browser.mjs";

/** @typedef {import("../schedule.mjs").Step} Step */

/** @type {Step} */
export const build = {
  title: "Build",
  does: ["node", "scripts/build.mjs"],
  counts: "preparation",
  seconds: 28,
};

const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const packed = mkdtempSync(join(tmpdir(), "matrix-auth-elements-"));
process.once("exit", () => rmSync(packed, { recursive: true, force: true }));

/** The package as it would be published. */
export const TARBALL = join(packed, `matrix-auth-elements-${version}.tgz`);

/** Makes {@link TARBALL}, once for all that install it. @type {Step} */
export const pack = {
  title: "Pack",
  does: ["npm", "pack", "--ignore-scripts", "--pack-destination", packed],
  after: [build],
  counts: "preparation",
  seconds: 3,
};

/** @type {Set<keyof typeof PROGRAMS>} */
const wanted = new Set();

/** One step for all that any step needs: a system's packages can be installed only one after another. @type {Step} */
const installation = {
  title: "Programs",
  does: () => ensurePrograms([...wanted].map((name) => PROGRAMS[name])),
  counts: "preparation",
  seconds: 20,
};

/**
 * The step that installs programs where they are missing.
 *
 * @param {readonly (keyof typeof PROGRAMS)[]} names
 */
export function programs(...names) {
  for (const name of names) wanted.add(name);
  return installation;
}

/** No file takes that long, also on a machine with four times its load: it hangs. */
const FILE_LIMIT_MS = 10 * 60_000;

const REPORTER = "--test-reporter=tap";

/**
 * @param {string} folder
 * @returns {readonly string[]} Its files with tests, without those of folders below it.
 */
export const testsIn = (folder) =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => join(folder, file));

/**
 * The command by which Node runs tests, each file in a process of its own.
 *
 * @param {string} path A file, or a folder without those below it.
 * @returns {readonly [command: string, ...args: string[]]}
 */
export function nodeTest(path) {
  const files = path.endsWith(".ts") ? [path] : testsIn(path);
  const options = [REPORTER, `--test-timeout=${FILE_LIMIT_MS}`];
  return ["node", "--import", "tsx", "--test", ...options, ...files];
}

/**
 * The command by which Node runs files in one process, one after another: they share what takes long to load, and
 * a browser.
 *
 * @param {readonly string[]} files
 * @returns {readonly [command: string, ...args: string[]]}
 */
export function nodeTestTogether(files) {
  const imports = files.map((file) => `import ${JSON.stringify(`./${file}`)};`);
  return ["node", "--import", "tsx", REPORTER, "--input-type=module", "--eval", imports.join("\n")];
}
