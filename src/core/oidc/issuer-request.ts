import {
  boundedFetch,
  isJsonObject,
  parseJson,
  parseTrustworthyUrl,
  requestJson,
  unexpectedResponse,
  type JsonResponse,
  type RequestOptions,
} from "../http/index.js";
import { OidcError, OidcFlowError, requestFailed } from "./errors.js";

/** An issuer's successful response, not yet validated. */
export interface IssuerResponse {
  /** When the request was sent, in milliseconds since the epoch. */
  readonly requestedAt: number;
  readonly body: string;
}

/** Form members that must not appear in an error; some servers echo what they were sent. */
const SECRETS = ["code", "code_verifier", "refresh_token", "device_code", "token"];

/**
 * Posts a form to one of an issuer's endpoints, as a public client does; no redirect is followed.
 *
 * @param message The `message` of the error if the request fails.
 * @throws {OidcFlowError} `message`: the request's code; `metadata_invalid` if the endpoint is not an https
 *   URL; `code_rejected` or `token_request_refused` with the issuer's reason in `cause.error`.
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-3.2
 */
export async function postToIssuer(
  endpoint: string,
  form: Readonly<Record<string, string>>,
  message: OidcError,
  options?: RequestOptions,
): Promise<IssuerResponse> {
  const requestedAt = Date.now();
  try {
    // With unvalidated metadata, secrets could otherwise be sent unencrypted.
    if (!parseTrustworthyUrl(endpoint)) throw new OidcFlowError(message, "metadata_invalid");
    const response = await boundedFetch(
      endpoint,
      {
        method: "POST",
        headers: { Accept: "application/json" },
        body: new URLSearchParams(form),
        redirect: "manual",
        // A revocation must survive leaving the page right after signing out.
        keepalive: form["token"] !== undefined,
      },
      options,
    );
    if (response.ok) return { requestedAt, body: response.body };
    throw refusal(endpoint, form, message, { ...response, body: parseJson(response.body) });
  } catch (cause) {
    throw requestFailed(message, cause, "token_request_refused");
  }
}

/** @see https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
function refusal(
  endpoint: string,
  form: Readonly<Record<string, string>>,
  message: OidcError,
  response: JsonResponse,
): Error {
  const { status, body } = response;
  const { error, error_description: description } = isJsonObject(body) ? body : {};
  if (status === 429 || status >= 500 || typeof error !== "string") {
    return unexpectedResponse(endpoint, response);
  }
  const secrets = SECRETS.flatMap((name) => form[name] || []);
  const hide = (text: string): string => withoutSecrets(text, secrets);
  return new OidcFlowError(
    message,
    form["code"] !== undefined && error === "invalid_grant"
      ? "code_rejected"
      : "token_request_refused",
    Object.assign(new Error(hide(typeof description === "string" ? description : error)), {
      error: hide(error),
    }),
  );
}

/** Masks secrets. A text that has one in a percent-encoding is masked as a whole: there are many encodings. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  const masked = secrets.reduce((rest, secret) => rest.replaceAll(secret, "…"), text);
  const isEncoded = [masked, masked.replaceAll("+", "%2B")].some((form) => {
    const decoded = new URLSearchParams(`=${form.replaceAll("&", "%26")}`).get("") ?? "";
    return secrets.some((secret) => decoded.includes(secret));
  });
  return isEncoded ? "…" : masked;
}

/** The issuer's own code for why it refused, such as `invalid_grant`. */
export function refusalReason(error: unknown): unknown {
  const cause = error instanceof OidcFlowError ? error.cause : undefined;
  return cause instanceof Error ? (cause as { error?: unknown }).error : undefined;
}

/**
 * Requests what a server publishes as JSON.
 *
 * @param isFailure Whether a response is none that can be used.
 * @param bypassCache Asks the server even if the HTTP cache holds a response.
 * @throws {OidcFlowError} `General`: the request's code.
 */
export async function requestPublished(
  url: string,
  isFailure: (response: JsonResponse) => boolean,
  options?: RequestOptions,
  bypassCache?: boolean,
): Promise<JsonResponse> {
  try {
    const response = await requestJson(url, { bypassCache }, options);
    if (isFailure(response)) throw unexpectedResponse(url, response);
    return response;
  } catch (cause) {
    throw requestFailed(OidcError.General, cause, "network_error");
  }
}

/** The same for an issuer's document, which has to be there. */
export async function requestDocument(
  url: string,
  options?: RequestOptions,
  bypassCache?: boolean,
): Promise<unknown> {
  const isFailure = ({ ok, body }: JsonResponse): boolean => !ok || body === undefined;
  return (await requestPublished(url, isFailure, options, bypassCache)).body;
}
