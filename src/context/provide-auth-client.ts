import { ContextProvider } from "@lit/context";
import type { AuthClient } from "./auth-client.js";
import { authClientContext } from "./auth-client-context.js";

type AuthClientProvider = ContextProvider<typeof authClientContext, HTMLElement>;

const providers = new WeakMap<HTMLElement, AuthClientProvider>();

/**
 * Provides a client to the elements inside `element`, for pages without Lit. Call it again with another
 * client to replace it, or with undefined to withdraw it.
 *
 * @see https://github.com/webcomponents-cg/community-protocols/blob/main/proposals/context.md
 */
export function provideAuthClient(element: HTMLElement, client: AuthClient | undefined): void {
  let provider = providers.get(element);
  if (!provider) {
    provider = new ContextProvider(element, { context: authClientContext });
    // A plain element has no lifecycle callbacks that would call this.
    provider.hostConnected();
    providers.set(element, provider);
  }
  provider.setValue(client);
}
