import type { AuthClient } from "../../context/auth-client.js";
import type { AuthHost } from "../shared/auth-host.js";

/** The state of the fallback page; also a `:state()` of the element. */
export type UiaFallbackState = "idle" | "open" | "blocked" | "done";

/** What a fallback page's controller needs of its element. */
export type FallbackHost = AuthHost & {
  readonly stage: string | undefined;
  readonly session: string | undefined;
  readonly homeserver: string | undefined;
  readonly client: AuthClient | undefined;
  readonly mode: "popup" | "frame" | undefined;
  readonly url: string | undefined;
  readonly allowedOrigins: readonly string[] | undefined;
  /** `open()` was called before the controller was there. */
  readonly opensOnceLoaded: boolean;
};
