import { codeOfStatus } from "../http/errors.js";
import { isJsonObject, isText, type JsonObject, retryAfterMs } from "../http/json.js";
import type { AuthDict } from "../shared/auth-dict.js";

/** Stages that have to be completed, one after another. */
export interface AuthFlow {
  readonly stages: readonly string[];
}

/**
 * The body of a 401 that asks for User-Interactive Authentication, as the homeserver sent it.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#user-interactive-api-in-the-rest-api
 */
export interface AuthData {
  readonly flows: readonly AuthFlow[];
  readonly params?: Readonly<Record<string, unknown>>;
  readonly session?: string;
  readonly completed?: readonly string[];
  readonly errcode?: string;
  readonly error?: string;
}

/** The validated body. A member is undefined if the homeserver omitted it or sent something invalid. */
export interface Challenge {
  readonly flows: readonly AuthFlow[];
  readonly params: JsonObject | undefined;
  readonly session: string | undefined;
  readonly completed: ReadonlySet<string> | undefined;
  readonly errcode: string | undefined;
  readonly error: string | undefined;
}

/** Why a request failed, read from any client library's error. */
export interface Failure {
  /** HTTP status; undefined if there was no response. */
  readonly status: number | undefined;
  /** Matrix's `errcode`, else the client library's own code, else, of a transient failure, one of `RequestErrorCode`. */
  readonly errcode: string | undefined;
  readonly error: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** Whether the same request may succeed later. */
  readonly transient: boolean;
  readonly challenge: Challenge | undefined;
}

/** Limits that no legitimate homeserver exceeds. */
const MAX_FLOWS = 64;
const MAX_STAGES = 32;
/** The maximum length of an identifier in the specification. */
const MAX_STAGE_LENGTH = 255;
const MAX_TEXT_LENGTH = 1000;

/** Errors without a response: this library's, matrix-js-sdk's, and `AbortSignal.timeout()`'s. */
const TRANSIENT_ERRORS: readonly string[] = ["RequestError", "ConnectionError", "TimeoutError"];

/**
 * Reads what a request was rejected with. Errors are recognized by their shape: matrix-js-sdk's and this
 * library's have `httpStatus` and `data`; others have `statusCode` and `body`.
 */
export function readFailure(thrown: unknown): Failure {
  const error = isJsonObject(thrown) ? thrown : {};
  const response = isJsonObject(error["response"]) ? error["response"] : {};
  const status = [
    error["httpStatus"],
    error["statusCode"],
    error["status"],
    response["status"],
  ].find((value) => typeof value === "number" && value > 0) as number | undefined;
  const data = [error["data"], error["body"], response["data"]].find(isJsonObject) ?? {};
  const refusal = text(data["errcode"]) ?? text(error["errcode"]);
  const code = text(error["code"]);
  const transient =
    status === undefined
      ? thrown instanceof TypeError || TRANSIENT_ERRORS.includes(String(error["name"]))
      : status === 408 || status === 429 || status >= 500 || (!refusal && isPage(error, code));
  const known = status === undefined ? "network_error" : codeOfStatus(status);
  return {
    status,
    errcode: refusal ?? code ?? (transient ? known : undefined),
    error: text(data["error"]) ?? text(error["message"]),
    retryAfterMs: waitOf(error, data),
    transient,
    challenge: status === 401 || status === undefined ? readChallenge(data) : undefined,
  };
}

/**
 * Whether a client library reports a response without an `errcode`, such as a proxy's page: the homeserver has not said
 * that it refuses. Not so an error of the application's own, which may have a status too.
 */
const isPage = ({ httpStatus, name }: JsonObject, code: string | undefined): boolean =>
  typeof httpStatus === "number" && (code === undefined || name === "RequestError");

/** The part of a failure that is reported. */
export const reason = ({
  errcode,
  error,
}: Pick<Failure, "errcode" | "error">): { readonly errcode?: string; readonly error?: string } => ({
  ...(errcode !== undefined && { errcode }),
  ...(error !== undefined && { error }),
});

/** Reads a 401 body; undefined if it does not ask for User-Interactive Authentication. */
export function readChallenge(data: JsonObject): Challenge | undefined {
  const { flows, params, session, completed } = data;
  if (!Array.isArray(flows)) return undefined;
  return {
    flows: flows.slice(0, MAX_FLOWS).flatMap(readFlow),
    params: isJsonObject(params) ? params : undefined,
    session: isText(session) ? session : undefined,
    completed: Array.isArray(completed) ? new Set(completed.filter(isStage)) : undefined,
    errcode: text(data["errcode"]),
    error: text(data["error"]),
  };
}

function readFlow(flow: unknown): AuthFlow[] {
  const stages = isJsonObject(flow) ? flow["stages"] : undefined;
  const good =
    Array.isArray(stages) &&
    stages.length > 0 &&
    stages.length <= MAX_STAGES &&
    stages.every(isStage);
  return good ? [{ stages: [...stages] }] : [];
}

const isStage = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= MAX_STAGE_LENGTH;

/** A text that is not empty; undefined for anything else. */
export const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value.slice(0, MAX_TEXT_LENGTH) : undefined;

/** The library's own errors already have the parsed value; matrix-js-sdk's carry the headers. */
function waitOf(error: JsonObject, data: JsonObject): number | undefined {
  const { retryAfterMs: read, httpHeaders } = error;
  if (typeof read === "number") return Math.max(0, read);
  return retryAfterMs(httpHeaders instanceof Headers ? httpHeaders : undefined, data);
}

/** Whether the homeserver, as Dendrite does, takes no dictionary that has only the session. */
export const isTypeWanted = ({ status, errcode }: Failure, auth: AuthDict | null): boolean =>
  status === 400 && errcode === "M_BAD_JSON" && auth !== null && auth.type === undefined;

/**
 * Whether only a new session can help: the homeserver says, as Synapse does it, that it does not know this one
 * (any more), or takes none by itself before the first stage is known.
 */
export const isUnusableSession = (
  failure: Failure,
  auth: AuthDict,
  stage: string | undefined,
): boolean =>
  ((failure.status === 400 || failure.status === 403) && failure.errcode === "M_UNKNOWN") ||
  (stage === undefined && isTypeWanted(failure, auth));
