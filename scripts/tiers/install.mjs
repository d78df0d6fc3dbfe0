// Installs projects of the repository that have packages of their own, and in them this package, packed.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { installPackages } from "../packages.mjs";
import { run } from "../run.mjs";
import { pack, TARBALL } from "./steps.mjs";

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
