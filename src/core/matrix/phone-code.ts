import type { RequestOptions } from "../http/fetch.js";
import type { JsonObject } from "../http/json.js";
import { urlNamedBy } from "../http/this-machine.js";
import { requestMatrixUrl } from "./request.js";

/** See `HomeserverClient.submitMsisdnTokenOtherUrl()`. */
export async function submitMsisdnToken(
  url: string,
  body: { readonly sid: string; readonly client_secret: string; readonly token: string },
  homeserverUrl: string,
  options?: RequestOptions,
): Promise<JsonObject> {
  if (!urlNamedBy(homeserverUrl, url)) throw new TypeError("submit_url is not an HTTPS URL");
  const refusal = (response: JsonObject): JsonObject | undefined =>
    response["success"] === false
      ? { errcode: "M_TOKEN_INCORRECT", error: "The code is wrong", ...response }
      : undefined;
  return requestMatrixUrl(url, { method: "POST", body, refusal }, options);
}
