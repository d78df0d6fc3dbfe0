import { isJsonObject, presentMembers, type RequestOptions } from "../http/index.js";
import { OidcError, flowError } from "./errors.js";
import { requestDocument } from "./published.js";
import type { OidcClientConfig, SigningKey, ValidatedAuthMetadata } from "./metadata.js";

/** Adds the keys that the metadata points to. */
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
 * @throws {OidcFlowError} `General`: the request's code, or `keys_unavailable` if the response is not a
 *   key set.
 * @see https://www.rfc-editor.org/rfc/rfc7517#section-5
 */
export async function fetchSigningKeys(
  jwksUri: string,
  options?: RequestOptions & { readonly bypassCache?: boolean },
): Promise<readonly SigningKey[]> {
  const keySet = await requestDocument(jwksUri, options, options?.bypassCache);
  const keys = isJsonObject(keySet) ? keySet["keys"] : undefined;
  if (!Array.isArray(keys) || !keys.every(isJsonObject)) {
    throw flowError(OidcError.General, "keys_unavailable", `${jwksUri} is not a key set`);
  }
  return keys.map(presentMembers);
}
