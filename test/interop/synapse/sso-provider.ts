import { Provider } from "../../../demo/server/authorization-server/provider-library.js";
import { listenOnLoopback } from "../../../demo/server/loopback.js";
import { freePort } from "../servers/process.js";
import type { Loopback } from "./loopback.js";
import { startSynapse, type Synapse } from "./synapse.js";

/** How Synapse is known to the provider. */
const SSO_CLIENT = { client_id: "synapse", client_secret: "synapse-secret" } as const;

/**
 * A provider of single sign-on for Synapse: it takes any name, with any password, and asks for consent.
 *
 * @param redirectUri Synapse's own.
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
 * Starts a Synapse, and the provider whose client it is.
 *
 * @param settings Over those that every Synapse here has.
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
    // It is plain http.
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
