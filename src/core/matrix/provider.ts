import type { RequestOptions } from "../http/fetch.js";
import { OidcFlowError } from "../oauth/flow-error.js";
import { type NamedProvider, trustedProvider } from "../oauth/issuer-confirmation.js";
import { discoverIssuer } from "../oauth/metadata.js";
import { type AuthMetadataOptions, requestProvider } from "./auth-metadata.js";
import { type DiscoveredHomeserver, discoverHomeserver } from "./discovery.js";

export interface ProviderPlace {
  /** A server name, user ID or base URL. */
  readonly homeserver?: string | undefined;
  /** The known issuer, whose own document is then requested together with the homeserver's. */
  readonly issuer?: string | undefined;
}

export interface FoundProvider {
  /** An empty string if only an issuer is given. */
  readonly homeserverUrl: string;
  readonly identityServerUrl?: string;
  /** The request is already sent, so the caller can send another request at the same time. */
  readonly provider: Promise<NamedProvider>;
}

/**
 * Finds a homeserver from the user's input, and then its provider.
 *
 * @throws {OidcFlowError} `InsecureContext`, before any request, and the errors of
 *   `discoverHomeserver()` and `discoverIssuer()`. `provider` rejects with the errors of
 *   `requestProvider()`.
 */
export async function findProvider(
  { homeserver, issuer }: ProviderPlace,
  options: RequestOptions & Pick<AuthMetadataOptions, "strict">,
): Promise<FoundProvider> {
  if ((globalThis as Partial<typeof globalThis>).isSecureContext === false) {
    throw new OidcFlowError("A secure context is required to log in", "insecure_context");
  }
  const [found, own] = await Promise.all([
    homeserver === undefined ? undefined : discoverHomeserver(homeserver, options),
    issuer === undefined ? undefined : discoverIssuer(issuer, options),
  ]);
  const { baseUrl = "", issuer: named, ...rest }: Partial<DiscoveredHomeserver> = found ?? {};
  return {
    homeserverUrl: baseUrl,
    ...rest,
    provider: own
      ? Promise.resolve(trustedProvider(own))
      : requestProvider(baseUrl, { ...options, issuer: named }),
  };
}
