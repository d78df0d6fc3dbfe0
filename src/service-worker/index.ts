// For an application's own service worker: `matrix-auth-elements/service-worker`, and as a classic script
// `dist/cdn/service-worker.global.js`.
import type { MatrixSession, SessionStore } from "../core/index.js";
import { listSessions, restoreSession } from "../core/session/restore.js";

export interface MediaOptions {
  /** Where the pages keep their sessions: `indexedDB`, or a store of their own that workers can read. */
  readonly store?: "indexedDB" | SessionStore | undefined;
}

/** What a service worker does with a request of one of its pages. */
interface FetchEvent extends Event {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

const MEDIA_PATH = "/_matrix/client/v1/media/";
/** Not `preview_url`: whoever can put a picture on the page could have the homeserver request any URL. */
const MEDIA = /\/_matrix\/client\/v1\/media\/(download|thumbnail)\//;

/**
 * Lets pages show a homeserver's authenticated media by `<img>`, `<video>` and their like, which send no token of
 * their own: this adds the access token of the session at that homeserver, and renews it where needed, together with
 * the pages. Every other request is left alone, also where nobody is signed in. To be called while the worker's
 * script runs for the first time.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#content-repository
 * @experimental
 */
export function authenticateMedia({ store = "indexedDB" }: MediaOptions = {}): void {
  const sessions = new MediaSessions(store);
  addEventListener("fetch", (event) => {
    const fetchEvent = event as FetchEvent;
    const { request } = fetchEvent;
    if (isForMedia(request)) fetchEvent.respondWith(sessions.fetch(request));
  });
}

/** Whether a request may be one for media. A page that is opened there is none, and a token of the page's own stays. */
function isForMedia({ method, mode, url, headers }: Request): boolean {
  const isPlain = (method === "GET" || method === "HEAD") && mode !== "navigate";
  return isPlain && MEDIA.test(new URL(url).pathname) && !headers.has("Authorization");
}

/** The sessions whose tokens are added, restored when they are needed first. */
class MediaSessions {
  readonly #store: NonNullable<MediaOptions["store"]>;
  readonly #sessions = new Set<MatrixSession>();
  #restoring: Promise<void> | undefined;

  constructor(store: NonNullable<MediaOptions["store"]>) {
    this.#store = store;
  }

  async fetch(request: Request): Promise<Response> {
    const session = await this.#find(request.url);
    if (!session) return fetch(request);
    // Without CORS a request takes no token. Range and all else stays as it is.
    const withCors = new Request(request, { mode: "cors", credentials: "omit" });
    try {
      return await session.fetch(withCors);
    } catch (error) {
      // There is no token now: the homeserver, or the browser's lack of a network, responds as without this.
      if (request.signal.aborted) throw error;
      return fetch(request);
    }
  }

  /** The session at the homeserver that has this URL. */
  async #find(url: string): Promise<MatrixSession | undefined> {
    const find = (): MatrixSession | undefined =>
      [...this.#sessions].find(({ homeserverUrl }) =>
        url.startsWith(homeserverUrl.replace(/\/$/, "") + MEDIA_PATH),
      );
    if (!find()) await (this.#restoring ??= this.#restore());
    return find();
  }

  /** Those that the pages have begun since the last time. */
  async #restore(): Promise<void> {
    try {
      const known = new Set([...this.#sessions].map(({ key }) => key));
      const stored = await listSessions({ store: this.#store });
      for (const { key, state } of stored) {
        if (state === "signed-in" && !known.has(key)) await this.#take(key);
      }
    } catch {
      // Without its store nobody is signed in.
    } finally {
      this.#restoring = undefined;
    }
  }

  async #take(key: string): Promise<void> {
    const session = await restoreSession({ store: this.#store, key });
    if (session?.state !== "signed-in") return session?.close();
    session.addEventListener("session-ended", () => this.#sessions.delete(session), { once: true });
    this.#sessions.add(session);
  }
}
