import type { UiaClient } from "../core/index.js";

/**
 * What the elements ask of a client. Every member may be missing. The library's `HomeserverClient` is one,
 * and so is the `MatrixClient` of matrix-js-sdk.
 */
export interface AuthClient extends UiaClient {
  /** The base of the client-server API. */
  readonly baseUrl?: string | undefined;
  /** Who is signed in, where that is known. */
  readonly userId?: string | undefined;
  /** The same, as matrix-js-sdk has it. */
  getUserId?(): string | null;
  /** Asks the homeserver who is signed in, where neither of the two above says so. */
  whoami?(): Promise<{ readonly user_id: string }>;
  /** Sends the code that came by phone. No element calls it: the dialog does that by itself. */
  submitMsisdnTokenOtherUrl?(
    url: string,
    sid: string,
    secret: string,
    token: string,
  ): Promise<unknown>;
}
