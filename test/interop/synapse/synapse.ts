import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { ensureSynapse, removeLeft } from "../../../scripts/synapse/installation.mjs";
import { until } from "../../../scripts/until.mjs";

/** Starting takes about two seconds; on a busy machine, many. In milliseconds. */
const PATIENCE_MS = 90_000;

const { SYNAPSE_URL, SYNAPSE_SECRET } = process.env;

/** Whether the tests use a Synapse that was started elsewhere, with its own settings. */
export const isForeign = SYNAPSE_URL !== undefined;

/** A Synapse that runs. */
export interface Synapse {
  readonly baseUrl: string;
  readonly serverName: string;
  /** Makes an account, as its administrator may, without any stage; gives its user id. */
  createAccount(account: NewAccount): Promise<string>;
  /** Forgets who has proved what, as it does of itself after two days. */
  forgetProofs(): void;
  /** What it said of late, for a test that failed. */
  log(): string;
  close(): Promise<void>;
}

export interface NewAccount {
  readonly user: string;
  readonly password: string;
  readonly admin?: boolean;
}

export interface SynapseOptions {
  /** Over the settings that every Synapse here has; as in `homeserver.yaml`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Files of the data folder, by their path in it: the templates of a policy. */
  readonly files?: Readonly<Record<string, string>>;
  /** Where another server has to know its address before it starts; else a free one. */
  readonly port?: number;
}

const DATABASE = "homeserver.db";

/** A database that others can change, instead of one in memory. */
export const DATABASE_ON_DISK = {
  database: { name: "sqlite3", args: { database: `{data}/${DATABASE}` } },
};

let count = 0;

/**
 * Starts a Synapse of its own, with an empty database in memory, on a free port of loopback.
 *
 * It ends with this process, however that ends. Where `SYNAPSE_URL` names one that runs, that is taken
 * instead, but only where no settings are asked for.
 */
export async function startSynapse(options: SynapseOptions = {}): Promise<Synapse> {
  if (!SYNAPSE_URL) return startOwn(options);
  if (options.settings) throw new Error("SYNAPSE_URL names a Synapse with settings of its own");
  return foreign(SYNAPSE_URL.replace(/\/+$/, ""), SYNAPSE_SECRET ?? "");
}

async function foreign(baseUrl: string, secret: string): Promise<Synapse> {
  const createAccount = (account: NewAccount): Promise<string> =>
    createByAdministrator(baseUrl, secret, account);
  const user = `probe-${randomBytes(6).toString("hex")}`;
  const userId = await createAccount({ user, password: randomBytes(16).toString("hex") });
  return {
    baseUrl,
    serverName: userId.slice(userId.indexOf(":") + 1),
    createAccount,
    forgetProofs: () => {
      throw new Error("Its database is not ours");
    },
    log: () => "It is not ours to read.",
    close: () => Promise.resolve(),
  };
}

async function startOwn({
  settings = {},
  files = {},
  port: asked,
}: SynapseOptions): Promise<Synapse> {
  const root = await ensureSynapse();
  const srv = join(root, "srv");
  await removeLeft(srv, "data-");
  const name = `data-${(count += 1)}-${process.pid}`;
  const folder = join(srv, name);
  const forget = (): void => rmSync(folder, { recursive: true, force: true });
  await mkdir(folder);

  const port = asked ?? (await freePort());
  const secret = randomBytes(16).toString("hex");
  const serverName = `localhost:${port}`;
  const baseUrl = `http://${serverName}`;
  const all = {
    ...configuration({ serverName, port, folder: `/srv/${name}`, secret }, settings),
    ...settings,
  };
  for (const [path, text] of Object.entries({
    ...files,
    // JSON is YAML.
    "homeserver.yaml": JSON.stringify(all).replaceAll("{data}", `/srv/${name}`),
  })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }

  const said: string[] = [];
  const child = run(root, `/srv/${name}`, (text) => {
    said.push(text);
    if (said.length > 400) said.shift();
  });
  const log = (): string => said.join("");
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
  try {
    await answering(baseUrl, child);
  } catch (error) {
    await close();
    throw new Error(`Synapse did not start:\n${log()}`, { cause: error });
  }
  const createAccount = (account: NewAccount): Promise<string> =>
    createByAdministrator(baseUrl, secret, account);
  const forgetProofs = (): void => {
    const forget = [
      "import sqlite3",
      `db = sqlite3.connect("/srv/${name}/${DATABASE}", timeout=60)`,
      ...["_ips", "_credentials", ""].map(
        (part) => `db.execute("DELETE FROM ui_auth_sessions${part}")`,
      ),
      "db.commit()",
    ].join("\n");
    execFileSync("chroot", [root, "/usr/bin/python3", "-c", forget]);
  };
  return { baseUrl, serverName, createAccount, forgetProofs, log, close };
}

