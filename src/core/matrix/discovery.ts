import type { JsonResponse, RequestOptions } from "../http/fetch.js";
import { presentMembers } from "../http/json.js";
import {
  isLoopbackHost,
  mayName,
  parseTrustworthyUrl,
  parseUrl,
  withoutTrailingSlashes,
} from "../http/url.js";
import { flowError, OidcError, type OidcFlowError, wasAborted } from "../oauth/errors.js";
import { requestPublished } from "../oauth/metadata.js";

/** Where a homeserver is. */
export interface DiscoveredHomeserver {
  /** The base of the client-server API, without a trailing slash. */
  readonly baseUrl: string;
  readonly identityServerUrl?: string;
  /** The issuer in the homeserver's well-known file, as used before `auth_metadata`. */
  readonly issuer?: string;
}

const WELL_KNOWN_PATH = "/.well-known/matrix/client";

/** MSC2965's key, and the stable one that was to replace it. */
const AUTHENTICATION_KEYS = ["m.authentication", "org.matrix.msc2965.authentication"];

/**
 * Finds a homeserver by what users type: `example.org`, `@alice:example.org` or
 * `https://matrix.example.org`.
 *
 * For a server name, its well-known file decides; if there is none, the API is on the server itself. For
 * a URL without a path the file is read too, because users type `https://example.org` when they mean
 * `example.org`; but since a URL works without the file, a broken one is ignored. On this machine
 * (`localhost:8008`) http is used, because no certificate is available.
 *
 * @throws {OidcFlowError} `General`: `homeserver_invalid`, `well_known_invalid`, or the request's
 *   code. Never `OpSupport`: the homeserver's supported versions are not requested.
 * @see https://spec.matrix.org/v1.19/client-server-api/#well-known-uris
 * @experimental
 */
export async function discoverHomeserver(
  nameOrUserIdOrUrl: string,
  options?: RequestOptions,
): Promise<DiscoveredHomeserver> {
  const { base, wellKnownOrigin, isUrl } = parseHomeserver(nameOrUserIdOrUrl);
  if (wellKnownOrigin === undefined) return { baseUrl: base };
  try {
    return (await fetchWellKnown(wellKnownOrigin, options)) ?? { baseUrl: base };
  } catch (error) {
    if (!isUrl || wasAborted(error)) throw error;
    return { baseUrl: base };
  }
}

/**
 * Reads the well-known file of an origin; undefined if it has none.
 *
 * @throws {OidcFlowError} `General`: `well_known_invalid` or the request's code.
 */
export async function fetchWellKnown(
  origin: string,
  options?: RequestOptions,
): Promise<DiscoveredHomeserver | undefined> {
  const isFailure = ({ ok, status }: JsonResponse): boolean => !ok && status !== 404;
  const { ok, body } = await requestPublished(origin + WELL_KNOWN_PATH, isFailure, options);
  return ok ? readWellKnown(body, origin) : undefined;
}

/**
 * A server name as a browser has parsed it: internationalized names are in ASCII by then. Chromium's parser takes more,
 * such as a host with a space in it.
 *
 * @see https://spec.matrix.org/v1.19/appendices/#server-name
 */
const SERVER_NAME = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/;

interface ParsedHomeserver {
  readonly base: string;
  /** The origin whose well-known file to read; undefined if none should be read. */
  readonly wellKnownOrigin: string | undefined;
  /** Whether the input was a URL. */
  readonly isUrl: boolean;
}

function parseHomeserver(input: string): ParsedHomeserver {
  const text = input.trim();
  const hasScheme = /^https?:\/\//i.test(text);
  // A user ID's server name follows its first colon, and may have a port of its own.
  const serverName = text.startsWith("@") ? text.slice(text.indexOf(":") + 1) : text;
  // Neither an email address nor a URL with another scheme is a server's name.
  const address = /[\s\\@]|\/\//.test(serverName) ? undefined : `https://${serverName}`;
  const url = hasScheme ? parseTrustworthyUrl(text) : parseUrl(address);
  if (!url || url.search || url.hash || !SERVER_NAME.test(url.host)) {
    throw flowError(
      OidcError.General,
      "homeserver_invalid",
      `Neither a server name, a user ID nor an https URL: ${input.slice(0, 255)}`,
    );
  }
  const { hostname, host, origin, pathname } = url;
  const isUrl = hasScheme || pathname !== "/";
  if (isUrl) {
    const base = baseOf(url);
    return { base, wellKnownOrigin: base === origin ? base : undefined, isUrl };
  }
  if (isLoopbackHost(hostname)) {
    return { base: `http://${host}`, wellKnownOrigin: `http://${host}`, isUrl };
  }
  // By the specification the file is on the host's default https port, whatever port the name has.
  return { base: origin, wellKnownOrigin: `https://${hostname}`, isUrl };
}

function readWellKnown(body: unknown, origin: string): DiscoveredHomeserver {
  const file = presentMembers(body);
  const baseUrl = baseUrlIn(file["m.homeserver"], origin);
  if (!baseUrl) throw wellKnownInvalid("m.homeserver has no base_url that is an https URL");
  const identityServerUrl = baseUrlIn(file["m.identity_server"], origin);
  // Signing in needs no identity server.
  if (file["m.identity_server"] && !identityServerUrl) {
    console.warn(
      `matrix-auth-elements: m.identity_server of ${origin} is ignored, as it has no base_url that is an https URL`,
    );
  }
  const issuer = AUTHENTICATION_KEYS.map((key) => file[key])
    .map((value) => presentMembers(value)["issuer"])
    .find((issuer) => namedUrl(issuer, origin));
  return {
    baseUrl,
    ...(identityServerUrl !== undefined && { identityServerUrl }),
    ...(typeof issuer === "string" && { issuer }),
  };
}

function baseUrlIn(holder: unknown, origin: string): string | undefined {
  const url = namedUrl(presentMembers(holder)["base_url"], origin);
  return url && baseOf(url);
}

/** A URL that a server of that origin names, if requests may be sent to it. */
function namedUrl(value: unknown, origin: string): URL | undefined {
  const url = parseTrustworthyUrl(value);
  return url && mayName(origin, url.href) ? url : undefined;
}

const baseOf = ({ origin, pathname }: URL): string => withoutTrailingSlashes(origin + pathname);

const wellKnownInvalid = (problem: string): OidcFlowError =>
  flowError(OidcError.General, "well_known_invalid", problem);
