import { requestJson, type RequestOptions } from "../http/index.js";
import { parseLoginFlows, type LoginFlows } from "../legacy/login-flows.js";
import { bodyOrThrow, isRefusal } from "./matrix-error.js";

/**
 * Gets the ways to sign in by the legacy API. A homeserver that knows none (404 `M_UNRECOGNIZED`) has an empty
 * list.
 *
 * @param url The endpoint.
 * @throws {MatrixError}
 * @throws {RequestError}
 * @see https://spec.matrix.org/v1.19/client-server-api/#get_matrixclientv3login
 */
export async function fetchLoginFlows(url: string, options?: RequestOptions): Promise<LoginFlows> {
  try {
    return parseLoginFlows(bodyOrThrow(await requestJson(url, { redirect: "manual" }, options)));
  } catch (error) {
    if (!isRefusal(error, "M_UNRECOGNIZED") || error.httpStatus !== 404) throw error;
    return parseLoginFlows({});
  }
}
