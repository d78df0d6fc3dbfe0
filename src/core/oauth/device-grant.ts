import {
  deviceAuthorizationRequest,
  deviceCodeGrantRequest,
  processDeviceAuthorizationResponse,
} from "oauth4webapi";
import { MAX_WAIT_MS } from "../http/body-members.js";
import type { RequestOptions } from "../http/fetch.js";
import { isText, presentMembers, toJson } from "../http/json.js";
import { urlNamedBy } from "../http/this-machine.js";
import { retry } from "../http/retry.js";
import { wait } from "../http/wait.js";
import { isDeviceId } from "../shared/identifiers.js";
import type { OidcAuthorizationOptions } from "./authorization.js";
import type { OidcErrorCode } from "./error-codes.js";
import { flowError } from "./errors.js";
import { OidcFlowError } from "./flow-error.js";
import { postToIssuer, serverOf } from "./issuer-request.js";
import { refusalReason } from "./refusal.js";
import { isRefusedDevice, noteRefusedDevice } from "./refused-device.js";
import { generateScope, readScope, withNewDevice } from "./scope.js";
import {
  type AuthorizationCodeGrantResult,
  type BearerTokenResponse,
  grantResult,
  readSeconds,
  readTokens,
} from "./token-response.js";

/** RFC 8628, section 3.2. */
const DEFAULT_INTERVAL_S = 5;
/** A shorter interval is an error of the provider. */
const MIN_INTERVAL_S = 1;
/** RFC 8628, section 3.5. */
const SLOW_DOWN_S = 5;
const MAX_INTERVAL_S = 60;

/**
 * A started sign-in, with the code and URL that a user needs to approve it on another device.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8628#section-3.2
 */
export interface DeviceAuthorization {
  readonly device_code: string;
  /** The code that the user enters. */
  readonly user_code: string;
  /** The HTTPS URL of the page on which the user enters the code. */
  readonly verification_uri: string;
  /** The same URL, including the code, for a QR code. */
  readonly verification_uri_complete?: string;
  /** Seconds from the request until the codes expire. */
  readonly expires_in: number;
  /** The expiry of the codes, in seconds since the epoch. */
  readonly expires_at: number;
  /** Seconds between two polls. */
  readonly interval: number;
  /** The requested scope. */
  readonly scope: string;
  /**
   * Whether the app named the device in `scope`. Unused tokens are then not revoked, because some
   * servers remove a device when any of its tokens is revoked.
   */
  readonly isDeviceNamed: boolean;
}

export interface DeviceGrantOptions extends Pick<
  OidcAuthorizationOptions,
  "metadata" | "clientId" | "homeserverUrl" | "identityServerUrl"
> {
  /** The result of `startDeviceAuthorization`, or a response to the caller's own request. */
  readonly session: Pick<DeviceAuthorization, "device_code" | "expires_in"> &
    Partial<DeviceAuthorization>;
}

/**
 * Starts a sign-in on a device without a keyboard or a browser. The user approves it on another
 * device. Show the code and the URL, and call {@link completeDeviceAuthorizationGrant}.
 *
 * @param request `scope`; default: the client-server API, for a new device. The device in it is
 *   replaced with a new one if the provider has just rejected it with `invalid_scope` in this tab.
 * @throws {OidcFlowError} `DeviceAuthorizationGrantFailed`: the request's code,
 *   `token_request_refused`, or `metadata_invalid` if the provider has no such endpoint.
 *   `InvalidDeviceAuthorizationResponse` (`response_malformed`), with the first fault in its
 *   `cause`.
 * @see https://spec.matrix.org/v1.19/client-server-api/#device-authorization-grant-flow
 * @experimental
 */
