// `node scripts/glewlwyd.mjs`: unpacks the OpenID provider Glewlwyd for the tests, which also do so if it is
// missing.
import { execFileSync, spawnSync } from "node:child_process";
import { copyFile, cp, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensure, installIfRun } from "./installer.mjs";

export const GLEWLWYD_VERSION = "2.7.5";

/** dbconfig-no-thanks keeps the package from setting up a database. */
const PACKAGES = [`glewlwyd=${GLEWLWYD_VERSION}*`, "dbconfig-no-thanks"];

/** @type {import("./installer.mjs").Program} */
const GLEWLWYD = {
  name: "Glewlwyd",
  version: GLEWLWYD_VERSION,
  size: "140 MB",
  async install(folder) {
    for (const command of ["apt-get", "dpkg-deb"]) {
      const { error } = spawnSync(command, ["--version"]);
      if (error) throw new Error(`Glewlwyd is unpacked by ${command}, which is missing`);
    }
    const downloads = join(folder, "downloads");
    for (const archive of await download(downloads)) {
      execFileSync("dpkg-deb", ["--extract", archive, folder]);
    }
    await rm(downloads, { recursive: true });
    await completePages(folder);
  },
};

/**
 * Downloads the packages and all dependencies, including the C library, with apt from this machine's sources.
 * The unpacked files depend on nothing else. It writes only into the folder, so it needs no root.
 *
 * @param {string} folder
 * @returns {Promise<string[]>} The archives' paths.
 */
async function download(folder) {
  const archives = join(folder, "archives");
  await mkdir(join(archives, "partial"), { recursive: true });
  await mkdir(join(folder, "lists/partial"), { recursive: true });
  await writeFile(join(folder, "status"), "");
  const settings = {
    "Dir::State": folder,
    "Dir::State::status": join(folder, "status"),
    "Dir::Cache": folder,
    // Only this process uses the folder.
    "APT::Sandbox::User": "",
    "Acquire::Languages": "none",
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  const aptGet = (/** @type {string[]} */ ...args) =>
    execFileSync("apt-get", [...options, "-qq", ...args], { stdio: "inherit" });
  aptGet("update");
  aptGet("install", "-y", "--download-only", "--no-install-recommends", ...PACKAGES);
  const names = (await readdir(archives)).filter((name) => name.endsWith(".deb"));
  return names.map((name) => join(archives, name));
}

/**
 * Replaces the pages' links with files, because Glewlwyd serves none from other folders. The settings link to a
 * file that an installation would copy to `/etc`, and the libraries to other packages.
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

/** @returns {Promise<string>} Its folder. Unpacks it if it is missing. */
export const ensureGlewlwyd = () => ensure(GLEWLWYD);

/**
 * The command that runs a program with the folder's libraries.
 *
 * @param {string} root The result of {@link ensureGlewlwyd}.
 * @param {string} program Its path in the folder, such as `usr/bin/glewlwyd`.
 * @returns {Promise<string[]>}
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

await installIfRun(fileURLToPath(import.meta.url), GLEWLWYD);
