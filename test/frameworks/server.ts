import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, resolve } from "node:path";

/** A framework's development or production server. */
export interface FrameworkServer {
  readonly origin: string;
  close(): Promise<void>;
}

/**
 * Starts the server, and waits until it prints its URL.
 *
 * @param project The folder with a newer version of Node, if the server needs one.
 */
export async function startServer(
  cwd: string,
  [command, ...args]: readonly [command: string, ...args: string[]],
  project = cwd,
): Promise<FrameworkServer> {
  const server = spawn(command, args, {
    cwd,
    env: {
      ...process.env,
      PATH: [cwd, project]
        .map((folder) => resolve(folder, "node_modules/.bin"))
        .concat(process.env["PATH"] ?? "")
        .join(delimiter),
      NO_COLOR: "1",
      PYTHONUNBUFFERED: "1",
      // For commands without options.
      HOST: "localhost",
      PORT: "0",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const close = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill();
    await ended;
  };
  let output = "";
  const origin = await new Promise<string>((resolve, reject) => {
    server.stdout.on("data", (text: Buffer) => {
      output += text.toString();
      const [origin] = /http:\/\/(?:localhost|127\.0\.0\.1):\d+/.exec(output) ?? [];
      if (origin) resolve(origin);
    });
    server.on("exit", () => reject(new Error(`${command} ended: ${output}`)));
    server.on("error", reject);
  });
  return { origin, close };
}
