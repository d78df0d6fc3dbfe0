// The source of `dist/cdn/matrix-auth-elements.js`.
import { loadLanguages } from "./load-languages.js";

export { type AuthClient, authClientContext, provideAuthClient } from "../context/auth-client.js";
export {
  type PhoneValidationState,
  type UiaSession,
  type UiaSessionActions,
  uiaSessionContext,
} from "../context/uia-session.js";
export { define } from "../define/index.js";
export { MatrixLoginElement } from "../elements/matrix-login/matrix-login.js";
export { errorText } from "../sign-in/parts.js";
export { OidcCallbackElement } from "../elements/oidc-callback/oidc-callback.js";
export { OidcLoginElement } from "../elements/oidc-login/oidc-login.js";
export { UiaDialogElement } from "../elements/uia-dialog/uia-dialog.js";
export { UiaFallbackFrameElement } from "../elements/uia-fallback-frame/uia-fallback-frame.js";
export {
  type FallbackPage,
  UiaFallbackBlockedEvent,
  UiaFallbackCloseEvent,
  UiaFallbackDoneEvent,
  UiaFallbackOpenEvent,
} from "../events/uia-fallback.js";
export {
  MatrixLoginCancelEvent,
  MatrixLoginErrorEvent,
  MatrixLoginHomeserverEvent,
  MatrixLoginRedirectEvent,
  MatrixLoginStartEvent,
  MatrixLoginSuccessEvent,
} from "../events/matrix-login.js";
export {
  OidcCancelEvent,
  OidcErrorEvent,
  OidcLoginStartEvent,
  OidcRedirectEvent,
  OidcSuccessEvent,
} from "../events/oidc.js";
export { RespondableEvent } from "../events/base.js";
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
} from "../events/uia.js";
export { registerTranslation } from "../texts/registry.js";

loadLanguages();
