import type { PopupTexts } from "./translation.js";

/** A part of two chunks: each is loaded without the other. */
export const enPopup: PopupTexts = {
  uiaFallbackOpened: "The page is open in another window. Come back here when you have finished.",
  uiaFallbackBlocked: "Your browser kept the window from opening. Open it by this link:",
  uiaFallbackWindow: "Open in a window",
};
