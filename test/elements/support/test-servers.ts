import { fetchAuthMetadata, generateOidcAuthorizationUrl } from "matrix-auth-elements/core";
import {
  createTestServers,
  type TestServers,
  type TestServersOptions,
} from "matrix-auth-elements/testing";
import { stub } from "../../support/stub.js";
import { HOMESERVER } from "./servers.js";

/** A homeserver and its provider in place of the network, until `restoreStubs()`. */
export async function useTestServers(options: TestServersOptions = {}): Promise<TestServers> {
  const { fetch } = window;
  const servers = await createTestServers({
    homeserver: HOMESERVER,
    // The test runner speaks to its own server.
    fetch: (input, init) =>
      new Request(input).url.startsWith(location.origin)
        ? fetch(input, init)
        : Promise.reject(new TypeError("Failed to fetch")),
    ...options,
  });
  stub(window, "fetch", { writable: true, value: servers.fetch });
  return servers;
}

/** Method and URL of each request, in the order in which they were sent. */
export const logOf = ({ requests }: TestServers): readonly string[] =>
  requests.map(({ method, url }) => `${method} ${url}`);

/** The bodies of the requests to an endpoint, such as `POST /login`. */
export const bodiesTo = (
  { requests }: TestServers,
  endpoint: string,
): readonly Readonly<Record<string, unknown>>[] =>
  requests
    .filter(({ method, url }) => `${method} ${new URL(url).pathname}`.match(endpointAt(endpoint)))
    .map(({ body }) => JSON.parse(body || "{}") as Record<string, unknown>);

const endpointAt = (endpoint: string): RegExp => new RegExp(`^${endpoint.replace(" ", " .*")}$`);

/** Lets the next request to an endpoint wait until the test releases it; `asked` resolves when it is there. */
export function hold(
  servers: TestServers,
  endpoint: string,
): { readonly asked: Promise<void>; readonly release: () => void } {
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  const asked = new Promise<void>((notify) => {
    servers.override(endpoint, async () => {
      notify();
      await released;
      return undefined;
    });
  });
  return { asked, release };
}

/** Starts a login that comes back to this page. @returns The provider's page. */
export async function authorizationUrl(servers: TestServers, clientId: string): Promise<string> {
  return generateOidcAuthorizationUrl({
    metadata: await fetchAuthMetadata(servers.homeserver),
    clientId,
    homeserverUrl: servers.homeserver,
    redirectUri: location.href,
    nonce: "nonce",
    responseMode: "fragment",
  });
}
