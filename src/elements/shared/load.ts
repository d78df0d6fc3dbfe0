// The parts of the library that are loaded after the first paint, each with what it needs of the core.
import { OidcFlowError } from "../../core/oidc/errors.js";
import { addTexts } from "../../locales/registry.js";
import type { Translation } from "../../locales/translation.js";
import type * as CallbackModule from "../oidc-callback/lazy/index.js";
import type * as FallbackModule from "../uia-fallback-frame/lazy/index.js";
import type * as LoginModule from "../oidc-login/lazy/index.js";
import type * as SessionModule from "./lazy/session.js";
import type * as UiaModule from "../uia-dialog/lazy/index.js";

/** @throws {OidcFlowError} `General` (`load_failed`). */
type Load<T> = () => Promise<T>;

export type LoginPart = typeof LoginModule;

export const loadLogin: Load<LoginPart> = /* @__PURE__ */ part(
  () => import("../oidc-login/lazy/index.js"),
);
export const loadCallback: Load<typeof CallbackModule> = /* @__PURE__ */ part(
  () => import("../oidc-callback/lazy/index.js"),
);
export const loadUia: Load<typeof UiaModule> = /* @__PURE__ */ part(
  () => import("../uia-dialog/lazy/index.js"),
);
export const loadFallback: Load<typeof FallbackModule> = /* @__PURE__ */ part(
  () => import("../uia-fallback-frame/lazy/index.js"),
);
/** Pages may load this part on their own too, so it has no texts. */
export const loadSession: Load<typeof SessionModule> = /* @__PURE__ */ part(
  () => import("./lazy/session.js"),
);

/**
 * Keeps the promise, because even for a loaded module each `import()` costs browsers extra tasks. A load
 * that failed is tried again.
 */
function part<T extends object>(load: Load<T>): Load<T> {
  let loading: Promise<T> | undefined;
  return () =>
    (loading ??= load().then(
      (module) => {
        const { texts } = module as { readonly texts?: Translation };
        if (texts) addTexts(texts);
        return module;
      },
      (cause: unknown) => {
        loading = undefined;
        throw new OidcFlowError("Something went wrong with OIDC discovery", "load_failed", cause);
      },
    ));
}
