import {
  RequestError,
  bearer,
  isJsonObject,
  joinUrl,
  parseTrustworthyUrl,
  requestJson,
  type JsonObject,
  type RequestOptions,
} from "../http/index.js";
import { LoginError, asLoginError, refusal, type LoginErrorCode } from "./errors.js";

export interface LegacyRequest {
  readonly body: JsonObject;
  readonly accessToken?: string | undefined;
  /** What `M_FORBIDDEN` means. Default: `login_refused`. */
  readonly forbidden?: LoginErrorCode;
}

/**
 * Posts to a homeserver. Redirects are refused: they would take passwords and tokens elsewhere.
 *
 * @param path Below `/_matrix/client/`.
 * @returns The response's body.
 * @throws {LoginError}
 */
export async function postToHomeserver(
  homeserverUrl: string,
  path: string,
  { body, accessToken, forbidden = "login_refused" }: LegacyRequest,
  options?: RequestOptions,
): Promise<JsonObject> {
  const url = legacyUrl(homeserverUrl, path);
  try {
    const headers = accessToken ? { Authorization: bearer(accessToken) } : undefined;
    const request = { method: "POST", body, headers, redirect: "manual" } as const;
    const response = await requestJson(url, request, options);
    if (!response.ok) throw refusal(response, forbidden);
    if (isJsonObject(response.body)) return response.body;
    throw new RequestError("response_not_json", "The homeserver responded without JSON", {
      httpStatus: response.status,
    });
  } catch (error) {
    throw asLoginError(error);
  }
}

/** @throws {LoginError} `settings_invalid`: no URL that secrets may be sent to. */
export function legacyUrl(homeserverUrl: string, path: string): string {
  const url = joinUrl(homeserverUrl, `_matrix/client/${path}`);
  if (parseTrustworthyUrl(homeserverUrl)) return url;
  throw new LoginError("settings_invalid", "homeserverUrl is not an https URL");
}
