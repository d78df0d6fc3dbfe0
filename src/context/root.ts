import { type Context, ContextConsumer, ContextRoot } from "@lit/context";
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

/**
 * Follows a context's value, even if its provider comes later. If the host moves to a place without
 * a provider, it doesn't keep the old value.
 */
export function followContext<Value, Host extends ReactiveControllerHost & HTMLElement>(
  host: Host,
  context: Context<unknown, Value | undefined>,
): ContextConsumer<Context<unknown, Value | undefined>, Host> {
  attachContextRoot();
  const consumer = new ContextConsumer(host, { context, subscribe: true });
  host.addController({ hostDisconnected: () => (consumer.value = undefined) });
  return consumer;
}
