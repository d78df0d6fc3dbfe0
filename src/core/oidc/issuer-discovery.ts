import {
  isJsonObject,
  parseTrustworthyUrl,
  requestJson,
  unexpectedAnswer,
  urlBelow,
  type RequestOptions,
} from "../http/index.js";
import { OidcError, OidcFlowError, requestFailed } from "./errors.js";
import {
  validateAuthMetadata,
  type MetadataOptions,
  type OidcClientConfig,
  type SigningKey,
  type ValidatedAuthMetadata,
} from "./metadata.js";

/** Options of the calls that discover an authorization server. */
export interface DiscoveryOptions extends RequestOptions, MetadataOptions {}

/**
 * Fetches and checks an issuer's own document. The path of an issuer is kept: the document of
 * `https://host/realm` is `https://host/realm/.well-known/openid-configuration`.
 *
 * @throws {OidcFlowError} `General` where there is no document, `OpSupport` where it has faults or
 *   speaks for another issuer (`issuer_mismatch`).
 * @see https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig
 * @experimental
 */
export async function discoverIssuer(
  issuer: string,
  options?: DiscoveryOptions,
): Promise<ValidatedAuthMetadata> {
  if (!parseTrustworthyUrl(issuer) || /[?#]/.test(issuer)) {
    throw new OidcFlowError(
      OidcError.General,
      "issuer_invalid",
      new Error("An issuer is an https address without query and fragment"),
    );
  }
  const metadata = validateAuthMetadata(
    await requestDocument(urlBelow(issuer, ".well-known/openid-configuration"), options),
    options,
  );
  // The address is the same with and without a slash at its end, so the issuer may be too.
  if (withoutSlash(metadata.issuer) !== withoutSlash(issuer)) {
    throw new OidcFlowError(
      OidcError.OpSupport,
      "issuer_mismatch",
      new Error(`The document of ${issuer} names the issuer ${metadata.issuer}`),
    );
  }
  return metadata;
}

/**
 * Discovers an issuer that is known by its address, with its signing keys.
 *
 * @deprecated Ask the homeserver: `HomeserverClient.getAuthMetadata()`. For where there is no
 *   homeserver yet.
 * @throws {OidcFlowError} as {@link discoverIssuer}; `keys_unavailable` where the keys cannot be fetched.
 * @experimental
 */
export async function discoverAndValidateOIDCIssuerWellKnown(
  issuer: string,
  options?: DiscoveryOptions,
): Promise<OidcClientConfig> {
  return withSigningKeys(await discoverIssuer(issuer, options), options);
}

/** The metadata and the keys that it points to. */
export async function withSigningKeys(
  metadata: ValidatedAuthMetadata,
  options?: RequestOptions,
): Promise<OidcClientConfig> {
  const { jwks_uri } = metadata;
  return { ...metadata, signingKeys: jwks_uri ? await fetchSigningKeys(jwks_uri, options) : null };
}

/**
 * Fetches an issuer's public keys.
 *
 * @throws {OidcFlowError} `General`: the request's code, or `keys_unavailable` where the answer is no
 *   key set.
 * @see https://www.rfc-editor.org/rfc/rfc7517#section-5
 */
export async function fetchSigningKeys(
  jwksUri: string,
  options?: RequestOptions & { readonly pastCache?: boolean },
): Promise<readonly SigningKey[]> {
  const keySet = await requestDocument(jwksUri, options, options?.pastCache);
  const keys = isJsonObject(keySet) ? keySet["keys"] : undefined;
  if (!Array.isArray(keys) || !keys.every(isJsonObject)) {
    throw new OidcFlowError(
      OidcError.General,
      "keys_unavailable",
      new Error(`${jwksUri} is no key set`),
    );
  }
  return keys;
}

async function requestDocument(
  url: string,
  options?: RequestOptions,
  pastCache?: boolean,
): Promise<unknown> {
  try {
    const answer = await requestJson(url, { pastCache }, options);
    if (!answer.ok || answer.body === undefined) throw unexpectedAnswer(url, answer);
    return answer.body;
  } catch (cause) {
    throw requestFailed(OidcError.General, cause, "network_error");
  }
}

const withoutSlash = (address: string): string => address.replace(/\/$/, "");
