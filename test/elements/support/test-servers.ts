import { fetchAuthMetadata, generateOidcAuthorizationUrl } from "matrix-auth-elements/core";
import {
  createTestServers,
  type TestServers,
  type TestServersOptions,
} from "matrix-auth-elements/testing";
import { stub } from "../../support/stub.js";

export const HOMESERVER = "https://hs.example";
export const ISSUER = "https://idp.example/";

/** Requests in the form of `logOf()`. */
export const WELL_KNOWN = `GET ${HOMESERVER}/.well-known/matrix/client`;
export const AUTH_METADATA = `GET ${HOMESERVER}/_matrix/client/v1/auth_metadata`;
export const ISSUER_DOCUMENT = `GET ${ISSUER}.well-known/openid-configuration`;
/** The issuer is in the well-known file, so its document is requested with the homeserver's metadata. */
export const DISCOVERY: readonly string[] = [WELL_KNOWN, ISSUER_DOCUMENT, AUTH_METADATA];
export const REGISTRATION = `POST ${ISSUER}register`;
export const KEYS = `GET ${ISSUER}keys`;
export const TOKEN = `POST ${ISSUER}token`;
export const REVOCATION = `POST ${ISSUER}revoke`;

/** A client that the provider has registered, for sign-ins that start in a test. */
const CLIENT_ID = "registered";

const hereWithoutFragment = (): string => location.href.replace(/#.*/, "");

/** Replaces the network with a homeserver and its provider, until `restoreStubs()`. */
export async function useTestServers(options: TestServersOptions = {}): Promise<TestServers> {
  const { fetch } = window;
  const servers = await createTestServers({
    homeserver: HOMESERVER,
    issuer: ISSUER,
    clients: { [CLIENT_ID]: [hereWithoutFragment()] },
    ...options,
  });
  stub(window, "fetch", {
    writable: true,
    value: (input: RequestInfo | URL, init?: RequestInit) => {
      // The test runner sends requests to its own server.
      const { url } = new Request(input);
      const isOwn = url.startsWith(location.origin) && !servers.handles(url);
      return (isOwn ? fetch : servers.fetch)(input, init);
    },
  });
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

/** Holds the next request to an endpoint until the test releases it; `asked` resolves when it has arrived. */
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

/** Makes requests to an endpoint, by default to any, fail. @returns A function that undoes that. */
export const goOffline = (servers: TestServers, endpoint = ""): (() => void) =>
  servers.disconnect(endpoint, { times: Infinity });

type Flow = Parameters<typeof generateOidcAuthorizationUrl>[0];

/** Starts a sign-in that returns to this page. @returns The provider's page. */
export async function authorizationUrl(
  { homeserver, issuer }: TestServers,
  options: Partial<Flow> = {},
): Promise<string> {
  // This request uses separate servers, so that a test counts only the requests of its element.
  const { fetch } = await createTestServers({ homeserver, issuer });
  return generateOidcAuthorizationUrl({
    metadata: await fetchAuthMetadata(homeserver, { fetch }),
    clientId: CLIENT_ID,
    homeserverUrl: homeserver,
    redirectUri: hereWithoutFragment(),
    nonce: "nonce",
    responseMode: "fragment",
    ...options,
  });
}

/**
 * Starts a sign-in that the user allows at the provider, or declines with an error.
 *
 * @param parameters Response parameters to add or replace.
 * @returns The URL that the provider redirects the browser to.
 */
export async function responseUrl(
  servers: TestServers,
  { error, ...parameters }: Readonly<Record<string, string>> = {},
  options?: Partial<Flow>,
): Promise<string> {
  const page = await authorizationUrl(servers, options);
  const url = new URL(error ? servers.decline(page, { error }) : servers.approve(page));
  const response = new URLSearchParams(url.hash.slice(1));
  for (const [name, value] of Object.entries(parameters)) response.set(name, value);
  url.hash = response.toString();
  return url.href;
}
