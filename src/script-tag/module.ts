// The source of `dist/cdn/matrix-auth-elements.js`.
import { onMissingLanguage } from "../elements/shared/localize.js";
import { whenIdle } from "../elements/shared/page-lifecycle.js";

export * from "../context/index.js";
export { define } from "../define/index.js";
export { MatrixLoginElement } from "../elements/matrix-login/matrix-login.js";
export { errorText } from "../elements/shared/load-error-text.js";
export { OidcCallbackElement } from "../elements/oidc-callback/oidc-callback.js";
export { OidcLoginElement } from "../elements/oidc-login/oidc-login.js";
export { UiaDialogElement } from "../elements/uia-dialog/uia-dialog.js";
export { UiaFallbackFrameElement } from "../elements/uia-fallback-frame/uia-fallback-frame.js";
export * from "../events/index.js";
export { registerTranslation } from "../locales/registry.js";

const asked = new Map<string, Promise<unknown>>();

onMissingLanguage((language) => {
  // English is built in, or comes with the part that shows it.
  if (!asked.has(language) && !/^en\b/i.test(language)) {
    const idle = new Promise<void>((resolve) => whenIdle(resolve));
    const loading = idle.then(() => import("./languages.js")).then(({ load }) => load(language));
    // If loading fails, English is shown.
    asked.set(
      language,
      loading.catch(() => undefined),
    );
  }
  return asked.get(language);
});
