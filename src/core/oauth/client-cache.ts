import type { RequestOptions } from "../http/fetch.js";
import { localStorageOrNone, takeRecord } from "../shared/tab-records.js";
import { FLOWS, type PendingFlow, pendingFlows } from "./flow-store.js";
import type { NamedProvider } from "./issuer-confirmation.js";
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

/** An app, and the provider and homeserver that it signs in with. */
export interface Registrant {
  readonly provider: NamedProvider;
  readonly homeserverUrl: string;
  readonly clientMetadata: OidcRegistrationClientMetadata;
  readonly policy: RegistrationPolicy;
}

/**
 * The client ID of an earlier registration that still applies: with `reuse` the one that was kept,
 * or that of a sign-in still pending in this tab (the user came back without a response). Don't use it
 * before the provider is confirmed.
 *
 * @throws {OidcFlowError} `StorageUnavailable`.
 */
export function findClient(registrant: Registrant): RegisteredClient | undefined {
  const { policy } = registrant;
  const fingerprint = fingerprintOf(registrant);
  const kept = policy === "reuse" && localStorageOrNone()?.getItem(CLIENT_PREFIX + fingerprint);
  const pending = pendingFlows().flatMap(({ appState, clientId }) =>
    appState?.[REGISTRATION_STATE] === fingerprint ? clientId : [],
  );
  // A provider that has deleted the client reports that only on its own page, so the user doesn't
  // return. Therefore `reuse` discards an ID at its second pending sign-in; in a popup, see
  // `noteClosedPopup()`. A user who presses Back causes at most one registration for two sign-ins.
  const mostPending = policy === "reuse" ? 1 : Infinity;
  const clientId = [kept, ...pending].find(
    (id) => id && pending.filter((each) => each === id).length <= mostPending,
  );
  return clientId ? { clientId, fingerprint } : undefined;
}

/**
 * Registers with a provider while it is confirmed. The client ID is kept only if it is.
 *
 * @throws {OidcFlowError} as `registerOidcClient` and `confirmIssuer` do.
 */
export async function registerClient(
  registrant: Registrant,
  options?: RequestOptions,
): Promise<RegisteredClient> {
  const { provider, clientMetadata, policy } = registrant;
  const [clientId] = await Promise.all([
    registerOidcClient(provider.named, clientMetadata, options),
    provider.confirm(options),
  ]);
  const fingerprint = fingerprintOf(registrant);
  try {
    if (policy === "reuse") localStorageOrNone()?.setItem(CLIENT_PREFIX + fingerprint, clientId);
  } catch {
    // Storage is full, so the next login registers again.
  }
  return { clientId, fingerprint };
}

/** Users approve a client for a homeserver: another one must not get tokens without their consent. */
const fingerprintOf = ({ provider, homeserverUrl, clientMetadata }: Registrant): string => {
  const { issuer, registration_endpoint } = provider.named;
  return JSON.stringify([homeserverUrl, issuer, registration_endpoint, clientMetadata]);
};

const CLIENT_PREFIX = "matrix-auth-elements:client:";

/** The member of a flow's `appState` that holds its registration's fingerprint. */
export const REGISTRATION_STATE = "registration";

function forgetClient(fingerprint: string): void {
  localStorageOrNone()?.removeItem(CLIENT_PREFIX + fingerprint);
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
