import type { RequestOptions } from "../http/fetch.js";
import { RECORD_LIFETIME_MS } from "../shared/tab-records.js";
import {
  authorizationCodeGrantRequest,
  AuthorizationResponseError,
  validateAuthResponse,
} from "./certified.js";
import { dropClient } from "./dropped-client.js";
import { flowError, refusalCause, wasAborted } from "./errors.js";
import { OidcFlowError } from "./flow-error.js";
import { type PendingFlow, storeFlow, takeFlow } from "./flow-store.js";
import { type IdTokenClaims, type KeySource, verifyIdToken } from "./id-token.js";
import { type IssuerResponse, postToIssuer, serverOf } from "./issuer-request.js";
import { refusalReason } from "./refusal.js";
import { fetchSigningKeys } from "./metadata.js";
import { noteRefusedDevice } from "./refused-device.js";
import { readAuthorizationResponse, RESPONSE_PARAMETERS, type ResponseMode } from "./response.js";
import { revokeUnused } from "./revocation.js";
import { readScope } from "./scope.js";
import {
  type AuthorizationCodeGrantResult,
  type BearerTokenResponse,
  grantResult,
  readTokens,
} from "./token-response.js";

export interface CompletionOptions extends RequestOptions {
  /**
   * `required`: fail without a verified ID token. `when-available`: verify one if it arrives.
   * `off`: ignore it. The homeserver then determines the user. Default: an ID token is required and
   * verified if the provider publishes keys and granted `openid`.
   */
  readonly idToken?: "required" | "when-available" | "off" | undefined;
  /**
   * The part of the URL that contained the response. It must be the part that the flow requested.
   * Default: not checked.
   */
  readonly mode?: ResponseMode | undefined;
}

/**
 * Completes a sign-in that `generateOidcAuthorizationUrl` started, with two parameters of the
 * response. {@link completeAuthorizationCodeGrantFromUrl} also checks the issuer of the response.
 *
 * The flow is removed from the store before any request, so that no code is used twice. If the code
 * might still be valid after a failure (no network, HTTP 429 or 5xx), the flow is restored, and you
 * can repeat the call.
 *
 * @param found The part of the URL that contained the parameters, or options. Default: not checked.
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
  // `code` and `state` do not identify the provider, so assume the flow's provider.
  const parameters = new URLSearchParams({ code, state, iss: flow.metadata.issuer });
  return completeOrStoreAgain(flow, parameters, options);
}

/**
 * Completes a sign-in from the full URL that the provider redirected to. It reads the response from
 * the query or the fragment, as the flow requested.
 *
 * @throws {OidcFlowError} as {@link completeAuthorizationCodeGrant} does, and:
 *   `AuthorizationRefused` (`access_denied`) if the user declined; `CodeExchangeFailed`
 *   (`authorization_failed`) for the provider's other errors, or (`issuer_mismatch`,
 *   `response_malformed`) for an untrustworthy response.
 * @see https://www.rfc-editor.org/rfc/rfc9207
 * @experimental
 */
export async function completeAuthorizationCodeGrantFromUrl(
  url: string | URL,
  options?: Omit<CompletionOptions, "mode">,
): Promise<AuthorizationCodeGrantResult> {
  const response = readAuthorizationResponse(String(url));
  if (!response) {
    const reason = "The URL contains no authorization response";
    throw flowError(
      "State required to finish logging in is not found in storage.",
      "flow_unknown",
      reason,
    );
  }
  const { state, parameters, mode } = response;
  return completeOrStoreAgain(takeFlow(state), parameters, { ...options, mode });
}

async function completeOrStoreAgain(
  flow: PendingFlow,
  parameters: URLSearchParams,
  options?: CompletionOptions,
): Promise<AuthorizationCodeGrantResult> {
  try {
    return await completeFlow(flow, parameters, options);
  } catch (error) {
    try {
      if (error instanceof OidcFlowError && error.retryable) storeFlow(flow);
    } catch {
      // The storage has become unavailable. The caller gets the error of the sign-in.
    }
    throw error;
  }
}

