// Every operation of the library, and the test environments: the rows and columns of the table in
// docs/reference/compatibility.md.

/** The environments of the tests, in the order of the table. */
export const COLUMNS = {
  demo: { title: "Demo", tier: "npm test and npm test demo" },
  synapse: { title: "Synapse", tier: "npm test interop" },
  delegated: { title: "Synapse, delegated", tier: "npm test interop" },
  chromium: { title: "Chromium", tier: "npm test and npm test demo" },
  firefox: { title: "Firefox", tier: "npm test engines" },
  webkit: { title: "WebKit", tier: "npm test engines" },
};

const NO_PROVIDER = "This Synapse has no provider, so an app gets `oidc_not_supported`.";
const AT_PROVIDER = "The homeserver responds with 404 (403 to a registration). Use the provider's account page (see “Manage the account”).";
const NO_STAGE = "With a provider, Synapse requires only the stage `m.oauth`.";
const OLD_DISCOVERY = "It publishes the metadata itself, so the issuer's document isn't requested.";

const NO_LOGIN = "Synapse with a provider has no `/login`. Users sign in with OAuth 2.0.";

const legacy = { delegated: NO_LOGIN };
const uia = { delegated: AT_PROVIDER };
const stage = { delegated: NO_STAGE };
const oauth = { synapse: NO_PROVIDER };

/**
 * An operation in the table: its title, its API, and the reasons for empty cells.
 *
 * @typedef {object} Operation
 * @property {string} title
 * @property {string} by
 * @property {Partial<Record<keyof typeof COLUMNS, string>>} missing
 */

export const OPERATIONS = {
  discovery: { title: "Find the provider", by: "`getAuthMetadata()`", missing: oauth },
  "discovery-by-issuer": {
    title: "… with its discovery document",
    by: "`discoverAndValidateOIDCIssuerWellKnown()`",
    missing: { ...oauth, delegated: OLD_DISCOVERY },
  },
  registration: { title: "Register the app", by: "`registerOidcClient()`", missing: oauth },
  "sign-in": { title: "Sign in", by: "`generateOidcAuthorizationUrl()`, `completeAuthorizationCodeGrant()`", missing: oauth },
  device: { title: "… with a chosen device ID", by: "`generateScope()`", missing: oauth },
  create: { title: "Create an account with the provider", by: '`prompt="create"`', missing: oauth },
  refusal: { title: "Decline to sign in", by: "`oidc-cancel`", missing: oauth },
  window: { title: "Sign in with a popup", by: '`mode="popup"`', missing: oauth },
  "device-grant": { title: "Sign in with a device code", by: "`startDeviceAuthorization()`", missing: oauth },
  refresh: { title: "Stay signed in", by: "`OidcSession`, `OidcTokenRefresher`", missing: oauth },
  "sign-out": { title: "Sign out", by: "`signOut()`", missing: oauth },
  "account-links": { title: "Manage the account", by: "`accountManagementUrl()`", missing: oauth },
  "without-browser": { title: "Sign in without a browser's storage", by: "`generateAuthorizationParams()`, `generateAuthorizationUrl()`", missing: oauth },
  "password-login": { title: "Sign in with a password", by: "`loginWithPassword()`", missing: legacy },
  "sso-login": { title: "Sign in with single sign-on", by: "`startSsoLogin()`, `completeSsoLogin()`", missing: legacy },
  "legacy-session": { title: "Stay signed in without OAuth 2.0, and sign out", by: "`LegacySession`", missing: legacy },
  "any-homeserver": { title: "Sign in to a homeserver that the user enters", by: "`<matrix-login>`", missing: {} },
  "account-page": { title: "Show the account page", by: "`<matrix-account>`", missing: {} },
  "change-profile": { title: "Change the display name and the picture", by: "`setDisplayName()`, `setAvatarUrl()`", missing: {} },
  "rename-device": { title: "Rename a device", by: "`setDeviceDetails()`", missing: {} },
  "delete-device": { title: "Delete a device", by: "`deleteDevice()`", missing: uia },
  "delete-devices": { title: "Delete several devices", by: "`deleteMultipleDevices()`", missing: uia },
  "change-password": { title: "Change the password", by: "`setPassword()`", missing: uia },
  deactivate: { title: "Deactivate the account", by: "`deactivateAccount()`", missing: uia },
  "add-email": { title: "Add an email address", by: "`addThreePidOnly()`", missing: uia },
  "remove-address": { title: "Remove an email address", by: "`deleteThreePid()`", missing: uia },
  register: { title: "Create an account", by: "`register()`", missing: uia },
  "upload-keys": { title: "Upload cross-signing keys", by: "`uploadDeviceSigningKeys()`", missing: {} },
  "reset-keys": { title: "Replace cross-signing keys", by: "`uploadDeviceSigningKeys()`", missing: {} },
  password: { title: "Stage: password", by: "`m.login.password`", missing: stage },
  email: { title: "Stage: email link", by: "`m.login.email.identity`", missing: stage },
  msisdn: { title: "Stage: phone code", by: "`m.login.msisdn`", missing: stage },
  token: { title: "Stage: registration token", by: "`m.login.registration_token`", missing: stage },
  terms: { title: "Stage: terms", by: "`m.login.terms`", missing: stage },
  captcha: { title: "Stage: captcha", by: "`m.login.recaptcha`", missing: stage },
  dummy: { title: "Stage: dummy", by: "`m.login.dummy`", missing: stage },
  sso: { title: "Stage: single sign-on", by: "`m.login.sso`", missing: stage },
  oauth: { title: "Stage: approval with the provider", by: "`m.oauth`", missing: { synapse: NO_PROVIDER } },
  fallback: { title: "Fallback page of a stage", by: "`getFallbackAuthUrl()`, `poll()`", missing: stage },
  "wrong-answer": { title: "Report a rejected stage", by: "`stateUpdated`", missing: stage },
  resume: { title: "Resume a session", by: "`sessionId`, `clientSecret`, `emailSid`", missing: stage },
  "no-flow": { title: "Report that no flow matches", by: "`NoAuthFlowFoundError`", missing: stage },
};
