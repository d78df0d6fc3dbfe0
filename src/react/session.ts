"use client";
// The session without the elements. Its types are in types/react-session.d.ts.
import react from "react";
import type { MatrixSession, SessionOptions } from "../core/session/session.js";
import type { SessionStoreOption } from "../core/session/store.js";
import { SessionWatcher } from "../core/session/watcher.js";

export function useMatrixSession({ store: given = "localStorage", key }: SessionOptions = {}):
  MatrixSession | null | undefined {
  const store = useSameStore(given);
  const [found, setFound] = react.useState<Found>();
  react.useEffect(() => {
    const sessions = new SessionWatcher({ store, key });
    const closing = new AbortController();
    const { signal } = closing;
    const update = async (event?: Event): Promise<void> => {
      // `<matrix-login>` shows the error if the browser blocks the store.
      const session = await sessions.current().catch(() => undefined);
      if (signal.aborted) return;
      session?.addEventListener("session-changed", onChange, { signal });
      // The sign-in is complete once the user is known.
      const isComplete = event?.type !== "session-started" || session?.user.userId !== undefined;
      if (isComplete) setFound({ store, key, session: session ?? null });
    };
    const onChange = (event: Event): void => void update(event);
    sessions.addEventListener("session-started", onChange);
    sessions.addEventListener("session-ended", onChange);
    document.addEventListener("matrix-login-success", onChange, { signal });
    void update();
    return () => {
      closing.abort();
      sessions.close();
    };
  }, [store, key]);
  // After a change, the session of the previous account must not be shown.
  return found?.store === store && found.key === key ? found.session : undefined;
}

interface Found {
  readonly store: SessionStoreOption;
  readonly key: string | undefined;
  readonly session: MatrixSession | null;
}

let hasWarned = false;

/**
 * Keeps the custom store of the first render. If a component creates a new store in each render,
 * reading it would cause endless renders.
 */
function useSameStore(store: SessionStoreOption): SessionStoreOption {
  const [first, setFirst] = react.useState(store);
  if (store === first) return first;
  if (typeof store === "string" || typeof first === "string") {
    setFirst(store);
    return store;
  }
  if (!hasWarned) {
    hasWarned = true;
    console.warn(
      "matrix-auth-elements: useMatrixSession() got another store object. It keeps the first one. Create the store outside the component.",
    );
  }
  return first;
}
