// Client IDs that are kept in `localStorage` for the next login, by the fingerprint of their registration.

const PREFIX = "matrix-auth-elements:client:";

/** The member of a flow's `appState` that holds its registration's fingerprint. */
export const REGISTRATION_STATE = "registration";

export const cachedClient = (fingerprint: string): string | null | undefined =>
  localStore()?.getItem(PREFIX + fingerprint);

export function cacheClient(fingerprint: string, clientId: string): void {
  try {
    localStore()?.setItem(PREFIX + fingerprint, clientId);
  } catch {
    // Storage is full: this login continues, the next one registers again.
  }
}

/** Forgets a client ID that the issuer no longer knows, so that the next login registers again. */
export function forgetClient(fingerprint: string): void {
  localStore()?.removeItem(PREFIX + fingerprint);
}

function localStore(): Storage | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}
