// Installs projects of the repository that have packages of their own, and in them this package, packed.
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../run.mjs";
import { pack, TARBALL } from "./steps.mjs";

/** As the lock file says, without asking the registry for what an earlier installation has kept. */
const NPM_CI = ["ci", "--prefer-offline", "--no-audit", "--no-fund"];

/**
 * @param {string} folder
 * @returns {import("../schedule.mjs").Step}
 */
export const install = (folder) => ({
  title: `${folder}: installation`,
  does: async () => {
    await installPackages(folder);
    const own = join(folder, "node_modules/matrix-auth-elements");
    await rm(own, { recursive: true, force: true });
    // The project's tools may keep what they made of the package before.
    for (const kept of [".vite", ".cache", ".astro"]) {
      await rm(join(folder, "node_modules", kept), { recursive: true, force: true });
    }
    await mkdir(own);
    const unpack = ["-xzf", TARBALL, "--strip-components=1", "-C", own];
    await run(`${folder}: the package`, "tar", unpack);
  },
  after: [pack],
  counts: "preparation",
  seconds: 15,
});

/**
 * Runs `npm ci` where that has not been done for this lock file.
 *
 * @param {string} folder
 */
async function installPackages(folder) {
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
