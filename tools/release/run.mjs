// The steps of a release; see README.md. release-it and semantic-release also tag and publish. Here a
// workflow does that, with the files that `check` has written to release/.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cutRelease, notesOf, withAbsoluteLinks } from "./changelog.mjs";
import { releaseFaults, repositoryPage } from "./metadata.mjs";
import { writeSboms } from "./sbom.mjs";

const FOLDER = "release";
const VERSION_MODULE = "src/ui/version.ts";

/** @param {string} path */
const read = (path) => readFile(path, "utf8");

const packageJson = JSON.parse(await read("package.json"));
const { version } = packageJson;

/** @type {Record<string, (argument?: string) => Promise<void>>} */
const COMMANDS = {
  /** `npm run release:check`: all steps except publishing. Works offline if npm's cache has the packages. */
  async check() {
    const { GITHUB_REF_TYPE, GITHUB_REF_NAME, GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;
    const faults = releaseFaults(packageJson, {
      ...(GITHUB_REF_TYPE === "tag" && { tag: GITHUB_REF_NAME ?? "" }),
      ...(GITHUB_REPOSITORY && { repository: `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}` }),
    });
    if (faults.length > 0) throw new Error(`This cannot be released:\n- ${faults.join("\n- ")}`);
    const notes = await notesFor(version);

    run("npm", ["run", "texts"]);
    // In CI, tests are not skipped: skipped ones would mean an untested release.
    run("npm", ["run", "test:release"], { CI: "true" });

    await rm(FOLDER, { recursive: true, force: true });
    await mkdir(FOLDER);
    run("npm", ["pack", "--ignore-scripts", "--pack-destination", FOLDER]);
    await writeSboms(packageJson, FOLDER);
    await writeFile(join(FOLDER, "SHA256SUMS"), await checksums());
    await writeFile(join(FOLDER, "notes.md"), notes);
    console.log(`✔ ${FOLDER}/ contains the release`);
  },

  /** `npm run release:notes [version]`: prints the version's section of CHANGELOG.md. */
  async notes(wanted = version) {
    process.stdout.write(await notesFor(wanted));
  },

  /** `npm version` calls this after it has changed package.json, and before it commits. */
  async version() {
    const today = new Date().toISOString().slice(0, 10);
    const changelog = cutRelease(await read("CHANGELOG.md"), version, today);
    const module = (await read(VERSION_MODULE)).replace(/"[^"]*"/, JSON.stringify(version));
    await writeFile("CHANGELOG.md", changelog);
    await writeFile(VERSION_MODULE, module);
    run("git", ["add", "CHANGELOG.md", VERSION_MODULE]);
  },
};

/**
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
const run = (command, args, env) =>
  execFileSync(command, args, { stdio: "inherit", env: { ...process.env, ...env } });

/** @param {string} wanted */
async function notesFor(wanted) {
  const notes = notesOf(await read("CHANGELOG.md"), wanted);
  const page = repositoryPage(packageJson);
  return `${page ? withAbsoluteLinks(notes, `${page}/blob/v${wanted}/`) : notes}\n`;
}

/** Writes the hashes in the format of `sha256sum --check`. */
async function checksums() {
  const lines = (await readdir(FOLDER)).sort().map(async (file) => {
    const hash = createHash("sha256").update(await readFile(join(FOLDER, file)));
    return `${hash.digest("hex")}  ${file}\n`;
  });
  return (await Promise.all(lines)).join("");
}

const [command = "check", argument] = process.argv.slice(2);
try {
  if (!Object.hasOwn(COMMANDS, command)) throw new Error(`Unknown command: ${command}.`);
  await COMMANDS[command]?.(argument);
} catch (error) {
  console.error(`✖ ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
