export * from "./context/index.js";
export * from "./core/index.js";
export {
  OidcCallbackElement,
  type OidcCallbackState,
  type SessionPersistence,
} from "./elements/oidc-callback/oidc-callback.js";
export { OidcLoginElement, type OidcLoginState } from "./elements/oidc-login/oidc-login.js";
export {
  UiaDialogElement,
  type DoRequest,
  type RequestPhoneToken,
  type UiaDialogState,
} from "./elements/uia-dialog/uia-dialog.js";
export {
  UiaFallbackFrameElement,
  type UiaFallbackState,
} from "./elements/uia-fallback-frame/uia-fallback-frame.js";
export * from "./events/index.js";
export { registerTranslation } from "./locales/registry.js";
export type { Translation } from "./locales/translation.js";
export type { CaptchaApi, CaptchaParameters, LoadCaptcha } from "./elements/uia-dialog/captcha.js";
