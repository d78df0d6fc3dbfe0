import { spawn } from "node:child_process";
import { waitFor } from "../../support/wait-for.mjs";

/** The number of output chunks to keep. */
const LOG_LENGTH = 400;

export interface Program {
  readonly title: string;
  readonly command: readonly string[];
  /** The folder with its data, which is removed when it ends. */
  readonly folder: string;
  /** A URL that returns success as soon as the server has started, or a function that says whether it has. */
  readonly url: string | (() => Promise<boolean>);
}

export interface ServerProcess {
  /** The last output, to explain a failed test. */
  log(): string;
  close(): Promise<void>;
}

/**
 * Runs a program until its input ends. The system closes the input when this process ends, in any way. So
 * neither the program nor its folder remains after a test.
 */
const UNTIL_INPUT_ENDS = `
folder=$1; shift
exec 3<&0
"$@" 3<&- </dev/null & program=$!
{ read -r line; kill -KILL $program; } <&3 & watcher=$!
exec 3<&- >/dev/null 2>&1
wait $program; code=$?
kill $watcher
rm -rf "$folder"
exit $code`;

/** Starts a program other than Node, and waits until it responds. */
export async function startServer({
  title,
  command,
  folder,
  url,
}: Program): Promise<ServerProcess> {
  const output: string[] = [];
  const child = spawn("/bin/sh", ["-c", UNTIL_INPUT_ENDS, "sh", folder, ...command], {
    cwd: folder,
    // In the terminal's process group, Ctrl-C would end the shell before it has removed the folder.
    detached: true,
    env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8" },
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output.push(text);
      if (output.length > LOG_LENGTH) output.shift();
    });
  }
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const close = (): Promise<void> => {
    child.stdin.end();
    return closed;
  };
  const log = (): string => output.join("");
  const answers = async (): Promise<boolean> => {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error("It ended");
    if (typeof url === "function") return url();
    return (await fetch(url).catch(() => undefined))?.ok ?? false;
  };
  try {
    await waitFor("No response", answers);
  } catch (cause) {
    await close();
    throw new Error(`${title} did not start:\n${log()}`, { cause });
  }
  return { log, close };
}
