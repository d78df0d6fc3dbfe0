import { bearer, requestJson, type RequestOptions } from "../http/fetch.js";
import type { JsonObject } from "../http/json.js";
import { joinUrl, parseTrustworthyUrl } from "../http/url.js";
import { bodyOrThrow } from "./error.js";

export interface MatrixRequest {
  /** Default: `GET`. */
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  /** Sent as JSON. */
  readonly body?: JsonObject | undefined;
  readonly accessToken?: string | undefined;
}

/**
 * Sends one request to a homeserver. Every request goes this way: no redirect is followed, because it would take tokens
 * and passwords elsewhere, and no error contains a secret.
 *
 * @param path Below `/_matrix/client/`.
 * @returns The body of the response.
 * @throws {MatrixError} The homeserver refuses.
 * @throws {RequestError} There is no usable response.
 * @throws {TypeError} `homeserverUrl` is not a URL that secrets may be sent to.
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

/** As {@link requestMatrix}, to a URL that the homeserver itself has named. */
export async function requestMatrixUrl(
  url: string,
  { method = "GET", body, accessToken }: MatrixRequest = {},
  options?: RequestOptions,
): Promise<JsonObject> {
  const headers = accessToken ? { Authorization: bearer(accessToken) } : undefined;
  const request = { method, headers, body, redirect: "manual" } as const;
  return bodyOrThrow(await requestJson(url, request, options));
}

/**
 * The URL of an endpoint.
 *
 * @param path Below `/_matrix/client/`.
 * @throws {TypeError} `homeserverUrl` is not a URL that secrets may be sent to.
 */
export function matrixUrl(homeserverUrl: string, path: string): string {
  const url = joinUrl(homeserverUrl, `_matrix/client/${path}`);
  if (!parseTrustworthyUrl(url)) throw new TypeError("The homeserver's URL is not an HTTPS URL");
  return url;
}

/** Encodes a path segment. Refuses "", `.` and `..`, which would name another path, even percent-encoded. */
export function pathPart(value: string): string {
  if (/^\.{0,2}$/.test(value)) throw new TypeError(`"${value}" is not a part of a path`);
  return encodeURIComponent(value);
}

export interface SsoRedirectOptions {
  /** Which identity provider; default: the homeserver asks. */
  readonly idpId?: string | undefined;
  /** What the user wants there. */
  readonly action?: "login" | "register" | undefined;
}

/**
 * Where single sign-on begins, in the user's own browser.
 *
 * @param redirectUrl Where the homeserver sends the user, with a `loginToken`.
 * @throws {TypeError} The homeserver's URL is not an HTTPS URL, or `idpId` does not fit in a path.
 * @see https://spec.matrix.org/v1.19/client-server-api/#redirecting-to-the-authentication-server
 */
export function ssoRedirectUrl(
  homeserverUrl: string,
  redirectUrl: string,
  { idpId, action }: SsoRedirectOptions = {},
): string {
  const query = new URLSearchParams({ redirectUrl, ...(action && { action }) });
  const provider = idpId ? `/${pathPart(idpId)}` : "";
  return matrixUrl(homeserverUrl, `v3/login/sso/redirect${provider}?${query.toString()}`);
}
