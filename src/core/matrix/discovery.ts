import type { JsonResponse, RequestOptions } from "../http/fetch.js";
import { presentMembers } from "../http/json.js";
import { mayPointTo, urlNamedBy } from "../http/this-machine.js";
import {
  isLoopbackHost,
  joinUrl,
  parseTrustworthyUrl,
  parseUrl,
  readBaseUrl,
  withoutTrailingSlashes,
} from "../http/url.js";
import { flowError, wasAborted } from "../oauth/errors.js";
import { OidcFlowError } from "../oauth/flow-error.js";
import { requestPublished } from "../oauth/metadata.js";
import { isServerName } from "../shared/identifiers.js";
import { homeserverIn } from "../shared/typed-names.js";

/** The result of {@link discoverHomeserver}. */
export interface DiscoveredHomeserver {
  /** The base of the client-server API, without a trailing slash. */
  readonly baseUrl: string;
  readonly identityServerUrl?: string;
  /** The issuer in the well-known file. Old homeservers have it instead of `auth_metadata`. */
  readonly issuer?: string;
}

const WELL_KNOWN_PATH = "/.well-known/matrix/client";

/** MSC2965's key, and the planned stable one. */
const AUTHENTICATION_KEYS = ["m.authentication", "org.matrix.msc2965.authentication"];

/**
 * Finds a homeserver from user input: `example.org`, `@alice:example.org` or
 * `https://matrix.example.org`.
 *
 * A server name's well-known file names the homeserver. Without the file, the API is on the server
 * itself. If the page can't read the response for the file, a homeserver must respond on the server
 * itself. The file is also read for a URL without a path, because users type `https://example.org`
 * when they mean `example.org`. An invalid file is then ignored. Loopback hosts (`localhost:8008`)
 * use HTTP, because they have no certificate.
 *
 * @throws {OidcFlowError} `General`: `homeserver_invalid`, `well_known_invalid`, or the request's
 *   code. Never `OpSupport`: the supported versions don't matter.
 * @see https://spec.matrix.org/v1.19/client-server-api/#well-known-uris
 * @experimental
 */
export async function discoverHomeserver(
  nameOrUserIdOrUrl: string,
  options?: RequestOptions,
): Promise<DiscoveredHomeserver> {
  const { base, wellKnownOrigin, isUrl } = parseHomeserver(nameOrUserIdOrUrl);
  if (!wellKnownOrigin) return { baseUrl: base };
  try {
    return (await fetchWellKnown(wellKnownOrigin, !isUrl, options)) ?? { baseUrl: base };
  } catch (error) {
    // It might be a 404 that a page can't read, because many web servers send no CORS headers with
    // it.
    const isUnread = error instanceof OidcFlowError && error.code === "network_error";
    if (!isUnread || !(await isHomeserver(base, options))) throw error;
    return { baseUrl: base };
  }
}

/**
 * The homeserver that a user's server names in its well-known file. Undefined if there is no file.
 *
 * @param claimedBy The homeserver that has named the user: a public one can't name this machine.
 */
export async function publishedHomeserver(
  userId: string,
  claimedBy: string,
  options?: RequestOptions,
): Promise<DiscoveredHomeserver | undefined> {
  const { wellKnownOrigin = "" } = parseHomeserver(userId);
  const isAsked = wellKnownOrigin && mayPointTo(claimedBy, wellKnownOrigin);
  return isAsked ? fetchWellKnown(wellKnownOrigin, true, options) : undefined;
}

/**
 * The base URL of a server's homeserver. The server itself confirms it with its well-known file,
 * or, if it has none, by responding as a homeserver. Undefined if it does neither. @throws as
 * {@link discoverHomeserver} does.
 *
 * @param claimedBy As for {@link publishedHomeserver}.
 */
export async function homeserverOf(
  serverName: string,
  claimedBy: string,
  options?: RequestOptions,
): Promise<string | undefined> {
  const found = await publishedHomeserver(serverName, claimedBy, options).catch(() => undefined);
  if (found) return found.baseUrl;
  const { base } = parseHomeserver(serverName);
  const isAsked = mayPointTo(claimedBy, base);
  return isAsked && (await isHomeserver(base, options)) ? base : undefined;
}

