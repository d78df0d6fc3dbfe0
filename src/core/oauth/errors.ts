import {
  AuthError,
  type AuthErrorOptions,
  RequestError,
  RequestErrorCode,
} from "../http/errors.js";

/**
 * What went wrong, as the `message` of an {@link OidcFlowError}: matrix-js-sdk's values of that name and
 * of its `OAuth2Error`; `SessionEnded` and the members after it are this library's own.
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
  // From matrix-js-sdk's OAuth2Error
  RefreshTokenFailed: "Failed to refresh token",
  RevokeTokenFailed: "Failed to revoke token",
  InvalidDeviceAuthorizationResponse: "Invalid device authorization response",
  DeviceAuthorizationGrantFailed: "Failed to perform device authorization grant",
  // This library's own
  /** The session was signed out, or the issuer no longer refreshes it: the user has to sign in again. */
  SessionEnded: "The session has ended",
  /** The user declined at the provider. */
  AuthorizationRefused: "The authorization was refused",
  /** The page has nowhere to keep the state of the login. */
  StorageUnavailable: "Storage required to log in is not available",
  /** The page was loaded over plain http. */
  InsecureContext: "A secure context is required to log in",
} as const;

export type OidcError = (typeof OidcError)[keyof typeof OidcError];

/** Each member as a type too, as with matrix-js-sdk's enum. */
export declare namespace OidcError {
  type NotSupported = typeof OidcError.NotSupported;
  type Misconfigured = typeof OidcError.Misconfigured;
  type General = typeof OidcError.General;
  type OpSupport = typeof OidcError.OpSupport;
  type DynamicRegistrationNotSupported = typeof OidcError.DynamicRegistrationNotSupported;
  type DynamicRegistrationFailed = typeof OidcError.DynamicRegistrationFailed;
  type DynamicRegistrationInvalid = typeof OidcError.DynamicRegistrationInvalid;
  type CodeExchangeFailed = typeof OidcError.CodeExchangeFailed;
  type InvalidBearerTokenResponse = typeof OidcError.InvalidBearerTokenResponse;
  type InvalidIdToken = typeof OidcError.InvalidIdToken;
  type MissingOrInvalidStoredState = typeof OidcError.MissingOrInvalidStoredState;
  type RefreshTokenFailed = typeof OidcError.RefreshTokenFailed;
  type RevokeTokenFailed = typeof OidcError.RevokeTokenFailed;
  type InvalidDeviceAuthorizationResponse = typeof OidcError.InvalidDeviceAuthorizationResponse;
  type DeviceAuthorizationGrantFailed = typeof OidcError.DeviceAuthorizationGrantFailed;
  type SessionEnded = typeof OidcError.SessionEnded;
  type AuthorizationRefused = typeof OidcError.AuthorizationRefused;
  type StorageUnavailable = typeof OidcError.StorageUnavailable;
  type InsecureContext = typeof OidcError.InsecureContext;
}

/**
 * The specific reason, as the `code` of an {@link OidcFlowError}. The values are stable: texts for users
 * and the elements' `error-<code>` slots depend on them.
 *
 * @experimental
 */
export const OidcErrorCode = {
  ...RequestErrorCode,
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
  /** There is no homeserver to sign in to: the user has not chosen one yet. */
  HomeserverMissing: "homeserver_missing",
  PromptNotSupported: "prompt_not_supported",
  InsecureContext: "insecure_context",
  StorageUnavailable: "storage_unavailable",
  StorageFull: "storage_full",
  /** The store responds with promises, or does not list its keys. */
  StoreNotSynchronous: "store_not_synchronous",
  StoreNotListable: "store_not_listable",
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
  IdTokenMissing: "id_token_missing",
  IdTokenInvalid: "id_token_invalid",
  IdTokenTime: "id_token_time",
  IdTokenSignature: "id_token_signature",
  SessionEnded: "session_ended",
  /** There is no refresh token. */
  RefreshNotPossible: "refresh_not_possible",
  /** The homeserver refuses tokens that the issuer has just issued: the account may be locked. */
  TokenRefused: "token_refused",
  // The elements
  /** A part of the library itself could not be loaded. */
  LoadFailed: "load_failed",
  /** An unexpected fault. */
  Unexpected: "unexpected",
} as const;

export type OidcErrorCode = (typeof OidcErrorCode)[keyof typeof OidcErrorCode];

/** Failures after which the same call may still succeed. */
const RETRYABLE: readonly OidcErrorCode[] = [
  "network_error",
  "timeout",
  "aborted",
  "rate_limited",
  "server_error",
  "keys_unavailable",
];

/**
 * What every call of the OpenID Connect part rejects with: `message` is an {@link OidcError}, `code` the
 * specific reason, `cause` the underlying error.
 *
 * @experimental
 */
export class OidcFlowError extends AuthError {
  protected static override readonly names: readonly string[] = ["OidcFlowError"];
  override readonly name = "OidcFlowError";
  declare readonly message: OidcError;
  readonly code: OidcErrorCode;

  constructor(message: OidcError, code: OidcErrorCode, cause?: unknown) {
    const { httpStatus, retryAfterMs, reason } = Object(cause) as AuthErrorOptions;
    super(message, { cause, httpStatus, retryAfterMs, reason });
    this.code = code;
  }

  /** Whether the same call may succeed if it is tried again. */
  get retryable(): boolean {
    return RETRYABLE.includes(this.code);
  }
}

/** Whether the caller aborted, so that nothing else should be tried. */
export const wasAborted = (error: unknown): boolean =>
  error instanceof OidcFlowError && error.code === "aborted";

/**
 * The error for whatever a request threw: with its own code if it is a {@link RequestError}, else with
 * `code`. An {@link OidcFlowError} is returned as it is.
 */
export function requestFailed(
  message: OidcError,
  cause: unknown,
  code: OidcErrorCode,
): OidcFlowError {
  if (cause instanceof OidcFlowError) return cause;
  return new OidcFlowError(message, cause instanceof RequestError ? cause.code : code, cause);
}

/** The error for a reason that only developers need: its `cause` has it as a message. */
export const flowError = (message: OidcError, code: OidcErrorCode, reason: string): OidcFlowError =>
  new OidcFlowError(message, code, new Error(reason));

/** The cause of an error: the issuer's own code, and why it refused, in its own words. */
export const refusalCause = (error: string, reason?: string): Error =>
  Object.assign(new Error(reason ?? error), { error, reason });

/** The error for a mistake of the caller's, or of the page's author. */
export const settingsInvalid = (problem: string): OidcFlowError =>
  flowError(OidcError.Misconfigured, "settings_invalid", problem);

/** The error for something with faults: its `cause` is an `AggregateError` of them all. */
export const validationError = (
  message: OidcError,
  code: OidcErrorCode,
  faults: readonly string[],
): OidcFlowError =>
  new OidcFlowError(
    message,
    code,
    new AggregateError(
      faults.map((fault) => new Error(fault)),
      faults.join("; "),
    ),
  );

/** The error that an element reports for anything thrown. */
export const asFlowError = (error: unknown): OidcFlowError =>
  error instanceof OidcFlowError
    ? error
    : new OidcFlowError(OidcError.General, "unexpected", error);
