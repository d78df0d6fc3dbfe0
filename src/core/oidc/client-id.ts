import type { RequestOptions } from "../http/index.js";
import { REGISTRATION_STATE, keepClient, keptClient } from "./client-storage.js";
import { pendingFlows } from "./flow-store.js";
import type { ValidatedAuthMetadata } from "./metadata.js";
import { registerOidcClient, type OidcRegistrationClientMetadata } from "./registration.js";

/**
 * When an application registers: for each login, as the Matrix specification asks, or once per issuer,
 * with the client ID kept in `localStorage`.
 */
export type RegistrationPolicy = "per-login" | "reuse";

/** A client ID, and the fingerprint that tells whether it still applies. */
export interface RegisteredClient {
  readonly clientId: string;
  /** What was registered with which issuer; a different fingerprint needs a new registration. */
  readonly fingerprint: string;
}

/**
 * The client ID of an earlier registration that still applies: with `reuse`, the one that was kept;
 * otherwise that of a login still pending in this tab (the person came back from the provider without an
 * answer).
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
 * Registers the application and, with `reuse`, keeps its client ID.
 *
 * @throws {OidcFlowError} as `registerOidcClient` does.
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
