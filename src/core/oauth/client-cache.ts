import { toJson } from "../http/json.js";
import type { RequestOptions } from "../http/fetch.js";
import { inLocalStorage } from "../shared/tab-records.js";
import { CLIENT_PREFIX, REGISTRATION_STATE } from "./dropped-client.js";
import { pendingFlows } from "./flow-store.js";
import type { NamedProvider } from "./issuer-confirmation.js";
import { type OidcRegistrationClientMetadata, registerOidcClient } from "./registration.js";

/**
 * When an app registers: for each sign-in, as the Matrix specification recommends, or once per
 * issuer, with the client ID kept in `localStorage`.
 */
export type RegistrationPolicy = "per-login" | "reuse";

export interface RegisteredClient {
  readonly clientId: string;
  /** If it differs, the app must register again. */
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
 * The client ID of an earlier registration that still applies: with `reuse` the kept one, otherwise
 * the one of a sign-in that is still pending in this tab (the user returned without a response).
 * Don't use it before the provider is confirmed.
 *
 * @throws {OidcFlowError} `StorageUnavailable`.
 */
export function findClient(registrant: Registrant): RegisteredClient | undefined {
  const { policy } = registrant;
  const fingerprint = fingerprintOf(registrant);
  const kept =
    policy === "reuse" && inLocalStorage((storage) => storage.getItem(CLIENT_PREFIX + fingerprint));
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
 * Registers with a provider while it is confirmed. The client ID is kept only if the provider is confirmed.
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
  if (policy === "reuse") {
    // If the storage is full, the next login registers again.
    inLocalStorage((storage) => storage.setItem(CLIENT_PREFIX + fingerprint, clientId));
  }
  return { clientId, fingerprint };
}

/** Users approve a client for a homeserver: another one must not get tokens without their consent. */
const fingerprintOf = ({ provider, homeserverUrl, clientMetadata }: Registrant): string => {
  const { issuer, registration_endpoint } = provider.named;
  return toJson([homeserverUrl, issuer, registration_endpoint, clientMetadata]);
};
