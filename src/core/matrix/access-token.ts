import { type JsonObject, presentMembers } from "../http/json.js";
import type { AbortOptions } from "../http/wait.js";

/** A source of valid access tokens, for example an `OidcSession`. */
export interface AccessTokenSource {
  accessToken(waiting?: AbortOptions): Promise<string>;
  /**
   * Gets a replacement for a token that the homeserver rejected. Resolves to undefined if there is
   * none.
   */
  replaceToken?(
    refused: string,
    softLogout: boolean,
    waiting?: AbortOptions,
  ): Promise<string | undefined>;
  /**
   * Called if a request to the homeserver got no response. Its URL might have changed.
   *
   * @internal
   */
  noteUnreachable?(): void;
  /**
   * Called if the user requests another attempt. The source then makes it even while it waits after
   * a failure.
   *
   * @internal
   */
  tryNow?(): void;
  /** The homeserver of the tokens, if available. */
  readonly homeserverUrl?: string;
  /** The owner of the tokens, if available. */
  readonly user?: { readonly userId?: string | undefined; readonly deviceId?: string | undefined };
}

const MAX_ATTEMPTS = 3;

/**
 * Whether a homeserver's response says that it doesn't know the access token.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#using-access-tokens
 */
export const isUnknownToken = (status: unknown, body: unknown): body is JsonObject =>
  status === 401 && presentMembers(body)["errcode"] === "M_UNKNOWN_TOKEN";

/** Like {@link isUnknownToken}, for the error of a client. */
export function isUnknownTokenError(error: unknown): error is { readonly data: JsonObject } {
  const { httpStatus, data } = presentMembers(error);
  return isUnknownToken(httpStatus, data);
}

/**
 * Sends a request with an access token. If the homeserver does not know the token, sends the
 * request again with another one, which may have ended, too, if the computer has slept.
 *
 * @param send Rejects with the homeserver's error, which has `httpStatus` and `data` like a
 *   {@link MatrixError}.
 * @param waiting Ends a wait for a token, but not the request.
 * @throws the errors of `send` and of the source.
 */
export async function withToken<T>(
  source: Pick<AccessTokenSource, "accessToken" | "replaceToken">,
  send: (accessToken: string) => Promise<T>,
  waiting?: AbortOptions,
): Promise<T> {
  let token = await source.accessToken(waiting);
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await send(token);
    } catch (error) {
      if (!isUnknownTokenError(error)) throw error;
      const softLogout = error.data["soft_logout"] === true;
      // This also runs for the last token, because the session must record that it was rejected.
      const other = await source.replaceToken?.(token, softLogout, waiting);
      if (!other || attempts === MAX_ATTEMPTS) throw error;
      token = other;
    }
  }
}
