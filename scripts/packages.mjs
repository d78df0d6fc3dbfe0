// Installs the packages of a project inside the repository: `node scripts/packages.mjs demo/vue`. A project that uses this
// package gets it as the tarball that the `pack` step of package.json has made.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TARBALL } from "./pack.mjs";

/** Installs the packages of the lock file. It requests only those that npm's cache lacks. */
const NPM_CI = ["ci", "--prefer-offline", "--no-audit", "--no-fund"];

/** The caches of a project's tools, next to the packages. */
const CACHES = [".vite", ".cache", ".astro"];

/**
 * Runs `npm ci` in a project, unless that was done for the same lock file before. A run that was interrupted leaves no
 * note, so the next one installs everything again.
 *
 * @param {string} folder
 */
export async function installPackages(folder) {
  const note = join(folder, "node_modules/.installed");
  const { version, dependencies } = JSON.parse(await readFile("package.json", "utf8"));
  const wanted = createHash("sha256")
    .update(await readFile(join(folder, "package-lock.json")))
    .update(JSON.stringify([version, dependencies, process.version]))
    .digest("hex");
  if ((await readFile(note, "utf8").catch(() => "")) === wanted) return;
  await rm(note, { force: true });
  execFileSync("npm", NPM_CI, { cwd: folder, stdio: "inherit" });
  await writeFile(note, wanted);
}

/**
 * Installs a project's packages, and this package among them.
 *
 * @param {string} folder
 */
export async function installProject(folder) {
  await installPackages(folder);
  const own = join(folder, "node_modules/matrix-auth-elements");
  await rm(own, { recursive: true, force: true });
  for (const cache of CACHES) {
    await rm(join(folder, "node_modules", cache), { recursive: true, force: true });
  }
  await mkdir(own);
  execFileSync("tar", ["-xzf", TARBALL, "--strip-components=1", "-C", own]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const folder of process.argv.slice(2)) await installProject(folder);
}
