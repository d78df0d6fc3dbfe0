import { DetailEvent } from "./base.js";

/** A page on which a user completes a stage. */
export interface FallbackPage {
  readonly stage: string;
  readonly session: string | null;
  readonly url: string;
}

/** The fallback page is about to open. Cancel it to open the page yourself. */
export class UiaFallbackOpenEvent extends DetailEvent<FallbackPage> {
  constructor(detail: FallbackPage) {
    super("uia-fallback-open", detail, { cancelable: true });
  }
}

/** The fallback page or the user reports that the stage is finished. Check with the homeserver. */
export class UiaFallbackDoneEvent extends DetailEvent<FallbackPage> {
  constructor(detail: FallbackPage) {
    super("uia-fallback-done", detail);
  }
}

/** The browser blocked the popup of the fallback page. */
export class UiaFallbackBlockedEvent extends DetailEvent<FallbackPage> {
  constructor(detail: FallbackPage) {
    super("uia-fallback-blocked", detail);
  }
}

/** The window of the fallback page was closed. */
export class UiaFallbackCloseEvent extends DetailEvent<FallbackPage> {
  constructor(detail: FallbackPage) {
    super("uia-fallback-close", detail);
  }
}

declare global {
  interface HTMLElementEventMap {
    "uia-fallback-open": UiaFallbackOpenEvent;
    "uia-fallback-done": UiaFallbackDoneEvent;
    "uia-fallback-blocked": UiaFallbackBlockedEvent;
    "uia-fallback-close": UiaFallbackCloseEvent;
  }
}
