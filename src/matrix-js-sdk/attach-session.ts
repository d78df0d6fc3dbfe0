import { readBaseUrl } from "../core/http/url.js";
import type { MatrixSession } from "../core/index.js";
import { withToken } from "../core/matrix/access-token.js";
import { settingsInvalid } from "../core/oauth/errors.js";
import { OidcFlowError } from "../core/oauth/flow-error.js";
import { sessionEnded } from "../core/session/events.js";
import { readUnknownToken } from "../core/session/session.js";

interface UploadOptions {
  abortController?: AbortController;
}

/** The members of matrix-js-sdk's `MatrixClient` that are used: versions 34.8 to 43 have them. */
export interface AttachableClient {
  readonly http: {
    fetch(resource: URL | string, options?: RequestInit): Promise<Response>;
    // The types are matrix-js-sdk's own, and differ between versions.
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    uploadContent(file: any, options?: UploadOptions): Promise<any>;
    cancelUpload(upload: Promise<unknown>): boolean;
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

/** A function that detaches the session from a client. */
const attached = new WeakMap<AttachableClient, () => void>();

/**
 * Attaches a session to a client of matrix-js-sdk. Call it before the client's first request. It
 * sends no request, so it works offline. Until the session is detached:
 *
 * - The client sends its requests with the session's `fetch`, and uploads with a valid access
 *   token.
 * - `getAccessToken()` returns the current access token, for example for a service worker that asks
 *   the page.
 * - `logout()` signs out the session.
 * - The client stops when the session ends, in any tab, or turns out to be another user's.
 * - If the session moves to another URL, the client and its requests have no token, and its uploads are
 *   rejected (`settings_invalid`). Attach the session to a client for the new URL.
 *
 * If the client already has a session, the new one replaces it.
 *
 * @param client A new client for the session's homeserver, user and device, without tokens.
 * @returns A function that detaches the session. After that, the client is as before, except for
 *   its tokens.
 * @throws {OidcFlowError} `SessionEnded` (`session_ended`) if the session is over; `Misconfigured`
 *   (`settings_invalid`) if the client is for another homeserver, user or device.
 * @experimental
 */
export function attachSession(client: AttachableClient, session: MatrixSession): () => void {
  if (session.state !== "signed-in") throw sessionEnded();
  assertSameUser(client, session);
  attached.get(client)?.();

  const detaching = new AbortController();
  const { signal } = detaching;
  /** The client's last two tokens. A request may have been prepared before the last one. */
  let tokens: readonly string[] = [client.getAccessToken() ?? ""];
  const give = (token: string): void => {
    if (signal.aborted || session.state !== "signed-in") return;
    if (token !== tokens[0]) tokens = [token, ...tokens.slice(0, 1)];
    // An app might send the client's token to the client's URL itself.
    const given = hasMoved(client, session) ? "" : token;
    if (given !== client.getAccessToken()) client.setAccessToken(given);
  };
  const update = (): void => {
    if (hasMoved(client, session)) client.setAccessToken("");
    // The session's user might have been unknown until now.
    const { userId } = session.user;
    if (userId !== undefined && userId !== (client.getUserId() ?? userId)) {
      end();
      return detach();
    }
    // Without a network, there may be no token yet. `session-changed` fires when there is one.
    session.accessToken({ signal }).then(give, () => undefined);
  };
  const end = (): void => {
    client.setAccessToken("");
    client.stopClient();
  };
  session.addEventListener("session-changed", update, { signal });
  session.addEventListener("session-ended", end, { signal });

  const { http } = client;
  const fetch = http.fetch.bind(http);
  const logout = client.logout.bind(client);
  http.fetch = async (resource, options) => {
    const request = new Request(resource, options);
    const { headers, url, signal: ending } = request;
    const authorization = headers.get("Authorization");
    const isOwn = tokens.some((token) => authorization === `Bearer ${token}`);
    if (isOwn) headers.delete("Authorization");
    const response = await session.fetch(request);
    const isBySession =
      !headers.has("Authorization") &&
      new URL(url).origin === new URL(session.homeserverUrl).origin;
    const isSignedIn = isBySession && session.state === "signed-in";
    if (isSignedIn && (await readUnknownToken(response, { signal: ending }))) {
      // The account may be locked. After this error the client tries again; after M_UNKNOWN_TOKEN
      // it would stop.
      throw new OidcFlowError("Failed to refresh token", "token_refused");
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
  const detachUploads = attachUploads(client, session, give, signal);
  const detach = (): void => {
    if (signal.aborted) return;
    detaching.abort();
    http.fetch = fetch;
    client.logout = logout;
    detachUploads();
    attached.delete(client);
  };
  attached.set(client, detach);
  update();
  return detach;
}

function homeserverOf(client: AttachableClient): string {
  const url = client.getHomeserverUrl();
  return readBaseUrl(url) ?? url;
}

/** Whether the session has moved to another URL than the client's, which must not get its token. */
const hasMoved = (client: AttachableClient, session: MatrixSession): boolean =>
  homeserverOf(client) !== session.homeserverUrl;

function assertSameUser(client: AttachableClient, { homeserverUrl, user }: MatrixSession): void {
  const faults = [
    ["homeserver", homeserverOf(client), homeserverUrl],
    ["user", client.getUserId(), user.userId ?? client.getUserId()],
    ["device", client.getDeviceId(), user.deviceId],
  ].flatMap(([what, of, expected]) =>
    of === expected ? [] : [`Its ${what} is ${of}, the session's ${expected}`],
  );
  if (faults.length === 0) return;
  throw settingsInvalid(`The client does not match the session. ${faults.join(". ")}.`);
}

/**
 * matrix-js-sdk uploads with XMLHttpRequest, which reports progress, and with the client's current
 * token. This makes uploads wait for a valid token, and retry with a new one. When the session
 * ends, it aborts them.
 *
 * @param give Sets the token that the client uploads with.
 * @param detached When it aborts, uploads that have not been sent are rejected, because the client
 *   may have another user by then.
 * @returns A function that undoes this.
 */
function attachUploads(
  client: AttachableClient,
  session: MatrixSession,
  give: (token: string) => void,
  detached: AbortSignal,
): () => void {
  const { http } = client;
  const uploadContent = http.uploadContent.bind(http);
  const cancelUpload = http.cancelUpload.bind(http);
  /** The uploads that have not ended: matrix-js-sdk cannot cancel those that wait for a token. */
  const uploads = new Map<Promise<unknown>, AbortController>();

  const upload = async (file: unknown, options: Required<UploadOptions>): Promise<unknown> => {
    const { signal } = options.abortController;
    const either = AbortSignal.any([signal, detached]);
    const send = (token: string): Promise<unknown> => {
      either.throwIfAborted();
      if (hasMoved(client, session))
        throw settingsInvalid("The session has moved to another URL. Create a new client.");
      give(token);
      return uploadContent(file, options) as Promise<unknown>;
    };
    try {
      return await withToken(session, send, { signal: either });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  };

  const end = (): void => {
    for (const upload of uploads.values()) upload.abort(sessionEnded());
  };
  session.addEventListener("session-ended", end, { signal: detached });

  http.uploadContent = (file, options = {}) => {
    const abortController = options.abortController ?? new AbortController();
    const promise = upload(file, { ...options, abortController });
    uploads.set(promise, abortController);
    const forget = (): void => void uploads.delete(promise);
    promise.then(forget, forget);
    return promise;
  };
  http.cancelUpload = (promise) => {
    const abortController = uploads.get(promise);
    abortController?.abort();
    // matrix-js-sdk recognizes only its own promise of an upload.
    return abortController !== undefined || cancelUpload(promise);
  };
  return () => Object.assign(http, { uploadContent, cancelUpload });
}
