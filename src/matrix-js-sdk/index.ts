// For apps with matrix-js-sdk's client, or with code that was written for it. It does not import
// matrix-js-sdk.
import { OidcError as CoreError } from "../core/oauth/error-codes.js";
import {
  AuthType as CoreType,
  type InteractiveAuthOptions as CoreOptions,
} from "../core/uia/options.js";

export { attachSession, type AttachableClient } from "./attach-session.js";
export {
  OidcTokenRefresher,
  type AccessTokens,
  type OidcTokenRefresherOptions,
} from "./oidc-token-refresher.js";

/** The core's `AuthType`. Its members are types too, as in matrix-js-sdk's enum. */
export const AuthType = CoreType;
export type AuthType = CoreType;
export declare namespace AuthType {
  type Password = typeof CoreType.Password;
  type Recaptcha = typeof CoreType.Recaptcha;
  type Terms = typeof CoreType.Terms;
  type Email = typeof CoreType.Email;
  type Msisdn = typeof CoreType.Msisdn;
  type Sso = typeof CoreType.Sso;
  type SsoUnstable = typeof CoreType.SsoUnstable;
  type Dummy = typeof CoreType.Dummy;
  type RegistrationToken = typeof CoreType.RegistrationToken;
  type UnstableRegistrationToken = typeof CoreType.UnstableRegistrationToken;
  type OAuth = typeof CoreType.OAuth;
  type CrossSigningReset = typeof CoreType.CrossSigningReset;
}

/**
 * The core's `OidcError`. Its members are types too, as in matrix-js-sdk's enum.
 *
 * @experimental
 */
export const OidcError = CoreError;
export type OidcError = CoreError;
export declare namespace OidcError {
  type NotSupported = typeof CoreError.NotSupported;
  type Misconfigured = typeof CoreError.Misconfigured;
  type General = typeof CoreError.General;
  type OpSupport = typeof CoreError.OpSupport;
  type DynamicRegistrationNotSupported = typeof CoreError.DynamicRegistrationNotSupported;
  type DynamicRegistrationFailed = typeof CoreError.DynamicRegistrationFailed;
  type DynamicRegistrationInvalid = typeof CoreError.DynamicRegistrationInvalid;
  type CodeExchangeFailed = typeof CoreError.CodeExchangeFailed;
  type InvalidBearerTokenResponse = typeof CoreError.InvalidBearerTokenResponse;
  type InvalidIdToken = typeof CoreError.InvalidIdToken;
  type MissingOrInvalidStoredState = typeof CoreError.MissingOrInvalidStoredState;
  type RefreshTokenFailed = typeof CoreError.RefreshTokenFailed;
  type RevokeTokenFailed = typeof CoreError.RevokeTokenFailed;
  type InvalidDeviceAuthorizationResponse = typeof CoreError.InvalidDeviceAuthorizationResponse;
  type DeviceAuthorizationGrantFailed = typeof CoreError.DeviceAuthorizationGrantFailed;
  type SessionEnded = typeof CoreError.SessionEnded;
  type AuthorizationRefused = typeof CoreError.AuthorizationRefused;
  type StorageUnavailable = typeof CoreError.StorageUnavailable;
  type InsecureContext = typeof CoreError.InsecureContext;
  type LoadFailed = typeof CoreError.LoadFailed;
  type Unexpected = typeof CoreError.Unexpected;
}

/** The options of matrix-js-sdk's `InteractiveAuth`. */
export interface InteractiveAuthOptions<T> extends CoreOptions<T> {
  /** Never called, as in matrix-js-sdk. */
  readonly startAuthStage?: ((nextStage: string) => Promise<void>) | undefined;
}
