// @ts-check
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { MatrixError, notFound } from "./errors.js";
import { escape, sendPage } from "./uia/page.js";

/**
 * Signing in by a provider that the homeserver itself is a client of.
 *
 * @typedef {object} SsoSettings
 * @property {import("../authorization-server.js").AuthorizationServer} provider
 *   its users are this homeserver's of the same name, and become so with their first login
 * @property {string} name of the provider, for users
 * @property {boolean} [confirm]
 *   whether a page asks before the user is sent back, as Synapse does for every address that is not in its
 *   `client_whitelist`; default: true
 * @property {number} [loginTokenMs] how long a login token lives; default: two minutes, as Synapse's
 */

/** As Synapse names a provider that is set up as `lantern`. */
const PROVIDER_ID = "oidc-lantern";
const CALLBACK = "/_demo/sso/callback";
const COOKIE = "lantern_sso";
const TWO_MINUTES = 120_000;

/** @typedef {{ redirectUrl: string, verifier: string }} Pending */

/**
 * The flow that `GET /login` lists.
 *
 * @param {SsoSettings} sso
 */
export const ssoFlow = ({ name }) => ({
  type: "m.login.sso",
  identity_providers: [{ id: PROVIDER_ID, name }],
});

/**
 * @see https://spec.matrix.org/v1.19/client-server-api/#sso-client-loginauthentication
 * @param {import("@koa/router").Router} router
 * @param {import("./index.js").Homeserver} homeserver
 * @param {SsoSettings} sso
 */
export function addSsoRoutes(router, homeserver, { provider, name, confirm = true, ...sso }) {
  const { accounts, baseUrl, loginTokens, serverName } = homeserver;
  const { loginTokenMs = TWO_MINUTES } = sso;
  const { host, port, pathname } = new URL(baseUrl);
  const callbackPath = `${pathname.replace(/\/$/, "")}${CALLBACK}`;
  // The provider takes any port of this host, which makes the address known before there is one.
  const redirectUri = `http://127.0.0.1:${port}${callbackPath}`;
  /** @type {Map<string, Pending>} by the `state` */
  const pending = new Map();
  /** @type {Promise<string> | undefined} */
  let clientId;

  const register = async () => {
    const { registration_endpoint: endpoint } = await provider.metadata();
    const { client_id: id } = await postJson(String(endpoint), {
      client_name: `The homeserver ${serverName}`,
      client_uri: `${baseUrl}/`,
      application_type: "native",
      token_endpoint_auth_method: "none",
      redirect_uris: [`http://127.0.0.1${callbackPath}`],
    });
    return String(id);
  };

  for (const path of ["redirect", "redirect/:idpId"]) {
    router.get(`/_matrix/client/v3/login/sso/${path}`, async (ctx) => {
      const { redirectUrl } = ctx.query;
      const { idpId = PROVIDER_ID } = ctx["params"];
      if (typeof redirectUrl !== "string") {
        const reason = "Missing string query parameter redirectUrl";
        throw new MatrixError(400, "M_MISSING_PARAM", reason);
      }
      if (idpId !== PROVIDER_ID) throw notFound("Unknown identity provider");
      const [state, verifier] = [randomUUID(), randomBytes(32).toString("base64url")];
      pending.set(state, { redirectUrl, verifier });
      ctx.cookies.set(COOKIE, state, { httpOnly: true, sameSite: "lax", path: callbackPath });
      const { authorization_endpoint: endpoint } = await provider.metadata();
      const url = new URL(String(endpoint));
      const wanted = {
        response_type: "code",
        client_id: await (clientId ??= register()),
        redirect_uri: redirectUri,
        scope: "openid",
        state,
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256",
      };
      url.search = new URLSearchParams(wanted).toString();
      ctx.redirect(url.href);
    });
  }

  router.get(CALLBACK, async (ctx) => {
    // The cookie is this host's. The page is left by itself: the provider's form may lead to no other host.
    if (ctx.host !== host) {
      ctx.type = "html";
      ctx.body = `<meta http-equiv="refresh" content="0; url=http://${host}${escape(ctx.url)}" />`;
      return;
    }
    const { state, code } = ctx.query;
    const found = pending.get(String(state));
    pending.delete(String(state));
    if (!found || ctx.cookies.get(COOKIE) !== state || typeof code !== "string") {
      const text = "Go back to the application, and start again.";
      ctx.status = 400;
      return sendPage(ctx, homeserver, { title: "Signing in has failed", text });
    }
    const localpart = await userOf(code, found.verifier);
    const target = new URL(found.redirectUrl);
    target.searchParams.append("loginToken", loginTokens.issue(localpart, loginTokenMs));
    if (!confirm) return ctx.redirect(target.href);
    sendPage(ctx, homeserver, {
      title: "Continue to your account",
      text: `${target.host} asks to sign in as @${localpart}:${serverName}.`,
      messages: `<p><a href="${escape(target.href)}">Continue</a></p>`,
    });
  });

  /** @type {(code: string, verifier: string) => Promise<string>} a localpart */
  const userOf = async (code, verifier) => {
    const { token_endpoint: endpoint } = await provider.metadata();
    const response = await fetch(String(endpoint), {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "authorization_code",
        client_id: (await clientId) ?? "",
        redirect_uri: redirectUri,
        code,
        code_verifier: verifier,
      }),
    });
    const { id_token: idToken = "" } = /** @type {Record<string, string>} */ (
      await response.json()
    );
    // It came from the provider itself, so its signature says nothing more.
    const claims = Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString() || "{}";
    const account = provider.accounts.find(JSON.parse(claims).sub);
    if (!account) throw new MatrixError(403, "M_FORBIDDEN", `${name} has not signed anyone in`);
    const { localpart, displayName } = account;
    if (!accounts.findByLocalpart(localpart)) {
      await accounts.create({ localpart, displayName, password: randomUUID() });
    }
    return localpart;
  };
}

/**
 * @param {string} url
 * @param {object} body
 * @returns {Promise<Record<string, unknown>>}
 */
async function postJson(url, body) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${await response.text()}`);
  return /** @type {Promise<Record<string, unknown>>} */ (response.json());
}
