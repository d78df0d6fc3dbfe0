// For an app's service worker: `matrix-auth-elements/service-worker`, and as a classic script
// `dist/cdn/service-worker.global.js`.
import { leaveBody } from "../core/http/fetch.js";
import { masking } from "../core/http/body-members.js";
import * as secretsModule from "../core/http/secrets.js";
import { parseUrl, withoutTrailingSlashes } from "../core/http/url.js";
import type { MatrixSession, SessionStore } from "../core/index.js";
import { tokenRefresh } from "../core/session/end-tokens.js";
import * as indexedDbModule from "../core/session/indexed-db.js";
import { listSessions, restoreSession } from "../core/session/restore.js";
import { indexedDb } from "../core/session/store.js";
import { tabLock } from "../core/session/stored-record.js";
import * as tabLockModule from "../core/session/tab-lock.js";
import * as tokenRefreshModule from "../core/session/token-refresh.js";

export interface MediaOptions {
  /** The store of the pages' sessions, which workers must be able to read. Default: `indexedDB`. */
  readonly store?: "indexedDB" | SessionStore | undefined;
}

interface FetchEvent extends Event {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

/**
 * The end of a path to media: a server name, an ID, and for downloads a file name. `preview_url` is
 * excluded, because an image on the page could make the homeserver request any URL.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#content-repository
 */
const MEDIA =
  /\/_matrix\/client\/v1\/media\/(?:download\/[^/]+\/[\w-]+(?:\/[^/]+)?|thumbnail\/[^/]+\/[\w-]+)$/;

/**
 * Dots and separators that are encoded once or more, and path parameters. A proxy might see another
 * path.
 */
const HIDDEN_PATH = /%(?:25)*(?:2e|2f|5c)|;/i;

/**
 * The destinations that show or play media. The token is also added to `fetch()`, but not to
 * scripts, styles, workers, and pages: on the homeserver's origin, injected markup could otherwise
 * run any user's upload.
 */
const DESTINATIONS: readonly string[] = ["image", "audio", "video", "track"];

/**
 * `same-origin` is excluded, because `<use>` in an SVG image would insert the upload's elements
 * into the page.
 */
const MODES: readonly string[] = ["cors", "no-cors"];

/**
 * Lets pages show a homeserver's authenticated media with `<img>`, `<video>` and similar elements,
 * which send no token. It adds the access token of the session with that homeserver, and refreshes
 * the token when needed, in coordination with the pages. Other requests stay unchanged, and so do
 * all requests if no user is signed in. Call it while the worker's script runs for the first time.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#content-repository
 * @experimental
 */
export function authenticateMedia({ store = "indexedDB" }: MediaOptions = {}): void {
  masking.load = () => Promise.resolve(secretsModule);
  indexedDb.provide(indexedDbModule);
  tabLock.provide(tabLockModule);
  tokenRefresh.provide(tokenRefreshModule);
  const sessions = new Map<string, MatrixSession>();
  let restoring: Promise<void> | undefined;

  /** Restores the sessions that the pages have started since the last time. */
  const restoreSessions = async (): Promise<void> => {
    try {
      for (const { key, state } of await listSessions({ store })) {
        if (state !== "signed-in" || sessions.has(key)) continue;
        const session = await restoreSession({ store, key });
        // The session might have ended since then. An ended session listens to nothing.
        if (session?.state !== "signed-in") continue;
        session.addEventListener("session-ended", () => sessions.delete(key), { once: true });
        sessions.set(key, session);
      }
    } catch {
      // The store cannot be read, so no user is signed in.
    } finally {
      restoring = undefined;
    }
  };

  const findSession = async (
    url: string,
    refused: readonly MatrixSession[],
  ): Promise<MatrixSession | undefined> => {
    const find = () =>
      [...sessions.values()].find(
        (session) => isAt(session.homeserverUrl, url) && !refused.includes(session),
      );
    if (!find()) await (restoring ??= restoreSessions());
    return find();
  };

  const fetchMedia = async (request: Request): Promise<Response> => {
    // Only CORS requests may have a token: https://fetch.spec.whatwg.org/#concept-headers-guard
    const withCors = { mode: "cors", credentials: "omit" } as const;
    const refused: MatrixSession[] = [];
    let response: Response | undefined;
    // An account might be locked, and another account at its homeserver isn't.
    for (let session; (session = await findSession(request.url, refused)); refused.push(session)) {
      if (response) leaveBody(response);
      // It rejects without a token, or without a network.
      response = await session.fetch(new Request(request, withCors)).catch(() => undefined);
      request.signal.throwIfAborted();
      if (response && response.status !== 401) return response;
    }
    return response ?? fetch(request);
  };

  addEventListener("fetch", (event) => {
    const fetchEvent = event as FetchEvent;
    const { request } = fetchEvent;
    if (isForMedia(request)) fetchEvent.respondWith(fetchMedia(request));
  });
}

/** Whether it is the URL of media below exactly this base. */
function isAt(homeserverUrl: string, url: string): boolean {
  const base = parseUrl(withoutTrailingSlashes(homeserverUrl));
  const { origin, pathname } = new URL(url);
  const end = MEDIA.exec(pathname);
  const isSame = base && withoutTrailingSlashes(base.pathname) === pathname.slice(0, end?.index);
  return origin === base?.origin && !!end && !!isSame;
}

/** Other requests without a destination preload a page or a script, or open a stream of events. */
const isFetch = ({ mode, headers }: Request): boolean =>
  mode === "cors" &&
  headers.get("Sec-Purpose") !== "prefetch" &&
  headers.get("Accept") !== "text/event-stream";

/** Requests that already have a token stay unchanged, and so does everything else. */
function isForMedia(request: Request): boolean {
  const { method, mode, destination, url, headers } = request;
  const { pathname } = new URL(url);
  return (
    (method === "GET" || method === "HEAD") &&
    MODES.includes(mode) &&
    (DESTINATIONS.includes(destination) || (destination === "" && isFetch(request))) &&
    MEDIA.test(pathname) &&
    !HIDDEN_PATH.test(pathname) &&
    !headers.has("Authorization")
  );
}
