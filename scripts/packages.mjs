// Installs the packages of a project inside the repository: `node scripts/packages.mjs demo/vue`. If the
// project uses this package, it gets the tarball from the `pack` step of package.json.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TARBALL } from "./pack.mjs";

/** Installs the lock file's packages. Only those missing in npm's cache are requested. */
const NPM_CI = ["ci", "--prefer-offline", "--no-audit", "--no-fund"];

/** The caches of a project's tools, next to the packages. */
const CACHES = [".vite", ".cache", ".astro"];

/**
 * Runs `npm ci` in a project, unless it has already run for the same lock file. An interrupted run leaves no
 * note, so the next run installs everything again.
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
 * Installs a project's packages, including this package.
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