export async function startDeviceAuthorization(
  request: Pick<DeviceGrantOptions, "metadata" | "clientId"> & {
    readonly scope?: string | undefined;
  },
  options?: RequestOptions,
): Promise<DeviceAuthorization> {
  const { metadata, clientId, scope: wanted } = request;
  const { deviceId = "" } = readScope(wanted ?? "");
  const isRefused = wanted !== undefined && isRefusedDevice(metadata.issuer, deviceId);
  const isDeviceNamed = deviceId !== "" && !isRefused;
  const named = isRefused ? withNewDevice(wanted) : wanted;
  const scope = named ?? generateScope(undefined, { openid: false });
  const { requestedAt, body } = await postToIssuer(
    "Failed to perform device authorization grant",
    request,
    (issuer, sending) => deviceAuthorizationRequest(...issuer, { scope }, sending),
    options,
  ).catch((error: unknown) => {
    noteRefusedDevice({ metadata, deviceId, isDeviceNamed }, error);
    throw error;
  });
  const members = presentMembers(body);
  try {
    const expires_in = lifetimeOf(members);
    const interval = intervalOf(members);
    const authorization = await processDeviceAuthorizationResponse(
      serverOf(metadata),
      { client_id: clientId },
      new Response(toJson({ ...members, expires_in, interval })),
    );
    // It has the same limits as a device ID: users see it, and compare it.
    if (!isDeviceId(authorization.user_code)) throw new Error("user_code can't be shown");
    for (const member of ["verification_uri", "verification_uri_complete"]) {
      const url = authorization[member] ?? metadata.issuer;
      if (!urlNamedBy(metadata.issuer, url)) throw new Error(`${member} is not an HTTPS URL`);
    }
    const expires_at = Math.floor(requestedAt / 1000) + authorization.expires_in;
    return { ...authorization, expires_at, interval, scope, isDeviceNamed };
  } catch (fault) {
    throw malformedAuthorization(fault);
  }
}

/**
 * Polls the provider until the user has approved the sign-in, no faster than the provider allows,
 * and more slowly while it is unreachable.
 *
 * @returns The same result as `completeAuthorizationCodeGrant`, but without ID token claims. You
 *   can create an `OidcSession` from it.
 * @throws {OidcFlowError} `AuthorizationRefused` (`access_denied`) if the user declined;
 *   `DeviceAuthorizationGrantFailed`: `flow_expired` if the user did not respond in time,
 *   `token_request_refused`, `aborted`; `InvalidBearerTokenResponse`;
 *   `InvalidDeviceAuthorizationResponse` (`response_malformed`) for an invalid `session`.
 * @see https://www.rfc-editor.org/rfc/rfc8628#section-3.4
 * @experimental
 */
export async function completeDeviceAuthorizationGrant(
  grant: DeviceGrantOptions,
  options?: RequestOptions,
): Promise<AuthorizationCodeGrantResult> {
  const tokens = await pollForTokens(grant, options);
  const { scope = "" } = grant.session;
  const deviceId = readScope(scope).deviceId ?? "";
  return grantResult({ ...grant, scope, deviceId }, tokens);
}

/**
 * Waits like {@link completeDeviceAuthorizationGrant}, with the same contract as matrix-js-sdk's
 * function of the same name: it resolves to the token response, whose ID token is not verified, or
 * to the provider's rejection.
 *
 * @returns The tokens. Otherwise `error` contains the provider's rejection, or `expired` if the
 *   user did not respond in time.
 * @throws {OidcFlowError} as {@link completeDeviceAuthorizationGrant} does, except for rejections.
 * @experimental
 */
export async function waitForDeviceAuthorization(
  grant: Pick<DeviceGrantOptions, "session" | "metadata" | "clientId">,
  options?: RequestOptions,
): Promise<BearerTokenResponse | { readonly error: string; readonly error_description?: string }> {
  try {
    return await pollForTokens(grant, options);
  } catch (error) {
    const refusal = refusalReason(error);
    const { code, reason } = error as OidcFlowError;
    const hasReason = reason !== undefined && reason !== refusal;
    if (isText(refusal)) return { error: refusal, ...(hasReason && { error_description: reason }) };
    if (code === "flow_expired") return { error: "expired" };
    throw error;
  }
}

