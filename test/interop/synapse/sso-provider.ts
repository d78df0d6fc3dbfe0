import { Provider } from "../../../demo/server/authorization-server/provider-library.js";
import { listenOnLoopback } from "../../../demo/server/loopback.js";
import type { Loopback } from "./loopback.js";

/** How Synapse is known to the provider. */
export const SSO_CLIENT = { client_id: "synapse", client_secret: "synapse-secret" } as const;

/**
 * A provider of single sign-on for Synapse: it takes any name, with any password, and asks for consent.
 *
 * @param redirectUri Synapse's own.
 */
export async function startSsoProvider(redirectUri: string): Promise<Loopback> {
  const loopback = await listenOnLoopback(0);
  const provider = new Provider(loopback.origin, {
    clients: [{ ...SSO_CLIENT, redirect_uris: [redirectUri] }],
    cookies: { keys: ["a key for the tests"] },
  });
  loopback.serve(provider.callback());
  return loopback;
}
