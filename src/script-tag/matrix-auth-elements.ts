// The source of `dist/cdn/matrix-auth-elements.js`.
import { loadLanguages } from "./load-languages.js";

export * from "../context/index.js";
export { define } from "../define/index.js";
export { MatrixLoginElement } from "../elements/matrix-login/matrix-login.js";
export { errorText } from "../sign-in/parts.js";
export { OidcCallbackElement } from "../elements/oidc-callback/oidc-callback.js";
export { OidcLoginElement } from "../elements/oidc-login/oidc-login.js";
export { UiaDialogElement } from "../elements/uia-dialog/uia-dialog.js";
export { UiaFallbackFrameElement } from "../elements/uia-fallback-frame/uia-fallback-frame.js";
export * from "../events/index.js";
export { registerTranslation } from "../texts/registry.js";

loadLanguages();
