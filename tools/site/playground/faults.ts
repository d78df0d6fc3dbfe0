// The errors that a user can choose.
import type {
  Override,
  OverrideOptions,
  TestServers,
  TestServersOptions,
} from "../../../dist/testing/index.js";

interface Effect {
  /** What becomes of the next requests. */
  readonly apply?: (servers: TestServers, options: OverrideOptions, label: string) => void;
  readonly options?: TestServersOptions;
  /** What becomes of the response at the callback. */
  readonly response?: "decline" | "forget" | "expire" | "mix-up";
  readonly blocksPopups?: true;
}

export interface Fault extends Effect {
  readonly label: string;
  /** Those that can meet it. */
  readonly elements: readonly string[];
}

const fault = (label: string, elements: readonly string[], effect: Effect): Fault => ({
  label,
  elements,
  ...effect,
});

/** Requests for the endpoint meet the response; `""` is every endpoint. */
const respond = (endpoint: string, response: Override): Effect => ({
  apply: (servers, options) => servers.override(endpoint, response, options),
});

const respondJson = (endpoint: string, status: number, body: unknown): Effect =>
  respond(endpoint, () => Response.json(body, { status }));

const refuse = (endpoint: string, status: number, errcode: string): Effect => ({
  apply: (servers, options, error) => servers.refuse(endpoint, status, { errcode, error }, options),
});

const disconnect = (endpoint: string): Effect => ({
  apply: (servers, options) => servers.disconnect(endpoint, options),
});

const SIGN_IN = ["matrix-login", "oidc-login"];
const CALLBACK = ["oidc-callback"];
const OAUTH = [...SIGN_IN, ...CALLBACK];
const LEGACY = ["matrix-login"];
const CONFIRM = ["uia-dialog"];
const ACCOUNT = ["matrix-account"];
const ANY = [...OAUTH, ...CONFIRM, ...ACCOUNT];

export const FAULTS: Readonly<Record<string, Fault>> = {
  unreachable: fault("No network", ANY, disconnect("")),
  slow: fault(
    "Every response takes three seconds",
    ANY,
    respond("", () => new Promise((resolve) => setTimeout(resolve, 3000))),
  ),
  silent: fault(
    "No response at all",
    ANY,
    respond("", () => new Promise(() => {})),
  ),
  "rate-limited": fault("Too many requests (429)", ANY, {
    apply: (servers, options) => servers.rateLimit("", { retryAfterMs: 20_000, ...options }),
  }),
  "server-error": fault("The server fails (500)", ANY, refuse("", 500, "M_UNKNOWN")),
  "not-json": fault(
    "A page instead of JSON",
    ANY,
    respond("", () => {
      const headers = { "Content-Type": "text/html" };
      return new Response("<!doctype html><title>Bad gateway</title>", { headers });
    }),
  ),
  "well-known": fault(
    "A broken .well-known file",
    SIGN_IN,
    respondJson("/.well-known/matrix/client", 200, { "m.homeserver": { base_url: "nowhere" } }),
  ),
  "no-oauth": fault("No OAuth 2.0 there", ["oidc-login"], { options: { login: ["password"] } }),
  metadata: fault("Metadata without PKCE", SIGN_IN, {
    options: { metadata: { code_challenge_methods_supported: ["plain"] } },
  }),
  "registration-missing": fault("The provider registers no apps", SIGN_IN, {
    options: { metadata: { registration_endpoint: undefined } },
  }),
  "registration-refused": fault(
    "The provider rejects this app",
    SIGN_IN,
    respondJson("/provider/register", 400, { error: "invalid_client_metadata" }),
  ),
  "popup-blocked": fault(
    "The browser blocks popups",
    [...SIGN_IN, ...CONFIRM, "uia-fallback-frame"],
    { blocksPopups: true },
  ),
  declined: fault("The user declines", CALLBACK, { response: "decline" }),
  "flow-unknown": fault("A response to a sign-in that was not started here", CALLBACK, {
    response: "forget",
  }),
  expired: fault("A response to a sign-in that was started yesterday", CALLBACK, {
    response: "expire",
  }),
  "mix-up": fault("A response from another provider", CALLBACK, { response: "mix-up" }),
  "code-rejected": fault(
    "The code is too old",
    OAUTH,
    respondJson("/provider/token", 400, { error: "invalid_grant" }),
  ),
  "token-response": fault(
    "A response without tokens",
    OAUTH,
    respondJson("/provider/token", 200, {}),
  ),
  keys: fault("The provider’s keys are out of reach", OAUTH, disconnect("/provider/keys")),
  signature: fault(
    "An ID token without a signature",
    OAUTH,
    respondJson("/provider/keys", 200, { keys: [] }),
  ),
  deactivated: fault(
    "The account is deactivated",
    LEGACY,
    refuse("POST /login", 403, "M_USER_DEACTIVATED"),
  ),
  locked: fault("The account is locked", LEGACY, refuse("POST /login", 401, "M_USER_LOCKED")),
  "user-in-use": fault(
    "The username is taken",
    LEGACY,
    refuse("/register/available", 400, "M_USER_IN_USE"),
  ),
  "address-in-use": fault(
    "The email address or phone number is taken",
    [...LEGACY, ...CONFIRM, ...ACCOUNT],
    refuse("/requestToken", 400, "M_THREEPID_IN_USE"),
  ),
  forgotten: fault("The homeserver has removed the session", CONFIRM, {
    apply(servers, { times = Infinity }) {
      let left = times;
      const respond: Override = ({ body = "" }) => {
        if (!body.includes('"session"') || left === 0) return undefined;
        left -= 1;
        return Response.json({ errcode: "M_UNKNOWN", error: "Unknown session" }, { status: 400 });
      };
      servers.override("", respond, { times: Infinity });
    },
  }),
  "no-flow": fault("No flow", CONFIRM, { options: { uia: { flows: [], registrationFlows: [] } } }),
  exhausted: fault(
    "Every stage is completed, and the homeserver still requires one",
    CONFIRM,
    respondJson("", 401, {
      session: "exhausted",
      flows: [{ stages: ["m.login.password"] }],
      completed: ["m.login.password"],
      params: {},
    }),
  ),
  refused: fault("The request is refused", CONFIRM, refuse("", 403, "M_FORBIDDEN")),
  "signed-out": fault(
    "The session has ended",
    [...CONFIRM, ...ACCOUNT],
    refuse("", 401, "M_UNKNOWN_TOKEN"),
  ),
  capabilities: fault("The homeserver forbids changes", ACCOUNT, {
    options: {
      capabilities: {
        "m.change_password": { enabled: false },
        "m.3pid_changes": { enabled: false },
      },
    },
  }),
  "no-account-page": fault("The provider has no account page", ACCOUNT, {
    options: { login: ["oauth"], metadata: { account_management_uri: undefined } },
  }),
};
