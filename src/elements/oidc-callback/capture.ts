import {
  readAuthorizationResponse,
  withoutAuthorizationResponse,
  type AuthorizationResponse,
} from "../../core/oidc/authorization-response.js";
import { STATE_PREFIX, hasRecord, takeRecord, writeRecord } from "../../core/oidc/flow-storage.js";

/** A provider's answer, out of the address bar, and its flow, out of the store. */
export interface Capture extends AuthorizationResponse {
  /** The address that it was in. */
  readonly address: string;
  /** Gives the record of the flow, or throws what kept it from being read. */
  readonly record: () => string | null;
}

/** By `state`: an answer is good once, however often it is handed in. */
const captures = new Map<string, Capture>();

/**
 * Takes a provider's answer from an address; undefined where it holds none, or one that this library
 * did not ask for. All of it happens before anything is waited for: no request goes out with the code
 * in the address bar, and nobody else takes the same flow.
 */
export function capture(address: string): Capture | undefined {
  const response = readAuthorizationResponse(address);
  if (!response) return undefined;
  const { state } = response;
  let found = captures.get(state);
  if (!found && !state.startsWith(STATE_PREFIX) && !hasRecord(state)) return undefined;
  if (address === location.href) {
    history.replaceState(history.state, "", withoutAuthorizationResponse(address, response));
  }
  captures.set(state, (found ??= { ...response, address, record: takeNow(state) }));
  return found;
}

function takeNow(state: string): () => string | null {
  try {
    const record = takeRecord(state);
    return () => record;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** Puts an answer and its flow back where they came from: to begin anew. */
export function putBack({ address, state, record }: Capture): void {
  const stored = record();
  if (stored !== null) writeRecord(state, stored);
  history.replaceState(history.state, "", address);
}
