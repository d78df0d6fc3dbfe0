import { randomBytes } from "node:crypto";
import { startPages } from "../../../demo/server/pages.js";
import { freshName } from "../../contract/api-client.js";
import { POLICY, folder } from "../../e2e/testbed.js";
import { freePort } from "../servers/process.js";
import { isForeign, startSynapse, type Synapse } from "../synapse/synapse.js";
import { startProvider, type DelegatedProvider, type Faults } from "./provider.js";

/** For a test's `skip`: why it cannot be run. */
export const needsOwnSynapse = {
  skip: isForeign && "SYNAPSE_URL names a Synapse that delegates to nobody, or to somebody else",
};

/** A Synapse that leaves signing in to a provider, and an application that uses the built package. */
export interface DelegatedTestbed {
  readonly synapse: Synapse;
  readonly provider: DelegatedProvider;
  /** Where the application is, under the policy of the README. */
  readonly pages: string;
  /** Makes an account at the provider, which Synapse does not know yet; its password is the person's. */
  createPerson(): Promise<string>;
  /** The requests to the provider since the last call, without preflights: method and path. */
  takeRequests(): readonly string[];
  close(): Promise<void>;
}

/** @param faults What the provider does wrong from the start. */
export async function startDelegated(faults: Faults = {}): Promise<DelegatedTestbed> {
  const port = await freePort();
  const serverName = `localhost:${port}`;
  const secret = randomBytes(16).toString("hex");
  const own = { baseUrl: `http://${serverName}`, serverName, secret };
  const provider = await startProvider(own, faults);
  try {
    const synapse = await startSynapse({
      port,
      settings: {
        matrix_authentication_service: { enabled: true, endpoint: `${provider.issuer}/`, secret },
        // With it on, Synapse refuses to delegate.
        password_config: { enabled: false },
      },
    });
    const pages = await startPages({
      roots: { "/": folder("test/interop/delegated/pages"), "/dist/": folder("dist") },
      headers: { "Content-Security-Policy": `${POLICY}; img-src data:` },
    });
    return {
      synapse,
      provider,
      pages: pages.origin,
      async createPerson() {
        const localpart = freshName();
        await provider.accounts.create({ localpart, password: `${localpart}-demo-password` });
        return localpart;
      },
      takeRequests: () =>
        provider.requestLog
          .splice(0)
          .filter(({ preflight }) => !preflight)
          .map(({ method, path }) => `${method} ${path}`),
      close: async () =>
        void (await Promise.all([pages.close(), synapse.close(), provider.close()])),
    };
  } catch (error) {
    await provider.close();
    throw error;
  }
}
