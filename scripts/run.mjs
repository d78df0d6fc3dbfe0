// Runs a command and prints its output only if it fails. execa and zx would leave that to be written.
import { spawn } from "node:child_process";
import { delimiter, resolve } from "node:path";

const PATH = `${resolve("node_modules/.bin")}${delimiter}${process.env.PATH}`;

/**
 * Process groups that end with this process: a terminal or a CI interrupts only this one.
 *
 * @type {Set<number>}
 */
const groups = new Set();

/**
 * @param {number} group
 * @param {NodeJS.Signals} signal
 */
function end(group, signal) {
  try {
    process.kill(-group, signal);
  } catch {
    // It has ended by itself.
  }
}

for (const [signal, code] of /** @type {const} */ ([
  ["SIGINT", 130],
  ["SIGTERM", 143],
])) {
  process.once(signal, () => process.exit(code));
}
process.once("exit", () => groups.forEach((group) => end(group, "SIGTERM")));

/** What does not end in time when it is asked to is killed. */
const GRACE_MS = 10_000;

/**
 * Runs a command, of this project's packages first, and says how it went.
 *
 * @param {string} title What a person reads.
 * @param {string} command
 * @param {string[]} [args]
 * @param {object} [options]
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {string} [options.cwd]
 * @param {boolean} [options.show] Pass the output on as it comes.
 * @param {number} [options.timeoutMs] After that, the command and what it has started are ended, and it
 *   has failed.
 * @param {(output: string) => string} [options.summarize] What to say of the output besides the time.
 * @returns {Promise<string>} What it printed. Rejects with a {@link StepFailed}, after printing that.
 */
export function run(title, command, args = [], options = {}) {
  const { env = {}, cwd, show = false, timeoutMs, summarize = () => "" } = options;
  const started = Date.now();
  return new Promise((done, failed) => {
    const child = spawn(command, args, {
      ...(cwd !== undefined && { cwd }),
      env: { ...process.env, PATH, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: timeoutMs !== undefined,
    });
    const { pid } = child;
    let output = "";
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    if (timeoutMs !== undefined && pid !== undefined) {
      groups.add(pid);
      timer = setTimeout(() => {
        output += `\n${title}: ended after ${timeoutMs / 60_000} minutes\n`;
        end(pid, "SIGTERM");
        timer = setTimeout(() => end(pid, "SIGKILL"), GRACE_MS);
      }, timeoutMs);
    }
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8");
      stream.on("data", (text) => {
        output += text;
        if (show) process.stdout.write(text);
      });
    }
    child.on("error", failed);
    // What outlives the command may hold its output open.
    child.on("exit", () => {
      const streams = [child.stdout, child.stderr];
      setTimeout(() => streams.forEach((stream) => stream.destroy()), GRACE_MS).unref();
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      if (pid !== undefined) groups.delete(pid);
      const seconds = ((Date.now() - started) / 1000).toFixed(1);
      if (code === 0) {
        console.log(`✔ ${title} (${summarize(output)}${seconds} s)`);
        done(output);
      } else {
        if (!show) process.stderr.write(output);
        console.error(`✖ ${title} (${summarize(output)}${seconds} s)`);
        failed(new StepFailed(title, output));
      }
    });
  });
}

/** A command that failed; a person has read why. */
export class StepFailed extends Error {
  /**
   * @param {string} title
   * @param {string} output What the command printed.
   */
  constructor(title, output) {
    super(`${title} failed`);
    this.output = output;
  }
}

/**
 * Runs a script's steps; ends the process with 1 where one failed.
 *
 * @param {() => Promise<void>} steps
 */
export async function main(steps) {
  try {
    await steps();
  } catch (error) {
    if (!(error instanceof StepFailed)) console.error(error);
    process.exitCode = 1;
  }
}
