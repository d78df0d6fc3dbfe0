import type { AuthHost } from "../shared/auth-host.js";

/** Where `<oidc-callback persist>` keeps the session. */
export type SessionPersistence = "none" | "session" | "local";

/** The state of completing a login; also a `:state()` of the element. */
export type OidcCallbackState = "idle" | "pending" | "success" | "error";

/** What a callback's controller needs of its element. */
export type CallbackHost = AuthHost & {
  readonly persist: SessionPersistence | undefined;
  readonly returnTo: string | undefined;
};
