import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import {
  appendFile,
  chmod,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import { homedir } from "node:os";
import { join, sep } from "node:path";
import { run } from "../run.mjs";

/** What the tests were written against. */
export const SYNAPSE_VERSION = "1.160.0";

export const MIRROR = process.env.DEBIAN_MIRROR ?? "http://deb.debian.org/debian";

/** Where things are kept between runs: `MATRIX_AUTH_ELEMENTS_CACHE`, else a folder of the user's cache. */
export const CACHE =
  process.env.MATRIX_AUTH_ELEMENTS_CACHE ??
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "matrix-auth-elements");

const FOLDER = join(CACHE, `synapse-${SYNAPSE_VERSION}`);

/** A Debian system with Synapse; never run but by `chroot`. */
export const SYNAPSE_ROOT = join(FOLDER, "root");

const ELSEWHERE =
  "Where that is not possible, run a Synapse yourself and name it by SYNAPSE_URL and SYNAPSE_SECRET (its registration_shared_secret).";

/**
 * Returns Synapse's folder, after installing it if necessary.
 *
 * Debian unstable has Synapse, no other Debian has; so it gets a small Debian of its own in a folder.
 * Nothing is installed in the machine's own system but `debootstrap`, which makes such folders.
 *
 * @returns {Promise<string>} {@link SYNAPSE_ROOT}.
 */
export async function ensureSynapse() {
  if (existsSync(SYNAPSE_ROOT)) return SYNAPSE_ROOT;
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    throw new Error(
      `Synapse is installed for the tests by root, on Debian or Ubuntu alone: sudo node scripts/synapse.mjs. ${ELSEWHERE}`,
    );
  }
  console.log(
    `Installing Synapse ${SYNAPSE_VERSION}, from Debian unstable (${MIRROR}), into ${FOLDER}: about 100 MB are downloaded, 750 MB are used. "node scripts/synapse.mjs --remove" removes it.`,
  );
  await ensureDebootstrap();
  // Of its own, and renamed when it is whole: an interrupted installation is never taken for one.
  await mkdir(FOLDER, { recursive: true });
  await removeLeft(FOLDER, "partial-");
  const partial = join(FOLDER, `partial-${process.pid}`);
  try {
    await makeSystem(partial);
    await installPackages(partial);
    // Another process may have been faster.
    await rename(partial, SYNAPSE_ROOT).catch((error) => {
      if (!existsSync(SYNAPSE_ROOT)) throw error;
    });
  } finally {
    await removeTree(partial);
  }
  return SYNAPSE_ROOT;
}

/** Removes what {@link ensureSynapse} installed; refuses while a Synapse runs from it. */
export async function removeSynapse() {
  const running = await processesIn(FOLDER);
  if (running.length > 0) {
    throw new Error(`Synapse still runs: end the process ${running.join(", ")} first.`);
  }
  await removeTree(FOLDER);
  console.log(`${FOLDER} is removed.`);
}

/** Shows a command's output as it comes. */
const show = process.stdout.isTTY === true;

async function ensureDebootstrap() {
  if (existsSync("/usr/sbin/debootstrap")) return;
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  const packages = ["debootstrap", "debian-archive-keyring"];
  await run("apt-get update", "apt-get", ["update", "-qq"], { env });
  await run(
    "apt-get install debootstrap",
    "apt-get",
    ["install", "-y", "-qq", "--no-install-recommends", ...packages],
    { env },
  );
}

/** @param {string} root */
async function makeSystem(root) {
  const debootstrap = [
    "debootstrap",
    "--variant=minbase",
    "--include=ca-certificates",
    "sid",
    root,
    MIRROR,
  ];
  // What it mounts goes with its namespace, however it ends. A container may not have the right to one,
  // and then has none to mount either: there debootstrap does without.
  const apart = ["unshare", "--mount", "--propagation", "private"];
  const mayMount = spawnSync("unshare", ["--mount", "true"]).status === 0;
  const [command = "", ...args] = [...(mayMount ? apart : []), ...debootstrap];
  await run("A small Debian, by debootstrap", command, args, { show });
}

/** @param {string} root */
async function installPackages(root) {
  await appendFile(join(root, "etc/hosts"), "127.0.0.1 localhost\n::1 localhost\n");
  await writeFile(join(root, "etc/resolv.conf"), await readFile("/etc/resolv.conf"));
  // The index of unstable may be older than it says it may be, on a mirror.
  const settings = [
    'Acquire::Check-Valid-Until "false";',
    'APT::Keep-Downloaded-Packages "false";',
  ];
  await writeFile(join(root, "etc/apt/apt.conf.d/99synapse"), `${settings.join("\n")}\n`);
  // Nothing starts by being installed.
  const policy = join(root, "usr/sbin/policy-rc.d");
  await writeFile(policy, "#!/bin/sh\nexit 101\n");
  await chmod(policy, 0o755);
  const answers = [
    "matrix-synapse matrix-synapse/server-name string localhost",
    "matrix-synapse matrix-synapse/report-stats boolean false",
  ];
  await writeFile(join(root, "root/answers"), `${answers.join("\n")}\n`);

  const env = { DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C", PATH: "/usr/sbin:/usr/bin" };
  /** @type {(title: string, ...args: string[]) => Promise<string>} */
  const inside = (title, ...args) => run(title, "chroot", [root, ...args], { env, show });
  await inside("Answers to what the package asks", "debconf-set-selections", "/root/answers");
  await inside("The index of Debian unstable", "apt-get", "update", "-qq");
  // python3-authlib is for the single sign-on.
  const install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends"];
  await inside("The package matrix-synapse", ...install, "matrix-synapse", "python3-authlib");
  await inside("Downloads removed", "apt-get", "clean");
  const query = ["dpkg-query", "--show", "--showformat=${Version}", "matrix-synapse"];
  const version = execFileSync("chroot", [root, ...query], { encoding: "utf8" });
  if (!version.startsWith(SYNAPSE_VERSION)) {
    console.warn(
      `Debian unstable has Synapse ${version} by now, and not ${SYNAPSE_VERSION}: the tests may find differences. DEBIAN_MIRROR may name an older state, such as one of snapshot.debian.org.`,
    );
  }
}

/**
 * Removes a folder, and what is mounted below it before.
 *
 * @param {string} folder
 */
async function removeTree(folder) {
  const mounted = (await readFile("/proc/self/mounts", "utf8").catch(() => ""))
    .split("\n")
    .map((line) => (line.split(" ")[1] ?? "").replaceAll("\\040", " "))
    .filter((place) => place.startsWith(folder + sep));
  // What was mounted last may be inside of what was mounted before.
  for (const place of mounted.reverse()) await run(`umount ${place}`, "umount", [place]);
  await rm(folder, { recursive: true, force: true });
}

/**
 * Removes what processes left behind that could not clean up: folders that end with the process's id.
 *
 * @param {string} folder
 * @param {string} prefix
 */
export async function removeLeft(folder, prefix) {
  for (const name of await readdir(folder)) {
    const [, pid] = name.startsWith(prefix) ? (/(\d+)$/.exec(name) ?? []) : [];
    if (pid && !existsSync(`/proc/${pid}`)) await removeTree(join(folder, name));
  }
}

/**
 * The processes that have their root below a folder.
 *
 * @param {string} folder
 */
async function processesIn(folder) {
  const found = [];
  for (const pid of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(pid)) continue;
    const root = await readlink(`/proc/${pid}/root`).catch(() => "/");
    if (root.startsWith(folder + sep)) found.push(pid);
  }
  return found;
}
