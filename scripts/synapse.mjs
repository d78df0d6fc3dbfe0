// `node scripts/synapse.mjs`: installs the homeserver Synapse for the tests, which also do so if it is
// missing.
import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { installPackages, mayInstall } from "./apt.mjs";
import { ensure, installIfRun } from "./installer.mjs";

const NEWEST = "1.160.0";

/** The version that the tests were written for, unless the variable sets another one. */
export const { SYNAPSE_VERSION = NEWEST } = process.env;

/** Synapse 1.142 does not start with newer versions, although its requirements allow them. */
const PINS = SYNAPSE_VERSION === NEWEST ? [] : ["prometheus_client==0.22.1"];

/** @type {import("./installer.mjs").Program} */
const SYNAPSE = {
  name: "Synapse",
  version: SYNAPSE_VERSION,
  size: "250 MB",
  async install(folder) {
    ensurePython();
    execFileSync(PYTHON, ["-m", "venv", folder], { stdio: "inherit" });
    // The extra "oidc" installs authlib, for single sign-on.
    const wanted = `matrix-synapse[oidc]==${SYNAPSE_VERSION}`;
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    // Without a wheel for this machine, pip would compile it, which needs many tools.
    const args = [...pip, "--only-binary=matrix-synapse", wanted, ...PINS];
    const { status } = spawnSync(`${folder}/bin/python`, args, { stdio: "inherit" });
    if (status !== 0) throw new Error(`pip could not install ${wanted}: see its message above`);
  },
};

const PYTHON = "python3";

/** On Debian, `ensurepip` is in `python3-venv`. Without it a virtual environment has no pip. */
const IS_USABLE = "import sys, ensurepip; sys.exit(sys.version_info < (3, 10))";

function ensurePython() {
  const isUsable = () => spawnSync(PYTHON, ["-c", IS_USABLE]).status === 0;
  if (isUsable()) return;
  if (mayInstall) installPackages(["python3-venv"]);
  if (isUsable()) return;
  throw new Error(
    "Synapse needs Python 3.10 or newer, with venv (Debian: python3-venv). SYNAPSE_URL may name a Synapse that runs already.",
  );
}

/** @returns {Promise<string>} The Python with Synapse. Installs it if it is missing. */
export const ensureSynapse = async () => `${await ensure(SYNAPSE)}/bin/python`;

await installIfRun(fileURLToPath(import.meta.url), SYNAPSE);
