import type { UiaClient } from "../core/index.js";

/**
 * What the elements ask of a client, each where it is there. The library's `HomeserverClient` is one,
 * and so is the `MatrixClient` of matrix-js-sdk.
 */
export interface AuthClient extends UiaClient {
  /** The base of the client-server API. */
  readonly baseUrl?: string | undefined;
  readonly userId?: string | undefined;
  getUserId?(): string | null;
  whoami?(): Promise<{ readonly user_id: string }>;
  submitMsisdnTokenOtherUrl?(
    url: string,
    sid: string,
    secret: string,
    token: string,
  ): Promise<unknown>;
}
