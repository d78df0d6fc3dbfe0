// @ts-check
import { randomBytes } from "node:crypto";
// The provider's default adapter, about which it warns. Imported here, it is one store for each
// server, without the warning. The path is private: check it when oidc-provider is upgraded.
// @ts-expect-error The package has no types.
import { createMemoryAdapter } from "oidc-provider/lib/adapters/memory_adapter.js";
import { ACCOUNT_ACTIONS } from "./account-page.js";
import { clientMetadata } from "./client-registration.js";
import { createClientIds } from "./like-mas.js";
import { deviceFlow } from "./device-pages.js";
import { admitMatrixScopes, FIXED_SCOPES } from "./matrix-scopes.js";
import { errors, interactionPolicy } from "./provider-library.js";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const FORTNIGHT = 14 * 24 * HOUR;

/** The endpoints' paths below the issuer, as in Matrix Authentication Service. */
export const ROUTES = Object.freeze({
  authorization: "/authorize",
  token: "/oauth2/token",
  registration: "/oauth2/registration",
  revocation: "/oauth2/revoke",
  jwks: "/oauth2/keys.json",
  userinfo: "/oauth2/userinfo",
  device_authorization: "/oauth2/device",
  code_verification: "/device",
  end_session: "/oauth2/logout",
});

/**
 * @param {object} options
 * @param {import("../accounts.js").Accounts} options.accounts
 * @param {import("./views.js").Views} options.views
 * @param {{ keys: import("jose").JWK[] }} options.jwks
 * @param {string} options.accountManagementUri
 * @param {readonly string[]} [options.accountActions] default: those of the demo's page
 * @param {number} options.port
 * @param {(model: string) => object} [options.adapter] the store of the tokens; default: in memory
 * @param {import("./client-rules.js").LoopbackPorts} [options.loopbackPorts] default: `any`
 * @returns {object} the provider's configuration
 */
export function configuration(options) {
  const { accounts, views, jwks, accountManagementUri, port } = options;
  const policy = interactionPolicy.base();
  // `prompt=create` requests this page before the others. The provider has only sign-in and consent.
  policy.add(new interactionPolicy.Prompt({ name: "create", requestable: true }), 0);

  return {
    adapter: options.adapter ?? createMemoryAdapter(),
    jwks,
    routes: ROUTES,
    scopes: [...FIXED_SCOPES],
    claims: { openid: ["sub"], profile: ["name", "preferred_username"] },
    responseTypes: ["code"],
    clientAuthMethods: ["none", "client_secret_basic", "client_secret_post"],
    extraClientMetadata: clientMetadata(options.loopbackPorts ?? "any"),
    clientBasedCORS: () => true,
    discovery: {
      prompt_values_supported: ["login", "create"],
      account_management_uri: accountManagementUri,
      account_management_actions_supported: [...(options.accountActions ?? ACCOUNT_ACTIONS)],
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      deviceFlow: deviceFlow(views),
      registration: {
        enabled: true,
        issueRegistrationAccessToken: false,
        idFactory: createClientIds(),
      },
      revocation: {
        enabled: true,
        /** @type {(ctx: unknown, client: any, token: any) => boolean} */
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      resourceIndicators: {
        enabled: true,
        /** @type {(ctx: unknown) => undefined} */
        defaultResource: (ctx) => void admitMatrixScopes(ctx),
        getResourceServerInfo: () => {
          throw new errors.InvalidTarget();
        },
      },
    },

    pkce: { required: () => true },
    interactions: {
      policy,
      /** @type {(ctx: unknown, interaction: { uid: string }) => string} */
      url: (_ctx, { uid }) => `${views.issuerPath}/interaction/${uid}`,
    },
    cookies: {
      keys: [randomBytes(32).toString("base64url")],
      // All ports of a host share cookies, so two servers on localhost would overwrite each other's.
      names: {
        session: `session_${port}`,
        interaction: `interaction_${port}`,
        resume: `resume_${port}`,
      },
    },

    /** @type {(ctx: unknown, id: string) => Promise<object | undefined>} */
    async findAccount(_ctx, id) {
      const account = accounts.find(id);
      if (!account) return undefined;
      const { localpart, displayName } = account;
      const claims = { sub: id, name: displayName, preferred_username: localpart };
      return { accountId: id, claims: () => claims };
    },
    // Each Matrix sign-in is its own device. With a grant shared by client and account, as the
    // provider has it, signing one device out would revoke the tokens of the others.
    /** @type {(ctx: any) => Promise<unknown>} */
    async loadExistingGrant(ctx) {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId && ctx.oidc.provider.Grant.find(grantId);
    },
    // A Matrix session outlives the browser's session at this server.
    expiresWithSession: () => false,
    // Matrix clients get one without asking for `offline_access`.
    /** @type {(ctx: unknown, client: any) => boolean} */
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: true,
    ttl: {
      AccessToken: 5 * MINUTE,
      AuthorizationCode: MINUTE,
      DeviceCode: 10 * MINUTE,
      IdToken: HOUR,
      Interaction: HOUR,
      Grant: FORTNIGHT,
      RefreshToken: FORTNIGHT,
      Session: FORTNIGHT,
    },

    /** @type {(ctx: any, out: { error: string, error_description?: string }) => void} */
    renderError(ctx, out) {
      views.show(ctx, "error", { error: out }, { status: ctx.status });
    },
  };
}
