import { isTransientStatus } from "../http/failures.js";
import type { JsonResponse, RequestOptions } from "../http/fetch.js";
import { isJsonObject, presentMembers, textIn } from "../http/json.js";
import { mayPointTo } from "../http/this-machine.js";
import { joinUrl, readBaseUrl } from "../http/url.js";
import { OidcFlowError } from "../oauth/flow-error.js";
import {
  confirmIssuer,
  isConfirmed,
  namedProvider,
  type NamedProvider,
  noteConfirmed,
  readDocument,
  refuseLoopback,
  trustedProvider,
} from "../oauth/issuer-confirmation.js";
import {
  type DiscoveryOptions,
  type OidcClientConfig,
  requestPublished,
  validateAuthMetadata,
  type ValidatedAuthMetadata,
  withSigningKeys,
} from "../oauth/metadata.js";
import { fetchWellKnown } from "./discovery.js";

export interface AuthMetadataOptions extends DiscoveryOptions {
  /**
   * The issuer in the homeserver's well-known file, if it was read before. Its document is requested
   * together with the homeserver's metadata.
   */
  readonly issuer?: string | undefined;
  /**
   * Whether only 404 or `M_UNRECOGNIZED` means that the homeserver has no provider, for pages that
   * then show a password form. Default: false. Then a web page or a proxy's error response means
   * the same.
   */
  readonly strict?: boolean | undefined;
}

const STABLE_PATH = "_matrix/client/v1/auth_metadata";
const UNSTABLE_PATH = "_matrix/client/unstable/org.matrix.msc2965/auth_metadata";
const ISSUER_PATH = "_matrix/client/unstable/org.matrix.msc2965/auth_issuer";

/**
 * Gets the trusted metadata of a homeserver's provider. The homeserver names the provider, and the
 * issuer's own document must match the homeserver's copy. The result is the issuer's document. With
 * `issuer`, the issuer's document is requested at the same time.
 *
 * @throws {OidcFlowError} `NotSupported` (`oidc_not_supported`) if the homeserver has no provider,
 *   `OpSupport` if its metadata is invalid or differs from the issuer's (`issuer_unconfirmed`),
 *   `General` with the request's code or `homeserver_invalid`.
 * @see https://spec.matrix.org/v1.19/client-server-api/#get_matrixclientv1auth_metadata
 * @experimental
 */
export async function fetchAuthMetadata(
  baseUrl: string,
  options: AuthMetadataOptions = {},
): Promise<ValidatedAuthMetadata> {
  const { confirm } = await requestProvider(baseUrl, options);
  return confirm(options);
}

/**
 * Finds a homeserver's provider: from the stable endpoint, then from the endpoint before Matrix 1.15,
 * then through the issuer that the homeserver names, then through the issuer in its well-known file.
 * The last three are requested in parallel.
 *
 * `/versions` is not requested, because Synapse 1.160 has the stable endpoint, but does not list
 * 1.15 there.
 *
 * @throws {OidcFlowError} as {@link fetchAuthMetadata} does, except for the issuer's document.
 */
export async function requestProvider(
  homeserverUrl: string,
  options: AuthMetadataOptions = {},
): Promise<NamedProvider> {
  const baseUrl = readBaseUrl(homeserverUrl);
  if (!baseUrl)
    throw new OidcFlowError("Something went wrong with OIDC discovery", "homeserver_invalid");
  const early =
    options.issuer !== undefined && mayPointTo(baseUrl, options.issuer)
      ? readDocument(options.issuer, options)
      : undefined;
  early?.catch(() => undefined);
  const stable = await requestIfKnown(joinUrl(baseUrl, STABLE_PATH), options);
  if (stable !== undefined) return providerOf(stable, baseUrl, options, early);

  // Most homeservers without the stable endpoint have none of these, so request all of them at
  // once.
  const unstable = requestIfKnown(joinUrl(baseUrl, UNSTABLE_PATH), options);
  const named = requestIfKnown(joinUrl(baseUrl, ISSUER_PATH), options);
  const { origin } = new URL(baseUrl);
  const file = options.issuer === undefined ? fetchWellKnown(origin, false, options) : options;
  // The first response decides, so later failures are ignored.
  Promise.all([named, file]).catch(() => undefined);

  const body = await unstable;
  if (body !== undefined) return providerOf(body, baseUrl, options, early);
  const issuer = textIn(presentMembers(await named)["issuer"]) ?? (await file)?.issuer;
  if (issuer !== undefined) {
    refuseLoopback(baseUrl, issuer);
    const isRead = early && issuer === options.issuer;
    const metadata = await (isRead ? early : readDocument(issuer, options));
    return trustedProvider(noteConfirmed(metadata));
  }
  throw new OidcFlowError("OIDC authentication not supported", "oidc_not_supported");
}

export async function fetchClientConfig(
  baseUrl: string,
  options: AuthMetadataOptions & { readonly signingKeys?: boolean | undefined },
): Promise<OidcClientConfig> {
  const metadata = await fetchAuthMetadata(baseUrl, options);
  if (options.signingKeys === false) return noteConfirmed({ ...metadata, signingKeys: null });
  return noteConfirmed(await withSigningKeys(metadata, options));
}

/**
 * Confirms the metadata that a client has returned, unless this library has already confirmed it:
 * clients of other libraries return the homeserver's response.
 *
 * @throws {OidcFlowError} as {@link fetchAuthMetadata} does.
 */
export async function confirmMetadata<Metadata extends object>(
  metadata: Metadata,
  homeserverUrl: string,
  options: DiscoveryOptions,
): Promise<Metadata | ValidatedAuthMetadata> {
  if (isConfirmed(metadata)) return metadata;
  return confirmIssuer(validateAuthMetadata(metadata), homeserverUrl, options);
}

/** The body of a successful response; undefined if the homeserver doesn't have the endpoint. */
async function requestIfKnown(url: string, options: AuthMetadataOptions): Promise<unknown> {
  const isFailed = options.strict ? isStrictFailure : isFailure;
  // If the homeserver limits the rate, another request would prolong the limit.
  const first = await requestPublished(url, ({ status }) => status === 429, options);
  // The failure might come from the HTTP cache. A second request bypasses the cache.
  const { ok, body } = isFailed(first) ? await requestPublished(url, isFailed, options) : first;
  return ok ? body : undefined;
}

/**
 * Whether a response is a failure. A success is none, nor is a response for an unknown endpoint:
 * 404 or 405, 400 `M_UNRECOGNIZED` from old servers, or a web page from a web server in front of
 * them.
 */
function isFailure({ status, body }: JsonResponse): boolean {
  return isTransientStatus(status) || (status === 401 && body === undefined);
}

function isStrictFailure({ ok, status, body }: JsonResponse): boolean {
  const isUnrecognized = isJsonObject(body) && body["errcode"] === "M_UNRECOGNIZED";
  return ok ? !isJsonObject(body) : status !== 404 && !isUnrecognized;
}

/** @param early The document of the issuer in the options. */
function providerOf(
  body: unknown,
  baseUrl: string,
  options: AuthMetadataOptions,
  early?: Promise<ValidatedAuthMetadata>,
): NamedProvider {
  const named = validateAuthMetadata(body, options);
  refuseLoopback(baseUrl, named.issuer);
  let document = named.issuer === options.issuer ? early : undefined;
  const confirm = (limits?: RequestOptions): Promise<ValidatedAuthMetadata> =>
    confirmIssuer(named, baseUrl, { ...options, ...limits }, document);
  const provider = namedProvider(named, confirm, options);
  // After a failure, the document is requested again.
  document = undefined;
  return provider;
}
