// What can go wrong.

/** @typedef {import("../../../dist/testing/index.js").TestServers} TestServers */
/** @typedef {import("../../../dist/testing/index.js").TestServersOptions} Options */

const SIGN_IN = ["matrix-login", "oidc-login"];
const OAUTH = [...SIGN_IN, "oidc-callback"];
const CONFIRM = ["uia-dialog"];

/**
 * @typedef {object} Fault
 * @property {string} id
 * @property {string} label
 * @property {readonly string[]} elements which can meet it
 * @property {Partial<Options>} [options]
 * @property {(servers: TestServers, times: number) => void} [apply]
 * @property {"decline" | "forget" | "expire" | "mix-up"} [response] what becomes of the response at the callback
 * @property {true} [blocksPopups]
 */

const HTML = () =>
  new Response("<!doctype html><title>Bad gateway</title>", {
    headers: { "Content-Type": "text/html" },
  });

/** @param {string} errcode @param {string} error */
const matrix = (errcode, error) => ({ errcode, error });

/** @type {readonly Fault[]} */
export const FAULTS = [
  {
    id: "unreachable",
    label: "No network",
    elements: [...OAUTH, ...CONFIRM],
    apply: (servers, times) => servers.disconnect("", { times }),
  },
  {
    id: "slow",
    label: "Every response takes three seconds",
    elements: [...OAUTH, ...CONFIRM],
    apply: (servers, times) =>
      servers.override(
        "",
        () => new Promise((resolve) => setTimeout(() => resolve(undefined), 3000)),
        { times },
      ),
  },
  {
    id: "silent",
    label: "No response at all",
    elements: [...OAUTH, ...CONFIRM],
    apply: (servers, times) => servers.override("", () => new Promise(() => {}), { times }),
  },
  {
    id: "rate-limited",
    label: "Too many requests (429)",
    elements: [...OAUTH, ...CONFIRM],
    apply: (servers, times) => servers.rateLimit("", { retryAfterMs: 20_000, times }),
  },
  {
    id: "server-error",
    label: "The server fails (500)",
    elements: [...OAUTH, ...CONFIRM],
    apply: (servers, times) =>
      servers.refuse("", 500, matrix("M_UNKNOWN", "Internal server error"), { times }),
  },
  {
    id: "not-json",
    label: "A page instead of JSON",
    elements: [...OAUTH, ...CONFIRM],
    apply: (servers, times) => servers.override("", HTML, { times }),
  },
  {
    id: "well-known",
    label: "A broken .well-known file",
    elements: SIGN_IN,
    apply: (servers, times) =>
      servers.override(
        "/.well-known/matrix/client",
        () => Response.json({ "m.homeserver": { base_url: "nowhere" } }),
        { times },
      ),
  },
  {
    id: "no-oauth",
    label: "No OAuth 2.0 there",
    elements: ["oidc-login"],
    options: { login: ["password"] },
  },
  {
    id: "metadata",
    label: "Metadata without PKCE",
    elements: SIGN_IN,
    options: { metadata: { code_challenge_methods_supported: ["plain"] } },
  },
  {
    id: "registration-missing",
    label: "The provider registers no applications",
    elements: SIGN_IN,
    options: { metadata: { registration_endpoint: undefined } },
  },
  {
    id: "registration-refused",
    label: "The provider refuses this application",
    elements: SIGN_IN,
    apply: (servers, times) =>
      servers.refuse(
        "/provider/register",
        400,
        { error: "invalid_client_metadata", error_description: "client_uri is not allowed" },
        { times },
      ),
  },
  {
    id: "popup-blocked",
    label: "The browser blocks popups",
    elements: [...SIGN_IN, ...CONFIRM, "uia-fallback-frame"],
    blocksPopups: true,
  },
  {
    id: "declined",
    label: "The user declines",
    elements: ["oidc-callback"],
    response: "decline",
  },
  {
    id: "flow-unknown",
    label: "A response to a sign-in that was not begun here",
    elements: ["oidc-callback"],
    response: "forget",
  },
  {
    id: "expired",
    label: "A response to a sign-in that was begun yesterday",
    elements: ["oidc-callback"],
    response: "expire",
  },
  {
    id: "mix-up",
    label: "A response from another provider",
    elements: ["oidc-callback"],
    response: "mix-up",
  },
  {
    id: "code-rejected",
    label: "The code is too old",
    elements: OAUTH,
    apply: (servers, times) =>
      servers.refuse("/provider/token", 400, { error: "invalid_grant" }, { times }),
  },
  {
    id: "token-response",
    label: "A response without tokens",
    elements: OAUTH,
    apply: (servers, times) =>
      servers.override("/provider/token", () => Response.json({}), { times }),
  },
  {
    id: "keys",
    label: "The provider’s keys are out of reach",
    elements: OAUTH,
    apply: (servers, times) => servers.disconnect("/provider/keys", { times }),
  },
  {
    id: "signature",
    label: "An ID token that nobody has signed",
    elements: OAUTH,
    apply: (servers, times) =>
      servers.override("/provider/keys", () => Response.json({ keys: [] }), { times }),
  },
  {
    id: "deactivated",
    label: "The account is deactivated",
    elements: ["matrix-login"],
    apply: (servers, times) =>
      servers.refuse("POST /login", 403, matrix("M_USER_DEACTIVATED", "Deactivated"), { times }),
  },
  {
    id: "locked",
    label: "The account is locked",
    elements: ["matrix-login"],
    apply: (servers, times) =>
      servers.refuse("POST /login", 401, matrix("M_USER_LOCKED", "Locked"), { times }),
  },
  {
    id: "user-in-use",
    label: "The username is taken",
    elements: ["matrix-login"],
    apply: (servers, times) =>
      servers.refuse("/register/available", 400, matrix("M_USER_IN_USE", "Taken"), { times }),
  },
  {
    id: "address-in-use",
    label: "The email address or phone number is taken",
    elements: ["matrix-login", ...CONFIRM],
    apply: (servers, times) =>
      servers.refuse("/requestToken", 400, matrix("M_THREEPID_IN_USE", "Taken"), { times }),
  },
  {
    id: "forgotten",
    label: "The homeserver has forgotten the session",
    elements: CONFIRM,
    apply: (servers, times) => {
      let left = times;
      servers.override(
        "",
        ({ body }) => {
          if (!body.includes('"session"') || left === 0) return undefined;
          left -= 1;
          return Response.json(matrix("M_UNKNOWN", "Unknown session ID"), { status: 400 });
        },
        { times: Infinity },
      );
    },
  },
  {
    id: "no-flow",
    label: "No flow",
    elements: CONFIRM,
    options: { uia: { flows: [], registrationFlows: [] } },
  },
  {
    id: "exhausted",
    label: "Every stage is completed, and the homeserver still asks",
    elements: CONFIRM,
    apply: (servers, times) =>
      servers.override(
        "",
        () =>
          Response.json(
            {
              session: "exhausted",
              flows: [{ stages: ["m.login.password"] }],
              completed: ["m.login.password"],
              params: {},
            },
            { status: 401 },
          ),
        { times },
      ),
  },
  {
    id: "refused",
    label: "The request is refused",
    elements: CONFIRM,
    apply: (servers, times) =>
      servers.refuse("", 403, matrix("M_FORBIDDEN", "You may not do this"), { times }),
  },
  {
    id: "signed-out",
    label: "The session has ended",
    elements: CONFIRM,
    apply: (servers, times) =>
      servers.refuse("", 401, matrix("M_UNKNOWN_TOKEN", "Token is not active"), { times }),
  },
];

/** @param {string} id */
export const faultOf = (id) => FAULTS.find((fault) => fault.id === id);
