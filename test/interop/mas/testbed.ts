import { randomBytes } from "node:crypto";
import { hasMas } from "../../../scripts/mas.mjs";
import { listenOnLoopback } from "../../../demo/server/loopback.js";
import { freshName } from "../../contract/api-client.js";
import type { LoginServers } from "../../e2e/login.js";
import { startApplicationPages } from "../application/application.js";
import { describeServers, type Given } from "../delegated/testbed.js";
import { forward } from "../servers/forward.js";
import { freePort } from "../../support/ports.mjs";
import type { Loopback } from "../synapse/loopback.js";
import { startSynapse, type Synapse } from "../synapse/synapse.js";
import { SUITE } from "../../support/wait-for.mjs";
import { startMas, type Mas } from "./mas.js";
import { atMas } from "./user-actions.js";

const options = {
  ...SUITE,
  skip:
    !hasMas &&
    !process.env["CI"] &&
    "Left out: it needs Docker, Podman, or MAS_CLI and MAS_ASSETS (docs/development/testing.md)",
};

/** A Synapse that delegates to Matrix Authentication Service, and an app that uses the built package. */
export interface MasTestbed {
  /** Its URL is that of the proxy in front of it, as in production. */
  readonly synapse: Pick<Synapse, "baseUrl" | "serverName">;
  readonly mas: Pick<Mas, "origin" | "administer">;
  /** The URL of Synapse without the proxy. */
  readonly homeserver: string;
  /** The provider's URL, with a slash at its end. */
  readonly issuer: string;
  readonly pages: Loopback;
  /** Creates an account. @returns The user's name. */
  createUser(): Promise<string>;
  /** @param user The user who signs in. */
  loginAs(user: string): LoginServers;
  /** The requests to the provider since the last call, without preflights: method and path. */
  takeRequests(): readonly string[];
  close(): Promise<void>;
}

/** A suite with its own Synapse and provider. */
export const describeMas = (title: string, tests: (given: Given<MasTestbed>) => void): void =>
  describeServers(title, options, startMasTestbed, tests);

/** What the provider answers in place of the homeserver, for clients without OAuth 2.0. */
const COMPATIBILITY = /^\/_matrix\/client\/[^/]+\/(login|logout|refresh)(\/|\?|$)/;

async function startMasTestbed(): Promise<MasTestbed> {
  const closes: (() => Promise<unknown>)[] = [];
  const opened = async <Server extends { close(): Promise<unknown> }>(
    starting: Promise<Server>,
  ): Promise<Server> => {
    const server = await starting;
    closes.push(() => server.close());
    return server;
  };
  const close = async (): Promise<void> => void (await Promise.all(closes.map((each) => each())));
  try {
    return { ...(await startServers(opened)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startServers(
  opened: <Server extends { close(): Promise<unknown> }>(
    starting: Promise<Server>,
  ) => Promise<Server>,
): Promise<Omit<MasTestbed, "close">> {
  const requests: string[] = [];
  const provider = await opened(listenOnLoopback(0));
  const homeserver = await opened(listenOnLoopback(0));
  const port = await freePort();
  const synapseOrigin = `http://127.0.0.1:${port}`;
  const secret = randomBytes(16).toString("hex");
  const serverName = new URL(homeserver.origin).host;
  const issuer = `${provider.origin}/`;
  const mas = await opened(
    startMas({ issuer, homeserver: { serverName, origin: synapseOrigin }, secret }),
  );
  provider.serve((request, response) => {
    const [path = ""] = (request.url ?? "/").split("?", 1);
    if (request.method !== "OPTIONS") requests.push(`${request.method} ${path}`);
    forward(request, response, mas.origin);
  });
  await opened(
    startSynapse({
      port,
      settings: {
        server_name: serverName,
        public_baseurl: `${homeserver.origin}/`,
        serve_server_wellknown: false,
        matrix_authentication_service: { enabled: true, endpoint: `${mas.origin}/`, secret },
        // Synapse requires this setting for a provider.
        password_config: { enabled: false },
      },
    }),
  );
  homeserver.serve((request, response) => {
    const isLegacy = COMPATIBILITY.test(request.url ?? "/");
    forward(request, response, isLegacy ? mas.origin : synapseOrigin);
  });
  const pages = await opened(startApplicationPages());
  const takeRequests = (): readonly string[] => requests.splice(0);
  return {
    synapse: { baseUrl: homeserver.origin, serverName },
    homeserver: synapseOrigin,
    ...{ mas, issuer, pages, takeRequests },
    async createUser() {
      const name = freshName();
      await mas.createUser(name, `${name}-demo-password`);
      return name;
    },
    loginAs: (user) => ({
      homeserver: homeserver.origin,
      issuer,
      pages: pages.origin,
      provider: {
        ...atMas,
        signIn: (tab) => atMas.signIn(tab, user),
        refuse: (tab) => atMas.refuse(tab, user),
      },
      user,
      tokenPath: "/oauth2/token",
      clientUri: "https://app.example/",
      keepsSession: true,
      takeRequests,
    }),
  };
}
