import type { RequestOptions } from "../http/fetch.js";
import {
  authorizationCodeGrantRequest,
  AuthorizationResponseError,
  None,
  validateAuthResponse,
} from "./certified.js";
import { forgetClient, REGISTRATION_STATE } from "./client-cache.js";
import {
  flowError,
  OidcError,
  type OidcErrorCode,
  OidcFlowError,
  refusalCause,
  wasAborted,
} from "./errors.js";
import {
  dropFlows,
  FLOW_LIFETIME_MS,
  type PendingFlow,
  type ResponseMode,
  storeFlow,
  takeFlow,
} from "./flow-store.js";
import {
  type AuthorizationCodeGrantResult,
  grantResult,
  readTokens,
  revokeUnused,
} from "./grant-result.js";
import { type IdTokenClaims, type KeySource, verifyIdToken } from "./id-token.js";
import {
  type IssuerResponse,
  postToIssuer,
  refusalReason,
  serverOf,
  withoutCause,
} from "./issuer-request.js";
import { fetchSigningKeys, type SigningKey } from "./metadata.js";
import { readAuthorizationResponse, RESPONSE_PARAMETERS } from "./response.js";
import { readScope } from "./scope.js";
import type { BearerTokenResponse } from "./token-response.js";

export interface CompletionOptions extends RequestOptions {
  /**
   * `required`: fail if there is no verified ID token. `when-available`: verify one if there is one. `off`: ignore
   * it; who has signed in is then only what the homeserver says. Default: an ID token is required, and verified, if
   * the issuer publishes keys and granted `openid`.
   */
  readonly idToken?: "required" | "when-available" | "off" | undefined;
  /** Where the response was found, which must be where the flow requested it. Default: not checked. */
  readonly mode?: ResponseMode | undefined;
}

/**
 * Completes a login that `generateOidcAuthorizationUrl` started, from the two parameters that came
 * back. {@link completeAuthorizationCodeGrantFromUrl} checks more: it also sees who responded.
 *
 * The flow is taken out of the store before any request, so that no code is used twice. If the request
 * fails in a way that may leave the code valid (no network, HTTP 429 or 5xx), it is put back: call again.
 *
 * @param found Where the two were found, or options. Default: not checked.
 * @throws {OidcFlowError} `MissingOrInvalidStoredState`, `CodeExchangeFailed`,
 *   `InvalidBearerTokenResponse`, `InvalidIdToken`.
 * @experimental
 */
export async function completeAuthorizationCodeGrant(
  code: string,
  state: string,
  found?: ResponseMode | CompletionOptions,
): Promise<AuthorizationCodeGrantResult> {
  const options = typeof found === "string" ? { mode: found } : found;
  const flow = takeFlow(state);
  // `code` and `state` do not identify the issuer, so assume the one of the flow.
  const parameters = new URLSearchParams({ code, state, iss: flow.metadata.issuer });
  return completeOrPutBack(flow, parameters, options);
}

/**
 * Completes a login from the full URL that the provider redirected to. Reads the response from the
 * query or the fragment, whichever the flow requested.
 *
 * @throws {OidcFlowError} as {@link completeAuthorizationCodeGrant} does, and: `AuthorizationRefused`
 *   (`access_denied`) if the user declined; `CodeExchangeFailed` (`authorization_failed`) for the
 *   provider's other errors, or (`issuer_mismatch`, `response_malformed`) for an untrustworthy response.
 * @see https://www.rfc-editor.org/rfc/rfc9207
 * @experimental
 */
export async function completeAuthorizationCodeGrantFromUrl(
  url: string | URL,
  options?: Omit<CompletionOptions, "mode">,
): Promise<AuthorizationCodeGrantResult> {
  const response = readAuthorizationResponse(String(url));
  if (!response) {
    throw flowError(
      OidcError.MissingOrInvalidStoredState,
      "flow_unknown",
      "The URL contains no authorization response",
    );
  }
  return completeOrPutBack(takeFlow(response.state), response.parameters, {
    ...options,
    mode: response.mode,
  });
}

async function completeOrPutBack(
  flow: PendingFlow,
  parameters: URLSearchParams,
  options?: CompletionOptions,
): Promise<AuthorizationCodeGrantResult> {
  try {
    return await completeFlow(flow, parameters, options);
  } catch (error) {
    if (error instanceof OidcFlowError && error.retryable) putBack(flow);
    throw error;
  }
}

