import { parseTrustworthyUrl, joinUrl, type RequestOptions } from "../http/index.js";
import { OidcError, flowError } from "./errors.js";
import { requestDocument } from "./published.js";
import {
  validateAuthMetadata,
  type MetadataOptions,
  type OidcClientConfig,
  type ValidatedAuthMetadata,
} from "./metadata.js";
import { withSigningKeys } from "./signing-keys.js";

/** Options of the calls that discover an authorization server. */
export interface DiscoveryOptions extends RequestOptions, MetadataOptions {}

/**
 * Fetches and validates an issuer's own document. The issuer's path is kept: the document of
 * `https://host/realm` is `https://host/realm/.well-known/openid-configuration`.
 *
 * @throws {OidcFlowError} `General` if there is no document, `OpSupport` if it has faults or names
 *   another issuer (`issuer_mismatch`).
 * @see https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig
 * @experimental
 */
export async function discoverIssuer(
  issuer: string,
  options?: DiscoveryOptions,
): Promise<ValidatedAuthMetadata> {
  if (!parseTrustworthyUrl(issuer) || /[?#]/.test(issuer)) {
    throw flowError(
      OidcError.General,
      "issuer_invalid",
      "An issuer is an https URL without query and fragment",
    );
  }
  const metadata = validateAuthMetadata(
    await requestDocument(joinUrl(issuer, ".well-known/openid-configuration"), options),
    options,
  );
  // The document's URL does not depend on a trailing slash of the issuer, so neither does this check.
  if (withoutSlash(metadata.issuer) !== withoutSlash(issuer)) {
    throw flowError(
      OidcError.OpSupport,
      "issuer_mismatch",
      `The document of ${issuer} names the issuer ${metadata.issuer}`,
    );
  }
  return metadata;
}

/**
 * Discovers an issuer by its URL, with its signing keys.
 *
 * @deprecated Ask the homeserver: `HomeserverClient.getAuthMetadata()`. Use this only if there is no
 *   homeserver yet.
 * @throws {OidcFlowError} as {@link discoverIssuer} does; `keys_unavailable` if the keys are not a key set.
 * @experimental
 */
export async function discoverAndValidateOIDCIssuerWellKnown(
  issuer: string,
  options?: DiscoveryOptions,
): Promise<OidcClientConfig> {
  return withSigningKeys(await discoverIssuer(issuer, options), options);
}

const withoutSlash = (url: string): string => url.replace(/\/$/, "");
