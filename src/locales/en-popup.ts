import type { PopupTexts } from "./translation.js";

/** A part of two chunks: each is loaded without the other. */
export const enPopup: PopupTexts & { readonly $code: string } = {
  $code: "en",
  uiaFallbackOpened: "The page is open in another window. Come back here when you’re done.",
  uiaFallbackBlocked: "Your browser blocked the window. Use this link:",
  uiaFallbackWindow: "Open in a new window",
};
