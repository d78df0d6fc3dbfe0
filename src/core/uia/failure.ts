import { AuthError } from "../http/auth-error.js";
import { codeOfStatus, isConnectionError, isTransientStatus } from "../http/failures.js";
import { masking, reasonIn, retryAfterMs } from "../http/body-members.js";
import { isJsonObject, isText, type JsonObject, presentMembers, textIn } from "../http/json.js";
import type { Mask } from "../http/secrets.js";
import type { AuthDict, AuthFlow, IStageStatus } from "./options.js";

/** The validated body of a 401 response. Missing and invalid members are undefined. */
export interface Challenge {
  readonly flows: readonly AuthFlow[];
  readonly params: JsonObject | undefined;
  readonly session: string | undefined;
  readonly completed: ReadonlySet<string> | undefined;
  readonly errcode: string | undefined;
  readonly error: string | undefined;
}

/** The reason that a request failed, read from any client library's error. */
export interface Failure {
  /** HTTP status; undefined without a response. */
  readonly status: number | undefined;
  /**
   * The `errcode`, otherwise the client library's code, otherwise a `RequestErrorCode` if the
   * failure is transient, or `unexpected` if there was no response.
   */
  readonly errcode: string | undefined;
  readonly error: string | undefined;
  /** The server's own reason. */
  readonly reason: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** Whether a retry of the request might succeed. */
  readonly transient: boolean;
  readonly challenge: Challenge | undefined;
}

/** No legitimate homeserver exceeds these limits. */
const MAX_FLOWS = 64;
const MAX_STAGES = 32;
const MAX_STAGE_LENGTH = 255;
const MAX_TEXT_LENGTH = 1000;

/** The masks for errors of other client libraries, which don't mask secrets. */
const masks = new WeakMap<object, Mask>();

/**
 * Sends a request with another client. If it fails, {@link readFailure} masks the secrets that were
 * sent. The error itself stays unchanged, because it belongs to the app.
 *
 * @param sent A UIA dictionary, or other members that are secret.
 */
export async function whileSending<T>(sent: JsonObject | null, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    // Errors of this library are already masked.
    if (sent && isJsonObject(error) && !(error instanceof AuthError)) {
      const mask = await maskFor(sent);
      const earlier = masks.get(error) ?? unchanged;
      masks.set(error, (value) => mask(earlier(value)));
    }
    throw error;
  }
}

const unchanged: Mask = (value) => value;

/**
 * The code is loaded on demand, because only the errors of other clients need it. If the load
 * fails, these errors aren't read.
 */
const maskFor = (sent: JsonObject): Promise<Mask> =>
  masking.load().then(
    ({ maskOf, secretsInAuth }) => maskOf(secretsInAuth(sent)),
    () => () => ({}) as never,
  );

/**
 * Reads a request's error from any client library, without the secrets that were sent.
 * matrix-js-sdk's errors and this library's have `httpStatus` and `data`; others have `statusCode`
 * and `body`.
 */
export function readFailure(thrown: unknown): Failure {
  const error = isJsonObject(thrown) ? thrown : {};
  const mask = masks.get(error) ?? unchanged;
  const response = isJsonObject(error["response"]) ? error["response"] : {};
  const statuses = [error["httpStatus"], error["statusCode"], error["status"], response["status"]];
  const status = statuses.find((it): it is number => typeof it === "number" && it > 0);
  const data = mask([error["data"], error["body"], response["data"]].find(isJsonObject) ?? {});
  const { errcode, message } = mask({ errcode: error["errcode"], message: error["message"] });
  const refusal = limitedText(data["errcode"]) ?? limitedText(errcode);
  // This library's error for a homeserver's response has a code that only repeats its `errcode` or
  // the status.
  const code = error["name"] === "MatrixError" ? undefined : limitedText(error["code"]);
  const transient =
    status === undefined
      ? isConnectionError(error)
      : isTransientStatus(status) || (!refusal && isProxyPage(error, code));
  const challenge = status === 401 || status === undefined ? readChallenge(data) : undefined;
  const ofStatus = status === undefined ? "network_error" : codeOfStatus(status);
  // This is neither a response nor an error of a known client, but a fault in the caller's code or
  // in ours.
  const isUnknown = status === undefined && !challenge;
  const known = transient ? ofStatus : isUnknown ? "unexpected" : undefined;
  return {
    status,
    errcode: refusal ?? code ?? known,
    // An error's message is the client library's, not the homeserver's.
    error: limitedText(data["error"]) ?? (data["errcode"] ? undefined : limitedText(message)),
    reason: limitedText(reasonIn(data)),
    retryAfterMs: readRetryAfterMs(error, data),
    transient,
    challenge,
  };
}

