// The programs that the tests install in a folder of the user's cache, without root or other changes to the
// machine.
import { existsSync } from "node:fs";
import { mkdir, readdir, rm, symlink } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join } from "node:path";

const CACHE =
  process.env.MATRIX_AUTH_ELEMENTS_CACHE ??
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "matrix-auth-elements");

/**
 * @typedef {object} Program
 * @property {string} name
 * @property {string} version The version that the tests were written for.
 * @property {string} size Its size, for the message.
 * @property {(folder: string) => Promise<void>} install Installs it into an empty folder.
 */

/**
 * Installs a program if it is missing.
 *
 * A virtual environment contains its own path and cannot be renamed. So each installation has a
 * separate folder, and the link to it, made last, marks it as complete.
 *
 * @param {Program} program
 * @returns {Promise<string>} Its folder.
 */
export async function ensure(program) {
  const { name, version, size, install } = program;
  const home = join(CACHE, `${name.toLowerCase()}-${version}`);
  const complete = join(home, "complete");
  if (existsSync(complete)) return complete;
  console.log(`Installing ${name} ${version} into ${home} (${size}).`);
  await mkdir(home, { recursive: true });
  await removeInterrupted(home);
  const folder = join(home, `by-${process.pid}`);
  await mkdir(folder);
  try {
    await install(folder);
    await symlink(basename(folder), complete);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    // Another process may have installed it meanwhile.
    if (!existsSync(complete)) throw error;
  }
  return complete;
}

/** @param {string} home */
async function removeInterrupted(home) {
  for (const name of await readdir(home)) {
    const [, pid] = /^by-(\d+)$/.exec(name) ?? [];
    if (pid && !isRunning(Number(pid))) await rm(join(home, name), { recursive: true });
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/**
 * Installs the program if the script is run, not if it is imported.
 *
 * @param {string} script
 * @param {Program} program
 */
export async function installIfRun(script, program) {
  if (process.argv[1] !== script) return;
  try {
    console.log(`${program.name} is in ${await ensure(program)}.`);
  } catch (error) {
    console.error(`✖ ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
