import type { UiaClient } from "../core/index.js";

/**
 * What the elements use of a client. Every member is optional. The library's `HomeserverClient` and
 * matrix-js-sdk's `MatrixClient` both fit.
 */
export interface AuthClient extends UiaClient {
  /** The base of the client-server API. */
  readonly baseUrl?: string | undefined;
  /** Who is signed in, if known. */
  readonly userId?: string | undefined;
  /** The same, in matrix-js-sdk's form. */
  getUserId?(): string | null;
  /** Asks the homeserver who is signed in, if neither of the two above says so. */
  whoami?(): Promise<{ readonly user_id: string }>;
  /** Submits the code from a text message. No element calls it: the dialog submits the code itself. */
  submitMsisdnTokenOtherUrl?(
    url: string,
    sid: string,
    secret: string,
    token: string,
  ): Promise<unknown>;
}
