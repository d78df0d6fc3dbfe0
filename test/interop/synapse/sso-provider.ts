import { Provider } from "../../../demo/server/authorization-server/provider-library.js";
import { listenOnLoopback } from "../../../demo/server/loopback.js";
import type { Loopback } from "./loopback.js";
import { startSynapse, type Synapse } from "./synapse.js";
import { freePort } from "../../support/ports.mjs";

/** Synapse's client at the provider. */
const SSO_CLIENT = { client_id: "synapse", client_secret: "synapse-secret" } as const;

/**
 * A single sign-on provider for Synapse. It accepts any name and password, and asks for consent.
 *
 * @param redirectUri Synapse's redirect URI.
 */
async function startSsoProvider(redirectUri: string): Promise<Loopback> {
  const loopback = await listenOnLoopback(0);
  const provider = new Provider(loopback.origin, {
    clients: [{ ...SSO_CLIENT, redirect_uris: [redirectUri] }],
    cookies: { keys: ["a key for the tests"] },
  });
  loopback.serve(provider.callback());
  return loopback;
}

/**
 * Starts a Synapse and its single sign-on provider.
 *
 * @param settings Settings that override the common ones.
 */
export async function startSynapseWithSso(
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Synapse> {
  const port = await freePort();
  const callback = `http://localhost:${port}/_synapse/client/oidc/callback`;
  const provider = await startSsoProvider(callback);
  const oidcProvider = {
    idp_id: "lantern",
    idp_name: "Lantern",
    issuer: provider.origin,
    ...SSO_CLIENT,
    scopes: ["openid"],
    // The provider uses HTTP.
    skip_verification: true,
    user_mapping_provider: { config: { localpart_template: "{{ user.sub }}" } },
  };
  const all = { ...settings, oidc_providers: [oidcProvider] };
  const started = await startSynapse({ port, settings: all });
  return {
    ...started,
    close: async () => void (await Promise.all([started.close(), provider.close()])),
  };
}
