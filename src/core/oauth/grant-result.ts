// The result that the authorization code grant and the device grant share.
import type { RequestOptions } from "../http/fetch.js";
import { presentMembers } from "../http/json.js";
import type { PendingFlow } from "./flow-store.js";
import type { IdTokenClaims } from "./id-token.js";
import type { IssuerResponse } from "./issuer-request.js";
import { type AuthMetadata, issuerEndpoints } from "./metadata.js";
import { revokeQuietly } from "./revocation.js";
import { readScope, scopeNotGranted } from "./scope.js";
import { type BearerTokenResponse, validateBearerTokenResponse } from "./token-response.js";

/** The result of a sign-in. */
export interface AuthorizationCodeGrantResult {
  readonly tokenResponse: BearerTokenResponse;
  /** Needed to refresh the tokens and to sign out. */
  readonly oidcClientSettings: { readonly clientId: string; readonly issuer: string };
  /**
   * The endpoints that refresh and revoke the tokens. If they are missing, an `OidcSession` looks
   * it up.
   */
  readonly metadata?: Pick<AuthMetadata, "issuer" | "token_endpoint" | "revocation_endpoint">;
  /** The homeserver of the sign-in; an empty string if it was started with only an issuer. */
  readonly homeserverUrl: string;
  readonly identityServerUrl?: string;
  /** The verified claims; undefined without a verified ID token. */
  readonly idTokenClaims: IdTokenClaims | undefined;
  /** The signed-in device; the requested one if `scope` names none. */
  readonly deviceId: string;
  /** The granted scope; the requested one if the provider doesn't return it. */
  readonly scope: string;
  readonly urlState?: string;
  readonly appState?: Readonly<Record<string, string>>;
}

type Grant = Pick<PendingFlow, "metadata" | "clientId" | "homeserverUrl" | "deviceId"> &
  Pick<PendingFlow, "scope" | "urlState" | "appState" | "isDeviceNamed"> & {
    readonly identityServerUrl?: string | undefined;
  };

/**
 * The tokens of a response, whose scope must include the client-server API and all additional
 * requested scopes. Tokens that cannot be used are revoked.
 *
 * @throws {OidcFlowError} `InvalidBearerTokenResponse`: `token_response_invalid`,
 *   `scope_not_granted`.
 */
export async function readTokens(
  grant: Pick<Grant, "metadata" | "clientId" | "scope" | "isDeviceNamed">,
  response: IssuerResponse,
  options?: RequestOptions,
): Promise<BearerTokenResponse> {
  const refreshable = grant.metadata.grant_types_supported?.includes("refresh_token") ?? true;
  try {
    const tokens = await validateBearerTokenResponse(response, refreshable);
    const { scope } = tokens;
    if (scope === undefined) return tokens;
    const granted = new Set(scope.split(" "));
    const hasAll = readScope(grant.scope).additional.every((each) => granted.has(each));
    if (!readScope(scope).api || !hasAll) throw scopeNotGranted(scope);
    return tokens;
  } catch (error) {
    revokeUnused(grant, response, options);
    throw error;
  }
}

/** Revokes unusable tokens, unless that could sign out another session of their device. */
export function revokeUnused(
  { metadata, clientId, isDeviceNamed }: Pick<Grant, "metadata" | "clientId" | "isDeviceNamed">,
  { body }: IssuerResponse,
  options?: RequestOptions,
): void {
  if (isDeviceNamed) return;
  const tokens = presentMembers(body) as Partial<BearerTokenResponse>;
  revokeQuietly(metadata, clientId, tokens, options);
}

export function grantResult(
  flow: Grant,
  { id_token, ...tokens }: BearerTokenResponse,
  idTokenClaims?: IdTokenClaims,
): AuthorizationCodeGrantResult {
  const { scope = flow.scope } = tokens;
  const { identityServerUrl, urlState, appState } = flow;
  return {
    tokenResponse: { ...tokens, ...(idTokenClaims && id_token !== undefined && { id_token }) },
    oidcClientSettings: { clientId: flow.clientId, issuer: flow.metadata.issuer },
    metadata: issuerEndpoints(flow.metadata),
    homeserverUrl: flow.homeserverUrl,
    idTokenClaims,
    deviceId: readScope(scope).deviceId ?? flow.deviceId,
    scope,
    ...(identityServerUrl !== undefined && { identityServerUrl }),
    ...(urlState !== undefined && { urlState }),
    ...(appState !== undefined && { appState }),
  };
}
