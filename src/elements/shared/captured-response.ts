import {
  readAuthorizationResponse,
  withoutAuthorizationResponse,
  type AuthorizationResponse,
} from "../../core/oidc/authorization-response.js";
import { STATE_PREFIX, FLOWS } from "../../core/oidc/flow-records.js";
import { hasRecord, takeRecord, writeRecord } from "../../core/tab-records.js";

/** A provider's response, taken from the address bar, and its flow, taken from the store. */
export interface CapturedResponse extends AuthorizationResponse {
  /** The URL that contained the response. */
  readonly url: string;
  /** Returns the flow's record, or throws the error that occurred when it was read. */
  readonly record: () => string | null;
}

/** By `state`: a response counts once, however often it is passed in. */
const captured = new Map<string, CapturedResponse>();

/**
 * Takes a provider's response from a URL; undefined if it has none, or one that this library did not ask
 * for. Synchronous, so that no request is sent with the code in the address bar and the flow is taken only
 * once.
 */
export function captureResponse(url: string): CapturedResponse | undefined {
  const response = readAuthorizationResponse(url);
  if (!response) return undefined;
  const { state } = response;
  let found = captured.get(state);
  if (!found && !state.startsWith(STATE_PREFIX) && !hasRecord(FLOWS, state)) return undefined;
  if (url === location.href) {
    history.replaceState(history.state, "", withoutAuthorizationResponse(url, response));
  }
  captured.set(state, (found ??= { ...response, url, record: takeNow(state) }));
  return found;
}

function takeNow(state: string): () => string | null {
  try {
    const record = takeRecord(FLOWS, state);
    return () => record;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** Puts a response and its flow back where they came from, to start over. */
export function putBack({ url, state, record }: CapturedResponse): void {
  try {
    const stored = record();
    if (stored !== null) writeRecord(FLOWS, state, stored);
  } catch {
    // Without storage only a login in a popup can succeed: its opener has the flow.
  }
  history.replaceState(history.state, "", url);
}
