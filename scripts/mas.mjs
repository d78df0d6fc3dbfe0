// `node scripts/mas.mjs`: copies Matrix Authentication Service out of its official image for the tests, which also do so if
// it is missing. It is in no package registry.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPackages, mayInstall } from "./apt.mjs";
import { ensure, installIfRun } from "./installer.mjs";

const VERSION = "1.22.0";
const IMAGE = `ghcr.io/element-hq/matrix-authentication-service:${VERSION}`;

const { MAS_CLI, MAS_ASSETS, PATH = "" } = process.env;

/** Docker's client can be there without its server. */
const engine = ["docker", "podman"].find((name) => spawnSync(name, ["info"]).status === 0);

/** @type {import("./installer.mjs").Program} */
const MAS = {
  name: "MAS",
  version: VERSION,
  size: "150 MB",
  async install(folder) {
    if (!engine) throw new Error(MISSING);
    const run = (/** @type {string[]} */ ...args) => execFileSync(engine, args).toString().trim();
    const container = run("create", IMAGE);
    try {
      run("cp", `${container}:/usr/local/bin/mas-cli`, join(folder, "mas-cli"));
      run("cp", `${container}:/usr/local/share/mas-cli`, join(folder, "share"));
    } finally {
      run("rm", container);
    }
  },
};

const MISSING =
  "Matrix Authentication Service needs Docker or Podman, or MAS_CLI (the program) and MAS_ASSETS (the folder with assets, manifest.json, policy.wasm, templates, and translations, as in a release's share/)";

/** Whether it is here, or can be fetched. */
export const hasMas = MAS_CLI !== undefined || engine !== undefined;

/**
 * @returns {Promise<{ cli: string, assets: string }>} The program, and the folder of its files.
 * @throws {Error} It is not here and can't be fetched.
 */
export async function ensureMas() {
  if (MAS_CLI === undefined) {
    const folder = await ensure(MAS);
    return { cli: join(folder, "mas-cli"), assets: join(folder, "share") };
  }
  const lacks = ["assets", "manifest.json", "policy.wasm", "templates", "translations"].filter(
    (name) => !existsSync(join(MAS_ASSETS ?? "", name)),
  );
  if (MAS_ASSETS === undefined || lacks.length > 0) {
    throw new Error(`MAS_ASSETS names no folder with ${lacks.join(", ")}`);
  }
  const { stdout, status } = spawnSync(MAS_CLI, ["--version"], { encoding: "utf8" });
  if (status !== 0) throw new Error("MAS_CLI names no program that runs");
  if (!stdout.includes(VERSION)) {
    console.warn(`MAS_CLI is ${stdout.trim()}. The tests were written for ${VERSION}.`);
  }
  return { cli: MAS_CLI, assets: MAS_ASSETS };
}

/** Debian has PostgreSQL's programs in a folder for each version. */
const DEBIAN = "/usr/lib/postgresql";

function postgresFolder() {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const folders = versions.sort((a, b) => Number(b) - Number(a)).map((v) => join(DEBIAN, v, "bin"));
  return [...folders, ...PATH.split(delimiter)].find((folder) =>
    existsSync(join(folder, "initdb")),
  );
}

/**
 * @returns {string} The folder with PostgreSQL's programs. Installs them if they are missing, on Debian as root.
 * @throws {Error} They are missing.
 */
export function ensurePostgres() {
  if (!postgresFolder() && mayInstall) installPackages(["postgresql"]);
  const folder = postgresFolder();
  if (!folder) throw new Error("The tests need PostgreSQL (Debian: postgresql)");
  return folder;
}

await installIfRun(fileURLToPath(import.meta.url), MAS);
