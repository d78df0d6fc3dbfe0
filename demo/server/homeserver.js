// @ts-check
import { randomBytes } from "node:crypto";
import { createRequestListener } from "@remix-run/node-fetch-server";
import { createTestServers } from "matrix-auth-elements/testing";
import { DEMO_ACCOUNTS } from "./accounts.js";
import { createOutbox } from "./homeserver/outbox.js";
import { IDENTITY_PROVIDER_ID, createSingleSignOn } from "./homeserver/single-sign-on.js";
import { listenOnLoopback } from "./loopback.js";

/** @import { AuthorizationServer } from "./authorization-server.js" */
/** @import { Discovery, TestMessage, TestServers, TokenLifetimes, UiaSettings } from "matrix-auth-elements/testing" */

/**
 * @typedef {object} HomeserverOptions
 * @property {number} [port] 0 takes a free one
 * @property {AuthorizationServer | null} [authorizationServer] null: the homeserver manages the accounts
 * @property {Discovery | "none"} [discovery]
 *   default: `stable` with an authorization server; `none` is a homeserver without one
 * @property {string} [basePath] such as `/matrix`: the path of everything except the well-known file
 * @property {string} [serverName] default: the authorization server's, else `localhost:PORT`
 * @property {readonly import("./accounts.js").NewAccount[]} [accounts]
 *   the initial accounts; default: the authorization server's, else the demo's
 * @property {Partial<UiaSettings>} [uia]
 * @property {import("./homeserver/single-sign-on.js").SsoSettings} [sso]
 *   with an authorization server: the legacy API remains for clients without OAuth 2.0
 * @property {string} [mediaRedirect] a URL of another server that has all media
 * @property {import("./loopback.js").LoggedRequest[]} [requestLog]
 * @property {import("./faults.js").Faults} [faults]
 */

/**
 * @typedef {object} RunningHomeserver
 * @property {string} baseUrl
 * @property {string} serverName
 * @property {TestServers} servers the servers behind it
 * @property {UiaSettings} uia may be changed while it runs
 * @property {TokenLifetimes} tokenLifetimes may be changed while it runs
 * @property {readonly TestMessage[]} outbox the messages that it has sent
 * @property {() => Promise<void>} close
 */

const [TOKEN, CAPTCHA, TERMS] = [
  "m.login.registration_token",
  "m.login.recaptcha",
  "m.login.terms",
];

/** @type {Partial<UiaSettings>} */
const UIA = {
  registrationFlows: [
    [TOKEN, CAPTCHA, TERMS, "m.login.dummy"],
    [TOKEN, CAPTCHA, TERMS, "m.login.email.identity", "m.login.dummy"],
  ],
  registrationTokens: ["lantern"],
  // This demo has no service that can verify a captcha.
  captchaResponse: "",
};

/**
 * Serves the homeserver of matrix-auth-elements/testing over HTTP.
 *
 * @param {HomeserverOptions} [options]
 * @returns {Promise<RunningHomeserver>}
 */
export async function startHomeserver(options = {}) {
  const { port = 0, basePath = "", sso, faults, requestLog, mediaRedirect } = options;
  const delegated = options.authorizationServer ?? null;
  const discovery = options.discovery ?? (delegated ? "stable" : "none");
  if (!delegated && discovery !== "none") {
    throw new TypeError(`Discovery "${discovery}" needs an authorization server`);
  }
  const provider = discovery === "none" ? null : delegated;

  const loopback = await listenOnLoopback(port, {
    server: "homeserver",
    ...(faults && { faults }),
    ...(requestLog && { requestLog }),
  });
  const serverName = options.serverName ?? provider?.serverName ?? `localhost:${loopback.port}`;

  const servers = await createTestServers({
    homeserver: loopback.origin + basePath,
    serverName,
    login: [
      ...(provider ? /** @type {const} */ (["oauth"]) : []),
      ...(sso ? /** @type {const} */ (["sso"]) : []),
      ...(sso || !provider ? /** @type {const} */ (["password"]) : []),
    ],
    ...(provider && { provider, discovery: /** @type {Discovery} */ (discovery) }),
    accounts: accountsOf(options.accounts ?? provider?.accounts.list() ?? DEMO_ACCOUNTS),
    ...(sso && { identityProviders: [{ id: IDENTITY_PROVIDER_ID, name: sso.name }] }),
    uia: {
      ...UIA,
      ...(provider && { flows: [["m.oauth"], ["org.matrix.cross_signing_reset"]] }),
      ...options.uia,
    },
    mediaRedirect,
    // Browsers keep the tokens of a stopped homeserver, which the next one must not accept.
    tokenPrefix: `lantern_${randomBytes(18).toString("base64url")}_`,
  });
  provider?.connect({
    serverName,
    deleteDevice: ({ localpart, deviceId }) => servers.signOut(localpart, deviceId),
    deactivateUser: (localpart) =>
      Object.assign(servers.account(localpart) ?? {}, { deactivated: true }),
  });

  const routes = [...(sso ? [createSingleSignOn(servers, sso)] : []), createOutbox(servers)];
  loopback.serve(
    createRequestListener(
      async (/** @type {Request} */ request) => {
        for (const respond of routes) {
          const response = await respond(request);
          if (response) return response;
        }
        return servers.respond(request);
      },
      // Requests to 127.0.0.1 get this host too.
      { host: new URL(loopback.origin).host },
    ),
  );
  const { homeserver: baseUrl, uia, tokenLifetimes } = servers;
  return {
    ...{ baseUrl, serverName, servers, uia, tokenLifetimes, close: loopback.close },
    get outbox() {
      return servers.messages;
    },
  };
}

/** @param {readonly Partial<import("./accounts.js").NewAccount>[]} accounts */
const accountsOf = (accounts) =>
  Object.fromEntries(
    accounts.map(({ localpart, displayName, password }) => [localpart, { displayName, password }]),
  );
