import { expect } from "@open-wc/testing";
import {
  OidcError,
  completeAuthorizationCodeGrant,
  type BearerTokenResponse,
} from "matrix-auth-elements/core";
import { expectFlowError, faultsOf } from "../../support/rejection.ts";
import { html, json, text, truncatedJson, type Answer } from "../../support/scripted-fetch.ts";
import { ISSUER, ScriptedProvider } from "../../support/scripted-provider.ts";
import { restoreStubs, stub } from "../../support/stub.ts";
import { logIn } from "../login.ts";

describe("A token answer", () => {
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

  for (const token_type of ["Bearer", "bearer", "BEARER"]) {
    it(`is accepted with a token_type of ${token_type}`, async () => {
      provider.tokens = { token_type };

      expect((await tokens()).token_type).to.equal("Bearer");
    });
  }

  it("is accepted under another content type", async () => {
    provider.server.routes[`POST ${ISSUER}token`] = async (request) => {
      const answer = await provider.exchange(request);
      return text(await answer.text(), { headers: { "Content-Type": "text/plain" } })(request);
    };

    expect((await tokens()).access_token).to.equal(provider.accessToken);
  });

  it("expires counted from when it was asked for, not from when it came", async () => {
    let now = 1_900_000_000;
    stub(Date, "now", { value: () => now * 1000 });
    provider.server.routes[`POST ${ISSUER}token`] = (request) => {
      now += 60;
      return provider.exchange(request);
    };

    expect(await tokens()).to.include({ expires_in: 300, expires_at: 1_900_000_300 });
  });

  it("may give its lifetime as a text of digits", async () => {
    provider.tokens = { expires_in: "600" };

    expect((await tokens()).expires_in).to.equal(600);
  });

  it("may have a lifetime of zero", async () => {
    for (const expires_in of [0, "0"]) {
      provider.tokens = { expires_in };

      expect((await tokens()).expires_in).to.equal(0);
    }
  });

  it("may give no lifetime", async () => {
    for (const expires_in of [undefined, null]) {
      provider.tokens = { expires_in };

      expect(await tokens()).not.to.have.any.keys("expires_in", "expires_at");
    }
  });

  it("may lack a refresh token where the issuer says that it has no refresh grant", async () => {
    provider.metadata.grant_types_supported = ["authorization_code"];
    provider.tokens = { refresh_token: undefined };

    expect(await tokens()).not.to.have.property("refresh_token");
  });

  it("may not lack a refresh token where the issuer does not say what grants it has", async () => {
    delete provider.metadata.grant_types_supported;
    provider.tokens = { refresh_token: undefined };

    await expectFlowError(tokens(), OidcError.InvalidBearerTokenResponse, "token_response_invalid");
  });

  it("is refused with nonsense for a refresh token, also where there is no refresh grant", async () => {
    provider.metadata.grant_types_supported = ["authorization_code"];
    provider.tokens = { refresh_token: 5 };

    await expectFlowError(tokens(), OidcError.InvalidBearerTokenResponse, "token_response_invalid");
  });

  it("may lack its scope", async () => {
    provider.tokens = { scope: undefined };

    expect(await tokens()).not.to.have.property("scope");
  });

  it("gives nothing on that the library does not know", async () => {
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

  for (const [bend, fault] of [
    [{ access_token: undefined }, "access_token is missing"],
    [{ access_token: "" }, "access_token is missing"],
    [{ access_token: ["a"] }, "access_token is missing"],
    [{ refresh_token: undefined }, "refresh_token is missing"],
    [{ refresh_token: "" }, "refresh_token is missing"],
    [{ refresh_token: 5 }, "refresh_token is missing"],
    [{ token_type: undefined }, "token_type is not bearer"],
    [{ token_type: "mac" }, "token_type is not bearer"],
    [{ token_type: "DPoP" }, "token_type is not bearer"],
    [{ token_type: ["bearer"] }, "token_type is not bearer"],
    [{ expires_in: -1 }, "expires_in is no number of seconds"],
    [{ expires_in: "soon" }, "expires_in is no number of seconds"],
    [{ expires_in: {} }, "expires_in is no number of seconds"],
    [{ expires_in: true }, "expires_in is no number of seconds"],
    [{ expires_in: [60] }, "expires_in is no number of seconds"],
    [{ expires_in: "" }, "expires_in is no number of seconds"],
    [{ expires_in: " 60" }, "expires_in is no number of seconds"],
    [{ expires_in: "60 s" }, "expires_in is no number of seconds"],
    [{ expires_in: "1e3" }, "expires_in is no number of seconds"],
    [{ expires_in: "-60" }, "expires_in is no number of seconds"],
    [{ expires_in: "9".repeat(400) }, "expires_in is no number of seconds"],
    [{ scope: 5 }, "scope is no string"],
    [{ id_token: 5 }, "id_token is no string"],
    [{ id_token: "" }, "id_token is no string"],
  ] as const) {
    it(`is refused with ${JSON.stringify(bend)}`, async () => {
      provider.tokens = bend;

      const error = await expectFlowError(
        tokens(),
        OidcError.InvalidBearerTokenResponse,
        "token_response_invalid",
      );

      expect(faultsOf(error)).to.deep.equal([fault]);
    });
  }

  it("is refused with every fault at once", async () => {
    provider.tokens = { access_token: null, token_type: null, refresh_token: null, scope: 1 };

    const error = await expectFlowError(
      tokens(),
      OidcError.InvalidBearerTokenResponse,
      "token_response_invalid",
    );

    expect(faultsOf(error)).to.have.length(4);
    expect(error.cause).to.have.property(
      "message",
      "access_token is missing; token_type is not bearer; refresh_token is missing; scope is no string",
    );
  });

  const noTokens: readonly (readonly [string, Answer])[] = [
    ["HTML", html()],
    ["nothing", text("")],
    ["JSON that breaks off", truncatedJson({ access_token: "x" })],
    ["a list", json([])],
    ["null", json(null)],
    ["tokens that only a prototype has", text('{"__proto__":{"access_token":"x"}}')],
  ];
  for (const [what, answer] of noTokens) {
    it(`is refused where it is ${what}`, async () => {
      provider.server.routes[`POST ${ISSUER}token`] = answer;

      const error = await expectFlowError(
        tokens(),
        OidcError.InvalidBearerTokenResponse,
        "token_response_invalid",
      );
      const isObject = what.startsWith("tokens");
      expect(faultsOf(error).includes("The answer is no JSON object")).to.equal(!isObject);
      expect({}).not.to.have.property("access_token");
    });
  }

  for (const scope of ["openid", "", "urn:matrix:client:api:read", "urn:matrix:client:device:A"]) {
    it(`is refused where it grants "${scope}" without the client-server API`, async () => {
      provider.tokens = { scope };

      const { cause } = await expectFlowError(
        tokens(),
        OidcError.InvalidBearerTokenResponse,
        "scope_not_granted",
      );
      expect(cause).to.have.property("message", `The issuer granted only: ${scope}`);
    });
  }
});
