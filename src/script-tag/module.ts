// What `dist/cdn/matrix-auth-elements.js` is made of.
export * from "../context/index.js";
export { define } from "../define.js";
export { OidcCallbackElement } from "../elements/oidc-callback/oidc-callback.js";
export { OidcLoginElement } from "../elements/oidc-login/oidc-login.js";
export { UiaDialogElement } from "../elements/uia-dialog/uia-dialog.js";
export { UiaFallbackFrameElement } from "../elements/uia-fallback-frame/uia-fallback-frame.js";
export { registerTranslation } from "../elements/shared/localize.js";
export * from "../events/index.js";
