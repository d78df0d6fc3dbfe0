import { RequestError } from "../http/errors.js";
import { bearerHeader, requestJson, type RequestOptions } from "../http/fetch.js";
import { isJsonObject, type JsonObject } from "../http/json.js";
import { joinUrl, parseTrustworthyUrl } from "../http/url.js";
import { MatrixError } from "./error.js";

interface MatrixRequest {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly body?: JsonObject | undefined;
  readonly accessToken?: string | undefined;
  /** Whether the request continues when the user leaves the page. */
  readonly keepalive?: boolean | undefined;
}

/**
 * Sends a request to a homeserver. All requests to homeservers use it. It follows no redirects, which
 * could leak tokens and passwords, and its errors contain no secrets.
 *
 * @throws {MatrixError} The homeserver rejects.
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
  { method = "GET", body, accessToken, keepalive }: MatrixRequest = {},
  options?: RequestOptions,
): Promise<JsonObject> {
  const headers = accessToken ? { Authorization: bearerHeader(accessToken) } : undefined;
  const request = { method, headers, body, keepalive, redirect: "manual" } as const;
  const response = await requestJson(url, request, options);
  if (!response.ok) throw new MatrixError(response);
  if (isJsonObject(response.body)) return response.body;
  throw new RequestError("response_not_json", "The homeserver responded without JSON", {
    httpStatus: response.status,
  });
}

/**
 * @param path Below `/_matrix/client/`. @throws {TypeError} `homeserverUrl` is not a URL that
 *   secrets may be sent to.
 */
export function matrixUrl(homeserverUrl: string, path: string): string {
  const url = joinUrl(homeserverUrl, `_matrix/client/${path}`);
  if (!parseTrustworthyUrl(url)) throw new TypeError("The homeserver's URL is not an HTTPS URL");
  return url;
}

/** Encodes a path segment. @throws {TypeError} for "", `.` and `..`, which name other paths. */
export function pathPart(value: string): string {
  if (/^\.{0,2}$/.test(value)) throw new TypeError(`"${value}" is not a part of a path`);
  return encodeURIComponent(value);
}

/** Signs out the token's device, also if the user leaves the page. @throws as {@link requestMatrix} does. */
export async function logOut(
  homeserverUrl: string,
  accessToken: string,
  options?: RequestOptions,
): Promise<void> {
  const request = { method: "POST", body: {}, accessToken, keepalive: true } as const;
  await requestMatrix(homeserverUrl, "v3/logout", request, options);
}

export interface SsoRedirectOptions {
  /** The identity provider's ID. Default: the homeserver asks. */
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
