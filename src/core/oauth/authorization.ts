import { parseTrustworthyUrl } from "../http/url.js";
import { secureRandomString, toBase64url } from "../shared/base64url.js";
import { settingsInvalid } from "./errors.js";
import { OidcFlowError } from "./flow-error.js";
import { flowMetadata, type PendingFlow, storeFlow } from "./flow-store.js";
import { type ResponseMode, STATE_PREFIX } from "./response.js";
import type { AuthMetadata } from "./metadata.js";
import { removeProtocolParameters } from "./protocol-parameters.js";
import { isRefusedDevice } from "./refused-device.js";
import { isRedirectUri } from "./registration.js";
import { generateDeviceId, generateScope } from "./scope.js";

/** 64 characters out of 62: about 380 bits. RFC 7636 requires 43 to 128 characters. */
const VERIFIER_LENGTH = 64;

/** The values that a caller without a browser keeps until the provider responds. */
export type AuthorizationParams = Required<
  Pick<PendingFlow, "scope" | "redirectUri" | "state" | "nonce" | "codeVerifier">
>;

/**
 * Makes random values for one authorization request, without a browser. Keep them and pass them to
 * {@link generateAuthorizationUrl}.
 *
 * The scope always includes `openid`, so it requests an ID token even if the provider publishes no
 * keys. {@link createFlow} requests one only if it can be verified.
 *
 * @throws {OidcFlowError} as `generateScope` does.
 * @experimental
 */
export function generateAuthorizationParams({
  redirectUri,
  deviceId,
}: Pick<OidcAuthorizationOptions, "redirectUri" | "deviceId">): AuthorizationParams {
  return {
    scope: generateScope(deviceId),
    redirectUri,
    state: secureRandomString(32),
    nonce: secureRandomString(32),
    codeVerifier: secureRandomString(VERIFIER_LENGTH),
  };
}

/**
 * Builds the authorization URL, for a caller that stores its own state. Works without a browser.
 *
 * @param authorizationEndpoint The provider's `authorization_endpoint`. Parameters of OAuth 2.0 and
 *   OpenID Connect in its query are left out; others stay.
 * @param options `responseMode`: which part of the URL contains the response; default: `query`.
 *   `prompt` and `loginHint`: as in {@link OidcAuthorizationOptions}.
 * @throws {OidcFlowError} `InsecureContext` if the PKCE challenge can't be computed: it is never
 *   replaced by the plain verifier. `Misconfigured` if the endpoint is not an HTTPS URL.
 * @experimental
 */
export async function generateAuthorizationUrl(
  authorizationEndpoint: string,
  clientId: string,
  params: Pick<PendingFlow, keyof AuthorizationParams>,
  options: Pick<OidcAuthorizationOptions, "responseMode" | "prompt" | "loginHint"> = {},
): Promise<string> {
  // The page navigates to it, and a `javascript:` URL would run in the page.
  const url = parseTrustworthyUrl(authorizationEndpoint);
  if (!url) throw settingsInvalid("The authorization endpoint is not an HTTPS URL");
  const parameters = {
    response_type: "code",
    response_mode: options.responseMode ?? "query",
    client_id: clientId,
    redirect_uri: params.redirectUri,
    scope: params.scope,
    state: params.state,
    nonce: params.nonce,
    code_challenge: await codeChallenge(params.codeVerifier),
    code_challenge_method: "S256",
    prompt: options.prompt,
    login_hint: options.loginHint,
  };
  removeProtocolParameters(url);
  for (const [name, value] of Object.entries(parameters)) {
    if (value) url.searchParams.set(name, value);
  }
  return url.href;
}