function putBack(flow: PendingFlow): void {
  try {
    storeFlow(flow);
  } catch {
    // Storage has become unavailable; the reason why the login failed matters more.
  }
}

/**
 * Completes a flow that is no longer in the store, or never was: for callers that keep their own state.
 *
 * @param parameters The provider's response, as it came back through the browser.
 * @throws {OidcFlowError} as {@link completeAuthorizationCodeGrantFromUrl} does. If the error is
 *   `retryable`, the same call may be made again.
 * @experimental
 */
export async function completeFlow(
  flow: PendingFlow,
  parameters: URLSearchParams,
  options: CompletionOptions = {},
): Promise<AuthorizationCodeGrantResult> {
  const authorized = checkResponse(flow, parameters, options.mode);
  const keySource = prefetchKeys(flow, options);
  const response = takeResponse(flow) ?? (await exchangeCode(flow, authorized, options));

  try {
    const tokens = await readTokens(flow, response);
    const idTokenClaims = await checkIdToken(
      flow,
      tokens,
      keySource,
      response.requestedAt,
      options,
    );
    return grantResult(flow, tokens, idTokenClaims);
  } catch (error) {
    if (error instanceof OidcFlowError && error.retryable) keepResponse(flow, response, options);
    else revokeUnused(flow, response, options);
    throw error;
  }
}

/** @see https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3 */
async function exchangeCode(
  { metadata, clientId, redirectUri, codeVerifier, appState }: PendingFlow,
  authorized: URLSearchParams,
  options: RequestOptions,
): Promise<IssuerResponse> {
  const client = { client_id: clientId };
  try {
    return await postToIssuer(
      OidcError.CodeExchangeFailed,
      (sending) =>
        authorizationCodeGrantRequest(
          serverOf(metadata),
          client,
          None(),
          authorized,
          redirectUri,
          codeVerifier,
          sending,
        ),
      options,
    );
  } catch (error) {
    const fingerprint = appState?.[REGISTRATION_STATE];
    if (fingerprint !== undefined && refusalReason(error) === "invalid_client") {
      forgetClient(fingerprint);
      // Otherwise the next login would take the ID of one of these.
      dropFlows((flow) => flow.clientId === clientId);
    }
    throw error;
  }
}

/**
 * Checks the response with oauth4webapi, and before that what it tolerates: repeated parameters, and empty ones.
 *
 * @returns The response as oauth4webapi exchanges its code.
 */
function checkResponse(
  { metadata, clientId, responseMode, state }: PendingFlow,
  parameters: URLSearchParams,
  mode: ResponseMode = responseMode,
): URLSearchParams {
  const failed = (code: OidcErrorCode, reason: string): OidcFlowError =>
    flowError(OidcError.CodeExchangeFailed, code, reason);
  const malformed = (reason: string): OidcFlowError => failed("response_malformed", reason);

  if (mode !== responseMode) {
    throw malformed(`The response came in the ${mode}, which was not requested`);
  }
  // RFC 6749, section 3.1: there is no telling which of the two counts.
  const repeated = RESPONSE_PARAMETERS.filter((name) => parameters.getAll(name).length > 1);
  if (repeated.length > 0) throw malformed(`The response repeats: ${repeated.join(", ")}`);
  const { issuer, authorization_response_iss_parameter_supported: issIsPromised } = metadata;
  const iss = parameters.get("iss");
  if (iss === null ? issIsPromised : iss !== issuer) {
    const declined =
      parameters.get("error") === "access_denied" ? "; the user may have declined" : "";
    const from = iss ?? "no issuer";
    throw failed("issuer_mismatch", `Response from ${from}, expected ${issuer}${declined}`);
  }
  // A redirect URI can have other parameters, such as `token`, which the library would read as part of the response.
  const known = [...parameters].filter(([name]) => RESPONSE_PARAMETERS.includes(name));
  let checked;
  try {
    checked = validateAuthResponse(
      serverOf(metadata),
      { client_id: clientId },
      new URLSearchParams(known),
      state,
    );
  } catch (error) {
    if (!(error instanceof AuthorizationResponseError))
      throw malformed(withoutCause(error).message);
    throw authorizationError(error.error, error.error_description);
  }
  if (checked.get("error") === "") throw authorizationError("");
  if (!checked.get("code")) throw malformed("The provider's response has no code");
  // The library refuses what else the implicit and hybrid flows respond with.
  if (checked.has("access_token")) throw malformed("The response has an access_token");
  return checked;
}

