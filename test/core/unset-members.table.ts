// What servers send, read by the functions that read it.
import { SignJWT } from "jose";
import {
  HomeserverClient,
  InteractiveAuth,
  MatrixError,
  completeAuthorizationCodeGrant,
  discoverAndValidateOIDCIssuerWellKnown,
  discoverHomeserver,
  loginWithPassword,
  registerOidcClient,
  startDeviceAuthorization,
  validateAuthMetadata,
  waitForDeviceAuthorization,
  type IdTokenClaims,
} from "matrix-auth-elements/core";
import { ScriptedProvider } from "../support/scripted-provider.ts";
import { HOMESERVER, logIn } from "./login.ts";

type Members = Readonly<Record<string, unknown>>;

/** Reads a document that has some more members. */
type Read = (more: Members) => unknown;

const metadata = (await ScriptedProvider.create()).metadata;
const server = (body: unknown): { fetch: typeof globalThis.fetch } => ({ fetch: async () => Response.json(body) });
const client = (body: unknown): HomeserverClient => new HomeserverClient({ baseUrl: HOMESERVER, ...server(body) });

async function claimsOf(provider: ScriptedProvider): Promise<IdTokenClaims> {
  sessionStorage.clear();
  const { code, state } = await logIn(provider);
  const result = await completeAuthorizationCodeGrant(code, state, provider.server);
  if (!result.idTokenClaims) throw new Error("no claims");
  return result.idTokenClaims;
}

const PASSWORD_FLOW = { stages: ["m.login.password"] };

/** The values that a page can read in its first stage, after a 401 with this body. */
async function firstStage(body: Members): Promise<readonly unknown[]> {
  const refusal = new MatrixError({ status: 401, body, headers: new Headers() });
  const seen: unknown[] = [];
  const auth: InteractiveAuth<never> = new InteractiveAuth<never>({
    matrixClient: {},
    requestEmailToken: () => Promise.reject(new Error()),
    doRequest: () => Promise.reject(refusal),
    stateUpdated(stage, status) {
      seen.push(stage, status, auth.getSessionId());
      seen.push(auth.getStageParams(stage), auth.getChosenFlow());
      auth.cancel();
    },
  });
  await auth.attemptAuth().catch(() => undefined);
  return seen;
}

