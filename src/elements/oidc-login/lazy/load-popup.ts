import { lazyPart, type Load } from "../../shared/lazy-part.js";
import type * as PopupPart from "./popup-login.js";

let loaded: typeof PopupPart | undefined;

/** What a login in a popup needs, if it is loaded already: browsers block a popup that opens too long after a click. */
export const loadedPopup = (): typeof PopupPart | undefined => loaded;

/** Loads it. */
export const loadPopup: Load<typeof PopupPart> = /* @__PURE__ */ lazyPart(
  async () => (loaded = await import("./popup-login.js")),
);
