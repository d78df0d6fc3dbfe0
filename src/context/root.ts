import { type Context, ContextEvent, ContextRoot } from "@lit/context";
import type { ReactiveControllerHost } from "lit";

const ROOT = Symbol.for("matrix-auth-elements/context-root");

/**
 * Lets elements request a context before its provider exists, because a dialog provides its session
 * only after its code is loaded. Several copies of the library share one root.
 */
export function attachContextRoot(): void {
  if (typeof document === "undefined" || ROOT in document) return;
  Object.assign(document, { [ROOT]: true });
  new ContextRoot().attach(document.documentElement);
}

/** The value of a context at a host's place in the page. */
export interface FollowedContext<Value> {
  readonly value: Value | undefined;
}

/**
 * Follows a context's value, even if its provider comes later. If the host moves to a place without
 * a provider, it doesn't keep the old value.
 */
export function followContext<Value>(
  host: ReactiveControllerHost & HTMLElement,
  context: Context<unknown, Value | undefined>,
): FollowedContext<Value> {
  attachContextRoot();
  const followed: { value: Value | undefined } = { value: undefined };
  let unsubscribe: (() => void) | undefined;
  const take = (value: Value | undefined, stop?: () => void): void => {
    // Another provider has taken over.
    if (stop !== unsubscribe) unsubscribe?.();
    unsubscribe = stop;
    followed.value = value;
    host.requestUpdate();
  };
  host.addController({
    hostConnected() {
      host.dispatchEvent(new ContextEvent(context, host, take, true));
    },
    hostDisconnected() {
      unsubscribe?.();
      unsubscribe = followed.value = undefined;
    },
  });
  return followed;
}