export const DOCUMENTS: readonly (readonly [title: string, read: Read, members: readonly string[]])[] = [
  [
    "a well-known file",
    (more) => discoverHomeserver("hs.example", server({ "m.homeserver": { base_url: HOMESERVER }, ...more })),
    ["m.identity_server", "m.authentication", "org.matrix.msc2965.authentication"],
  ],
  [
    "the issuer in a well-known file",
    (more) => discoverHomeserver("hs.example", server({ "m.homeserver": { base_url: HOMESERVER }, "m.authentication": more })),
    ["issuer", "account"],
  ],
  [
    "an issuer's metadata",
    (more) => validateAuthMetadata({ ...metadata, jwks_uri: undefined, ...more }),
    ["jwks_uri", "account_management_uri", "prompt_values_supported", "userinfo_endpoint"],
  ],
  [
    "a key set",
    async (more) => {
      const provider = await ScriptedProvider.create();
      const { kty = "RSA", n, e } = provider.publishedKeys[0] ?? {};
      provider.publishedKeys = [{ kty, ...(n && { n }), ...(e && { e }), ...more }];
      const issuer = String(provider.metadata["issuer"]);
      return (await discoverAndValidateOIDCIssuerWellKnown(issuer, provider.server)).signingKeys;
    },
    ["kid", "alg", "use", "key_ops"],
  ],
  [
    "a client's registration",
    (more) =>
      registerOidcClient(
        validateAuthMetadata(metadata),
        { clientUri: "https://app.example", redirectUris: ["https://app.example/callback"] },
        server({ client_id: "client", ...more }),
      ),
    ["client_secret", "client_id_issued_at"],
  ],
  [
    "a token response",
    async (more) => {
      sessionStorage.clear();
      const provider = await ScriptedProvider.create();
      provider.metadata["grant_types_supported"] = ["authorization_code"];
      const unset = { refresh_token: undefined, scope: undefined, expires_in: undefined };
      provider.tokens = { ...unset, ...more };
      const { code, state } = await logIn(provider);
      const { fetch } = provider.server;
      const result = await completeAuthorizationCodeGrant(code, state, { fetch });
      const { id_token: _, ...tokens } = result.tokenResponse;
      return tokens;
    },
    ["refresh_token", "scope", "expires_in"],
  ],
  [
    "an ID token",
    async (more) => {
      const provider = await ScriptedProvider.create();
      provider.claims = more;
      const { iat: _, exp: __, ...claims } = await claimsOf(provider);
      return claims;
    },
    ["at_hash", "azp", "nbf", "auth_time", "acr", "name"],
  ],
  [
    "the header of an ID token",
    async (more) => {
      const provider = await ScriptedProvider.create();
      const { algorithm: alg, privateKey } = provider.signingKey;
      provider.signIdToken = (claims) => new SignJWT(claims).setProtectedHeader({ alg, ...more }).sign(privateKey);
      return (await claimsOf(provider)).sub;
    },
    ["kid"],
  ],
  [
    "the page's own response to a device authorization",
    async (more) => {
      const { fetch } = server({ access_token: "a", refresh_token: "r", token_type: "bearer" });
      const session = { device_code: "d", expires_in: 0, ...more };
      const where = { metadata: validateAuthMetadata(metadata), clientId: "client" };
      const waiting = { ...where, session: session as never };
      return { ...(await waitForDeviceAuthorization(waiting, { fetch })), expires_at: 0 };
    },
    ["scope", "expires_at", "interval"],
  ],
  [
    "a device authorization",
    async (more) => {
      const body = { device_code: "device-code", user_code: "ABCD", verification_uri: "https://idp.example/link", expires_in: 600, ...more };
      const where = { metadata: { ...metadata, device_authorization_endpoint: "https://idp.example/device" }, clientId: "client", scope: "openid" };
      const grant = await startDeviceAuthorization(where as never, server(body));
      return { ...grant, expires_at: 0 };
    },
    ["verification_uri_complete", "interval"],
  ],
  [
    "a legacy login",
    (more) =>
      loginWithPassword(
        { homeserverUrl: HOMESERVER, identifier: { type: "m.id.user", user: "alice" }, password: "secret" },
        server({ user_id: "@alice:hs", device_id: "D", access_token: "token", ...more }),
      ),
    ["refresh_token", "expires_in_ms", "well_known", "home_server"],
  ],
  [
    "an identity provider of a legacy login",
    (more) => {
      const provider = { id: "github", name: "GitHub", ...more };
      const flows = [{ type: "m.login.sso", identity_providers: [provider] }];
      return client({ flows }).getLoginFlows();
    },
    ["brand", "icon"],
  ],
  ["the ways of a legacy login", (more) => client(more).getLoginFlows(), ["flows"]],
  ["the single sign-on of a legacy login", (more) => client({ flows: [{ type: "m.login.sso", ...more }] }).getLoginFlows(), ["identity_providers"]],
  ["a refresh of a legacy login", (more) => client({ access_token: "token", ...more }).refreshToken("refresh"), ["refresh_token", "expires_in_ms"]],
  ["the capabilities", (more) => client(more).getCapabilities(), ["capabilities"]],
  ["the names of the capabilities", (more) => client({ capabilities: more }).getCapabilities(), ["m.change_password"]],
  [
    "a login with HomeserverClient",
    (more) => client({ user_id: "@a:hs", device_id: "D", access_token: "t", ...more }).login({ ...{ type: "m.login.token", token: "token" } }),
    ["refresh_token", "expires_in_ms", "well_known"],
  ],
  ["the list of addresses", (more) => client(more).getThreePids(), ["threepids"]],
  ["a registration with a homeserver", (more) => client({ user_id: "@a:hs", ...more }).register({}), ["access_token", "device_id"]],
  ["whoami", (more) => client({ user_id: "@a:hs", ...more }).whoami(), ["device_id", "is_guest"]],
  [
    "the response to a request for a message",
    async (more) => (await client({ sid: "s", ...more }).requestRegisterEmailToken("a@b.example", "secret", 1)).submit_url,
    ["submit_url"],
  ],
  [
    "a homeserver's rejection",
    (more) => {
      const headers = new Headers();
      const error = new MatrixError({ status: 403, body: more, headers });
      return [error.errcode, error.message, error.reason, error.retryAfterMs];
    },
    ["errcode", "error", "retry_after_ms"],
  ],
  [
    "the 401 of User-Interactive Authentication",
    (more) => firstStage({ flows: [PASSWORD_FLOW], ...more }),
    ["session", "params", "completed", "errcode", "error"],
  ],
  ["a flow of it", (more) => firstStage({ flows: [PASSWORD_FLOW, more] }), ["stages"]],
  [
    "the same that the page has already",
    (more) => {
      const auth = new InteractiveAuth<never>({
        matrixClient: {},
        requestEmailToken: () => Promise.reject(new Error()),
        doRequest: () => Promise.reject(new Error()),
        stateUpdated: () => undefined,
        authData: { flows: [PASSWORD_FLOW], ...more },
      });
      return auth.getSessionId();
    },
    ["session"],
  ],
];

