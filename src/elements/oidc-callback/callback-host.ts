import type { AuthHost } from "../shared/auth-host.js";
import type { SessionAttributes } from "../shared/session-attributes.js";

/** The state of completing a login; also a `:state()` of the element. */
export type OidcCallbackState = "idle" | "pending" | "success" | "error";

/** What a callback's controller needs of its element. */
export type CallbackHost = AuthHost &
  SessionAttributes & {
    readonly returnTo: string | undefined;
  };
