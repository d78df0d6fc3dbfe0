import { createContext, type Context } from "@lit/context";
import type { AuthClient } from "./auth-client.js";

/**
 * The client of the homeserver that the user is signed in to. The key is the same in every copy of
 * the library, so that several copies on one page work together.
 */
export const authClientContext: Context<symbol, AuthClient | undefined> = createContext(
  Symbol.for("matrix-auth-elements/auth-client"),
);
