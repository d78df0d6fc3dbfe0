import { ContextProvider } from "@lit/context";
import type { AuthClient } from "./auth-client.js";
import { authClientContext } from "./auth-client-context.js";

type AuthClientProvider = ContextProvider<typeof authClientContext, HTMLElement>;

const providers = new WeakMap<HTMLElement, AuthClientProvider>();

/**
 * Gives the elements inside `element` a client, for pages without Lit. Call it again with another
 * client to replace it, with undefined to withdraw it.
 *
 * @see https://github.com/webcomponents-cg/community-protocols/blob/main/proposals/context.md
 */
export function provideAuthClient(element: HTMLElement, client: AuthClient | undefined): void {
  let provider = providers.get(element);
  if (!provider) {
    provider = new ContextProvider(element, { context: authClientContext });
    // A plain element has no life cycle that would tell the provider.
    provider.hostConnected();
    providers.set(element, provider);
  }
  provider.setValue(client);
}
