import { isJsonObject, isText } from "../http/index.js";
import { OidcError, validationError } from "./errors.js";

/**
 * A provider's tokens, validated.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-5.1
 */
export interface BearerTokenResponse {
  readonly access_token: string;
  readonly token_type: "Bearer";
  /** Absent only if the issuer says that it has no refresh grant. */
  readonly refresh_token?: string;
  /** Lifetime of the access token in seconds. */
  readonly expires_in?: number;
  /** When the access token expires: seconds since the epoch, counted from the start of the request. */
  readonly expires_at?: number;
  readonly scope?: string;
  /** Present only if it was verified. */
  readonly id_token?: string;
}

/**
 * Validates the body of a token response.
 *
 * @param requestedAt When the request was sent, in milliseconds since the epoch.
 * @throws {OidcFlowError} `InvalidBearerTokenResponse` (`token_response_invalid`), with every fault
 *   in its `cause`, which contains no token.
 */
export function validateBearerTokenResponse(
  body: unknown,
  requestedAt: number,
  { refreshable }: { readonly refreshable: boolean },
): BearerTokenResponse {
  const faults: string[] = [];
  const fault = (member: string, problem: string): unknown => faults.push(`${member} ${problem}`);
  const response = isJsonObject(body) ? body : {};
  if (!isJsonObject(body)) fault("The response", "is not a JSON object");

  const { access_token, refresh_token, token_type, scope, id_token } = response;
  const expires_in = seconds(response["expires_in"]);
  if (!isText(access_token)) fault("access_token", "is missing");
  if (!isText(token_type) || token_type.toLowerCase() !== "bearer")
    fault("token_type", "is not bearer");
  if (!isText(refresh_token) && (refreshable || refresh_token !== undefined)) {
    fault("refresh_token", "is missing");
  }
  if (Number.isNaN(expires_in)) fault("expires_in", "is no number of seconds");
  if (scope !== undefined && typeof scope !== "string") fault("scope", "is no string");
  if (id_token !== undefined && !isText(id_token)) fault("id_token", "is no string");
  if (faults.length > 0 || !isText(access_token)) {
    throw validationError(OidcError.InvalidBearerTokenResponse, "token_response_invalid", faults);
  }
  return {
    access_token,
    token_type: "Bearer",
    ...(isText(refresh_token) && { refresh_token }),
    ...(expires_in !== undefined && {
      expires_in,
      expires_at: Math.floor(requestedAt / 1000) + expires_in,
    }),
    ...(typeof scope === "string" && { scope }),
    ...(isText(id_token) && { id_token }),
  };
}

/** NaN for anything that is not a lifetime. Some servers send the number as a string. */
function seconds(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) && number >= 0 ? number : NaN;
}
