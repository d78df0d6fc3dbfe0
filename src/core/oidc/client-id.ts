import type { RequestOptions } from "../http/index.js";
import { REGISTRATION_STATE, keepClient, keptClient } from "./client-storage.js";
import { pendingFlows } from "./flow-store.js";
import type { ValidatedAuthMetadata } from "./metadata.js";
import { registerOidcClient, type OidcRegistrationClientMetadata } from "./registration.js";

/**
 * When an application registers: with each login, as the Matrix specification asks, or once for an
 * issuer, the id then kept in `localStorage`.
 */
export type RegistrationPolicy = "per-login" | "reuse";

/** A client id, and what tells whether it still fits. */
export interface RegisteredClient {
  readonly clientId: string;
  /** What was registered where; another fingerprint needs another registration. */
  readonly fingerprint: string;
}

/**
 * The client id of an application that was registered before and still fits: that of a login which
 * is still pending in this tab (the person came back from the provider without an answer), or with
 * `reuse` the one that was kept.
 *
 * @throws {OidcFlowError} `StorageUnavailable`.
 */
export function knownClient(
  metadata: ValidatedAuthMetadata,
  clientMetadata: OidcRegistrationClientMetadata,
  policy: RegistrationPolicy,
): RegisteredClient | undefined {
  const fingerprint = fingerprintOf(metadata, clientMetadata);
  const kept = policy === "reuse" ? keptClient(fingerprint) : undefined;
  const clientId =
    kept ??
    pendingFlows().find((flow) => flow.appState?.[REGISTRATION_STATE] === fingerprint)?.clientId;
  return clientId ? { clientId, fingerprint } : undefined;
}

/**
 * Registers the application, and with `reuse` keeps its id.
 *
 * @throws {OidcFlowError} as `registerOidcClient`.
 */
export async function registerClient(
  metadata: ValidatedAuthMetadata,
  clientMetadata: OidcRegistrationClientMetadata,
  policy: RegistrationPolicy,
  options?: RequestOptions,
): Promise<RegisteredClient> {
  const clientId = await registerOidcClient(metadata, clientMetadata, options);
  const fingerprint = fingerprintOf(metadata, clientMetadata);
  if (policy === "reuse") keepClient(fingerprint, clientId);
  return { clientId, fingerprint };
}

const fingerprintOf = (
  metadata: ValidatedAuthMetadata,
  clientMetadata: OidcRegistrationClientMetadata,
): string => JSON.stringify([metadata.issuer, metadata.registration_endpoint, clientMetadata]);
