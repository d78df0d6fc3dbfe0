import { inLocalStorage, takeRecord } from "../shared/tab-records.js";
import { FLOWS, type PendingFlow, pendingFlows } from "./flow-store.js";

/** Before the fingerprint of a registration whose client ID is kept in `localStorage`. */
export const CLIENT_PREFIX = "matrix-auth-elements:client:";

/** The member of a flow's `appState` that holds its registration's fingerprint. */
export const REGISTRATION_STATE = "registration";

function forgetClient(fingerprint: string): void {
  inLocalStorage((storage) => storage.removeItem(CLIENT_PREFIX + fingerprint));
}

/** Whether one popup was closed without a response since the last registration, by its fingerprint. */
const closedPopups = new Map<string, boolean>();

/**
 * The flow of a popup isn't pending in this tab. So a kept client ID is discarded when a second popup
 * was closed without a response: the provider may have deleted the client, which it reports only there.
 */
export function noteClosedPopup({ appState }: PendingFlow): void {
  const fingerprint = appState?.[REGISTRATION_STATE];
  if (fingerprint === undefined) return;
  const isSecond = closedPopups.get(fingerprint) === true;
  closedPopups.set(fingerprint, !isSecond);
  if (isSecond) forgetClient(fingerprint);
}

/** For a flow whose client ID the provider no longer accepts: the next sign-in registers again. */
export function dropClient({ appState, clientId }: PendingFlow): void {
  const fingerprint = appState?.[REGISTRATION_STATE];
  if (fingerprint === undefined) return;
  forgetClient(fingerprint);
  try {
    const flows = pendingFlows().filter((flow) => flow.clientId === clientId);
    // The next sign-in would reuse the client ID of one of these.
    for (const { state } of flows) takeRecord(FLOWS, state);
  } catch {
    // Without storage there are no flows.
  }
}
