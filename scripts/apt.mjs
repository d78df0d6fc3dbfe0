// Debian's packages, for what the tests need and cannot get from npm. Playwright installs only what its own
// builds of browsers need.
import { run } from "./run.mjs";

/** Whether packages may be installed without asking: on Debian and Ubuntu, as root. */
export const mayInstall = process.platform === "linux" && process.getuid?.() === 0;

/** @param {readonly string[]} packages */
export async function installPackages(packages) {
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  const install = ["install", "-y", "-qq", ...packages];
  await run("apt-get update", "apt-get", ["update", "-qq"], { env });
  await run(`apt-get install ${packages.join(" ")}`, "apt-get", install, { env });
}