/** @see https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1 */
function authorizationError(error: string, description?: string): OidcFlowError {
  const cause = refusalCause(error, description || undefined);
  return error === "access_denied"
    ? new OidcFlowError(OidcError.AuthorizationRefused, "access_denied", cause)
    : new OidcFlowError(OidcError.CodeExchangeFailed, "authorization_failed", cause);
}

/** Starts fetching the issuer's keys at once, in parallel with the tokens; undefined if there is nothing to verify. */
function prefetchKeys(
  { metadata: { jwks_uri }, nonce }: PendingFlow,
  options: CompletionOptions,
): KeySource | undefined {
  if (jwks_uri === undefined || nonce === undefined || options.idToken === "off") return undefined;
  const fetchKeys = async (bypassCache: boolean): Promise<readonly SigningKey[]> => {
    try {
      return await fetchSigningKeys(jwks_uri, { ...options, ...(bypassCache && { bypassCache }) });
    } catch (cause) {
      const code = wasAborted(cause) ? "aborted" : "keys_unavailable";
      throw new OidcFlowError(OidcError.InvalidIdToken, code, cause);
    }
  };
  // If the token request fails first, nothing awaits the keys anymore.
  const prefetched = fetchKeys(false).catch(() => undefined);
  return async (bypassCache) => (bypassCache ? undefined : await prefetched) ?? fetchKeys(true);
}

/** @param keySource Undefined if an ID token is not to be verified, or cannot be. */
async function checkIdToken(
  flow: PendingFlow,
  { id_token, access_token, scope }: BearerTokenResponse,
  keySource: KeySource | undefined,
  requestedAt: number,
  { idToken }: CompletionOptions,
): Promise<IdTokenClaims | undefined> {
  if (keySource && id_token !== undefined) {
    return verifyIdToken(id_token, access_token, flow, keySource, requestedAt);
  }
  const isPromised = keySource && (scope === undefined || readScope(scope).openid);
  if (idToken === "required" || (isPromised && idToken === undefined)) {
    throw new OidcFlowError(OidcError.InvalidIdToken, "id_token_missing");
  }
  return undefined;
}

/** The maximum number of responses that are kept at the same time. */
const MOST = 4;

interface Kept {
  readonly response: IssuerResponse;
  /** Revokes its tokens. */
  readonly giveUp: () => void;
  readonly timer: ReturnType<typeof setTimeout>;
}

/**
 * Token responses whose ID token could not be verified yet, because the issuer's keys were unavailable. A code can be
 * used only once, so the next attempt uses the kept response. Without another attempt, the tokens are revoked.
 */
const kept = new Map<string, Kept>();

/** Node has no such events. */
const page: Partial<EventTarget> = globalThis;

/** Keeps a flow's response for the next try: as long as the flow lives, and the page. */
export function keepResponse(
  flow: PendingFlow,
  response: IssuerResponse,
  options: RequestOptions,
): void {
  const giveUp = (): void => {
    takeResponse(flow);
    revokeUnused(flow, response, options);
  };
  const timer = setTimeout(giveUp, FLOW_LIFETIME_MS);
  // A timer would keep Node running.
  (timer as { unref?: () => void }).unref?.();
  kept.set(flow.state, { response, giveUp, timer });
  const [oldest] = kept.values();
  if (kept.size > MOST) oldest?.giveUp();
  page.addEventListener?.("pagehide", giveUpAll);
}

/** Returns a flow's response and stops keeping it. */
export function takeResponse({ state }: PendingFlow): IssuerResponse | undefined {
  const { response, timer } = kept.get(state) ?? {};
  clearTimeout(timer);
  kept.delete(state);
  return response;
}

/** A page that the browser keeps may come back. */
const giveUpAll = (event: Event): void => {
  if (!(event as PageTransitionEvent).persisted) for (const { giveUp } of kept.values()) giveUp();
};
