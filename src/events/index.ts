export {
  type FallbackPage,
  UiaFallbackBlockedEvent,
  UiaFallbackCloseEvent,
  UiaFallbackDoneEvent,
  UiaFallbackOpenEvent,
} from "./uia-fallback.js";
export {
  MatrixLoginCancelEvent,
  MatrixLoginErrorEvent,
  MatrixLoginHomeserverEvent,
  MatrixLoginRedirectEvent,
  MatrixLoginStartEvent,
  MatrixLoginSuccessEvent,
} from "./matrix-login.js";
export {
  OidcCancelEvent,
  OidcErrorEvent,
  OidcLoginStartEvent,
  OidcRedirectEvent,
  OidcSuccessEvent,
} from "./oidc.js";
export { RespondableEvent } from "./base.js";
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
} from "./uia.js";
