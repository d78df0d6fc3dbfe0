import type { RequestOptions } from "../http/fetch.js";
import { countIn, lifetimeIn } from "../http/body-members.js";
import { isText, presentMembers, toJson } from "../http/json.js";
import { processGenericTokenEndpointResponse } from "./certified.js";
import { flowError } from "./errors.js";
import type { PendingFlow } from "./flow-store.js";
import type { IdTokenClaims } from "./id-token.js";
import { type IssuerResponse, serverOf } from "./issuer-request.js";
import { type AuthMetadata, issuerEndpoints } from "./metadata.js";
import { revokeUnused } from "./revocation.js";
import { isForDevice, NO_API, OTHER_DEVICE, readScope, scopeNotGranted } from "./scope.js";
import { isHeaderToken } from "../shared/identifiers.js";

/**
 * A provider's tokens, validated.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-5.1
 */
export interface BearerTokenResponse {
  readonly access_token: string;
  readonly token_type: "Bearer";
  /** Absent only if the provider has no refresh grant. */
  readonly refresh_token?: string;
  /** Lifetime of the access token in seconds. */
  readonly expires_in?: number;
  /** When it expires, in seconds since the epoch, counted from the start of the request. */
  readonly expires_at?: number;
  readonly scope?: string;
  /** Present only if it was verified. */
  readonly id_token?: string;
}

/**
 * Validates the body of a token response, but not its ID token.
 *
 * @param refreshable Whether a refresh token is required.
 * @throws {OidcFlowError} `InvalidBearerTokenResponse` (`token_response_invalid`), with the first
 *   fault in its `cause`, which contains no token.
 */
export async function validateBearerTokenResponse(
  { body, requestedAt }: IssuerResponse,
  refreshable = false,
): Promise<BearerTokenResponse> {
  const { access_token, token_type, refresh_token, expires_in, scope, id_token } =
    presentMembers(body);
  try {
    if (id_token !== undefined && !isText(id_token)) throw new Error("id_token is not a string");
    const lifetime = lifetimeIn(readSeconds("expires_in", expires_in));
    const members = { access_token, token_type, refresh_token, expires_in: lifetime, scope };
    // The response contains neither the issuer nor the client.
    const tokens = await processGenericTokenEndpointResponse(
      serverOf({}),
      { client_id: "-" },
      new Response(toJson(members)),
    );
    // oauth4webapi also accepts tokens that are bound to a key.
    if (tokens.token_type !== "bearer") throw new Error("token_type is not bearer");
    if (!isHeaderToken(tokens.access_token)) throw new Error("access_token is invalid");
    if (refreshable && !tokens.refresh_token) throw new Error("refresh_token is missing");
    const expires_at = lifetime === undefined ? null : Math.floor(requestedAt / 1000) + lifetime;
    const known = { ...members, token_type: "Bearer", expires_at, id_token };
    return presentMembers(known) as unknown as BearerTokenResponse;
  } catch (fault) {
    // Leave out its `cause`, which may contain tokens.
    const reason = (fault as Error).message;
    throw flowError("Invalid bearer token response", "token_response_invalid", reason);
  }
}

/** @throws {Error} for other values, such as "60 s" and `[300]`, which oauth4webapi accepts. */
export function readSeconds(member: string, value: unknown): number | undefined {
  const seconds = countIn(value);
  if (seconds === undefined && value !== undefined) {
    throw new Error(`${member} is not a number of seconds`);
  }
  return seconds;
}

/** The result of a sign-in. */
export interface AuthorizationCodeGrantResult {
  readonly tokenResponse: BearerTokenResponse;
  /** Required to refresh the tokens and to sign out. */
  readonly oidcClientSettings: { readonly clientId: string; readonly issuer: string };
  /** Required to refresh and revoke the tokens. If it is missing, an `OidcSession` requests it. */
  readonly metadata?: Pick<AuthMetadata, "issuer" | "token_endpoint" | "revocation_endpoint">;
  /**
   * The homeserver of the sign-in. An empty string if the sign-in was started with only an issuer.
   */
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

/**
 * The tokens of a response. Their scope must include the client-server API and all additional
 * requested scopes, and must name no device except the requested one. Tokens that cannot be used
 * are revoked.
 *
 * @throws {OidcFlowError} `InvalidBearerTokenResponse`: `token_response_invalid`,
 *   `scope_not_granted`.
 */
export async function readTokens(
  grant: Pick<PendingFlow, "metadata" | "clientId" | "scope" | "isDeviceNamed">,
  response: IssuerResponse,
  options?: RequestOptions,
): Promise<BearerTokenResponse> {
  const refreshable = grant.metadata.grant_types_supported?.includes("refresh_token") ?? true;
  let isOther = false;
  try {
    const tokens = await validateBearerTokenResponse(response, refreshable);
    const { scope } = tokens;
    if (scope === undefined) return tokens;
    const requested = readScope(grant.scope);
    const granted = readScope(scope);
    isOther = !isForDevice(scope, requested.deviceId);
    if (isOther) throw scopeNotGranted(OTHER_DEVICE);
    if (!granted.api) throw scopeNotGranted(NO_API);
    const missing = requested.additional.filter((each) => !granted.additional.includes(each));
    if (missing.length > 0) throw scopeNotGranted(`did not grant: ${missing.join(" ")}`);
    return tokens;
  } catch (error) {
    revokeUnused(grant, response.body, options, isOther);
    throw error;
  }
}

export function grantResult(
  flow: Pick<PendingFlow, "metadata" | "clientId" | "homeserverUrl" | "identityServerUrl"> &
    Pick<PendingFlow, "scope" | "deviceId" | "urlState" | "appState">,
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
