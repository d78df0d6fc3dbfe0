import type { JsonResponse, RequestOptions } from "../http/fetch.js";
import { isJsonObject } from "../http/json.js";
import { joinUrl, mayName, parseTrustworthyUrl } from "../http/url.js";
import { flowError, OidcError, OidcFlowError, wasAborted } from "../oauth/errors.js";
import {
  discoverIssuer,
  type DiscoveryOptions,
  type OidcClientConfig,
  requestPublished,
  validateAuthMetadata,
  type ValidatedAuthMetadata,
  withSigningKeys,
} from "../oauth/metadata.js";
import { fetchWellKnown } from "./discovery.js";

export interface AuthMetadataOptions extends DiscoveryOptions {
  /** The issuer that the homeserver's well-known file names, if that was already read. */
  readonly issuer?: string | undefined;
  /**
   * Whether only 404 or `M_UNRECOGNIZED` means that the homeserver has none: for pages that would then ask for
   * a password. Default: a web page, or a refusal by a server in front of it, means so too.
   */
  readonly strict?: boolean | undefined;
}

const STABLE = "_matrix/client/v1/auth_metadata";
const UNSTABLE = "_matrix/client/unstable/org.matrix.msc2965/auth_metadata";
const AUTH_ISSUER = "_matrix/client/unstable/org.matrix.msc2965/auth_issuer";

/**
 * Asks a homeserver for its authorization server: at the stable endpoint, else the one from before
 * Matrix 1.15, else via the issuer that it names, else via the issuer of its well-known file.
 * The last three are requested in parallel.
 *
 * `/versions` is not requested: Synapse 1.160 does not list 1.15 there and serves the stable endpoint all
 * the same.
 *
 * @throws {OidcFlowError} `NotSupported` (`oidc_not_supported`) if the homeserver has none,
 *   `OpSupport` if its metadata is faulty, `General` with the request's code or `homeserver_invalid`.
 * @see https://spec.matrix.org/v1.19/client-server-api/#get_matrixclientv1auth_metadata
 * @experimental
 */
export async function fetchAuthMetadata(
  baseUrl: string,
  options: AuthMetadataOptions = {},
): Promise<ValidatedAuthMetadata> {
  if (!parseTrustworthyUrl(baseUrl)) {
    throw new OidcFlowError(OidcError.General, "homeserver_invalid");
  }
  const stable = await ask(joinUrl(baseUrl, STABLE), options);
  if (stable !== undefined)
    return confirmIssuer(validateAuthMetadata(stable, options), baseUrl, options);

  // Most homeservers that get here have none of it, so do not ask one by one.
  const unstable = ask(joinUrl(baseUrl, UNSTABLE), options);
  const named = askIssuer(baseUrl, options);
  const inWellKnown = options.issuer ?? wellKnownIssuer(baseUrl, options);
  // Once one has answered or failed, the later ones are ignored.
  Promise.all([named, inWellKnown]).catch(() => undefined);

  const body = await unstable;
  if (body !== undefined)
    return confirmIssuer(validateAuthMetadata(body, options), baseUrl, options);
  const issuer = (await named) ?? (await inWellKnown);
  if (issuer !== undefined) {
    refuseLoopback(baseUrl, { issuer });
    const metadata = await discoverIssuer(issuer, options);
    refuseLoopback(baseUrl, metadata);
    return metadata;
  }
  throw new OidcFlowError(OidcError.NotSupported, "oidc_not_supported");
}

/** The same, with the issuer's signing keys. */
export async function fetchClientConfig(
  baseUrl: string,
  options: AuthMetadataOptions,
): Promise<OidcClientConfig> {
  return withSigningKeys(await fetchAuthMetadata(baseUrl, options), options);
}

async function askIssuer(
  baseUrl: string,
  options: AuthMetadataOptions,
): Promise<string | undefined> {
  const body = await ask(joinUrl(baseUrl, AUTH_ISSUER), options);
  const issuer = isJsonObject(body) ? body["issuer"] : undefined;
  return typeof issuer === "string" ? issuer : undefined;
}

/** Undefined if the well-known file is missing or broken, or names no issuer. */
async function wellKnownIssuer(
  baseUrl: string,
  options: RequestOptions,
): Promise<string | undefined> {
  try {
    return (await fetchWellKnown(new URL(baseUrl).origin, options))?.issuer;
  } catch (error) {
    if (wasAborted(error)) throw error;
    return undefined;
  }
}

/** The body of a successful response; undefined if the homeserver does not know the endpoint. */
async function ask(url: string, options: AuthMetadataOptions): Promise<unknown> {
  const failed = options.strict ? isNoResponse : isFailure;
  // Asking again after a rate limit would only prolong it.
  const first = await requestPublished(url, ({ status }) => status === 429, options);
  // The failure may be an old response in the HTTP cache: ask the server itself, once.
  const { ok, body } = failed(first) ? await requestPublished(url, failed, options, true) : first;
  return ok ? body : undefined;
}

/**
 * A successful response is not a failure, nor is any way to say that there is no such endpoint: 404 or 405,
 * 400 `M_UNRECOGNIZED` from old servers, or a web page from a web server in front of them.
 */
function isFailure({ status, body }: JsonResponse): boolean {
  return status === 429 || status >= 500 || (status === 401 && body === undefined);
}

/** Anything but metadata, or that there is none. */
function isNoResponse({ ok, status, body }: JsonResponse): boolean {
  const isUnrecognized = isJsonObject(body) && body["errcode"] === "M_UNRECOGNIZED";
  return ok ? !isJsonObject(body) : status !== 404 && !isUnrecognized;
}

/**
 * If the endpoints are not on the issuer's origin, the issuer's own document must name the same ones: a
 * homeserver cannot speak for another user's issuer.
 */
async function confirmIssuer(
  metadata: ValidatedAuthMetadata,
  baseUrl: string,
  options: DiscoveryOptions,
): Promise<ValidatedAuthMetadata> {
  refuseLoopback(baseUrl, metadata);
  const { origin } = new URL(metadata.authorization_endpoint);
  if (origin === new URL(metadata.issuer).origin || options.allowedOrigins?.includes(origin)) {
    return metadata;
  }
  const own = await discoverIssuer(metadata.issuer, options);
  const differing = ENDPOINTS.filter((member) => own[member] !== metadata[member]);
  if (differing.length > 0) {
    throw flowError(
      OidcError.OpSupport,
      "issuer_unconfirmed",
      `The issuer's own document differs in: ${differing.join(", ")}`,
    );
  }
  return metadata;
}

/** A public homeserver cannot send a user, or tokens, to whatever listens on their own machine. */
function refuseLoopback(baseUrl: string, metadata: Readonly<Record<string, unknown>>): void {
  const named = ["issuer", "jwks_uri", "account_management_uri", ...ENDPOINTS]
    .map((member) => metadata[member])
    .filter((url): url is string => typeof url === "string");
  if (named.every((url) => mayName(baseUrl, url))) return;
  throw flowError(
    OidcError.OpSupport,
    "metadata_invalid",
    "A public homeserver names a loopback address",
  );
}

const ENDPOINTS = [
  "authorization_endpoint",
  "token_endpoint",
  "revocation_endpoint",
  "registration_endpoint",
] as const;
