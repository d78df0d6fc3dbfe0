// Installs Debian packages: the programs that the tests need and npm does not provide.
import { execFileSync, spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whether packages can be installed without a prompt: on Debian and Ubuntu, as root. */
export const mayInstall =
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  spawnSync("apt-get", ["--version"]).status === 0;

/** Two parallel runs of apt-get would fail, so the second waits for the first. */
const LOCK = join(tmpdir(), "matrix-auth-elements.apt.lock");

/**
 * @param {readonly string[]} packages
 * @throws {Error} After the messages of apt-get.
 */
export function installPackages(packages) {
  const aptGet = (/** @type {string[]} */ ...args) =>
    execFileSync("flock", [LOCK, "apt-get", "-qq", "-y", ...args], {
      stdio: "inherit",
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    });
  console.log(`Installing ${packages.join(", ")} with apt-get, as root.`);
  try {
    aptGet("update");
    aptGet("install", ...packages);
  } catch (cause) {
    throw new Error(`apt-get could not install ${packages.join(" ")}`, { cause });
  }
}
