/**
 * The events of each element, as its `@fires` lists them: a test compares them with
 * custom-elements.json.
 */
export const EVENTS = {
  "matrix-account": [
    "matrix-account-change",
    "matrix-account-link",
    "matrix-account-sign-out",
    "matrix-account-error",
    "statechange",
  ],
  "matrix-login": [
    "matrix-login-homeserver",
    "matrix-login-start",
    "matrix-login-redirect",
    "matrix-login-success",
    "matrix-login-cancel",
    "matrix-login-error",
    "statechange",
  ],
  "oidc-callback": [
    "oidc-success",
    "matrix-login-success",
    "oidc-cancel",
    "oidc-error",
    "matrix-login-error",
    "statechange",
  ],
  "oidc-login": [
    "oidc-login-start",
    "oidc-redirect",
    "oidc-success",
    "oidc-cancel",
    "oidc-error",
    "statechange",
  ],
  "uia-dialog": [
    "uia-state-updated",
    "uia-busy-changed",
    "uia-do-request",
    "uia-request-email-token",
    "uia-request-phone-token",
    "uia-success",
    "uia-cancel",
    "uia-error",
    "statechange",
  ],
  "uia-fallback-frame": [
    "uia-fallback-open",
    "uia-fallback-done",
    "uia-fallback-close",
    "uia-fallback-blocked",
    "statechange",
  ],
} as const satisfies Record<string, readonly (keyof HTMLElementEventMap)[]>;
