import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import {
  copyFile,
  cp,
  mkdir,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import { delimiter, join, sep } from "node:path";
import { promisify } from "node:util";
import { run } from "../run.mjs";
import { CACHE, MIRROR, removeLeft } from "../synapse/installation.mjs";

/** What the tests were written against: that of Debian 12. */
export const GLEWLWYD_VERSION = "2.7.5";

const SUITE = "bookworm";
const FOLDER = join(CACHE, `glewlwyd-${GLEWLWYD_VERSION}`);
const ROOT = join(FOLDER, "root");
const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";

/** dbconfig-no-thanks stands in for a database that the package would set up. */
const PACKAGES = ["glewlwyd", "dbconfig-no-thanks"];

/**
 * Why Glewlwyd cannot be installed on this machine; undefined if it can.
 *
 * @returns {string | undefined}
 */
export function whyNoGlewlwyd() {
  if (existsSync(ROOT)) return undefined;
  const folders = (process.env.PATH ?? "").split(delimiter);
  const lacks = ["apt-get", "dpkg-deb"].filter(
    (name) => !folders.some((folder) => existsSync(join(folder, name))),
  );
  if (lacks.length > 0) return `Debian's programs to unpack it are missing: ${lacks.join(", ")}`;
  if (!existsSync(KEYRING))
    return "Debian's keys to trust it by are missing: debian-archive-keyring";
  return undefined;
}

/**
 * Returns Glewlwyd's folder, after unpacking it there if necessary.
 *
 * Debian's package and all that it needs, the C library too, are unpacked, and nothing is installed:
 * nobody has to be root, no service starts, and which Debian this machine has does not matter.
 *
 * @returns {Promise<string>}
 */
export async function ensureGlewlwyd() {
  if (existsSync(ROOT)) return ROOT;
  const why = whyNoGlewlwyd();
  if (why) throw new Error(`Glewlwyd cannot be had here: ${why}.`);
  console.log(
    `Unpacking Glewlwyd ${GLEWLWYD_VERSION}, of Debian ${SUITE} (${MIRROR}), into ${FOLDER}: about 45 MB are downloaded, 140 MB are used. "node scripts/glewlwyd.mjs --remove" removes it.`,
  );
  await mkdir(FOLDER, { recursive: true });
  await removeLeft(FOLDER, "partial-");
  // Of its own, and renamed when it is whole: an interrupted run is never taken for a whole one.
  const partial = join(FOLDER, `partial-${process.pid}`);
  try {
    const archives = await download(partial);
    const root = join(partial, "root");
    await mkdir(root);
    for (const archive of archives) await unpack(archive, root);
    await completePages(root);
    // Another process may have been faster.
    await rename(root, ROOT).catch((error) => {
      if (!existsSync(ROOT)) throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return ROOT;
}

/** Removes what {@link ensureGlewlwyd} unpacked; refuses while a Glewlwyd runs from it. */
export async function removeGlewlwyd() {
  const running = await processesOf(FOLDER);
  if (running.length > 0) {
    throw new Error(`Glewlwyd still runs: end the process ${running.join(", ")} first.`);
  }
  await rm(FOLDER, { recursive: true, force: true });
  console.log(`${FOLDER} is removed.`);
}

/**
 * The command that runs a program of the folder with the libraries of the folder.
 *
 * @param {string} root as {@link ensureGlewlwyd} gives it
 * @param {string} program such as `usr/bin/glewlwyd`
 * @returns {Promise<[command: string, ...args: string[]]>}
 */
export async function commandOf(root, program) {
  const triple = await only(join(root, "lib"), /-linux-gnu/);
  const loader = await only(join(root, "lib", triple), /^ld-linux.*\.so\.\d+$/);
  const libraries = ["lib", "usr/lib"].map((folder) => join(root, folder, triple));
  const path = libraries.join(":");
  return [join(root, "lib", triple, loader), "--library-path", path, join(root, program)];
}

/**
 * @param {string} folder
 * @param {RegExp} pattern
 */
async function only(folder, pattern) {
  const found = (await readdir(folder)).filter((name) => pattern.test(name));
  if (!found[0] || found[1]) throw new Error(`${folder} has ${found.length} of ${pattern}`);
  return found[0];
}

/**
 * Has apt fetch the packages as for an empty machine, with nothing of this machine's own settings and
 * state.
 *
 * @param {string} folder
 * @returns {Promise<string[]>} The archives' paths.
 */
async function download(folder) {
  const archives = join(folder, "archives");
  await mkdir(join(archives, "partial"), { recursive: true });
  await mkdir(join(folder, "lists/partial"), { recursive: true });
  /** @type {(name: string, text: string) => Promise<string>} */
  const file = async (name, text) => {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  };
  const none = await file("none", "");
  const settings = {
    "Dir::Etc::sourcelist": await file(
      "sources.list",
      `deb [signed-by=${KEYRING}] ${MIRROR} ${SUITE} main\n`,
    ),
    "Dir::Etc::sourceparts": "/dev/null",
    "Dir::Etc::preferences": none,
    "Dir::Etc::preferencesparts": "/dev/null",
    "Dir::State": folder,
    "Dir::State::status": none,
    "Dir::Cache": folder,
    "Dir::Cache::pkgcache": "",
    "Dir::Cache::srcpkgcache": "",
    "APT::Install-Recommends": "false",
    // No one else uses the folder.
    "APT::Sandbox::User": "",
    "Acquire::Languages": "none",
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} "${value}";\n`);
  const env = { APT_CONFIG: await file("apt.conf", lines.join("")), LC_ALL: "C" };
  await run(`The index of Debian ${SUITE}`, "apt-get", ["update", "-qq"], { env });
  const install = ["install", "-y", "-qq", "--download-only"];
  await run("The package glewlwyd, and what it needs", "apt-get", [...install, ...PACKAGES], {
    env,
  });
  const names = (await readdir(archives)).filter((name) => name.endsWith(".deb"));
  const [own] = names.filter((name) => name.startsWith("glewlwyd_"));
  if (!own?.startsWith(`glewlwyd_${GLEWLWYD_VERSION}`)) {
    console.warn(
      `Debian ${SUITE} has ${own} by now, and not ${GLEWLWYD_VERSION}: the tests may find differences.`,
    );
  }
  return names.map((name) => join(archives, name));
}

/**
 * @param {string} archive
 * @param {string} root
 */
async function unpack(archive, root) {
  await promisify(execFile)("dpkg-deb", ["--extract", archive, root]);
}

/**
 * The pages' settings are a link to what the package would copy into `/etc` when it is installed, their
 * libraries are links to other packages, and Glewlwyd itself serves no file from elsewhere.
 *
 * @param {string} root
 */
async function completePages(root) {
  const share = join(root, "usr/share/glewlwyd");
  const linked = join(share, "webapp-linked");
  const pages = join(share, "webapp");
  await rename(pages, linked);
  await rm(join(linked, "config.json"), { force: true });
  await cp(linked, pages, { recursive: true, dereference: true });
  await copyFile(join(share, "templates/config.json"), join(pages, "config.json"));
}

/**
 * The processes whose program is below a folder.
 *
 * @param {string} folder
 */
async function processesOf(folder) {
  const real = await realpath(folder).catch(() => folder);
  const found = [];
  for (const pid of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(pid)) continue;
    const program = await readlink(`/proc/${pid}/exe`).catch(() => "/");
    if (program.startsWith(real + sep)) found.push(pid);
  }
  return found;
}
