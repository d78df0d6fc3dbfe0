import type { AuthDict } from "../core/index.js";
import { RespondableEvent } from "./respondable-event.js";

/** The page has to make the protected request, with `authData` as its `auth` if that is not null. */
export class UiaDoRequestEvent extends RespondableEvent<unknown> {
  declare readonly detail: { readonly authData: AuthDict | null; readonly background: boolean };

  constructor(detail: UiaDoRequestEvent["detail"]) {
    super("uia-do-request", detail);
  }
}

declare global {
  interface HTMLElementEventMap {
    "uia-do-request": UiaDoRequestEvent;
  }
}
