import { enPopup } from "./en-popup.js";
import type { FallbackTexts } from "./translation.js";

export const enFallback: FallbackTexts & { readonly $code: string } = {
  $code: "en",
  ...enPopup,
  uiaFallbackOpen: "Open the page",
  uiaFallbackAgain: "Open again",
  uiaFallbackFinished: "I have finished",
  uiaFallbackClosed: "The window is closed. If you have not finished, open it again.",
  uiaFallbackFrame: "A page of the homeserver",
  uiaFallbackNone: "The homeserver has no page for this step. Please tell whoever runs it.",
};