/**
 * Neither `/proc` nor anything else is mounted: Synapse does without. The kernel ends it with this
 * process, and with nothing between them.
 */
function run(root: string, folder: string, hear: (text: string) => void): ChildProcess {
  const synapse = `cd ${folder} && python3 -m synapse.app.homeserver -c homeserver.yaml --generate-keys && exec python3 -m synapse.app.homeserver -c homeserver.yaml`;
  const child = spawn(
    "setpriv",
    ["--pdeathsig", "KILL", "chroot", root, "/bin/sh", "-c", synapse],
    {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C.UTF-8" },
    },
  );
  child.on("error", (error) => hear(String(error)));
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", hear);
  }
  return child;
}

/** Asks until there is an answer. */
async function answering(baseUrl: string, child: ChildProcess): Promise<void> {
  const isThere = async (): Promise<boolean> => {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error("It ended");
    const response = await fetch(`${baseUrl}/_matrix/client/versions`).catch(() => undefined);
    return response?.ok ?? false;
  };
  await until(`No answer within ${PATIENCE_MS} ms`, isThere, PATIENCE_MS);
}

/** A port of loopback that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== "object" || !address) throw new Error("No free port");
  return address.port;
}

/** @see https://element-hq.github.io/synapse/latest/admin_api/register_api.html */
async function createByAdministrator(
  baseUrl: string,
  secret: string,
  { user, password, admin = false }: NewAccount,
): Promise<string> {
  const url = `${baseUrl}/_synapse/admin/v1/register`;
  const { nonce } = (await (await fetch(url)).json()) as { nonce: string };
  const mac = createHmac("sha1", secret)
    .update([nonce, user, password, admin ? "admin" : "notadmin"].join("\0"))
    .digest("hex");
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ nonce, username: user, password, admin, mac, inhibit_login: true }),
  });
  if (!response.ok) throw new Error(`No account ${user}: ${await response.text()}`);
  return ((await response.json()) as { user_id: string }).user_id;
}

interface Place {
  readonly serverName: string;
  readonly port: number;
  readonly folder: string;
  readonly secret: string;
}

/** What differs from Synapse's defaults in every scenario; `{data}` stands for the data folder. */
const configuration = (
  { serverName, port, folder, secret }: Place,
  settings: Readonly<Record<string, unknown>>,
): Record<string, unknown> => ({
  server_name: serverName,
  public_baseurl: `http://${serverName}/`,
  pid_file: `${folder}/pid`,
  report_stats: false,
  listeners: [
    {
      port,
      type: "http",
      bind_addresses: ["127.0.0.1"],
      resources: [
        { names: ["client", ...(settings["user_consent"] ? ["consent"] : [])], compress: false },
      ],
    },
  ],
  database: { name: "sqlite3", args: { database: ":memory:" } },
  media_store_path: `${folder}/media`,
  signing_key_path: `${folder}/signing.key`,
  trusted_key_servers: [],
  macaroon_secret_key: secret,
  form_secret: secret,
  registration_shared_secret: secret,
  // The least that bcrypt allows.
  bcrypt_rounds: 4,
  ...NO_LIMITS,
});

const NEVER = { per_second: 10_000, burst_count: 10_000 };

const NO_LIMITS = {
  rc_registration: NEVER,
  rc_registration_token_validity: NEVER,
  rc_3pid_validation: NEVER,
  rc_login: { address: NEVER, account: NEVER, failed_attempts: NEVER },
};