async function pollForTokens(
  grant: Parameters<typeof waitForDeviceAuthorization>[0],
  options?: RequestOptions,
): Promise<BearerTokenResponse> {
  const session = readAuthorization(grant.session);
  let interval = session.interval;
  /** @param delay In seconds. The wait must not exceed the lifetime of the codes. */
  const pause = (delay: number): Promise<void> =>
    wait(Math.min(delay, session.expires_in) * 1000, options?.signal).catch((reason: unknown) => {
      throw deviceGrantFailed("aborted", reason);
    });
  const poll = async (): Promise<BearerTokenResponse> => {
    const response = await postToIssuer(
      "Failed to perform device authorization grant",
      grant,
      (issuer, sending) => deviceCodeGrantRequest(...issuer, session.device_code, sending),
      options,
    );
    return readTokens({ ...grant, ...session }, response, options);
  };
  let delay = interval;
  await pause(delay);
  return retry(poll, (error) => {
    if (error instanceof OidcFlowError && error.retryable && error.code !== "aborted") {
      const requested = (error.retryAfterMs ?? 0) / 1000;
      delay = Math.max(interval, Math.min(delay * 2, MAX_INTERVAL_S), requested);
    } else {
      const { deviceId = "" } = readScope(session.scope);
      noteRefusedDevice({ ...grant, ...session, deviceId }, error);
      delay = interval += slowDownSeconds(error);
    }
    if (Date.now() >= session.expires_at * 1000) throw deviceGrantFailed("flow_expired");
    return pause(delay);
  });
}

/**
 * The number of seconds by which the polling interval must increase.
 *
 * @throws {OidcFlowError} if the error ends the wait.
 * @see https://www.rfc-editor.org/rfc/rfc8628#section-3.5
 */
function slowDownSeconds(error: unknown): number {
  const reason = refusalReason(error);
  if (reason === "authorization_pending") return 0;
  if (reason === "slow_down") return SLOW_DOWN_S;
  const { cause } = error as Error;
  if (reason === "expired_token") throw deviceGrantFailed("flow_expired", cause);
  if (reason !== "access_denied") throw error;
  throw new OidcFlowError("The authorization was refused", "access_denied", cause);
}

const deviceGrantFailed = (code: OidcErrorCode, cause?: unknown): OidcFlowError =>
  new OidcFlowError("Failed to perform device authorization grant", code, cause);

function malformedAuthorization(fault: unknown): OidcFlowError {
  const reason = (fault as Error).message;
  return flowError("Invalid device authorization response", "response_malformed", reason);
}

/** The wait for the user ends after a day, whatever the provider says. */
function lifetimeOf({ expires_in }: { readonly expires_in?: unknown }): number | undefined {
  const lifetime = readSeconds("expires_in", expires_in);
  return lifetime === undefined ? undefined : Math.min(lifetime, MAX_WAIT_MS / 1000);
}

const intervalOf = ({ interval }: { readonly interval?: unknown }): number =>
  Math.max(readSeconds("interval", interval) ?? DEFAULT_INTERVAL_S, MIN_INTERVAL_S);

type Members = Readonly<Partial<Record<keyof DeviceAuthorization, unknown>>>;

/** Validates a response. It can be the response to a request of the caller. */
function readAuthorization(session: DeviceGrantOptions["session"]) {
  try {
    const members: Members = presentMembers(session);
    const { device_code, scope = "" } = members;
    const expires_in = lifetimeOf(members);
    if (!isText(device_code)) throw new Error("device_code is missing or not a string");
    if (expires_in === undefined) throw new Error("expires_in is missing");
    if (typeof scope !== "string") throw new Error("scope is not text");
    const latest = Math.floor(Date.now() / 1000) + expires_in;
    const expires_at = Math.min(readSeconds("expires_at", members.expires_at) ?? latest, latest);
    const interval = intervalOf(members);
    const isDeviceNamed = session.isDeviceNamed ?? readScope(scope).deviceId !== undefined;
    return { device_code, expires_in, expires_at, interval, scope, isDeviceNamed };
  } catch (fault) {
    throw malformedAuthorization(fault);
  }
}
