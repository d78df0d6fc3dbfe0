import { execFile } from "node:child_process";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { commandOf, ensureGlewlwyd } from "../../../scripts/glewlwyd.mjs";
import { startServer } from "../servers/process.js";
import { freePort } from "../../support/ports.mjs";

/** The administrator in the package's database. */
const ADMINISTRATOR = { username: "admin", password: "password" };

/** A running Glewlwyd. */
export interface Glewlwyd {
  /** The URL on which it listens. Users and clients use the proxy's URL. */
  readonly origin: string;
  /** Sends a request to the administrators' API, which must respond with 200. */
  ask(method: string, path: string, body?: object): Promise<unknown>;
  /** Its last output, to explain a failed test. */
  log(): string;
  close(): Promise<void>;
}

/**
 * Starts a separate Glewlwyd on a free loopback port, with a new database that has no provider yet.
 *
 * It ends with this process, in any case.
 *
 * @param externalUrl The URL for users and clients.
 */
export async function startGlewlwyd(externalUrl: string): Promise<Glewlwyd> {
  const root = await ensureGlewlwyd();
  const folder = await mkdtemp(join(tmpdir(), "glewlwyd-"));
  const database = join(folder, "database");
  const settings = join(folder, "glewlwyd.conf");
  const port = await freePort();
  await makeDatabase(root, database);
  await writeFile(settings, settingsFile({ root, database, port, externalUrl }));

  const origin = `http://127.0.0.1:${port}`;
  const command = [...(await commandOf(root, "usr/bin/glewlwyd")), `--config-file=${settings}`];
  const { log, close } = await startServer({
    title: "Glewlwyd",
    command,
    folder,
    url: `${origin}/config`,
  });
  return { origin, ask: await administrator(origin), log, close };
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
  const [command = "", ...args] = await commandOf(root, "usr/bin/sqlite3");
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

/** The types of the pages' files, because Glewlwyd has no defaults. */
const TYPES = {
  ".html": "text/html",
  ".css": "text/css",
  ".js": "text/javascript",
  ".json": "application/json",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
};

/** The other settings are those of `/usr/share/glewlwyd/templates/glewlwyd-debian.conf.properties`. */
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
