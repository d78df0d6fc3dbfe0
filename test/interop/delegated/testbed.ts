import { randomBytes } from "node:crypto";
import { after, before, beforeEach, describe } from "node:test";
import { freshName } from "../../contract/api-client.js";
import type { Driver, Profile } from "../../e2e/driver/driver.js";
import { useBrowser } from "../../e2e/fixture.js";
import type { LoginServers } from "../../e2e/login.js";
import { atProvider } from "../../e2e/user-actions.js";
import { startApplicationPages } from "../application/application.js";
import type { Loopback } from "../synapse/loopback.js";
import { isForeign, startSynapse, type Synapse } from "../synapse/synapse.js";
import { startProvider, type DelegatedProvider, type Faults } from "./provider.js";
import { freePort } from "../../support/ports.mjs";
import { SUITE } from "../../support/wait-for.mjs";

const options = {
  ...SUITE,
  skip: isForeign && "SYNAPSE_URL names a Synapse without our provider",
};

/** A Synapse with a provider, and an app that uses the built package. */
export interface DelegatedTestbed {
  /** Whether a token is good, as the provider says. Synapse keeps what it was told for two minutes. */
  readonly isActive: (token: string) => Promise<boolean>;
  readonly synapse: Synapse;
  readonly provider: DelegatedProvider;
  readonly pages: Loopback;
  /** Creates an account at the provider, which Synapse does not know yet. @returns The user's name. */
  createUser(): Promise<string>;
  /** @param user The user who signs in. */
  loginAs(user: string): LoginServers;
  /** The requests to the provider since the last call, without preflights: method and path. */
  takeRequests(): readonly string[];
  close(): Promise<void>;
}

/** Servers whose accounts a provider manages. */
interface Bed {
  createUser(): Promise<string>;
  close(): Promise<void>;
}

/** The context of each test of a suite. */
export interface Given<Servers extends Bed = DelegatedTestbed> {
  readonly bed: Servers;
  readonly driver: Driver;
  /** The user's browser profile in this test. */
  readonly profile: Profile;
  readonly user: string;
}

/** A suite with its own servers, and a new user for each test. */
export function describeServers<Servers extends Bed>(
  title: string,
  { timeout, skip }: { readonly timeout: number; readonly skip: string | false },
  start: () => Promise<Servers>,
  tests: (given: Given<Servers>) => void,
): void {
  describe(title, { timeout, skip }, () => {
    const browser = useBrowser();
    let bed: Servers;
    let user: string;
    before(async () => void (bed = await start()));
    after(() => bed.close());
    beforeEach(async () => void (user = await bed.createUser()));
    tests({
      get bed() {
        return bed;
      },
      get driver() {
        return browser.driver;
      },
      get profile() {
        return browser.profile;
      },
      get user() {
        return user;
      },
    });
  });
}

/**
 * A suite with a separate Synapse and provider.
 *
 * @param faults The provider's faults from the start.
 */
export const describeDelegated = (
  title: string,
  tests: (given: Given) => void,
  faults?: Faults,
): void => describeServers(title, options, () => startDelegated(faults), tests);

async function startDelegated(faults: Faults = {}): Promise<DelegatedTestbed> {
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
        // Synapse requires this setting for a provider.
        password_config: { enabled: false },
      },
    });
    const pages = await startApplicationPages();
    const takeRequests = (): readonly string[] =>
      provider.requestLog
        .splice(0)
        .filter(({ preflight }) => !preflight)
        .map(({ method, path }) => `${method} ${path}`);
    return {
      synapse,
      provider,
      pages,
      async isActive(token) {
        const response = await fetch(`${provider.issuer}/oauth2/introspect`, {
          method: "POST",
          headers: { Authorization: `Bearer ${secret}` },
          body: new URLSearchParams({ token }),
        });
        return ((await response.json()) as { readonly active: boolean }).active;
      },
      loginAs: (user) => ({
        homeserver: synapse.baseUrl,
        issuer: provider.issuer,
        pages: pages.origin,
        provider: {
          ...atProvider,
          signIn: (tab) => atProvider.signIn(tab, user),
          async refuse(tab) {
            await atProvider.typePassword(tab, user);
            await tab.waitFor("[name=action][value=allow]");
            await atProvider.refuse(tab);
          },
        },
        user,
        tokenPath: "/oauth2/token",
        takeRequests,
      }),
      createUser() {
        const localpart = freshName();
        provider.accounts.create({ localpart, password: `${localpart}-demo-password` });
        return Promise.resolve(localpart);
      },
      takeRequests,
      close: async () =>
        void (await Promise.all([pages.close(), synapse.close(), provider.close()])),
    };
  } catch (error) {
    await provider.close();
    throw error;
  }
}
