import { execFile } from "node:child_process";
import { chmod, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ensurePostgres } from "../../../scripts/mas.mjs";
import { freePort } from "../../support/ports.mjs";
import { startServer } from "./process.js";

export interface Postgres {
  /** The URL of its only database. */
  readonly uri: string;
  close(): Promise<void>;
}

const USER = "postgres";

/** PostgreSQL does not run as root. */
const AS_ANOTHER_USER =
  process.getuid?.() === 0
    ? ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
    : [];

/** Starts a separate PostgreSQL on a free loopback port, which accepts every user. It ends with this process, in any case. */
export async function startPostgres(): Promise<Postgres> {
  const programs = ensurePostgres();
  const folder = await mkdtemp(join(tmpdir(), "postgres-"));
  const data = join(folder, "data");
  const port = String(await freePort());
  const program = (name: string): string => join(programs, name);
  const run = promisify(execFile);
  await chmod(folder, 0o777);
  const [command = "", ...args] = [
    ...AS_ANOTHER_USER,
    ...[program("initdb"), "-D", data, "-U", USER, "--auth=trust", "--no-sync"],
    ...["--encoding=UTF8", "--locale=C"],
  ];
  await run(command, args, { cwd: folder });
  const server = ["-h", "127.0.0.1", "-p", port];
  const { close } = await startServer({
    title: "PostgreSQL",
    command: [
      ...AS_ANOTHER_USER,
      ...[program("postgres"), "-D", data, "-k", folder, ...server],
      ...["-c", "fsync=off"],
    ],
    folder,
    url: () =>
      run(program("pg_isready"), server).then(
        () => true,
        () => false,
      ),
  });
  return { uri: `postgresql://${USER}@127.0.0.1:${port}/${USER}?sslmode=disable`, close };
}
