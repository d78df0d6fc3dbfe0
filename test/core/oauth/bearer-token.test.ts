// The requirements for token responses are in test/conformance/cases/token-responses.ts. These
// tests cover the caller's result.
import { expect } from "@open-wc/testing";
import {
  completeAuthorizationCodeGrant,
  type BearerTokenResponse,
} from "matrix-auth-elements/core";
import { ISSUER, ScriptedProvider } from "../../support/scripted-provider.ts";
import { restoreStubs, stub } from "../../support/stub.ts";
import { logIn } from "../login.ts";

describe("A token response", () => {
  let provider: ScriptedProvider;

  const tokens = async (): Promise<BearerTokenResponse> => {
    const { code, state } = await logIn(provider);
    const { fetch } = provider.server;
    return (await completeAuthorizationCodeGrant(code, state, { fetch })).tokenResponse;
  };

  beforeEach(async () => {
    sessionStorage.clear();
    provider = await ScriptedProvider.create();
  });
  afterEach(restoreStubs);

  it("expires when its lifetime has passed since its request, not since its arrival", async () => {
    let now = 1_900_000_000;
    stub(Date, "now", { value: () => now * 1000 });
    provider.server.routes[`POST ${ISSUER}token`] = (request) => {
      now += 60;
      return provider.exchange(request);
    };

    expect(await tokens()).to.include({ expires_in: 300, expires_at: 1_900_000_300 });
  });

  for (const [change, member, value] of [
    [{ token_type: "bEARER" }, "token_type", "Bearer"],
    [{ expires_in: "600" }, "expires_in", 600],
  ] as const) {
    it(`is normalized: ${JSON.stringify(change)} becomes ${JSON.stringify(value)}`, async () => {
      provider.tokens = change;

      expect((await tokens())[member]).to.equal(value);
    });
  }

  for (const expires_in of [undefined, null, 0, "0"]) {
    it(`has no lifetime if the issuer sends ${JSON.stringify(expires_in)}`, async () => {
      provider.tokens = { expires_in };

      expect(await tokens()).not.to.have.any.keys("expires_in", "expires_at");
    });
  }

  it("has no refresh token if the issuer has no refresh grant, and no scope if it sends none", async () => {
    provider.metadata.grant_types_supported = ["authorization_code"];
    provider.tokens = { refresh_token: undefined, scope: undefined };

    expect(await tokens()).not.to.have.any.keys("refresh_token", "scope");
  });

  it("has no member that is unknown to the library", async () => {
    provider.tokens = { admin: true, __proto__: { polluted: true } };

    expect(await tokens()).to.have.all.keys(
      "access_token",
      "token_type",
      "refresh_token",
      "expires_in",
      "expires_at",
      "scope",
      "id_token",
    );
  });
});
