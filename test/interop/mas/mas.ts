import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureMas } from "../../../scripts/mas.mjs";
import { startPostgres } from "../servers/postgres.js";
import { freePort } from "../../support/ports.mjs";
import { startServer } from "../servers/process.js";

/** A user's state that an administrator sets. */
export type Administration = "lock" | "unlock" | "deactivate";

/** A running Matrix Authentication Service. */
export interface Mas {
  /** Where it listens. Browsers use the URL of the proxy in front of it. */
  readonly origin: string;
  createUser(name: string, password: string): Promise<void>;
  administer(name: string, what: Administration): Promise<void>;
  /** Its last output, to explain a failed test. */
  log(): string;
  close(): Promise<void>;
}

interface Place {
  /** The URL of the proxy in front of it, with a slash at its end. */
  readonly issuer: string;
  readonly homeserver: { readonly serverName: string; readonly origin: string };
  /** Synapse's `matrix_authentication_service.secret`. */
  readonly secret: string;
}

/** The shortest lifetime of a token that its configuration allows, in seconds. */
const TOKEN_LIFETIME_S = 60;

const ADMINISTRATOR = { id: "0000000000000000000000TEST", secret: "administrator" };

/** Starts a separate service on a free loopback port, with its database. It ends with this process, in any case. */
export async function startMas(place: Place): Promise<Mas> {
  const { cli, assets } = await ensureMas();
  const postgres = await startPostgres();
  try {
    const folder = await mkdtemp(join(tmpdir(), "mas-"));
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const file = join(folder, "mas.yaml");
    // JSON is valid YAML.
    await writeFile(
      file,
      JSON.stringify({
        database: { uri: postgres.uri },
        ...configuration(port, place, assets),
      }),
    );
    const { log, close } = await startServer({
      title: "Matrix Authentication Service",
      command: [cli, "-c", file, "server"],
      folder,
      url: `${origin}/health`,
    });
    return {
      ...administration(origin),
      ...{ origin, log },
      async close() {
        await close();
        await postgres.close();
      },
    };
  } catch (error) {
    await postgres.close();
    throw error;
  }
}

const configuration = (
  port: number,
  { issuer, homeserver, secret }: Place,
  assets: string,
): Readonly<Record<string, unknown>> => ({
  http: {
    public_base: issuer,
    listeners: [
      {
        name: "web",
        binds: [{ address: `127.0.0.1:${port}` }],
        resources: [
          ...["discovery", "human", "oauth", "compat", "graphql", "adminapi", "health"].map(
            (name) => ({ name }),
          ),
          { name: "assets", path: join(assets, "assets") },
        ],
      },
    ],
  },
  matrix: {
    kind: "synapse",
    homeserver: homeserver.serverName,
    endpoint: homeserver.origin,
    secret,
  },
  templates: {
    path: join(assets, "templates"),
    assets_manifest: join(assets, "manifest.json"),
    translations_path: join(assets, "translations"),
  },
  policy: {
    wasm_module: join(assets, "policy.wasm"),
    data: { admin_clients: [ADMINISTRATOR.id] },
  },
  clients: [
    {
      client_id: ADMINISTRATOR.id,
      client_auth_method: "client_secret_basic",
      client_secret: ADMINISTRATOR.secret,
    },
  ],
  passwords: {
    enabled: true,
    minimum_complexity: 0,
    // The minimum of bcrypt.
    schemes: [{ version: 1, algorithm: "bcrypt", cost: 4 }],
  },
  account: {
    password_registration_enabled: true,
    password_registration_email_required: false,
    account_deactivation_allowed: true,
  },
  email: { from: "noreply@localhost", reply_to: "noreply@localhost", transport: "blackhole" },
  rate_limiting: limitless({
    account_recovery: ["per_ip", "per_address"],
    login: ["per_ip", "per_account"],
    registration: [],
  }),
  experimental: { access_token_ttl: TOKEN_LIFETIME_S, compat_token_ttl: TOKEN_LIFETIME_S },
  secrets: {
    encryption: randomBytes(32).toString("hex"),
    keys: [
      {
        key: generateKeyPairSync("rsa", {
          modulusLength: 2048,
          publicKeyEncoding: { type: "spki", format: "pem" },
          privateKeyEncoding: { type: "pkcs8", format: "pem" },
        }).privateKey,
      },
    ],
  },
});

/** Each kind of request with its own limits: none is reached. */
function limitless(kinds: Readonly<Record<string, readonly string[]>>): object {
  const never = { burst: 10_000, per_second: 10_000 };
  return Object.fromEntries(
    Object.entries(kinds).map(([kind, limits]) => [
      kind,
      limits.length ? Object.fromEntries(limits.map((limit) => [limit, never])) : never,
    ]),
  );
}

/** @see https://element-hq.github.io/matrix-authentication-service/topics/admin-api.html */
function administration(origin: string): Pick<Mas, "createUser" | "administer"> {
  let token: Promise<string> | undefined;
  const getToken = async (): Promise<string> => {
    const basic = Buffer.from(`${ADMINISTRATOR.id}:${ADMINISTRATOR.secret}`).toString("base64");
    const response = await fetch(`${origin}/oauth2/token`, {
      method: "POST",
      headers: { Authorization: `Basic ${basic}` },
      body: new URLSearchParams({ grant_type: "client_credentials", scope: "urn:mas:admin" }),
    });
    return ((await response.json()) as { access_token: string }).access_token;
  };
  const send = async (method: string, path: string, body?: object): Promise<string> => {
    token ??= getToken();
    const response = await fetch(`${origin}/api/admin/v1/users${path}`, {
      method,
      headers: { Authorization: `Bearer ${await token}`, "Content-Type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (response.status === 401) {
      // The token has expired.
      token = undefined;
      return send(method, path, body);
    }
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? "" : (JSON.parse(text) as { data: { id: string } }).data.id;
  };
  return {
    async createUser(name, password) {
      const id = await send("POST", "", { username: name });
      await send("POST", `/${id}/set-password`, { password, skip_password_check: true });
    },
    async administer(name, what) {
      await send("POST", `/${await send("GET", `/by-username/${name}`)}/${what}`, {});
    },
  };
}
