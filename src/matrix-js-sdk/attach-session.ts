import { withoutTrailingSlashes } from "../core/http/url.js";
import type { MatrixSession } from "../core/index.js";
import { OidcError, OidcFlowError, settingsInvalid } from "../core/oauth/errors.js";
import { readUnknownToken } from "../core/session/session.js";
import { attachUploads, type UploadingApi } from "./attach-uploads.js";

/** What this uses of matrix-js-sdk's `MatrixClient`: the same from 34.8 to 43. */
export interface AttachableClient {
  readonly http: UploadingApi & {
    fetch(resource: URL | string, options?: RequestInit): Promise<Response>;
    abort(): void;
  };
  getHomeserverUrl(): string;
  getUserId(): string | null;
  getDeviceId(): string | null;
  getAccessToken(): string | null;
  setAccessToken(token: string): void;
  logout(stopClient?: boolean): Promise<object>;
  stopClient(): void;
}

/** How to detach what is attached to a client. */
const attached = new WeakMap<AttachableClient, () => void>();

/**
 * Has a client of matrix-js-sdk use a session: until it is detached, the client makes its requests by the session's
 * `fetch`, has the current access token (`getAccessToken()`, for a service worker that asks the page), uploads with a
 * valid one, signs out the session in `logout()`, and is stopped when the session ends, in whichever tab. To be called
 * before the client's first request; it makes none itself, so that it also works offline. A client that is attached
 * again has the later session.
 *
 * @param client A new client for the session's homeserver, user and device, without tokens.
 * @returns Detaches the session: the client is as it was, but for its tokens.
 * @throws {OidcFlowError} `SessionEnded` (`session_ended`) where nobody is signed in; `Misconfigured`
 *   (`settings_invalid`) for a client of another homeserver, user or device.
 * @experimental
 */
export function attachSession(client: AttachableClient, session: MatrixSession): () => void {
  if (session.state !== "signed-in") {
    throw new OidcFlowError(OidcError.SessionEnded, "session_ended");
  }
  assertSameUser(client, session);
  attached.get(client)?.();

  const detaching = new AbortController();
  const { signal } = detaching;
  /** The last two that the client was given: a request may have been prepared before the last. */
  let tokens: readonly string[] = [client.getAccessToken() ?? ""];
  const give = (token: string): void => {
    if (signal.aborted || session.state !== "signed-in" || token === tokens[0]) return;
    tokens = [token, ...tokens.slice(0, 1)];
    client.setAccessToken(token);
  };
  const update = (): void => {
    // Without a network there is none for now: `session-changed` tells of the next.
    session.accessToken({ signal }).then(give, () => undefined);
  };
  const end = (): void => {
    client.setAccessToken("");
    client.stopClient();
  };
  session.addEventListener("session-changed", update, { signal });
  session.addEventListener("session-ended", end, { signal });
  update();

  const { http } = client;
  const fetch = http.fetch.bind(http);
  const logout = client.logout.bind(client);
  http.fetch = async (resource, options) => {
    const request = new Request(resource, options);
    const { headers, url } = request;
    const authorization = headers.get("Authorization");
    const isOwn = tokens.some((token) => authorization === `Bearer ${token}`);
    if (isOwn) headers.delete("Authorization");
    const response = await session.fetch(request);
    const isBySession =
      !headers.has("Authorization") &&
      new URL(url).origin === new URL(session.homeserverUrl).origin;
    if (isBySession && session.state === "signed-in" && (await readUnknownToken(response))) {
      // The account may be locked. The client would take its session for over, and stop; so it tries again.
      throw new OidcFlowError(OidcError.RefreshTokenFailed, "token_refused");
    }
    return response;
  };
  client.logout = async (stopClient = false) => {
    if (stopClient) {
      client.stopClient();
      http.abort();
    }
    await session.signOut();
    return {};
  };
  const detachUploads = attachUploads(http, session, give, signal);
  const detach = (): void => {
    if (signal.aborted) return;
    detaching.abort();
    http.fetch = fetch;
    client.logout = logout;
    detachUploads();
    attached.delete(client);
  };
  attached.set(client, detach);
  return detach;
}

function assertSameUser(client: AttachableClient, { homeserverUrl, user }: MatrixSession): void {
  const url = withoutTrailingSlashes(client.getHomeserverUrl());
  const faults = [
    ["homeserver", url, withoutTrailingSlashes(homeserverUrl)],
    ["user", client.getUserId(), user.userId ?? client.getUserId()],
    ["device", client.getDeviceId(), user.deviceId],
  ].flatMap(([what, of, expected]) =>
    of === expected ? [] : [`Its ${what} is ${of}, the session's ${expected}`],
  );
  if (faults.length === 0) return;
  throw settingsInvalid(`The client is not the session's. ${faults.join(". ")}.`);
}
