import { expect } from "@open-wc/testing";
import { HomeserverClient, type LoginFlows } from "matrix-auth-elements/core";
import { rejectionOf } from "../../support/rejection.ts";
import { ScriptedFetch, html, json, type Responder } from "../../support/scripted-fetch.ts";
import { HOMESERVER } from "../login.ts";
import { FLOWS, NONE, provider, providers } from "./login-flows.table.ts";

const flowsOf = async (respond: Responder): Promise<LoginFlows> => {
  const server = new ScriptedFetch({ [`GET ${HOMESERVER}/_matrix/client/v3/login`]: respond });
  const client = new HomeserverClient({ baseUrl: HOMESERVER, accessToken: "secret", ...server });
  const flows = await client.getLoginFlows();
  expect(server.requests[0]?.headers.has("Authorization")).to.be.false;
  return flows;
};

describe("getLoginFlows", () => {
  for (const [what, body, flows] of FLOWS) {
    it(`reads flows ${what}`, async () => {
      expect(await flowsOf(json(body))).to.deep.equal({ ...NONE, ...flows });
    });
  }

  it("returns at most a hundred identity providers", async () => {
    const many = Array.from({ length: 10_000 }, (_, id) => ({ ...provider, id: `${id}` }));
    expect((await flowsOf(json(providers(...many)))).identityProviders).to.have.length(100);
  });

  for (const status of [400, 404, 405, 501]) {
    it(`returns no flows for a homeserver without the legacy API, after ${status} M_UNRECOGNIZED`, async () => {
      expect(await flowsOf(json({ errcode: "M_UNRECOGNIZED" }, status))).to.deep.equal(NONE);
    });
  }

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
