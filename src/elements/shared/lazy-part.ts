import { OidcError, OidcFlowError } from "../../core/oauth/errors.js";
import { addTexts } from "../../locales/registry.js";
import type { Translation } from "../../locales/translation.js";

/** @throws {OidcFlowError} `General` (`load_failed`). */
export type Load<Part> = () => Promise<Part>;

/**
 * A part of the library that is loaded after the first paint, with its texts.
 *
 * Keeps the promise, because even for a loaded module each `import()` costs browsers extra tasks. A load
 * that failed is tried again.
 */
export function lazyPart<Part extends object>(load: Load<Part>): Load<Part> {
  let loading: Promise<Part> | undefined;
  return () => {
    loading ??= load().then(
      (part) => {
        const { texts } = part as { readonly texts?: Translation };
        if (texts) addTexts(texts);
        return part;
      },
      (cause: unknown) => {
        loading = undefined;
        throw new OidcFlowError(OidcError.General, "load_failed", cause);
      },
    );
    // Who loads it ahead of its use does not wait for it.
    loading.catch(() => undefined);
    return loading;
  };
}
