import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ensureDendrite } from "../../../scripts/dendrite.mjs";
import type { Account } from "../../contract/homeserver.js";
import { createByAdministrator } from "../synapse/synapse.js";
import { startServer, type ServerProcess } from "../servers/process.js";
import { freePort } from "../../support/ports.mjs";

/** A running Dendrite. */
export interface Dendrite extends ServerProcess {
  readonly baseUrl: string;
  readonly serverName: string;
  /** Creates an account as an administrator. @returns Its user ID. */
  createAccount(account: Account): Promise<string>;
}

/** The parts of Dendrite that keep data. Each needs a database of its own in SQLite. */
const PARTS = {
  federation_api: "database",
  key_server: "database",
  media_api: "database",
  mscs: "database",
  relay_api: "database",
  room_server: "database",
  sync_api: "database",
  user_api: "account_database",
} as const;

/**
 * Starts a separate Dendrite on a free loopback port, with empty databases. It ends with this process, in any case.
 *
 * @param settings Settings of its `client_api`, which override the common ones.
 */
export async function startDendrite(
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Dendrite> {
  const programs = await ensureDendrite();
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), "dendrite-"));
  const secret = randomBytes(16).toString("hex");
  const serverName = `localhost:${port}`;
  const baseUrl = `http://${serverName}`;
  const key = join(folder, "matrix_key.pem");
  await promisify(execFile)(join(programs, "generate-keys"), ["--private-key", key]);
  // JSON is valid YAML.
  await writeFile(
    join(folder, "dendrite.yaml"),
    JSON.stringify(configuration({ serverName, baseUrl, key, secret, folder }, settings)),
  );
  const { log, close } = await startServer({
    title: "Dendrite",
    command: [
      join(programs, "dendrite"),
      "-config=dendrite.yaml",
      `-http-bind-address=127.0.0.1:${port}`,
      "-really-enable-open-registration",
    ],
    folder,
    url: `${baseUrl}/_matrix/client/versions`,
  });
  return {
    ...{ baseUrl, serverName, log, close },
    // Dendrite has this endpoint of Synapse.
    createAccount: (account) => createByAdministrator(baseUrl, secret, account),
  };
}

interface Place {
  readonly serverName: string;
  readonly baseUrl: string;
  readonly key: string;
  readonly secret: string;
  readonly folder: string;
}

const configuration = (
  { serverName, baseUrl, key, secret, folder }: Place,
  settings: Readonly<Record<string, unknown>>,
): Record<string, unknown> => {
  const parts = Object.entries(PARTS).map(([part, name]) => [
    part,
    { [name]: { connection_string: `file:${folder}/${part}.db` } },
  ]);
  const {
    media_api: media,
    user_api: users,
    ...others
  } = Object.fromEntries(parts) as Record<string, object>;
  return {
    version: 2,
    global: {
      server_name: serverName,
      well_known_client_name: baseUrl,
      private_key: key,
      disable_federation: true,
      jetstream: { storage_path: folder, in_memory: true },
    },
    client_api: {
      registration_disabled: true,
      registration_shared_secret: secret,
      guests_disabled: true,
      rate_limiting: { enabled: false },
      ...settings,
    },
    ...others,
    media_api: { ...media, base_path: join(folder, "media") },
    // The minimum of bcrypt.
    user_api: { ...users, bcrypt_cost: 4 },
    logging: [{ type: "std", level: "warn" }],
  };
};
