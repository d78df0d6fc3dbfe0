// @ts-check
import { randomUUID } from "node:crypto";
import * as oauth from "oauth4webapi";
import { escape, pageResponse } from "./page.js";

/** @import { TestRequest, TestServers } from "matrix-auth-elements/testing" */

/**
 * Single sign-on with a provider whose client is the homeserver.
 *
 * @typedef {object} SsoSettings
 * @property {import("../authorization-server.js").AuthorizationServer} provider
 *   its users become this homeserver's users of the same name when they first sign in
 * @property {string} name of the provider, for users
 */

/** Synapse uses this ID for a provider with the setting `lantern`. */
export const IDENTITY_PROVIDER_ID = "oidc-lantern";
const CALLBACK = "/_demo/sso/callback";
const COOKIE = "lantern_sso";
const HTTP = { [oauth.allowInsecureRequests]: true };

/** @typedef {{ ssoUrl: string, verifier: string }} Pending */

/**
 * Redirects single sign-on to the provider, and handles the provider's response.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#sso-client-loginauthentication
 * @param {TestServers} servers
 * @param {SsoSettings} sso
 * @returns {(request: Request) => Promise<Response | undefined>} undefined for any other request
 */
export function createSingleSignOn(servers, { provider }) {
  const { homeserver, serverName } = servers;
  const { host, port, pathname } = new URL(homeserver);
  const callbackPath = pathname.replace(/\/$/, "") + CALLBACK;
  // The provider accepts any port of this host, so the URL can be registered before the port is known.
  const redirectUri = `http://127.0.0.1:${port}${callbackPath}`;
  /** @type {Map<string, Pending>} by the `state` */
  const pending = new Map();
  /** @type {Promise<oauth.Client> | undefined} */
  let registered;

  const metadata = async () =>
    /** @type {oauth.AuthorizationServer} */ (/** @type {unknown} */ (await provider.metadata()));
  const register = async () =>
    oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(
        await metadata(),
        {
          client_name: `The homeserver ${serverName}`,
          client_uri: `${homeserver}/`,
          application_type: "native",
          token_endpoint_auth_method: "none",
          redirect_uris: [`http://127.0.0.1${callbackPath}`],
        },
        HTTP,
      ),
    );

  /** @param {TestRequest} request */
  const leadToProvider = async ({ url: ssoUrl }) => {
    // The homeserver reports errors in the request.
    if (!new URL(ssoUrl).searchParams.has("redirectUrl")) return undefined;
    const [state, verifier] = [randomUUID(), oauth.generateRandomCodeVerifier()];
    pending.set(state, { ssoUrl, verifier });
    const { authorization_endpoint: endpoint = "" } = await metadata();
    const { client_id } = await (registered ??= register());
    const url = new URL(endpoint);
    url.search = new URLSearchParams({
      response_type: "code",
      client_id,
      redirect_uri: redirectUri,
      scope: "openid",
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    }).toString();
    const cookie = `${COOKIE}=${state}; HttpOnly; SameSite=Lax; Path=${callbackPath}`;
    return new Response(null, {
      status: 302,
      headers: { Location: url.href, "Set-Cookie": cookie },
    });
  };
  for (const end of ["/login/sso/redirect", `/login/sso/redirect/${IDENTITY_PROVIDER_ID}`]) {
    servers.override(end, leadToProvider, { times: Infinity });
  }

  /** @type {(response: URL, state: string, verifier: string) => Promise<string>} a localpart */
  const userOf = async (response, state, verifier) => {
    const server = await metadata();
    const client = await (registered ??= register());
    const tokens = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      oauth.validateAuthResponse(server, client, response, state),
      redirectUri,
      verifier,
      HTTP,
    );
    const result = await oauth.processAuthorizationCodeResponse(server, client, tokens, {
      requireIdToken: true,
    });
    const account = provider.accounts.find(oauth.getValidatedIdTokenClaims(result)?.sub ?? "");
    if (!account) throw new Error("The provider has signed in no user");
    servers.addAccount(account.localpart, { displayName: account.displayName });
    return account.localpart;
  };

  return async (request) => {
    const url = new URL(request.url);
    if (url.pathname !== callbackPath) return undefined;
    // The cookie is for this host. The page navigates itself, because the provider's form must not redirect
    // to another host.
    if (request.headers.get("Host") !== host) {
      return new Response(`<meta http-equiv="refresh" content="0; url=${escape(url.href)}" />`, {
        headers: { "Content-Type": "text/html" },
      });
    }
    const state = url.searchParams.get("state") ?? "";
    const found = pending.get(state);
    pending.delete(state);
    const isOurs = request.headers.get("Cookie")?.split("; ").includes(`${COOKIE}=${state}`);
    const user =
      found && isOurs && (await userOf(url, state, found.verifier).catch(() => undefined));
    if (!found || !user) {
      const text = "Go back to the app, and start again.";
      return pageResponse({ title: "Signing in has failed", text, status: 400 });
    }
    const target = new URL(servers.approve(found.ssoUrl, { user }));
    // Synapse requests confirmation for every URL that is not in its `client_whitelist`.
    return pageResponse({
      title: "Continue to your account",
      text: `${target.host} wants to sign in as @${user}:${serverName}.`,
      markup: `<p><a href="${escape(target.href)}">Continue</a></p>`,
    });
  };
}
