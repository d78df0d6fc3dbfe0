import { execFile } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { ensureSynapse } from "../../../scripts/synapse.mjs";
import { startServer } from "../servers/process.js";
import { freePort } from "../../support/ports.mjs";

const { SYNAPSE_URL, SYNAPSE_SECRET } = process.env;

/** Whether the tests use a Synapse that was started elsewhere, with its own settings. */
export const isForeign = SYNAPSE_URL !== undefined;

/** A running Synapse. */
export interface Synapse {
  readonly baseUrl: string;
  readonly serverName: string;
  /** Creates an account as an administrator, without stages. @returns Its user ID. */
  createAccount(account: NewAccount): Promise<string>;
  /** Removes the UIA sessions, as Synapse itself does after two days. */
  forgetSessions(): Promise<void>;
  /** Its last output, to explain a failed test. */
  log(): string;
  close(): Promise<void>;
}

export interface NewAccount {
  readonly user: string;
  readonly password: string;
  readonly admin?: boolean;
}

export interface SynapseOptions {
  /** Settings as in `homeserver.yaml`, which override the common ones. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Files of the data folder by their path in it, such as a policy's templates. */
  readonly files?: Readonly<Record<string, string>>;
  /** The port, if another server needs it before Synapse starts. Default: a free one. */
  readonly port?: number;
}

const DATABASE = "homeserver.db";

/** A database that other programs can change, instead of one in memory. */
export const DATABASE_ON_DISK = {
  database: { name: "sqlite3", args: { database: `{data}/${DATABASE}` } },
};

/**
 * Starts a separate Synapse on a free loopback port, with an empty database in memory. It ends with this
 * process, in any case. If `SYNAPSE_URL` is set, the Synapse at that URL is used, and the options must have
 * no settings.
 */
export async function startSynapse(options: SynapseOptions = {}): Promise<Synapse> {
  if (!SYNAPSE_URL) return startOwn(options);
  if (options.settings) throw new Error("SYNAPSE_URL names a Synapse with its own settings");
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
    forgetSessions: () => Promise.reject(new Error("Its database is not ours")),
    log: () => "It is not ours to read.",
    close: () => Promise.resolve(),
  };
}

async function startOwn({ settings = {}, files = {}, ...own }: SynapseOptions): Promise<Synapse> {
  const python = await ensureSynapse();
  const port = own.port ?? (await freePort());
  const folder = await mkdtemp(join(tmpdir(), "synapse-"));
  const secret = randomBytes(16).toString("hex");
  const serverName = `localhost:${port}`;
  const baseUrl = `http://${serverName}`;
  const all = { ...configuration({ serverName, port, folder, secret }, settings), ...settings };
  for (const [path, text] of Object.entries({
    ...files,
    // JSON is valid YAML.
    "homeserver.yaml": JSON.stringify(all).replaceAll("{data}", folder),
    // `--generate-keys` would write the same, but takes another start of Python.
    "signing.key": `ed25519 a_test ${randomBytes(32).toString("base64").replace("=", "")}\n`,
  })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const { log, close } = await startServer({
    title: "Synapse",
    command: [python, "-m", "synapse.app.homeserver", "-c", "homeserver.yaml"],
    folder,
    url: `${baseUrl}/_matrix/client/versions`,
  });
  const createAccount = (account: NewAccount): Promise<string> =>
    createByAdministrator(baseUrl, secret, account);
  const forgetSessions = async (): Promise<void> => {
    const tables = ["_ips", "_credentials", ""].map((end) => `ui_auth_sessions${end}`);
    const script = [
      "import sqlite3",
      `db = sqlite3.connect("${folder}/${DATABASE}", timeout=60)`,
      ...tables.map((table) => `db.execute("DELETE FROM ${table}")`),
      "db.commit()",
    ];
    await promisify(execFile)(python, ["-c", script.join("\n")]);
  };
  return { baseUrl, serverName, createAccount, forgetSessions, log, close };
}

/** @see https://element-hq.github.io/synapse/latest/admin_api/register_api.html */
export async function createByAdministrator(
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

/** The settings that differ from Synapse's defaults in every scenario. `{data}` is the data folder. */
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
  // The minimum of bcrypt.
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