/**
 * A response without an `errcode` is not a rejection by the homeserver. An app's own error might
 * also have a status.
 */
const isProxyPage = ({ httpStatus, name }: JsonObject, code: string | undefined): boolean =>
  typeof httpStatus === "number" && (code === undefined || name === "RequestError");

export function failureStatus({ errcode, error }: Partial<Failure>): IStageStatus {
  return { ...(errcode !== undefined && { errcode }), ...(error !== undefined && { error }) };
}

export function readChallenge(data: JsonObject): Challenge | undefined {
  const { flows, params, session, completed } = data;
  if (!Array.isArray(flows)) return undefined;
  return {
    flows: flows.slice(0, MAX_FLOWS).flatMap(readFlow),
    params: isJsonObject(params) ? params : undefined,
    session: textIn(session),
    completed: Array.isArray(completed) ? new Set(completed.filter(isStage)) : undefined,
    errcode: limitedText(data["errcode"]),
    error: limitedText(data["error"]),
  };
}

function readFlow(flow: unknown): AuthFlow[] {
  const { stages } = presentMembers(flow);
  const isSound = Array.isArray(stages) && stages.length > 0 && stages.length <= MAX_STAGES;
  return isSound && stages.every(isStage) ? [{ stages: [...stages] }] : [];
}

const isStage = (value: unknown): value is string =>
  isText(value) && value.length <= MAX_STAGE_LENGTH;

/** Undefined unless the value is a non-empty string. */
export const limitedText = (value: unknown): string | undefined =>
  isText(value) ? value.slice(0, MAX_TEXT_LENGTH) : undefined;

/** This library's errors contain the parsed value, and matrix-js-sdk's contain the headers. */
function readRetryAfterMs(error: JsonObject, data: JsonObject): number | undefined {
  const { retryAfterMs: read, httpHeaders } = error;
  if (typeof read === "number") return read <= 0 ? undefined : read;
  return retryAfterMs(httpHeaders instanceof Headers ? httpHeaders : undefined, data);
}

/** Whether the homeserver rejects a dictionary with only the session, as Dendrite does. */
export const isTypeWanted = ({ status, errcode }: Failure, auth: AuthDict): boolean =>
  status === 400 && errcode === "M_BAD_JSON" && auth.type === undefined;

/** A 401 with flows is a challenge. After a temporary failure, the session continues. */
const isRejection = ({ status = 0, transient, challenge }: Failure): boolean =>
  status >= 400 && !transient && !challenge;

/**
 * Whether the homeserver does not know the session (`M_UNKNOWN`), or does not name the session's
 * first stage.
 */
export const isUnusableSession = (
  failure: Failure,
  auth: AuthDict,
  stage: string | undefined,
): boolean =>
  (isRejection(failure) && /^M_(UNKNOWN|SESSION_EXPIRED)$/.test(failure.errcode ?? "")) ||
  (stage === undefined && isTypeWanted(failure, auth));

/**
 * Whether the homeserver may have forgotten the session. The specification has no code for that.
 * The codes of continuwuity, tuwunel, and Conduit can also reject the submission, or the request
 * itself. After a stage that was completed elsewhere, Synapse's `M_FORBIDDEN` means that another
 * user has completed it.
 */
export function mayBeForgotten(
  failure: Failure,
  auth: AuthDict,
  stage: string | undefined,
): boolean {
  const { status, errcode = "" } = failure;
  const isTyped = Object.keys(auth).some((member) => member !== "type" && member !== "session");
  if (status === 403 && errcode === "M_FORBIDDEN") return isTyped || stage === undefined;
  return isRejection(failure) && /^M_(INVALID_PARAM|NOT_FOUND)$/.test(errcode);
}

/** Whether a 401 for a poll only means that the stage is not complete. */
export const saysNotYet = ({ errcode = "M_UNAUTHORIZED" }: Challenge): boolean =>
  ["M_UNAUTHORIZED", "M_THREEPID_AUTH_FAILED"].includes(errcode);
