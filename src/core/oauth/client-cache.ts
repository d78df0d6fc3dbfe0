import type { RequestOptions } from "../http/fetch.js";
import { localStorageOrNone, takeRecord } from "../shared/tab-records.js";
import { FLOWS, type PendingFlow, pendingFlows } from "./flow-store.js";
import type { AuthMetadata } from "./metadata.js";
import { type OidcRegistrationClientMetadata, registerOidcClient } from "./registration.js";

/**
 * When an app registers: for each sign-in, as the Matrix specification recommends, or once per
 * issuer, with the client ID kept in `localStorage`.
 */
export type RegistrationPolicy = "per-login" | "reuse";

export interface RegisteredClient {
  readonly clientId: string;
  /** With a different one, the app must register again. */
  readonly fingerprint: string;
}

/**
 * The client ID of an earlier registration that still applies: with `reuse` the one that was kept,
 * or that of a sign-in still pending in this tab (the user came back without a response).
 *
 * @throws {OidcFlowError} `StorageUnavailable`.
 */
export function findClient(
  metadata: AuthMetadata,
  clientMetadata: OidcRegistrationClientMetadata,
  policy: RegistrationPolicy,
): RegisteredClient | undefined {
  const fingerprint = fingerprintOf(metadata, clientMetadata);
  const kept = policy === "reuse" && localStorageOrNone()?.getItem(CLIENT_PREFIX + fingerprint);
  const pending = pendingFlows().flatMap(({ appState, clientId }) =>
    appState?.[REGISTRATION_STATE] === fingerprint ? clientId : [],
  );
  // A provider that has deleted the client reports that only on its own page, so the user doesn't
  // return. Therefore `reuse` discards an ID at its second pending sign-in (in a popup: when the
  // second was closed). A user who presses Back causes at most one registration for two sign-ins.
  const mostPending = policy === "reuse" ? 1 : Infinity;
  const clientId = [kept, ...pending].find(
    (id) => id && pending.filter((each) => each === id).length <= mostPending,
  );
  return clientId ? { clientId, fingerprint } : undefined;
}

/** @throws {OidcFlowError} as `registerOidcClient` does. */
export async function registerClient(
  metadata: AuthMetadata,
  clientMetadata: OidcRegistrationClientMetadata,
  policy: RegistrationPolicy,
  options?: RequestOptions,
): Promise<RegisteredClient> {
  const clientId = await registerOidcClient(metadata, clientMetadata, options);
  const fingerprint = fingerprintOf(metadata, clientMetadata);
  try {
    if (policy === "reuse") localStorageOrNone()?.setItem(CLIENT_PREFIX + fingerprint, clientId);
  } catch {
    // Storage is full, so the next login registers again.
  }
  return { clientId, fingerprint };
}

const fingerprintOf = (issuer: AuthMetadata, client: OidcRegistrationClientMetadata): string =>
  JSON.stringify([issuer.issuer, issuer.registration_endpoint, client]);

const CLIENT_PREFIX = "matrix-auth-elements:client:";

/** The member of a flow's `appState` that holds its registration's fingerprint. */
export const REGISTRATION_STATE = "registration";

export function forgetClient(fingerprint: string): void {
  localStorageOrNone()?.removeItem(CLIENT_PREFIX + fingerprint);
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
