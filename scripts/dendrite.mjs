// `node scripts/dendrite.mjs`: builds the homeserver Dendrite for the tests, which also do so if it is missing.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ensure, installIfRun } from "./installer.mjs";

const VERSION = "0.13.8";

const PROGRAMS = ["dendrite", "generate-keys"].map(
  (name) => `github.com/matrix-org/dendrite/cmd/${name}@v${VERSION}`,
);

/** @type {import("./installer.mjs").Program} */
const DENDRITE = {
  name: "Dendrite",
  version: VERSION,
  size: "150 MB, which takes some minutes",
  async install(folder) {
    const env = { ...process.env, GOBIN: folder };
    const { error, status } = spawnSync("go", ["install", ...PROGRAMS], { stdio: "inherit", env });
    if (error) throw new Error("Dendrite needs Go 1.22 or newer, and a C compiler for SQLite");
    if (status !== 0) throw new Error("Go could not build Dendrite: see its message above");
  },
};

/** @returns {Promise<string>} The folder with its programs. Builds them if they are missing. */
export const ensureDendrite = () => ensure(DENDRITE);

await installIfRun(fileURLToPath(import.meta.url), DENDRITE);
