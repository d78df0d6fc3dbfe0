// Installs projects of the repository that have packages of their own.
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "./run.mjs";

/** As the lock file says, without asking the registry for what an earlier installation has kept. */
const NPM_CI = ["ci", "--prefer-offline", "--no-audit", "--no-fund"];

/**
 * Runs `npm ci` where that has not been done for this lock file.
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
  await run(`${folder}: npm ci`, "npm", NPM_CI, { cwd: folder });
  await writeFile(note, wanted);
}
