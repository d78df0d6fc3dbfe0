// The types of matrix-auth-elements/react-session.
import type { MatrixSession, SessionOptions } from "../dist/core/index.js";

/**
 * The session in a store. It changes when a user signs in or out, in this tab or another.
 *
 * @param options The place of the session, as `persist` and `session-key` have it. Default: `localStorage`. Create a custom
 * store outside the component: the hook keeps the first one, and warns if it gets another.
 * @returns `undefined` until the store has been read, and on a server; `null` if no user is signed in.
 * @experimental
 */
export declare function useMatrixSession(
  options?: Pick<SessionOptions, "store" | "key">,
): MatrixSession | null | undefined;
