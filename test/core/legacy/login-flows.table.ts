// What a homeserver lists, and what getLoginFlows() reads from it.
import type { LoginFlows } from "matrix-auth-elements/core";

export const NONE: LoginFlows = { types: [], password: false, sso: false, token: false, oauthAwarePreferred: false, identityProviders: [] };

const SSO = { type: "m.login.sso" };
export const provider = { id: "oidc-github", name: "GitHub", brand: "github", icon: "mxc://a/b" };
export const providers = (...identity_providers: readonly unknown[]): unknown => ({ flows: [{ ...SSO, identity_providers }] });
const only = (identityProviders: LoginFlows["identityProviders"]): Partial<LoginFlows> => ({ types: [SSO.type], sso: true, identityProviders });

/** Each row has the members that differ from {@link NONE}. */
export const FLOWS: readonly (readonly [what: string, body: unknown, flows: Partial<LoginFlows>])[] = [
  ["of a homeserver with only passwords", { flows: [{ type: "m.login.password" }] }, { types: ["m.login.password"], password: true }],
  ["that are unknown to the library", { flows: [{ type: "org.example.magic" }] }, { types: ["org.example.magic"] }],
  ["of login tokens", { flows: [{ type: "m.login.token" }] }, { types: ["m.login.token"], token: true }],
  ["with identity providers", providers(provider), only([provider])],
  [
    "with identity providers whose members are none",
    providers({ ...provider, icon: "https://tracker.example/", brand: 7 }, { id: "x" }, null),
    only([{ id: provider.id, name: provider.name }]),
  ],
  ["with markup for a name", providers({ id: "x", name: "<b>X</b>" }), only([{ id: "x", name: "<b>X</b>" }])],
  ["that are listed twice", { flows: [SSO, SSO] }, only([])],
  ["that are not a list", { flows: { type: "m.login.password" } }, {}],
  ["whose entries are none", { flows: [null, "m.login.password", { type: 7 }] }, {}],
  ...["oauth_aware_preferred", "org.matrix.msc3824.delegated_oidc_compatibility"].map(
    (member) =>
      [`for clients that support OAuth 2.0, with ${member}`, { flows: [{ ...SSO, [member]: true }] }, { ...only([]), oauthAwarePreferred: true }] as const,
  ),
  ["that claim to prefer OAuth 2.0 with a text", { flows: [{ ...SSO, oauth_aware_preferred: "true" }] }, only([])],
];
