import { AuthError } from "../http/auth-error.js";
import { codeOfStatus } from "../http/errors.js";
import {
  isJsonObject,
  isText,
  type JsonObject,
  reasonIn,
  retryAfterMs,
  textIn,
} from "../http/json.js";
import { type Mask, maskOf, secretsInAuth } from "../http/secrets.js";
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
   * Matrix's `errcode`, else the client library's code, else a `RequestErrorCode` if transient, or
   * `unexpected` without a response.
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

/** Errors without a response, of this library, matrix-js-sdk, and `AbortSignal.timeout()`. */
const TRANSIENT_ERRORS: readonly string[] = ["RequestError", "ConnectionError", "TimeoutError"];

/**
 * The message of the platform's `fetch` without a response: of Chromium (also while it reads a body),
 * Firefox, Safari, and Node. It is the only difference from a fault of a page's code, which is a
 * `TypeError`, too.
 */
const FETCH_FAILED =
  /^(Failed to fetch|network error|NetworkError when attempting to fetch resource\.|Error in (input|body) stream|Load failed|fetch failed|terminated)( \([^)]*\))?$/;

const isTransient = ({ name, message }: JsonObject): boolean =>
  TRANSIENT_ERRORS.includes(textIn(name) ?? "") ||
  (name === "TypeError" && FETCH_FAILED.test(textIn(message) ?? ""));

/** For the errors of other client libraries, which mask nothing. */
const masks = new WeakMap<object, Mask>();

/**
 * Sends a request with another client. If it fails, {@link readFailure} masks what was sent. The
 * error stays as it is, because it is the app's own.
 *
 * @param sent A UIA dictionary, or other members that are secret.
 */
export async function whileSending<T>(sent: JsonObject | null, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    // An error of this library is masked already.
    if (sent && isJsonObject(error) && !(error instanceof AuthError)) {
      const earlier = masks.get(error) ?? unchanged;
      const mask = maskOf(secretsInAuth(sent));
      masks.set(error, (value) => mask(earlier(value)));
    }
    throw error;
  }
}

const unchanged: Mask = (value) => value;

/**
 * Reads the error of a request, of any client library, without the secrets that were sent. matrix-js-sdk's errors and this library's
 * have `httpStatus` and `data`; others have `statusCode` and `body`.
 */
export function readFailure(thrown: unknown): Failure {
  const error = isJsonObject(thrown) ? thrown : {};
  const mask = masks.get(error) ?? unchanged;
  const response = isJsonObject(error["response"]) ? error["response"] : {};
  const statuses = [error["httpStatus"], error["statusCode"], error["status"], response["status"]];
  const status = statuses.find((it): it is number => typeof it === "number" && it > 0);
  const data = mask([error["data"], error["body"], response["data"]].find(isJsonObject) ?? {});
  const { errcode } = mask({ errcode: error["errcode"] });
  const refusal = limitedText(data["errcode"]) ?? limitedText(errcode);
  // That of this library's error for a homeserver's response repeats its `errcode`, or the status.
  const code = error["name"] === "MatrixError" ? undefined : limitedText(error["code"]);
  const transient =
    status === undefined
      ? isTransient(error)
      : status === 408 || status === 429 || status >= 500 || (!refusal && isProxyPage(error, code));
  const challenge = status === 401 || status === undefined ? readChallenge(data) : undefined;
  const ofStatus = status === undefined ? "network_error" : codeOfStatus(status);
  // Neither a response nor an error of a known client: the caller's own fault, or ours.
  const isUnknown = status === undefined && !challenge;
  const known = transient ? ofStatus : isUnknown ? "unexpected" : undefined;
  return {
    status,
    errcode: refusal ?? code ?? known,
    // An error's message is the client library's, not the homeserver's.
    error:
      limitedText(data["error"]) ??
      (data["errcode"] ? undefined : mask(limitedText(error["message"]))),
    reason: limitedText(reasonIn(data)),
    retryAfterMs: readRetryAfterMs(error, data),
    transient,
    challenge,
  };
}

/**
 * A response without an `errcode` is not a rejection by the homeserver. An app's own error may have
 * a status, too.
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
  const stages = isJsonObject(flow) ? flow["stages"] : undefined;
  const isSound = Array.isArray(stages) && stages.length > 0 && stages.length <= MAX_STAGES;
  return isSound && stages.every(isStage) ? [{ stages: [...stages] }] : [];
}

const isStage = (value: unknown): value is string =>
  isText(value) && value.length <= MAX_STAGE_LENGTH;

/** Undefined unless it is a non-empty text. */
export const limitedText = (value: unknown): string | undefined =>
  isText(value) ? value.slice(0, MAX_TEXT_LENGTH) : undefined;

/** This library's errors have the parsed value, and matrix-js-sdk's have the headers. */
function readRetryAfterMs(error: JsonObject, data: JsonObject): number | undefined {
  const { retryAfterMs: read, httpHeaders } = error;
  if (typeof read === "number") return Math.max(0, read);
  return retryAfterMs(httpHeaders instanceof Headers ? httpHeaders : undefined, data);
}

/** Whether the homeserver rejects a dictionary with only the session, as Dendrite does. */
export const isTypeWanted = ({ status, errcode }: Failure, auth: AuthDict): boolean =>
  status === 400 && errcode === "M_BAD_JSON" && auth.type === undefined;

/** The homeserver does not know the session (`M_UNKNOWN`), or does not tell its first stage. */
export const isUnusableSession = (
  failure: Failure,
  auth: AuthDict,
  stage: string | undefined,
): boolean =>
  ((failure.status === 400 || failure.status === 403) && failure.errcode === "M_UNKNOWN") ||
  (stage === undefined && isTypeWanted(failure, auth));

/** Whether a failure, such as that of the network or a rate limit, says nothing about the input. */
export const saysNothing = (error: unknown): boolean =>
  error !== undefined &&
  ((Object(error) as { readonly retryable?: unknown }).retryable === true ||
    readFailure(error).transient);