/**
 * Completes a flow that is not in the store, for callers that store flows themselves.
 *
 * @param parameters The provider's response, as it came back through the browser.
 * @param options `confirm` confirms the user before the tokens are used. If it rejects with a
 *   `retryable` error, the tokens stay in memory for the next attempt.
 * @throws {OidcFlowError} as {@link completeAuthorizationCodeGrantFromUrl} does. If the error is
 *   `retryable`, you can make the same call again.
 * @experimental
 */
export async function completeFlow(
  flow: PendingFlow,
  parameters: URLSearchParams,
  options: CompletionOptions & {
    readonly confirm?: ((result: AuthorizationCodeGrantResult) => Promise<unknown>) | undefined;
  } = {},
): Promise<AuthorizationCodeGrantResult> {
  let response: IssuerResponse;
  let keySource: KeySource | undefined;
  try {
    const authorized = checkResponse(flow, parameters, options.mode);
    keySource = prefetchKeys(flow, options);
    response = takeResponse(flow) ?? (await exchangeCode(flow, authorized, options));
  } catch (error) {
    if (refusalReason(error) === "invalid_client") dropClient(flow);
    noteRefusedDevice(flow, error);
    throw error;
  }
  const tokens = await readTokens(flow, response, options);
  try {
    const claims = await checkIdToken(flow, tokens, keySource, response.requestedAt, options);
    const result = grantResult(flow, tokens, claims);
    if (options.confirm) {
      // If the user leaves the page in the meantime, the tokens are revoked.
      keepResponse(flow, response, options);
      await options.confirm(result);
      takeResponse(flow);
    }
    return result;
  } catch (error) {
    takeResponse(flow);
    const { retryable, code } = error instanceof OidcFlowError ? error : {};
    const isOther = code === "user_mismatch" || code === "scope_not_granted";
    if (retryable) keepResponse(flow, response, options);
    else revokeUnused(flow, response.body, options, isOther);
    throw error;
  }
}

/** @see https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3 */
async function exchangeCode(
  flow: PendingFlow,
  authorized: URLSearchParams,
  options: RequestOptions,
): Promise<IssuerResponse> {
  const { redirectUri, codeVerifier } = flow;
  return postToIssuer(
    "Failed to exchange code for token",
    flow,
    (issuer, sending) =>
      authorizationCodeGrantRequest(...issuer, authorized, redirectUri, codeVerifier, sending),
    options,
  );
}

/** Also rejects repeated and empty parameters, which oauth4webapi tolerates. */
function checkResponse(
  { metadata, clientId, responseMode, state }: PendingFlow,
  parameters: URLSearchParams,
  mode: ResponseMode = responseMode,
): URLSearchParams {
  const malformed = (reason: string): OidcFlowError =>
    flowError("Failed to exchange code for token", "response_malformed", reason);

  if (mode !== responseMode) {
    throw malformed(`The response was in the ${mode}, but another response mode was requested`);
  }
  // RFC 6749, section 3.1, does not allow repeated parameters.
  const repeated = RESPONSE_PARAMETERS.filter((name) => parameters.getAll(name).length > 1);
  if (repeated.length > 0) throw malformed(`The response repeats: ${repeated.join(", ")}`);
  const { issuer, authorization_response_iss_parameter_supported: issIsPromised } = metadata;
  const iss = parameters.get("iss");
  if (iss === null ? issIsPromised : iss !== issuer) {
    const isDenied = parameters.get("error") === "access_denied";
    const declined = isDenied ? "; the user may have declined" : "";
    const reason = `Response from ${iss ?? "no issuer"}, expected ${issuer}${declined}`;
    throw flowError("Failed to exchange code for token", "issuer_mismatch", reason);
  }
  // A redirect URI can have other parameters, such as `token`. The library would read them as part
  // of the response.
  const known = [...parameters].filter(([name]) => RESPONSE_PARAMETERS.includes(name));
  const client = { client_id: clientId };
  let checked;
  try {
    checked = validateAuthResponse(serverOf(metadata), client, new URLSearchParams(known), state);
  } catch (error) {
    if (!(error instanceof AuthorizationResponseError)) throw malformed((error as Error).message);
    throw authorizationError(error.error, error.error_description);
  }
  if (checked.get("error") === "") throw authorizationError("");
  if (!checked.get("code")) throw malformed("The provider's response contains no code");
  // The library rejects the other parameters of the implicit and hybrid flows.
  if (checked.has("access_token")) throw malformed("The response contains an access_token");
  return checked;
}