/** Whether a homeserver responds at this URL. @see https://spec.matrix.org/v1.19/client-server-api/#get_matrixclientversions */
async function isHomeserver(baseUrl: string, options?: RequestOptions): Promise<boolean> {
  try {
    const url = joinUrl(baseUrl, "_matrix/client/versions");
    const { body } = await requestPublished(url, ({ ok }) => !ok, options);
    return Array.isArray(presentMembers(body)["versions"]);
  } catch (error) {
    if (wasAborted(error)) throw error;
    return false;
  }
}

/** @param isRequired Whether an invalid file is an error. Otherwise, it is treated as missing. */
export async function fetchWellKnown(
  origin: string,
  isRequired: boolean,
  options?: RequestOptions,
): Promise<DiscoveredHomeserver | undefined> {
  const isFailure = ({ ok, status }: JsonResponse): boolean => !ok && status !== 404;
  try {
    const { ok, body } = await requestPublished(origin + WELL_KNOWN_PATH, isFailure, options);
    return ok ? readWellKnown(body, origin) : undefined;
  } catch (error) {
    if (isRequired || wasAborted(error)) throw error;
    return undefined;
  }
}

/**
 * The parts of the input that might contain a password or a token: everything before an "@" that
 * isn't the first character, the query, and the fragment.
 */
const SECRET_PARTS = /^[^]+@|[?#][^]*/g;

/** `wellKnownOrigin` is undefined if no well-known file should be read. */
function parseHomeserver(input: string) {
  const text = homeserverIn(input);
  const hasScheme = /^https?:\/\//i.test(text);
  // In a user ID the server name follows the first colon, and may have a port.
  const serverName = text.startsWith("@") ? text.slice(text.indexOf(":") + 1) : text;
  // Email addresses and URLs with other schemes are not server names.
  const address = /[\s\\@]|\/\//.test(serverName) ? undefined : `https://${serverName}`;
  const url = hasScheme ? parseTrustworthyUrl(text) : parseUrl(address);
  // Chromium accepts hosts, such as ones with a space, that
  // https://url.spec.whatwg.org/#forbidden-host-code-point forbids. Names are already in ASCII
  // here.
  if (!url || url.search || url.hash || !isServerName(url.host)) {
    const shown = input.slice(0, 255).replace(SECRET_PARTS, "…");
    const reason = `Not a server name, a user ID, or an HTTPS URL: ${shown}`;
    throw flowError("Something went wrong with OIDC discovery", "homeserver_invalid", reason);
  }
  const { hostname, host, origin, pathname } = url;
  const isUrl = hasScheme || pathname !== "/";
  if (isUrl) {
    const base = withoutTrailingSlashes(origin + pathname);
    return { base, wellKnownOrigin: base === origin ? base : undefined, isUrl };
  }
  if (isLoopbackHost(hostname)) {
    return { base: `http://${host}`, wellKnownOrigin: `http://${host}`, isUrl };
  }
  // The file is on the default HTTPS port, even if the name has another port.
  return { base: origin, wellKnownOrigin: `https://${hostname}`, isUrl };
}

function readWellKnown(body: unknown, origin: string): DiscoveredHomeserver {
  const file = presentMembers(body);
  const baseUrl = baseUrlIn(file["m.homeserver"], origin);
  if (!baseUrl) {
    const reason = "base_url of m.homeserver is not an HTTPS URL";
    throw flowError("Something went wrong with OIDC discovery", "well_known_invalid", reason);
  }
  const identityServerUrl = baseUrlIn(file["m.identity_server"], origin);
  // Sign-in doesn't need an identity server.
  if (file["m.identity_server"] && !identityServerUrl) {
    console.warn(
      `matrix-auth-elements: Ignoring m.identity_server of ${origin}, because its base_url is not an HTTPS URL`,
    );
  }
  const issuers = AUTHENTICATION_KEYS.map((key) => presentMembers(file[key])["issuer"]);
  const issuer = issuers.find((each) => urlNamedBy(origin, each));
  return {
    baseUrl,
    ...(identityServerUrl !== undefined && { identityServerUrl }),
    ...(typeof issuer === "string" && { issuer }),
  };
}

function baseUrlIn(holder: unknown, origin: string): string | undefined {
  const base = readBaseUrl(presentMembers(holder)["base_url"]);
  return urlNamedBy(origin, base) && base;
}
