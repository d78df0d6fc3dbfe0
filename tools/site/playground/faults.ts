// The errors that a user can choose.
import type {
  Override,
  OverrideOptions,
  TestServers,
  TestServersOptions,
} from "../../../dist/testing/index.js";

export interface Fault {
  readonly label: string;
  /** The tags of the elements that can have this fault. */
  readonly elements: readonly string[];
  readonly options?: TestServersOptions;
  /** Changes the responses to the next requests. */
  readonly apply?: (servers: TestServers, options: OverrideOptions, label: string) => void;
  /** Changes the response at the callback. */
  readonly response?: "decline" | "forget" | "expire" | "mix-up";
  readonly blocksPopups?: true;
}

type Effect = Omit<Fault, "label" | "elements">;

/** Faults for these elements. */
const faults = (
  elements: readonly string[],
  effects: Readonly<Record<string, readonly [label: string, effect: Effect]>>,
): Readonly<Record<string, Fault>> =>
  Object.fromEntries(
    Object.entries(effects).map(([id, [label, effect]]) => [id, { label, elements, ...effect }]),
  );

/** Overrides the responses of an endpoint; `""` is every endpoint. */
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

const later = (milliseconds: number) =>
  new Promise<undefined>((resolve) => setTimeout(resolve, milliseconds));

const notJson = () =>
  new Response("<!doctype html><title>Bad gateway</title>", {
    headers: { "Content-Type": "text/html" },
  });

/** Rejects requests with a session. */
const forgetSessions: Effect = {
  apply(servers, { times = Infinity }) {
    let left = times;
    const respond: Override = ({ body = "" }) => {
      if (!body.includes('"session"') || left === 0) return undefined;
      left -= 1;
      return Response.json({ errcode: "M_UNKNOWN", error: "Unknown session" }, { status: 400 });
    };
    servers.override("", respond, { times: Infinity });
  },
};

const PASSWORD = ["m.login.password"];
const EXHAUSTED = { session: "x", flows: [{ stages: PASSWORD }], completed: PASSWORD, params: {} };
const FORBIDDEN = { enabled: false };

const SIGN_IN = ["matrix-login", "oidc-login"];
const OAUTH = [...SIGN_IN, "oidc-callback"];

export const FAULTS: Readonly<Record<string, Fault>> = {
  ...faults([...OAUTH, "uia-dialog", "matrix-account"], {
    unreachable: ["No network", disconnect("")],
    slow: ["Every response takes three seconds", respond("", () => later(3000))],
    silent: ["No response at all", respond("", () => new Promise(() => {}))],
    "rate-limited": [
      "Too many requests (429)",
      { apply: (servers, options) => servers.rateLimit("", { retryAfterMs: 20_000, ...options }) },
    ],
    "server-error": ["The server fails (500)", refuse("", 500, "M_UNKNOWN")],
    "not-json": ["A page instead of JSON", respond("", notJson)],
  }),
  ...faults(["oidc-login"], {
    "no-oauth": ["No OAuth 2.0 there", { options: { login: ["password"] } }],
  }),
  ...faults(SIGN_IN, {
    "well-known": [
      "A broken .well-known file",
      respondJson("/.well-known/matrix/client", 200, { "m.homeserver": { base_url: "nowhere" } }),
    ],
    metadata: [
      "Metadata without PKCE",
      { options: { metadata: { code_challenge_methods_supported: ["plain"] } } },
    ],
    "registration-missing": [
      "The provider registers no apps",
      { options: { metadata: { registration_endpoint: undefined } } },
    ],
    "registration-refused": [
      "The provider rejects this app",
      respondJson("/provider/register", 400, { error: "invalid_client_metadata" }),
    ],
  }),
  ...faults([...SIGN_IN, "uia-dialog", "uia-fallback-frame"], {
    "popup-blocked": ["The browser blocks popups", { blocksPopups: true }],
  }),
  ...faults(["oidc-callback"], {
    declined: ["The user declines", { response: "decline" }],
    "flow-unknown": ["A response to a sign-in that was not started here", { response: "forget" }],
    expired: ["A response to a sign-in that was started yesterday", { response: "expire" }],
    "mix-up": ["A response from another provider", { response: "mix-up" }],
  }),
  ...faults(OAUTH, {
    "code-rejected": [
      "The code is too old",
      respondJson("/provider/token", 400, { error: "invalid_grant" }),
    ],
    "token-response": ["A response without tokens", respondJson("/provider/token", 200, {})],
    keys: ["The provider’s keys are out of reach", disconnect("/provider/keys")],
    signature: [
      "An ID token without a signature",
      respondJson("/provider/keys", 200, { keys: [] }),
    ],
  }),
  ...faults(["matrix-login"], {
    deactivated: ["The account is deactivated", refuse("POST /login", 403, "M_USER_DEACTIVATED")],
    locked: ["The account is locked", refuse("POST /login", 401, "M_USER_LOCKED")],
    "user-in-use": ["The username is taken", refuse("/register/available", 400, "M_USER_IN_USE")],
  }),
  ...faults(["matrix-login", "uia-dialog", "matrix-account"], {
    "address-in-use": [
      "The email address or phone number is taken",
      refuse("/requestToken", 400, "M_THREEPID_IN_USE"),
    ],
  }),
  ...faults(["uia-dialog"], {
    forgotten: ["The homeserver has removed the session", forgetSessions],
    "no-flow": ["No flow", { options: { uia: { flows: [], registrationFlows: [] } } }],
    exhausted: [
      "Every stage is completed, and the homeserver still requires one",
      respondJson("", 401, EXHAUSTED),
    ],
    refused: ["The request is refused", refuse("", 403, "M_FORBIDDEN")],
  }),
  ...faults(["uia-dialog", "matrix-account"], {
    "signed-out": ["The session has ended", refuse("", 401, "M_UNKNOWN_TOKEN")],
  }),
  ...faults(["matrix-account"], {
    capabilities: [
      "The homeserver forbids changes",
      {
        options: {
          capabilities: { "m.change_password": FORBIDDEN, "m.3pid_changes": FORBIDDEN },
        },
      },
    ],
    "no-account-page": [
      "The provider has no account page",
      { options: { login: ["oauth"], metadata: { account_management_uri: undefined } } },
    ],
  }),
};
