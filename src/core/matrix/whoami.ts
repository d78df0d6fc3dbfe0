import { RequestError } from "../http/errors.js";
import type { RequestOptions } from "../http/fetch.js";
import { type JsonObject, presentMembers } from "../http/json.js";
import { isDeviceId, isUserId } from "../shared/identifiers.js";
import type { Whoami } from "./api-types.js";
import { requestMatrix } from "./request.js";

/** Requests a token's user. @throws as `requestMatrix()` and {@link readWhoami} do. */
export async function requestWhoami(
  homeserverUrl: string,
  accessToken: string,
  options?: RequestOptions,
): Promise<Whoami> {
  return readWhoami(
    await requestMatrix(homeserverUrl, "v3/account/whoami", { accessToken }, options),
  );
}

/**
 * The user and the device in a response of `/account/whoami`.
 *
 * @throws {RequestError} `response_not_json`: an ID is not in the specification's form.
 * @see https://spec.matrix.org/v1.19/client-server-api/#get_matrixclientv3accountwhoami
 */
export function readWhoami(response: JsonObject): Whoami {
  const { user_id, device_id, is_guest } = presentMembers(response);
  if (!isUserId(user_id)) throw invalid("user_id");
  if (device_id !== undefined && !isDeviceId(device_id)) throw invalid("device_id");
  return {
    user_id,
    ...(device_id !== undefined && { device_id }),
    ...(typeof is_guest === "boolean" && { is_guest }),
  };
}

const invalid = (member: string): RequestError =>
  new RequestError("response_not_json", `The response contains no valid ${member}`);
