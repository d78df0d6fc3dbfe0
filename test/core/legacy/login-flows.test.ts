import { expect } from "@open-wc/testing";
import { HomeserverClient, type LoginFlows } from "matrix-auth-elements/core";
import { rejectionOf } from "../../support/rejection.ts";
import { ScriptedFetch, html, json, type Responder } from "../../support/scripted-fetch.ts";
import { HOMESERVER } from "../login.ts";

const NONE: LoginFlows = {
  types: [],
  password: false,
  sso: false,
  token: false,
  oauthAwarePreferred: false,
  identityProviders: [],
};

const SSO = { type: "m.login.sso" };

const flowsOf = async (respond: Responder): Promise<LoginFlows> => {
  const server = new ScriptedFetch({ [`GET ${HOMESERVER}/_matrix/client/v3/login`]: respond });
  const client = new HomeserverClient({ baseUrl: HOMESERVER, accessToken: "secret", ...server });
  const flows = await client.getLoginFlows();
  expect(server.requests[0]?.headers.has("Authorization")).to.be.false;
  return flows;
};

describe("getLoginFlows", () => {
  const provider = { id: "oidc-github", name: "GitHub", brand: "github", icon: "mxc://a/b" };
  const providers = (...identity_providers: readonly unknown[]): unknown => ({
    flows: [{ ...SSO, identity_providers }],
  });
  const only = (identityProviders: LoginFlows["identityProviders"]): Partial<LoginFlows> => ({
    types: [SSO.type],
    sso: true,
    identityProviders,
  });

  for (const [what, body, flows] of [
    [
      "of a homeserver with only passwords",
      { flows: [{ type: "m.login.password" }] },
      { types: ["m.login.password"], password: true },
    ],
    [
      "that are unknown to the library",
      { flows: [{ type: "org.example.magic" }] },
      { types: ["org.example.magic"] },
    ],
    [
      "of login tokens",
      { flows: [{ type: "m.login.token" }] },
      { types: ["m.login.token"], token: true },
    ],
    ["with identity providers", providers(provider), only([provider])],
    [
      "with identity providers whose members are none",
      providers({ ...provider, icon: "https://tracker.example/", brand: 7 }, { id: "x" }, null),
      only([{ id: provider.id, name: provider.name }]),
    ],
    [
      "with markup for a name",
      providers({ id: "x", name: "<b>X</b>" }),
      only([{ id: "x", name: "<b>X</b>" }]),
    ],
    ["that are listed twice", { flows: [SSO, SSO] }, only([])],
    ["that are not a list", { flows: { type: "m.login.password" } }, {}],
    ["whose entries are none", { flows: [null, "m.login.password", { type: 7 }] }, {}],
    ...["oauth_aware_preferred", "org.matrix.msc3824.delegated_oidc_compatibility"].map(
      (member) =>
        [
          `for clients that support OAuth 2.0, with ${member}`,
          { flows: [{ ...SSO, [member]: true }] },
          { ...only([]), oauthAwarePreferred: true },
        ] as const,
    ),
    [
      "that claim to prefer OAuth 2.0 with a text",
      { flows: [{ ...SSO, oauth_aware_preferred: "true" }] },
      only([]),
    ],
  ] as const) {
    it(`reads flows ${what}`, async () => {
      expect(await flowsOf(json(body))).to.deep.equal({ ...NONE, ...flows });
    });
  }

  it("returns at most a hundred identity providers", async () => {
    const many = Array.from({ length: 10_000 }, (_, id) => ({ ...provider, id: `${id}` }));
    expect((await flowsOf(json(providers(...many)))).identityProviders).to.have.length(100);
  });

  it("returns no flows for a homeserver without the legacy API", async () => {
    expect(await flowsOf(json({ errcode: "M_UNRECOGNIZED" }, 404))).to.deep.equal(NONE);
  });

  for (const [what, respond, error] of [
    ["404 without that code", json({ errcode: "M_NOT_FOUND" }, 404), { httpStatus: 404 }],
    ["500", json({ errcode: "M_UNRECOGNIZED" }, 500), { httpStatus: 500 }],
    ["a page", html(), { code: "response_not_json" }],
  ] as const) {
    it(`rejects after ${what}`, async () => {
      expect(await rejectionOf(flowsOf(respond))).to.include(error);
    });
  }
});
