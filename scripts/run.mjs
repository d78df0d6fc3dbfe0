import { spawn } from "node:child_process";
import { delimiter, resolve } from "node:path";

const PATH = `${resolve("node_modules/.bin")}${delimiter}${process.env.PATH}`;

/**
 * Runs a command, of this project's packages first, and says how it went.
 *
 * @param {string} title What a person reads.
 * @param {string} command
 * @param {string[]} [args]
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string, show?: boolean }} [options]
 *   `show`: pass the output on as it comes.
 * @returns {Promise<string>} What it printed. Rejects with a {@link StepFailed}, after printing that.
 */
export function run(title, command, args = [], { env = {}, cwd, show = false } = {}) {
  const started = Date.now();
  return new Promise((done, failed) => {
    const child = spawn(command, args, {
      ...(cwd !== undefined && { cwd }),
      env: { ...process.env, PATH, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8");
      stream.on("data", (text) => {
        output += text;
        if (show) process.stdout.write(text);
      });
    }
    child.on("error", failed);
    child.on("close", (code) => {
      const seconds = ((Date.now() - started) / 1000).toFixed(1);
      if (code === 0) {
        console.log(`✔ ${title} (${seconds} s)`);
        done(output);
      } else {
        if (!show) process.stderr.write(output);
        console.error(`✖ ${title} (${seconds} s)`);
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