/** @see https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1 */
function authorizationError(error: string, description?: string): OidcFlowError {
  const cause = refusalCause(error, description || undefined);
  return error === "access_denied"
    ? new OidcFlowError("The authorization was refused", "access_denied", cause)
    : new OidcFlowError("Failed to exchange code for token", "authorization_failed", cause);
}

/** Fetches the keys in parallel with the tokens; undefined if there is nothing to verify. */
function prefetchKeys(
  { metadata: { jwks_uri }, nonce }: PendingFlow,
  options: CompletionOptions,
): KeySource | undefined {
  if (jwks_uri === undefined || nonce === undefined || options.idToken === "off") return undefined;
  const fetchKeys = async (bypassCache?: boolean) => {
    try {
      return await fetchSigningKeys(jwks_uri, options, bypassCache);
    } catch (cause) {
      const code = wasAborted(cause) ? "aborted" : "keys_unavailable";
      throw new OidcFlowError("Invalid ID token", code, cause);
    }
  };
  // If the token request fails first, nothing awaits the keys.
  const prefetched = fetchKeys().catch(() => undefined);
  return async (bypassCache) => (bypassCache ? undefined : await prefetched) ?? fetchKeys(true);
}

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
    throw new OidcFlowError("Invalid ID token", "id_token_missing");
  }
  return undefined;
}

const MAX_KEPT_RESPONSES = 4;

interface KeptResponse {
  readonly response: IssuerResponse;
  readonly giveUp: () => void;
  readonly timer: ReturnType<typeof setTimeout>;
}

/**
 * Token responses that could not be checked yet, because the provider's keys or the homeserver were
 * unavailable. A code can be used only once, so the next call uses these. Without another call, the
 * tokens are revoked when the flow expires, the sign-in is cancelled, or the user leaves the page.
 */
const keptResponses = new Map<string, KeptResponse>();

function keepResponse(flow: PendingFlow, response: IssuerResponse, options: RequestOptions): void {
  const giveUp = (): void => {
    takeResponse(flow);
    revokeUnused(flow, response.body, options);
  };
  const timer = setTimeout(giveUp, RECORD_LIFETIME_MS);
  // The timer must not keep Node running.
  (timer as { unref?: () => void }).unref?.();
  keptResponses.set(flow.state, { response, giveUp, timer });
  const [oldest] = keptResponses.values();
  if (keptResponses.size > MAX_KEPT_RESPONSES) oldest?.giveUp();
  // Node has no such events.
  (globalThis as Partial<EventTarget>).addEventListener?.("pagehide", giveUpAll);
}

function takeResponse({ state }: PendingFlow): IssuerResponse | undefined {
  const { response, timer } = keptResponses.get(state) ?? {};
  clearTimeout(timer);
  keptResponses.delete(state);
  return response;
}

/** Revokes tokens that could not be checked, because there is no next attempt. */
export const giveUpFlow = ({ state }: Pick<PendingFlow, "state">): void =>
  keptResponses.get(state)?.giveUp();

/** Does nothing if the browser keeps the page, because the user might return. */
const giveUpAll = (event: Event): void => {
  if (!(event as PageTransitionEvent).persisted)
    for (const { giveUp } of keptResponses.values()) giveUp();
};
