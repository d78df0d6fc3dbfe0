// Why a peer is ahead of us: shown in the table next to the figure. A row without a reason here says so.

/** By the row's job, step, task or action, then by who is ahead. @type {Record<string, Record<string, string>>} */
const REASONS = {
  "sign in at an issuer, stay signed in": {
    "oidc-client-ts": "ours verifies the ID token, and keeps one session for all tabs",
  },
  "issuer and client id → authorization URL": {
    "auth0-spa-js": "asks nothing",
    "oidc-client-ts": "the same request",
  },
  "callback → verified tokens": {
    "matrix-js-sdk-41": "verifies no signature",
    "matrix-js-sdk-43": "has nothing to verify",
    "oidc-client-ts": "verifies no signature",
    "auth0-spa-js": "verifies no signature",
  },
  "User-Interactive Authentication in three stages": {
    "matrix-js-sdk-41": "the same requests: n + 1 is the least",
    "matrix-js-sdk-43": "the same requests: n + 1 is the least",
  },
  "authorization URLs, PKCE and all": {
    "matrix-js-sdk-43": "keeps less for the way back",
    "auth0-spa-js": "keeps less for the way back",
  },
  "callbacks with an ID token by RS256": {
    "matrix-js-sdk-41": "verifies no signature, asks for no keys",
    "matrix-js-sdk-43": "has nothing to verify",
    "oidc-client-ts": "verifies no signature, asks for no keys",
    "auth0-spa-js": "verifies no signature, asks for no keys",
  },
  "callbacks with an ID token by ES256": {
    "matrix-js-sdk-41": "verifies no signature, asks for no keys",
    "oidc-client-ts": "verifies no signature, asks for no keys",
  },
};

/** From here on it is chance. */
const NEARLY = 0.95;

/**
 * @param {string} row
 * @param {string} subject
 * @param {number} ratio To ours; less than 1 is better than ours.
 * @returns {string} Empty if the peer is not ahead.
 */
export function reasonFor(row, subject, ratio) {
  if (!(ratio < NEARLY)) return "";
  return `ahead: ${REASONS[row]?.[subject] ?? "not known why"}`;
}
