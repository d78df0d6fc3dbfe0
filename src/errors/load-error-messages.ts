import { lazyPart } from "../ui/loading.js";

/** Most pages never need it. */
export const loadErrorMessages = /* @__PURE__ */ lazyPart(() => import("./error-messages.js"));

/**
 * The message that the elements show for an error of this library. Use it to show the message
 * elsewhere, such as in a toast after a dialog is closed.
 *
 * @param error The error of a rejected call, or the `detail.error` of an event.
 * @param language A language tag. Default: the document's language, otherwise the browser's.
 * @returns The message in that language, or in English. Empty for a cancellation.
 */
export async function errorText(error: unknown, language?: string): Promise<string> {
  return (await loadErrorMessages()).errorText(error, language);
}
