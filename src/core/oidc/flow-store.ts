import { isJsonObject, parseTrustworthyUrl } from "../http/index.js";
import { OidcError, OidcErrorCode, OidcFlowError } from "./errors.js";
import type { ValidatedAuthMetadata } from "./metadata.js";

/** How the provider hands its answer back: in the query or in the fragment of the redirect URI. */
export type ResponseMode = "query" | "fragment";

/** A login between the way to the provider and the way back. */
export interface PendingFlow {
  /** The `state` parameter, whole; the key of the flow. */
  readonly state: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** The issuer's metadata at the start: the way back asks nobody anew who the issuer is. */
  readonly metadata: ValidatedAuthMetadata;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly responseMode: ResponseMode;
  readonly scope: string;
  /** Absent where no ID token was asked for. */
  readonly nonce?: string;
  readonly codeVerifier: string;
  readonly homeserverUrl: string;
  readonly identityServerUrl?: string;
  readonly deviceId: string;
  readonly urlState?: string;
  readonly appState?: Readonly<Record<string, string>>;
}

/** Time enough to make an account and to wait for its mail. */
export const FLOW_LIFETIME_MS = 60 * 60 * 1000;

/** Tells states of this library from those of other code on the page. */
export const STATE_PREFIX = "mae-";

const PREFIX = "matrix-auth-elements:flow:";

/**
 * Keeps a flow in this tab's `sessionStorage` until {@link takeFlow}, and drops what has expired.
 *
 * @throws {OidcFlowError} `StorageUnavailable`: `storage_unavailable` or `storage_full`.
 */
export function storeFlow(flow: PendingFlow): void {
  const storage = tabStorage();
  sweep(storage);
  try {
    storage.setItem(PREFIX + flow.state, JSON.stringify(flow));
  } catch (cause) {
    throw new OidcFlowError(OidcError.StorageUnavailable, OidcErrorCode.StorageFull, cause);
  }
}

/**
 * Takes the flow of a `state` out: nobody gets it twice. Synchronous, so that nothing comes between
 * the look and the removal.
 *
 * @throws {OidcFlowError} `MissingOrInvalidStoredState`: `flow_unknown`, `flow_expired` or
 *   `flow_invalid`; `StorageUnavailable`.
 */
export function takeFlow(state: string): PendingFlow {
  const storage = tabStorage();
  const stored = storage.getItem(PREFIX + state);
  if (stored === null) throw missing(OidcErrorCode.FlowUnknown);
  storage.removeItem(PREFIX + state);
  const flow = parseFlow(stored);
  if (!flow || flow.state !== state) throw missing(OidcErrorCode.FlowInvalid);
  if (isExpired(flow)) throw missing(OidcErrorCode.FlowExpired);
  return flow;
}

/** The flow of a `state`, left where it is; undefined where there is none that could still succeed. */
export function peekFlow(state: string): PendingFlow | undefined {
  try {
    const stored = tabStorage().getItem(PREFIX + state);
    return stored === null ? undefined : parseFlow(stored);
  } catch {
    return undefined;
  }
}

/** Every flow that could still succeed. */
export function pendingFlows(): readonly PendingFlow[] {
  const storage = tabStorage();
  return flowKeys(storage)
    .map((key) => parseFlow(storage.getItem(key) ?? ""))
    .filter((flow): flow is PendingFlow => flow !== undefined && !isExpired(flow));
}

function tabStorage(): Storage {
  try {
    // The getter itself throws where the browser blocks storage; it is undefined outside a browser.
    const storage = (globalThis as { sessionStorage?: Storage | null }).sessionStorage;
    if (storage) return storage;
  } catch (cause) {
    throw new OidcFlowError(OidcError.StorageUnavailable, OidcErrorCode.StorageUnavailable, cause);
  }
  throw new OidcFlowError(OidcError.StorageUnavailable, OidcErrorCode.StorageUnavailable);
}

const missing = (code: OidcErrorCode): OidcFlowError =>
  new OidcFlowError(OidcError.MissingOrInvalidStoredState, code);

const flowKeys = (storage: Storage): string[] =>
  Object.keys(storage).filter((key) => key.startsWith(PREFIX));

/** A clock that was set back must not keep a flow for ever. */
const isExpired = ({ createdAt }: PendingFlow): boolean =>
  Math.abs(Date.now() - createdAt) > FLOW_LIFETIME_MS;

function sweep(storage: Storage): void {
  for (const key of flowKeys(storage)) {
    const flow = parseFlow(storage.getItem(key) ?? "");
    if (!flow || isExpired(flow)) storage.removeItem(key);
  }
}

const STRINGS = [
  "state",
  "clientId",
  "redirectUri",
  "scope",
  "codeVerifier",
  "homeserverUrl",
  "deviceId",
] as const;

/** Other code of the page can write to the storage too, so what comes out of it is checked. */
function parseFlow(stored: string): PendingFlow | undefined {
  let flow: unknown;
  try {
    flow = JSON.parse(stored);
  } catch {
    return undefined;
  }
  if (!isJsonObject(flow) || !isJsonObject(flow["metadata"])) return undefined;
  const { issuer, token_endpoint, jwks_uri } = flow["metadata"];
  const isFlow =
    STRINGS.every((member) => typeof flow[member] === "string") &&
    typeof flow["createdAt"] === "number" &&
    (flow["responseMode"] === "query" || flow["responseMode"] === "fragment") &&
    [issuer, token_endpoint, jwks_uri ?? issuer].every(parseTrustworthyUrl);
  return isFlow ? (flow as unknown as PendingFlow) : undefined;
}
