import { execFile, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { commandOf, ensureGlewlwyd } from "../../../scripts/glewlwyd/installation.mjs";
import { until } from "../../../scripts/until.mjs";
import { freePort } from "../synapse/synapse.js";

/** Starting takes about a second; on a busy machine, many. In milliseconds. */
const PATIENCE_MS = 60_000;

/** The administrator that the package's own database comes with. */
const ADMINISTRATOR = { username: "admin", password: "password" };

/** A Glewlwyd that runs. */
export interface Glewlwyd {
  /** Where it listens; people and clients come by the address in front of it. */
  readonly origin: string;
  /** Asks its administrator's API, and wants a 200. */
  ask(method: string, path: string, body?: object): Promise<unknown>;
  /** What it said of late, for a test that failed. */
  log(): string;
  close(): Promise<void>;
}

/**
 * Starts a Glewlwyd of its own, with a new database, on a free port of loopback. It has no provider yet.
 *
 * It ends with this process, however that ends.
 *
 * @param externalUrl Where people and clients find it.
 */
export async function startGlewlwyd(externalUrl: string): Promise<Glewlwyd> {
  const root = await ensureGlewlwyd();
  const folder = await mkdtemp(join(tmpdir(), "glewlwyd-"));
  const forget = (): void => rmSync(folder, { recursive: true, force: true });
  const database = join(folder, "database");
  const settings = join(folder, "glewlwyd.conf");
  const port = await freePort();
  await makeDatabase(root, database);
  await writeFile(settings, settingsFile({ root, database, port, externalUrl }));

  const [command, ...args] = await commandOf(root, "usr/bin/glewlwyd");
  const child = spawn(
    "setpriv",
    ["--pdeathsig", "KILL", command, ...args, `--config-file=${settings}`],
    { stdio: ["ignore", "pipe", "pipe"], env: { LC_ALL: "C.UTF-8" } },
  );
  const said: string[] = [];
  const hear = (text: string): void => {
    said.push(text);
    if (said.length > 400) said.shift();
  };
  child.on("error", (error) => hear(String(error)));
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", hear);
  }
  // Where this process ends as it should; the kernel sees to it where it does not.
  const onExit = (): void => {
    child.kill("SIGKILL");
    forget();
  };
  process.once("exit", onExit);
  const gone = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const close = async (): Promise<void> => {
    child.kill("SIGKILL");
    await gone;
    process.off("exit", onExit);
    forget();
  };

  const origin = `http://127.0.0.1:${port}`;
  try {
    const isThere = async (): Promise<boolean> => {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error("It ended");
      return (await fetch(`${origin}/config`).catch(() => undefined))?.ok ?? false;
    };
    await until(`No answer within ${PATIENCE_MS} ms`, isThere, PATIENCE_MS);
    const ask = await administrator(origin);
    return { origin, ask, log: () => said.join(""), close };
  } catch (error) {
    await close();
    throw new Error(`Glewlwyd did not start:\n${said.join("")}`, { cause: error });
  }
}

async function administrator(origin: string): Promise<Glewlwyd["ask"]> {
  const send = (method: string, path: string, body?: object, cookie = ""): Promise<Response> =>
    fetch(`${origin}/api/${path}`, {
      method,
      headers: { "Content-Type": "application/json", Cookie: cookie },
      ...(body && { body: JSON.stringify(body) }),
    });
  const answer = await send("POST", "auth", ADMINISTRATOR);
  const cookie = answer.headers.getSetCookie().map((each) => each.split(";", 1)[0] ?? "");
  return async (method, path, body) => {
    const response = await send(method, path, body, cookie.join("; "));
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? undefined : (JSON.parse(text) as unknown);
  };
}

async function makeDatabase(root: string, path: string): Promise<void> {
  const statements = "usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz";
  const [command, ...args] = await commandOf(root, "usr/bin/sqlite3");
  const sql = gunzipSync(await readFile(join(root, statements)));
  await new Promise<void>((resolve, reject) => {
    const child = execFile(command, [...args, path], (error) =>
      error ? reject(error) : resolve(),
    );
    child.stdin?.end(sql);
  });
}

interface Place {
  readonly root: string;
  readonly database: string;
  readonly port: number;
  readonly externalUrl: string;
}

/** The types of the pages' files; it knows none by itself. */
const TYPES = {
  ".html": "text/html",
  ".css": "text/css",
  ".js": "text/javascript",
  ".json": "application/json",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
};

/** Like the package's `/usr/share/glewlwyd/templates/glewlwyd-debian.conf.properties`, where not said. */
const settingsFile = ({ root, database, port, externalUrl }: Place): string => `
port=${port}
bind_address="127.0.0.1"
external_url="${externalUrl}"
login_url="login.html"
api_prefix="api"
static_files_path="${root}/usr/share/glewlwyd/webapp/"
static_files_mime_types=(${Object.entries(TYPES)
  .map(([extension, type]) => `{ extension="${extension}" mime_type="${type}" }`)
  .join(", ")})
allow_origin="*"
allow_methods="GET, POST, PUT, DELETE, OPTIONS"
allow_headers="Origin, X-Requested-With, Content-Type, Accept, Bearer, Authorization, DPoP"
expose_headers="Content-Encoding, Authorization"
log_mode="console"
log_level="DEBUG"
cookie_secure=0
user_module_path="${root}/usr/lib/glewlwyd/user"
client_module_path="${root}/usr/lib/glewlwyd/client"
user_auth_scheme_module_path="${root}/usr/lib/glewlwyd/scheme"
plugin_module_path="${root}/usr/lib/glewlwyd/plugin"
hash_algorithm="SHA512"
database={ type="sqlite3" path="${database}" }
`;
