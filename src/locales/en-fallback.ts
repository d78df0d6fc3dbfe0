import { enPopup } from "./en-popup.js";
import type { FallbackTexts } from "./translation.js";

export const enFallback: FallbackTexts & { readonly $code: string } = {
  ...enPopup,
  uiaSsoAsk: "Sign in again with your identity provider.",
  uiaOAuthAsk: "Approve this request on your account page.",

  uiaFallbackAsk: "Complete the next step on the homeserver’s page.",
  uiaFallbackOpen: "Open the page",
  uiaFallbackAgain: "Open again",
  uiaFallbackFinished: "I have finished",
  uiaFallbackClosed: "The window was closed. If you haven’t finished, open it again.",
  uiaFallbackFrame: "The homeserver’s page",
  uiaFallbackNone: "The homeserver has no page for this step. Contact its administrator.",
};
