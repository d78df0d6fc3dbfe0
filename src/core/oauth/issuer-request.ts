import type { JsonResponse, RequestOptions } from "../http/fetch.js";
import { requestJson, unexpectedResponse } from "../http/request.js";
import { reasonIn } from "../http/body-members.js";
import { isTransientStatus } from "../http/failures.js";
import { presentMembers, textIn } from "../http/json.js";
import { parseTrustworthyUrl } from "../http/url.js";
import {
  allowInsecureRequests,
  type AuthorizationServer,
  customFetch,
  type HttpRequestOptions,
  None,
} from "./certified.js";
import { type OidcError, OidcFlowError, refusalCause, requestFailed } from "./errors.js";
import type { AuthMetadata } from "./metadata.js";

export interface IssuerResponse {
  /** When the request was sent, in milliseconds since the epoch. */
  readonly requestedAt: number;
  /** Undefined if it is not JSON. Never undefined for a token response. */
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
 * @throws {OidcFlowError} `message`: the request's code, `network_error` also for tokens without JSON; `metadata_invalid` if the endpoint is not
 *   an HTTPS URL; `code_rejected` or `token_request_refused` with the provider's reason in
 *   `cause.error`.
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
      // With unvalidated metadata, secrets could otherwise be sent unencrypted.
      if (!parseTrustworthyUrl(url)) throw new OidcFlowError(message, "metadata_invalid");
      // A revocation must survive leaving the page right after signing out.
      const keepalive = form.has("token");
      const request = { method: "POST", headers, body: form, keepalive };
      const response = await requestJson(url, request, options);
      ({ body } = response);
      if (!response.ok || isRefusedRefresh(body, form)) {
        throw issuerRefusal(url, form, message, response);
      }
      // This is another server's page or a truncated body: the provider's own response is lost.
      if (body === undefined && form.has("grant_type")) {
        throw new OidcFlowError(message, "network_error", unexpectedResponse(url, response));
      }
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

/** Some providers reject a refresh token with HTTP 200. */
function isRefusedRefresh(body: unknown, form: URLSearchParams): boolean {
  const { access_token, error } = presentMembers(body);
  return form.has("refresh_token") && access_token === undefined && textIn(error) !== undefined;
}

/** @see https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
function issuerRefusal(
  url: string,
  form: URLSearchParams,
  message: OidcError,
  response: JsonResponse,
): Error {
  const { status, body } = response;
  const error = textIn(presentMembers(body)["error"]);
  // Some providers reject a refresh token with HTTP 500.
  const isFinal = form.has("refresh_token") && error === "invalid_grant" && status === 500;
  const isTransient = isTransientStatus(status) && !isFinal;
  if (isTransient || error === undefined) {
    return unexpectedResponse(url, response);
  }
  const isCodeRejected = form.has("code") && error === "invalid_grant";
  const code = isCodeRejected ? "code_rejected" : "token_request_refused";
  return new OidcFlowError(message, code, refusalCause(error, reasonIn(body), status));
}
