// Debian's packages, for the programs that the tests need and npm does not have.
import { join } from "node:path";
import { tmpdir } from "node:os";
import spawn from "nano-spawn";

/** Whether packages can be installed without asking: on Debian and Ubuntu, as root. */
export const mayInstall = process.platform === "linux" && process.getuid?.() === 0;

/** Two runs of apt-get at once would fail, so the second waits for the first. */
const LOCK = join(tmpdir(), "matrix-auth-elements.apt.lock");

/** @param {readonly string[]} packages */
export async function installPackages(packages) {
  const aptGet = (/** @type {string[]} */ ...args) =>
    spawn("flock", [LOCK, "apt-get", "-qq", "-y", ...args], {
      stdio: "inherit",
      env: { DEBIAN_FRONTEND: "noninteractive" },
    });
  await aptGet("update");
  await aptGet("install", ...packages);
}
