const EVENTS: Readonly<Record<string, readonly (keyof HTMLElementEventMap)[]>> = {
  "matrix-account": [
    "matrix-account-change",
    "matrix-account-link",
    "matrix-account-sign-out",
    "matrix-account-error",
  ],
  "matrix-login": [
    "matrix-login-homeserver",
    "matrix-login-view",
    "matrix-login-start",
    "matrix-login-redirect",
    "matrix-login-success",
    "matrix-login-cancel",
    "matrix-login-error",
  ],
  "oidc-callback": [
    "oidc-success",
    "matrix-login-success",
    "oidc-cancel",
    "oidc-error",
    "matrix-login-error",
  ],
  "oidc-login": ["oidc-login-start", "oidc-redirect", "oidc-success", "oidc-cancel", "oidc-error"],
  "uia-dialog": [
    "uia-state-updated",
    "uia-busy-changed",
    "uia-do-request",
    "uia-request-email-token",
    "uia-request-phone-token",
    "uia-success",
    "uia-cancel",
    "uia-error",
  ],
  "uia-fallback-frame": [
    "uia-fallback-open",
    "uia-fallback-done",
    "uia-fallback-close",
    "uia-fallback-blocked",
  ],
};

/**
 * The events of an element, as its `@fires` tags list them. A test compares them with the manifest.
 */
export const eventsOf = (tag: string): readonly string[] => [...(EVENTS[tag] ?? []), "statechange"];
