import type { JsonRequest, JsonResponse, RequestOptions } from "../http/fetch.js";
import { requestJson, unexpectedResponse } from "../http/request.js";
import { reasonIn } from "../http/body-members.js";
import { isTransient } from "../http/failures.js";
import { isText, presentMembers } from "../http/json.js";
import { parseTrustworthyUrl } from "../http/url.js";
import {
  allowInsecureRequests,
  type AuthorizationServer,
  customFetch,
  type HttpRequestOptions,
  None,
} from "./certified.js";
import type { OidcError } from "./error-codes.js";
import { refusalCause, requestFailed } from "./errors.js";
import { OidcFlowError } from "./flow-error.js";
import type { AuthMetadata } from "./metadata.js";

export interface IssuerResponse {
  /** When the request was sent, in milliseconds since the epoch. */
  readonly requestedAt: number;
  /** Parsed JSON. */
  readonly body: unknown;
}

type PublicClient = readonly [AuthorizationServer, { client_id: string }, ReturnType<typeof None>];

type FormOptions = HttpRequestOptions<"POST", URLSearchParams>;

/**
 * An issuer in oauth4webapi's form. The library requires an issuer name even if it does not compare
 * it.
 */
export const serverOf = (metadata: Partial<AuthMetadata>): AuthorizationServer => ({
  issuer: "-",
  ...(metadata as Partial<AuthorizationServer>),
});

/** Leaves the address rules to our own fetch, which allows HTTP only on loopback hosts. */
export const BY_OUR_RULES = { [allowInsecureRequests]: true } as const;

/**
 * Posts a form to one of a provider's endpoints, as a public client. It follows no redirect.
 *
 * @param send Calls a request function of oauth4webapi with these arguments and options. The
 *   library gets no error responses: it accepts only the status 200, and a header could hide the
 *   provider's reason.
 * @throws {OidcFlowError} as {@link postForm} does.
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-3.2
 */
export async function postToIssuer(
  message: OidcError,
  { metadata, clientId }: { readonly metadata: Partial<AuthMetadata>; readonly clientId: string },
  send: (issuer: PublicClient, options: FormOptions) => Promise<Response>,
  options?: RequestOptions,
): Promise<IssuerResponse> {
  const requestedAt = Date.now();
  const issuer = [serverOf(metadata), { client_id: clientId }, None()] as const;
  let body: unknown;
  const formOptions: FormOptions = {
    ...BY_OUR_RULES,
    async [customFetch](url, { headers, body: form }) {
      body = await postForm(message, url, { headers, body: form }, options);
      return new Response();
    },
  };
  try {
    await send(issuer, formOptions);
    return { requestedAt, body };
  } catch (cause) {
    // The library rejects an endpoint that is not a URL before it sends a request.
    throw requestFailed(message, cause, "metadata_invalid");
  }
}

/**
 * @returns The response's body. Undefined only after a revocation without JSON.
 * @throws {OidcFlowError} `message`: the request's code, which is `network_error` also without JSON; `metadata_invalid` if the endpoint is not
 *   an HTTPS URL; `code_rejected` or `token_request_refused` with the provider's reason in
 *   `cause.error`.
 */
export async function postForm(
  message: OidcError,
  url: string,
  request: JsonRequest & { readonly body: URLSearchParams },
  options?: RequestOptions,
): Promise<unknown> {
  const { body: form } = request;
  try {
    // With unvalidated metadata, secrets could otherwise be sent unencrypted.
    if (!parseTrustworthyUrl(url)) throw new OidcFlowError(message, "metadata_invalid");
    // A revocation must survive leaving the page right after signing out.
    const keepalive = form.has("token");
    const response = await requestJson(url, { ...request, method: "POST", keepalive }, options);
    if (isLost(response, form)) {
      throw new OidcFlowError(message, "network_error", unexpectedResponse(url, response));
    }
    const { body } = response;
    if (!response.ok || isRefusedGrant(body, form)) {
      // With a success status, the secrets in it are not masked yet.
      throw issuerRefusal(url, form, message, { ...response, body: await response.mask(body) });
    }
    return body;
  } catch (cause) {
    throw requestFailed(message, cause, "unexpected");
  }
}

/**
 * Whether this is another server's page or a truncated body: the provider's own response is lost. Only a
 * revocation has no JSON. A refresh has its own rule for error responses: see `mayEndSession()`.
 */
function isLost(response: JsonResponse, form: URLSearchParams): boolean {
  if (response.body !== undefined || isTransient(response)) return false;
  return response.ok ? !form.has("token") : form.has("code") || form.has("device_code");
}

/** Some providers reject a code or a refresh token with HTTP 200. */
function isRefusedGrant(body: unknown, form: URLSearchParams): boolean {
  const { access_token, error } = presentMembers(body);
  return form.has("grant_type") && access_token === undefined && isText(error);
}

/** @see https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
function issuerRefusal(
  url: string,
  form: URLSearchParams,
  message: OidcError,
  response: JsonResponse,
): Error {
  const { status, body } = response;
  const { error } = presentMembers(body);
  // Some providers reject a refresh token with HTTP 500.
  const isFinal = form.has("refresh_token") && error === "invalid_grant" && status === 500;
  if ((isTransient(response) && !isFinal) || !isText(error)) {
    return unexpectedResponse(url, response);
  }
  const isCodeRejected = form.has("code") && error === "invalid_grant";
  const code = isCodeRejected ? "code_rejected" : "token_request_refused";
  return new OidcFlowError(message, code, refusalCause(error, reasonIn(body), status));
}
