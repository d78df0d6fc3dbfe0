// Loaded when somebody asks for it: a page that completes a login has the metadata already.
import type { DiscoveryOptions } from "../oidc/issuer-discovery.js";
import type { OidcClientConfig } from "../oidc/metadata.js";
import { withSigningKeys } from "../oidc/signing-keys.js";
import { fetchAuthMetadata } from "./auth-metadata.js";

/**
 * The metadata of a homeserver's authorization server, with its signing keys: see `HomeserverClient.getAuthMetadata`.
 *
 * @throws {OidcFlowError} as `fetchAuthMetadata()` does, and `General` where the keys cannot be had.
 */
export const fetchClientConfig = async (
  homeserverUrl: string,
  options?: DiscoveryOptions,
): Promise<OidcClientConfig> =>
  withSigningKeys(await fetchAuthMetadata(homeserverUrl, options), options);
