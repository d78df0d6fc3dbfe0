import type { SessionStore } from "../core/index.js";
import { lazyPart } from "../ui/loading.js";

/** The store of an element's session: none, this tab, every tab, or every tab and worker. */
export type SessionPersistence = "none" | "session" | "local" | "indexeddb";

export interface SessionAttributes {
  readonly persist: SessionPersistence | undefined;
  readonly store: SessionStore | undefined;
  readonly sessionKey: string | undefined;
}

export const wantsSession = ({ persist, store }: SessionAttributes): boolean =>
  !!store || (!!persist && persist !== "none");

/** The code for sessions. Pages can load it separately, so it contains no texts. */
export const loadSession = /* @__PURE__ */ lazyPart(() => import("./session.js"));
