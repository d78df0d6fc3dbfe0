// The elements and their helpers for pages: the npm package and the script tag export it. By
// name: with `export *` esbuild may leave a constant undefined in a bundle without splitting.
export {
  type AccountClient,
  type AuthClient,
  authClientContext,
  provideAuthClient,
} from "./context/auth-client.js";
export {
  type PhoneValidationState,
  type UiaSession,
  type UiaSessionActions,
  uiaSessionContext,
} from "./context/uia-session.js";
export type { AccountManagement } from "./elements/matrix-account/account.js";
export type { MatrixAccountState } from "./elements/matrix-account/controller.js";
export type { AccountDevice } from "./elements/matrix-account/device.js";
export { MatrixAccountElement } from "./elements/matrix-account/matrix-account.js";
export type { LoginAction, LoginMethod } from "./elements/matrix-login/settings.js";
export type { MatrixLoginState } from "./elements/matrix-login/state.js";
export { MatrixLoginElement } from "./elements/matrix-login/matrix-login.js";
export { errorText } from "./errors/load-error-messages.js";
export type { OidcCallbackState } from "./elements/oidc-callback/controller.js";
export { OidcCallbackElement } from "./elements/oidc-callback/oidc-callback.js";
export type { OidcLoginState } from "./elements/oidc-login/controller.js";
export { OidcLoginElement } from "./elements/oidc-login/oidc-login.js";
export type {
  AuthenticateOptions,
  CaptchaApi,
  DoRequest,
  LoadCaptcha,
  RequestEmailToken,
  RequestPhoneToken,
} from "./elements/uia-dialog/options.js";
export type { UiaDialogState } from "./elements/uia-dialog/controller.js";
export { UiaDialogElement } from "./elements/uia-dialog/uia-dialog.js";
export type { SessionPersistence } from "./sign-in/session-attributes.js";
export type { UiaFallbackState } from "./elements/uia-fallback-frame/controller.js";
export { UiaFallbackFrameElement } from "./elements/uia-fallback-frame/uia-fallback-frame.js";
export { RespondableEvent } from "./events/base.js";
export {
  type AccountSectionName,
  MatrixAccountChangeEvent,
  MatrixAccountLinkEvent,
  MatrixAccountSignOutEvent,
  MatrixAccountErrorEvent,
} from "./events/matrix-account.js";
export {
  MatrixLoginCancelEvent,
  MatrixLoginErrorEvent,
  MatrixLoginHomeserverEvent,
  MatrixLoginRedirectEvent,
  MatrixLoginStartEvent,
  MatrixLoginSuccessEvent,
  type MatrixLoginView,
  MatrixLoginViewEvent,
} from "./events/matrix-login.js";
export {
  OidcCancelEvent,
  OidcErrorEvent,
  OidcLoginStartEvent,
  OidcRedirectEvent,
  OidcSuccessEvent,
} from "./events/oidc.js";
export {
  type FallbackPage,
  UiaFallbackBlockedEvent,
  UiaFallbackCloseEvent,
  UiaFallbackDoneEvent,
  UiaFallbackOpenEvent,
} from "./events/uia-fallback.js";
export {
  type PhoneValidation,
  UiaBusyChangedEvent,
  UiaCancelEvent,
  UiaDoRequestEvent,
  UiaErrorEvent,
  UiaRequestEmailTokenEvent,
  UiaRequestPhoneTokenEvent,
  UiaStateUpdatedEvent,
  UiaSuccessEvent,
} from "./events/uia.js";
export { registerTranslation, type Translation } from "./texts/texts.js";
