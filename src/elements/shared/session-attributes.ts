import type { SessionStore } from "../../core/index.js";

/** Where an element keeps the session: nowhere, in this tab, in every tab, or in every tab and worker. */
export type SessionPersistence = "none" | "session" | "local" | "indexeddb";

/** How an element keeps the session, as it was set. */
export interface SessionAttributes {
  readonly persist: SessionPersistence | undefined;
  readonly store: SessionStore | undefined;
  readonly sessionKey: string | undefined;
}

/** Whether the page wants a session. */
export const wantsSession = ({ persist, store }: SessionAttributes): boolean =>
  store !== undefined || (!!persist && persist !== "none");
