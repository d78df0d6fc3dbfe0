import { account, type Data, type Environment } from "./environment.js";
import type { TestServersOptions } from "./options.js";

const STORE_KEY = "matrix-auth-elements:test-servers";

/** What the servers remember, also in another document if there is a store. */
export class Memory {
  data: Data;
  readonly #options: TestServersOptions;
  /** What this document has read or written last. */
  #stored: string | null = null;

  constructor(options: TestServersOptions, signingKey: Data["signingKey"]) {
    this.#options = options;
    this.data = initialData(options, signingKey);
  }

  /** Takes over what another document has stored. */
  load(): void {
    const stored = this.#options.store?.getItem(STORE_KEY) ?? null;
    if (stored === null || stored === this.#stored) return;
    this.#stored = stored;
    this.data = JSON.parse(stored) as Data;
  }

  save(): void {
    if (!this.#options.store) return;
    this.#stored = JSON.stringify(this.data);
    this.#options.store.setItem(STORE_KEY, this.#stored);
  }

  reset(): void {
    this.data = initialData(this.#options, this.data.signingKey);
    this.save();
  }
}

type Fixed = Pick<Environment, "homeserver" | "serverName" | "issuer" | "uia">;

/** What the routes have of the servers. */
export function createEnvironment(
  { homeserver, serverName, issuer, uia }: Fixed,
  options: TestServersOptions,
  memory: Memory,
): Environment {
  const { algorithm = "ES256", tokenLifetimeMs = 300_000, identityProviders = [] } = options;
  const { authorizationPage = `${issuer}authorize`, login = ["oauth"] } = options;
  return {
    ...{ homeserver, serverName, issuer, uia, login, algorithm, tokenLifetimeMs },
    ...{ authorizationPage, identityProviders, metadata: options.metadata },
    get data() {
      return memory.data;
    },
  };
}

function initialData(options: TestServersOptions, signingKey: Data["signingKey"]): Data {
  const { accounts = { alice: "password" }, clients = {} } = options;
  return structuredClone({
    count: 0,
    accounts: Object.fromEntries(
      Object.entries(accounts).map(([user, given]) => [user, account(user, given)]),
    ),
    clients,
    ...{ codes: {}, loginTokens: {}, sessions: [], uia: {}, validations: {}, messages: [] },
    crossSigning: {},
    signingKey,
  });
}
