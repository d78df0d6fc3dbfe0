import { toJson } from "../http/json.js";
import { inLocalStorage, takeRecord } from "../shared/tab-records.js";
import { FLOWS, type PendingFlow, pendingFlows } from "./flow-store.js";

/**
 * The prefix of the `localStorage` keys that keep client IDs. The registration's fingerprint
 * follows, with the issuer as a JSON string.
 */
export const CLIENT_PREFIX = "matrix-auth-elements:client:";

/** The member of a flow's `appState` that holds its registration's fingerprint. */
export const REGISTRATION_STATE = "registration";

/**
 * Discards a kept client ID that its provider no longer accepts. Another provider might have given out
 * the same ID.
 */
export function forgetClient(clientId: string, issuer: string): void {
  inLocalStorage((storage) => {
    for (const key of Object.keys(storage)) {
      const isOfIssuer = key.startsWith(CLIENT_PREFIX) && key.includes(toJson(issuer));
      if (isOfIssuer && storage.getItem(key) === clientId) storage.removeItem(key);
    }
  });
}

/**
 * Whether a popup was closed without a response since the last registration, by the registration's
 * fingerprint.
 */
const closedPopups = new Map<string, boolean>();

/**
 * The flow of a popup isn't pending in this tab. Therefore a kept client ID is discarded when a
 * second popup was closed without a response: the provider may have deleted the client, and reports
 * that only in the popup.
 */
export function noteClosedPopup({ appState, clientId, metadata }: PendingFlow): void {
  const fingerprint = appState?.[REGISTRATION_STATE];
  if (fingerprint === undefined) return;
  const isSecond = closedPopups.get(fingerprint) === true;
  closedPopups.set(fingerprint, !isSecond);
  if (isSecond) forgetClient(clientId, metadata.issuer);
}

/**
 * Discards the client ID of a flow that the provider no longer accepts, so that the next sign-in
 * registers again.
 */
export function dropClient({ appState, clientId, metadata: { issuer } }: PendingFlow): void {
  if (appState?.[REGISTRATION_STATE] === undefined) return;
  forgetClient(clientId, issuer);
  try {
    const flows = pendingFlows().filter(
      (flow) => flow.clientId === clientId && flow.metadata.issuer === issuer,
    );
    // The next sign-in would reuse the client ID of one of these flows.
    for (const { state } of flows) takeRecord(FLOWS, state);
  } catch {
    // Without storage there are no flows.
  }
}
