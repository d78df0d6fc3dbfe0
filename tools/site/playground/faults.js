// The errors that a user can choose.

/** @typedef {import("../../../dist/testing/index.js").TestServers} TestServers */
/** @typedef {import("../../../dist/testing/index.js").TestServersOptions} Options */

const SIGN_IN = ["matrix-login", "oidc-login"];
const OAUTH = [...SIGN_IN, "oidc-callback"];
const CONFIRM = ["uia-dialog"];
const ACCOUNT = ["matrix-account"];
const ANY = [...OAUTH, ...CONFIRM, ...ACCOUNT];

/**
 * @typedef {object} Fault
 * @property {string} label
 * @property {readonly string[]} elements which can meet it
 * @property {string} [at] the requests that meet it; all of them unless said otherwise
 * @property {readonly [status: number, errcode: string]} [refuse] how the server rejects them
 * @property {Parameters<TestServers["override"]>[1]} [respond] what it responds instead
 * @property {(servers: TestServers, options: { times: number }) => void} [apply] what else becomes of them
 * @property {Partial<Options>} [options]
 * @property {"decline" | "forget" | "expire" | "mix-up"} [response] what becomes of the response at the callback
 * @property {true} [blocksPopups]
 */

/** @type {Readonly<Record<string, Fault>>} */
export const FAULTS = {
  unreachable: {
    label: "No network",
    elements: ANY,
    apply: (servers, options) => servers.disconnect("", options),
  },
  slow: {
    label: "Every response takes three seconds",
    elements: ANY,
    respond: () => new Promise((resolve) => setTimeout(() => resolve(undefined), 3000)),
  },
  silent: { label: "No response at all", elements: ANY, respond: () => new Promise(() => {}) },
  "rate-limited": {
    label: "Too many requests (429)",
    elements: ANY,
    apply: (servers, options) => servers.rateLimit("", { retryAfterMs: 20_000, ...options }),
  },
  "server-error": { label: "The server fails (500)", elements: ANY, refuse: [500, "M_UNKNOWN"] },
  "not-json": {
    label: "A page instead of JSON",
    elements: ANY,
    respond: () =>
      new Response("<!doctype html><title>Bad gateway</title>", {
        headers: { "Content-Type": "text/html" },
      }),
  },
  "well-known": {
    label: "A broken .well-known file",
    elements: SIGN_IN,
    at: "/.well-known/matrix/client",
    respond: () => Response.json({ "m.homeserver": { base_url: "nowhere" } }),
  },
  "no-oauth": {
    label: "No OAuth 2.0 there",
    elements: ["oidc-login"],
    options: { login: ["password"] },
  },
  metadata: {
    label: "Metadata without PKCE",
    elements: SIGN_IN,
    options: { metadata: { code_challenge_methods_supported: ["plain"] } },
  },
  "registration-missing": {
    label: "The provider registers no apps",
    elements: SIGN_IN,
    options: { metadata: { registration_endpoint: undefined } },
  },
  "registration-refused": {
    label: "The provider rejects this app",
    elements: SIGN_IN,
    at: "/provider/register",
    respond: () => Response.json({ error: "invalid_client_metadata" }, { status: 400 }),
  },
  "popup-blocked": {
    label: "The browser blocks popups",
    elements: [...SIGN_IN, ...CONFIRM, "uia-fallback-frame"],
    blocksPopups: true,
  },
  declined: { label: "The user declines", elements: ["oidc-callback"], response: "decline" },
  "flow-unknown": {
    label: "A response to a sign-in that was not started here",
    elements: ["oidc-callback"],
    response: "forget",
  },
  expired: {
    label: "A response to a sign-in that was started yesterday",
    elements: ["oidc-callback"],
    response: "expire",
  },
  "mix-up": {
    label: "A response from another provider",
    elements: ["oidc-callback"],
    response: "mix-up",
  },
  "code-rejected": {
    label: "The code is too old",
    elements: OAUTH,
    at: "/provider/token",
    respond: () => Response.json({ error: "invalid_grant" }, { status: 400 }),
  },
  "token-response": {
    label: "A response without tokens",
    elements: OAUTH,
    at: "/provider/token",
    respond: () => Response.json({}),
  },
  keys: {
    label: "The provider’s keys are out of reach",
    elements: OAUTH,
    apply: (servers, options) => servers.disconnect("/provider/keys", options),
  },
  signature: {
    label: "An ID token without a signature",
    elements: OAUTH,
    at: "/provider/keys",
    respond: () => Response.json({ keys: [] }),
  },
  deactivated: {
    label: "The account is deactivated",
    elements: ["matrix-login"],
    at: "POST /login",
    refuse: [403, "M_USER_DEACTIVATED"],
  },
  locked: {
    label: "The account is locked",
    elements: ["matrix-login"],
    at: "POST /login",
    refuse: [401, "M_USER_LOCKED"],
  },
  "user-in-use": {
    label: "The username is taken",
    elements: ["matrix-login"],
    at: "/register/available",
    refuse: [400, "M_USER_IN_USE"],
  },
  "address-in-use": {
    label: "The email address or phone number is taken",
    elements: ["matrix-login", ...CONFIRM, ...ACCOUNT],
    at: "/requestToken",
    refuse: [400, "M_THREEPID_IN_USE"],
  },
  forgotten: {
    label: "The homeserver has removed the session",
    elements: CONFIRM,
    apply(servers, { times }) {
      let left = times;
      const respond = ({ body = "" }) => {
        if (!body.includes('"session"') || left === 0) return undefined;
        left -= 1;
        return Response.json({ errcode: "M_UNKNOWN", error: "Unknown session" }, { status: 400 });
      };
      servers.override("", respond, { times: Infinity });
    },
  },
  "no-flow": {
    label: "No flow",
    elements: CONFIRM,
    options: { uia: { flows: [], registrationFlows: [] } },
  },
  exhausted: {
    label: "Every stage is completed, and the homeserver still requires one",
    elements: CONFIRM,
    respond() {
      const stages = ["m.login.password"];
      const body = { session: "exhausted", flows: [{ stages }], completed: stages, params: {} };
      return Response.json(body, { status: 401 });
    },
  },
  refused: { label: "The request is refused", elements: CONFIRM, refuse: [403, "M_FORBIDDEN"] },
  "signed-out": {
    label: "The session has ended",
    elements: [...CONFIRM, ...ACCOUNT],
    refuse: [401, "M_UNKNOWN_TOKEN"],
  },
  capabilities: {
    label: "The homeserver forbids changes",
    elements: ACCOUNT,
    options: {
      capabilities: {
        "m.change_password": { enabled: false },
        "m.3pid_changes": { enabled: false },
      },
    },
  },
  "no-account-page": {
    label: "The provider has no account page",
    elements: ACCOUNT,
    options: { login: ["oauth"], metadata: { account_management_uri: undefined } },
  },
};

/**
 * Lets a fault happen.
 *
 * @param {Fault} fault
 * @param {TestServers} servers
 * @param {number} times
 */
export function applyFault({ label, at = "", refuse, respond, apply }, servers, times) {
  if (refuse) servers.refuse(at, refuse[0], { errcode: refuse[1], error: label }, { times });
  if (respond) servers.override(at, respond, { times });
  apply?.(servers, { times });
}