/** Functions that read a list, each with a valid entry. */
type Lists = readonly (readonly [title: string, read: (list: readonly unknown[]) => unknown, valid: unknown])[];

/** Functions that reject invalid entries other than `null`. */
export const STRICT_LISTS: Lists = [
  ["the stages of a flow", (stages) => firstStage({ flows: [{ stages }] }), "m.login.password"],
  ["devices", (devices) => client({ devices }).getDevices(), { device_id: "D" }],
  ["addresses", (threepids) => client({ threepids }).getThreePids(), { address: "a@b.example" }],
  ["a provider's metadata", (actions) => validateAuthMetadata({ ...metadata, account_management_actions_supported: actions }), "org.matrix.devices_list"],
];

/** Functions that ignore invalid entries. */
export const LISTS: Lists = [
  ["the ways of a legacy login", (flows) => client({ flows }).getLoginFlows(), { type: "m.login.password" }],
  [
    "the identity providers of a legacy login",
    (providers) => client({ flows: [{ type: "m.login.sso", identity_providers: providers }] }).getLoginFlows(),
    { id: "github", name: "GitHub" },
  ],
  ["the flows of User-Interactive Authentication", (flows) => firstStage({ flows }), PASSWORD_FLOW],
  ["its completed stages", (completed) => firstStage({ flows: [{ stages: ["m.login.dummy", "m.login.password"] }], completed }), "m.login.dummy"],
];

/** Functions that read a number in a document. */
export const NUMBERS: readonly (readonly [title: string, read: (value: unknown) => unknown])[] = [
  [
    "expires_in_ms of a legacy login",
    async (expires_in_ms) => {
      const body = { user_id: "@alice:hs", device_id: "D", access_token: "token", expires_in_ms };
      const identifier = { type: "m.id.user", user: "alice" } as const;
      const login = { homeserverUrl: HOMESERVER, identifier, password: "secret" };
      return (await loginWithPassword(login, server(body))).expiresAt !== undefined;
    },
  ],
  [
    "expires_in_ms of a refresh of a legacy login",
    async (expires_in_ms) => (await client({ access_token: "token", expires_in_ms }).refreshToken("refresh")).expires_in_ms,
  ],
  [
    "retry_after_ms of a homeserver's refusal",
    (retry_after_ms) => new MatrixError({ status: 429, body: { retry_after_ms }, headers: new Headers() }).retryAfterMs,
  ],
];