/** The options of {@link generateOidcAuthorizationUrl}. */
export interface OidcAuthorizationOptions {
  readonly metadata: AuthMetadata;
  /** The result of `registerOidcClient`, or an ID that the provider's operator assigned. */
  readonly clientId: string;
  /** Returned with the tokens. */
  readonly homeserverUrl: string;
  /** Returned with the tokens. */
  readonly identityServerUrl?: string | undefined;
  /** The URL that the provider redirects to: one of the registered redirect URIs. */
  readonly redirectUri: string;
  /** A random string, from `secureRandomString`. */
  readonly nonce: string;
  /**
   * `login`: the provider asks for the password even if the user is signed in there. `create`: it
   * offers to create an account.
   */
  readonly prompt?: string | undefined;
  /** Appended to the `state` parameter, so it is visible in the URL. Returned with the tokens. */
  readonly urlState?: string | undefined;
  /** The `login_hint` for the provider. */
  readonly loginHint?: string | undefined;
  /** Default: `query`. */
  readonly responseMode?: ResponseMode | undefined;
  /**
   * The device to sign in with. Pass an earlier session's device to keep its keys. Default: a new
   * device. A new device also replaces one that the provider has just rejected with `invalid_scope`
   * in this tab.
   */
  readonly deviceId?: string | undefined;
  /** Scopes in addition to those of the client-server API. */
  readonly additionalScopes?: readonly string[] | undefined;
  /** Kept in this tab with the flow, never sent, and returned with the tokens. */
  readonly appState?: Readonly<Record<string, string>> | undefined;
}

/**
 * Starts a sign-in: stores its flow in `sessionStorage` for an hour, and resolves to the URL that
 * the page must open.
 *
 * @throws {OidcFlowError} `InsecureContext`, `StorageUnavailable`, `Misconfigured`.
 * @see https://spec.matrix.org/v1.19/client-server-api/#login-via-oauth-20
 * @experimental
 */
export async function generateOidcAuthorizationUrl(
  options: OidcAuthorizationOptions,
): Promise<string> {
  const { url, flow } = await createFlow(options);
  storeFlow(flow);
  return url;
}

/**
 * Starts a sign-in like {@link generateOidcAuthorizationUrl}, but the caller keeps the flow until
 * `completeFlow()`.
 *
 * @throws {OidcFlowError} `InsecureContext`, `Misconfigured`.
 * @experimental
 */
export async function createFlow(
  options: OidcAuthorizationOptions,
): Promise<{ readonly url: string; readonly flow: PendingFlow }> {
  const { metadata, clientId, homeserverUrl, identityServerUrl, redirectUri } = options;
  const { urlState, appState } = options;
  const isDeviceNamed = !!options.deviceId && !isRefusedDevice(metadata.issuer, options.deviceId);
  const deviceId = (isDeviceNamed && options.deviceId) || generateDeviceId();
  // Without published keys, an ID token can't be verified, so none is requested.
  const openid = metadata.jwks_uri !== undefined;
  const scope = generateScope(deviceId, { openid, additional: options.additionalScopes });
  if (!isRedirectUri(redirectUri)) throw settingsInvalid("redirectUri is not an HTTPS URL");
  if (!clientId) throw settingsInvalid("clientId is empty");
  if (openid && !options.nonce) throw settingsInvalid("nonce is empty");
  const id = STATE_PREFIX + secureRandomString(32);
  const flow: PendingFlow = {
    state: urlState ? `${id};${urlState}` : id,
    createdAt: Date.now(),
    metadata: flowMetadata(metadata),
    clientId,
    redirectUri,
    responseMode: options.responseMode ?? "query",
    scope,
    codeVerifier: secureRandomString(VERIFIER_LENGTH),
    homeserverUrl,
    deviceId,
    isDeviceNamed,
    ...(openid && { nonce: options.nonce }),
    ...(identityServerUrl && { identityServerUrl }),
    ...(urlState && { urlState }),
    ...(appState && { appState }),
  };
  const endpoint = metadata.authorization_endpoint;
  return { url: await generateAuthorizationUrl(endpoint, clientId, flow, options), flow };
}

/** @see https://www.rfc-editor.org/rfc/rfc7636#section-4.2 */
async function codeChallenge(codeVerifier: string): Promise<string> {
  // It exists only in secure contexts: https://w3c.github.io/webcrypto/#crypto-interface
  if (!(crypto as { subtle?: SubtleCrypto }).subtle) {
    throw new OidcFlowError("A secure context is required to log in", "insecure_context");
  }
  return toBase64url(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(codeVerifier)));
}
