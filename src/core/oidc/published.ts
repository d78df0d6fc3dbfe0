import {
  requestJson,
  unexpectedResponse,
  type JsonResponse,
  type RequestOptions,
} from "../http/index.js";
import { OidcError, requestFailed } from "./errors.js";

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
