import { RequestError } from "../http/errors.js";
import type { RequestOptions } from "../http/fetch.js";
import { isJsonObject, type JsonObject } from "../http/json.js";
import { requestJson } from "../http/request.js";
import { InvalidSetting, pathPart } from "../http/path-part.js";
import { joinUrl, readBaseUrl } from "../http/url.js";
import { MatrixError } from "./error.js";
import { isHeaderToken } from "../shared/identifiers.js";

interface MatrixRequest {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  /** A file is sent with its own type. */
  readonly body?: JsonObject | Blob | undefined;
  readonly accessToken?: string | undefined;
  /** Returns the body of the error, if a response with a success status is an error. */
  readonly refusal?: ((body: JsonObject) => JsonObject | undefined) | undefined;
  /** Whether the request continues when the user leaves the page. */
  readonly keepalive?: boolean | undefined;
}

/** The account's devices and their keys. These responses aren't paginated, and may be long. */
const LISTS = /\/v3\/(?:devices|keys\/query)$/;

/** These requests continue if the user leaves the page. */
const SIGN_OUTS = /\/v3\/logout(?:\/all)?$/;

/**
 * Sends a request to a homeserver. All requests to homeservers use this function. It follows no
 * redirects, and its errors contain no secrets of the request.
 *
 * @throws {MatrixError} The homeserver rejects the request.
 * @throws {RequestError} The response is missing or unusable.
 * @throws {TypeError} as {@link matrixUrl} does.
 * @see https://spec.matrix.org/v1.19/client-server-api/#api-standards
 */
export async function requestMatrix(
  homeserverUrl: string,
  path: string,
  request?: MatrixRequest,
  options?: RequestOptions,
): Promise<JsonObject> {
  return requestMatrixUrl(matrixUrl(homeserverUrl, path), request, options);
}

/** Like {@link requestMatrix}, to a URL that the homeserver itself has named. */
export async function requestMatrixUrl(
  url: string,
  { accessToken, refusal, ...request }: MatrixRequest = {},
  options?: RequestOptions,
): Promise<JsonObject> {
  const headers = accessToken ? { Authorization: bearerHeader(accessToken) } : undefined;
  const kind = LISTS.test(url) ? "list" : "response";
  const keepalive = SIGN_OUTS.test(url) || request.keepalive;
  const sent = { ...request, headers, kind, keepalive, redirect: "manual" } as const;
  const response = await requestJson(url, sent, options);
  if (!response.ok) throw new MatrixError(response);
  const body = isJsonObject(response.body) ? response.body : undefined;
  const refused = body && refusal?.(body);
  if (refused) {
    throw new MatrixError({ status: response.status, body: await response.mask(refused) });
  }
  if (body) return body;
  throw new RequestError("response_not_json", "The homeserver responded without JSON", {
    httpStatus: response.status,
  });
}

/**
 * @param path The path below `/_matrix/client/`, or below the prefix of another API. @throws
 *   {InvalidSetting} `homeserverUrl` is not a URL that secrets may be sent to.
 */
export function matrixUrl(homeserverUrl: string, path: string, api = "client"): string {
  const base = readBaseUrl(homeserverUrl);
  if (!base) throw new InvalidSetting("The homeserver's URL is not an HTTPS URL");
  return joinUrl(base, `_matrix/${api}/${path}`);
}

/**
 * @throws {TypeError} if the token cannot be sent in a header. The error of `fetch` would contain
 *   the token.
 */
export function bearerHeader(token: string): string {
  if (!isHeaderToken(token)) throw new TypeError("The access token is not valid in a header");
  return `Bearer ${token}`;
}

/** Signs out the token's device, even if the user leaves the page. @throws as {@link requestMatrix} does. */
export async function logOut(
  homeserverUrl: string,
  accessToken: string,
  options?: RequestOptions,
): Promise<void> {
  const request = { method: "POST", body: {}, accessToken } as const;
  await requestMatrix(homeserverUrl, "v3/logout", request, options);
}

export interface SsoRedirectOptions {
  /** The identity provider's ID. Default: the homeserver lets the user choose. */
  readonly idpId?: string | undefined;
  /** Whether the user wants to sign in or to create an account. Default: the homeserver decides. */
  readonly action?: "login" | "register" | undefined;
}

/** See `HomeserverClient.ssoRedirectUrl()`. */
export function ssoRedirectUrl(
  homeserverUrl: string,
  redirectUrl: string,
  { idpId, action }: SsoRedirectOptions = {},
): string {
  const query = new URLSearchParams({ redirectUrl, ...(action && { action }) });
  const provider = idpId ? `/${pathPart(idpId)}` : "";
  return matrixUrl(homeserverUrl, `v3/login/sso/redirect${provider}?${query.toString()}`);
}
