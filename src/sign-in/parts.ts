import { lazyPart, type Load } from "../ui/lazy.js";
import type * as CompletionModule from "./lazy/login-completion.js";

export const loadCompletion: Load<typeof CompletionModule> = /* @__PURE__ */ lazyPart(
  () => import("./lazy/login-completion.js"),
);

const loadAnyErrorText = /* @__PURE__ */ lazyPart(() => import("../errors/lazy/any-error-text.js"));

/**
 * The sentence that the elements show for an error of this library, to show it elsewhere, such as
 * in a toast after a dialog is closed.
 *
 * @param error The error of a rejected call, or the `detail.error` of an event.
 * @param language A language tag. Default: the document's language, or the browser's.
 * @returns The message in that language, or in English. Empty for a cancellation.
 */
export async function errorText(error: unknown, language?: string): Promise<string> {
  return (await loadAnyErrorText()).anyErrorText(error, language);
}
