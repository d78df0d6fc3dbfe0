import { withRequestCodes } from "../http/error-codes.js";

/**
 * The `message` of an {@link OidcFlowError}: the values of matrix-js-sdk's `OidcError` and
 * `OAuth2Error`. `SessionEnded` and the members after it exist only in this library.
 *
 * The library writes its messages out, so that bundlers leave out the others.
 *
 * @experimental
 */
export const OidcError = {
  NotSupported: "OIDC authentication not supported",
  Misconfigured: "OIDC is misconfigured",
  General: "Something went wrong with OIDC discovery",
  OpSupport: "Configured OIDC OP does not support required functions",
  DynamicRegistrationNotSupported: "Dynamic registration not supported",
  DynamicRegistrationFailed: "Dynamic registration failed",
  DynamicRegistrationInvalid: "Dynamic registration invalid response",
  CodeExchangeFailed: "Failed to exchange code for token",
  InvalidBearerTokenResponse: "Invalid bearer token response",
  InvalidIdToken: "Invalid ID token",
  MissingOrInvalidStoredState: "State required to finish logging in is not found in storage.",
  RefreshTokenFailed: "Failed to refresh token",
  RevokeTokenFailed: "Failed to revoke token",
  InvalidDeviceAuthorizationResponse: "Invalid device authorization response",
  DeviceAuthorizationGrantFailed: "Failed to perform device authorization grant",
  /** The user signed out, or the provider rejected a refresh. The user must sign in again. */
  SessionEnded: "The session has ended",
  /** The user declined at the provider. */
  AuthorizationRefused: "The authorization was refused",
  /** The page can't store the state of the sign-in. */
  StorageUnavailable: "Storage required to log in is not available",
  /** The page was loaded over plain HTTP. */
  InsecureContext: "A secure context is required to log in",
  /** A part of the library could not be loaded. */
  LoadFailed: "Part of the library could not be loaded",
  /** An error in the page's own code or in the library. `cause` contains it. */
  Unexpected: "An unexpected error occurred",
} as const;

export type OidcError = (typeof OidcError)[keyof typeof OidcError];

/**
 * The specific reason, as the `code` of an {@link OidcFlowError}. The values are stable: texts for
 * users and the elements' `error-<code>` slots depend on them.
 *
 * @experimental
 */
export const OidcErrorCode = /* @__PURE__ */ withRequestCodes({
  // Discovery
  HomeserverInvalid: "homeserver_invalid",
  WellKnownInvalid: "well_known_invalid",
  OidcNotSupported: "oidc_not_supported",
  MetadataInvalid: "metadata_invalid",
  IssuerInvalid: "issuer_invalid",
  IssuerMismatch: "issuer_mismatch",
  IssuerUnconfirmed: "issuer_unconfirmed",
  KeysUnavailable: "keys_unavailable",
  // The caller's settings
  SettingsInvalid: "settings_invalid",
  /** No homeserver is set, for example because the user hasn't chosen one yet. */
  HomeserverMissing: "homeserver_missing",
  PromptNotSupported: "prompt_not_supported",
  InsecureContext: "insecure_context",
  StorageUnavailable: "storage_unavailable",
  StorageFull: "storage_full",
  /** The store returns promises, or doesn't list its keys. */
  StoreNotSynchronous: "store_not_synchronous",
  StoreNotListable: "store_not_listable",
  /** The store has another item under the session's key. */
  StoreKeyTaken: "store_key_taken",
  // Registration
  RegistrationNotSupported: "registration_not_supported",
  RegistrationRefused: "registration_refused",
  RegistrationInvalid: "registration_invalid",
  // The provider's response
  FlowUnknown: "flow_unknown",
  FlowExpired: "flow_expired",
  FlowInvalid: "flow_invalid",
  ResponseMalformed: "response_malformed",
  AccessDenied: "access_denied",
  AuthorizationFailed: "authorization_failed",
  // Programs in Node
  PortUnavailable: "port_unavailable",
  BrowserUnavailable: "browser_unavailable",
  // Tokens
  CodeRejected: "code_rejected",
  TokenRequestRefused: "token_request_refused",
  TokenResponseInvalid: "token_response_invalid",
  ScopeNotGranted: "scope_not_granted",
  /** The user who signed in isn't the expected one. */
  UserMismatch: "user_mismatch",
  /** The homeserver rejected the request for the user's ID. */
  LoginRefused: "login_refused",
  IdTokenMissing: "id_token_missing",
  IdTokenInvalid: "id_token_invalid",
  IdTokenTime: "id_token_time",
  IdTokenSignature: "id_token_signature",
  SessionEnded: "session_ended",
  /** There is no refresh token. */
  RefreshNotPossible: "refresh_not_possible",
  /** The homeserver rejects newly issued tokens. The account might be locked. */
  TokenRefused: "token_refused",
  // The elements
  /** Part of the library couldn't be loaded. */
  LoadFailed: "load_failed",
  /** An unexpected fault. */
  Unexpected: "unexpected",
} as const);

export type OidcErrorCode = (typeof OidcErrorCode)[keyof typeof OidcErrorCode];
