// What scripts and tools share: they run commands, and end with a message instead of a stack trace.
import spawn, { SubprocessError } from "nano-spawn";

/** A command that failed. Its output was printed. */
export class StepFailed extends Error {
  /**
   * @param {string} title
   * @param {string} output
   */
  constructor(title, output) {
    super(`${title} failed`);
    this.output = output;
  }
}

/**
 * Runs a command, those of the project's packages first. Prints its output if it fails.
 *
 * @param {string} title The step, for people.
 * @param {string} command
 * @param {readonly string[]} [args]
 * @param {object} [options]
 * @param {NodeJS.ProcessEnv} [options.env] Added to the environment.
 * @param {string} [options.cwd]
 * @param {boolean} [options.show] Whether to print the output as it comes.
 * @returns {Promise<string>} The output. Rejects with a {@link StepFailed}.
 */
export async function run(title, command, args = [], { show = false, ...options } = {}) {
  try {
    const shown = show && /** @type {const} */ ({ stdio: "inherit" });
    const result = await spawn(command, args, { preferLocal: true, ...options, ...shown });
    console.log(`✔ ${title} (${(result.durationMs / 1000).toFixed(1)} s)`);
    return result.output;
  } catch (error) {
    if (!(error instanceof SubprocessError)) throw error;
    console.error(error.output || error.message);
    throw new StepFailed(title, error.output);
  }
}

/**
 * Runs the steps of a script. If one fails, the process ends with the exit code 1.
 *
 * @param {() => Promise<void>} steps
 */
export async function main(steps) {
  try {
    await steps();
  } catch (error) {
    console.error(error instanceof Error ? `✖ ${error.message}` : error);
    process.exitCode = 1;
  }
}
