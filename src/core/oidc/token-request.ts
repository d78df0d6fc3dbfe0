import {
  None,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  customFetch,
  type AuthorizationServer,
} from "oauth4webapi";
import {
  RequestError,
  boundedFetch,
  isJsonObject,
  parseJson,
  unexpectedAnswer,
  type RequestOptions,
} from "../http/index.js";
import { REGISTRATION_STATE, forgetClient } from "./client-id.js";
import { OidcError, OidcFlowError, requestFailed } from "./errors.js";
import type { PendingFlow } from "./flow-store.js";
import { withoutSecrets } from "./id-token.js";

/** A token answer that nobody has looked at yet. */
export interface TokenAnswer {
  /** When it was asked for, in milliseconds since the epoch. */
  readonly requestedAt: number;
  readonly body: string;
}

/**
 * Exchanges the code of a flow.
 *
 * @param parameters The provider's answer, as `validateAuthResponse` of oauth4webapi gave it back.
 * @throws {OidcFlowError} `CodeExchangeFailed`: the request's code, `code_rejected` or
 *   `token_request_refused`.
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3
 */
export async function requestTokens(
  flow: PendingFlow,
  parameters: URLSearchParams,
  options: RequestOptions,
): Promise<TokenAnswer> {
  const requestedAt = Date.now();
  try {
    const response = await authorizationCodeGrantRequest(
      flow.metadata as unknown as AuthorizationServer,
      { client_id: flow.clientId },
      None(),
      parameters,
      flow.redirectUri,
      flow.codeVerifier,
      {
        // The check of the metadata let http through on loopback alone.
        [allowInsecureRequests]: true,
        [customFetch]: (url: string, init: RequestInit) => boundedFetch(url, init, options),
      },
    );
    const body = await response.text();
    if (!response.ok) throw refusal(response, parseJson(body), flow, parameters.get("code") ?? "");
    return { requestedAt, body };
  } catch (cause) {
    throw requestFailed(
      OidcError.CodeExchangeFailed,
      cause instanceof OidcFlowError || cause instanceof RequestError
        ? cause
        : withoutSecrets(cause),
      "token_request_refused",
    );
  }
}

/** @see https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
function refusal(response: Response, body: unknown, flow: PendingFlow, code: string): Error {
  const { error, error_description: description } = isJsonObject(body) ? body : {};
  if (response.status === 429 || response.status >= 500 || typeof error !== "string") {
    const { status, ok, headers } = response;
    return unexpectedAnswer(flow.metadata.token_endpoint, { status, ok, headers, body });
  }
  // Some servers repeat what they were sent.
  const hide = (text: string): string =>
    [code, flow.codeVerifier].reduce((rest, secret) => rest.replaceAll(secret, "…"), text);
  const fingerprint = flow.appState?.[REGISTRATION_STATE];
  if (error === "invalid_client" && fingerprint !== undefined) forgetClient(fingerprint);
  return new OidcFlowError(
    OidcError.CodeExchangeFailed,
    error === "invalid_grant" ? "code_rejected" : "token_request_refused",
    Object.assign(new Error(hide(typeof description === "string" ? description : error)), {
      error: hide(error),
    }),
  );
}
