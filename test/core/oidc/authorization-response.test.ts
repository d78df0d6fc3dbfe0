import { expect } from "@open-wc/testing";
import {
  OidcError,
  completeAuthorizationCodeGrant,
  completeAuthorizationCodeGrantFromUrl,
  type AuthorizationCodeGrantResult,
  type OidcAuthorizationOptions,
} from "matrix-auth-elements/core";
import { expectFlowError } from "../../support/rejection.ts";
import { ISSUER, ScriptedProvider, type ProviderAnswer } from "../../support/scripted-provider.ts";
import { blockStorage, restoreStubs } from "../../support/stub.ts";
import { logIn } from "../login.ts";

describe("The answer that the browser brings back", () => {
  let provider: ScriptedProvider;
  const complete = (url: string | URL) =>
    completeAuthorizationCodeGrantFromUrl(url, { fetch: provider.server.fetch });
  /** Logs in, bends the parameters of the answer, and completes it. */
  const completeBent = async (
    bend: (parameters: URLSearchParams, answer: ProviderAnswer) => void,
    options?: Partial<OidcAuthorizationOptions>,
  ): Promise<AuthorizationCodeGrantResult> => {
    const answer = await logIn(provider, options);
    const url = new URL(answer.url);
    bend(url.searchParams, answer);
    return complete(url);
  };

  beforeEach(async () => {
    sessionStorage.clear();
    provider = await ScriptedProvider.create();
  });
  afterEach(restoreStubs);

  const expectNoTokenRequest = (): void =>
    void expect(provider.server.to(`${ISSUER}token`)).to.be.empty;

  for (const responseMode of ["query", "fragment"] as const) {
    it(`is read from the ${responseMode} where the login asked for it there`, async () => {
      const { url, code } = await logIn(provider, { responseMode });
      expect(new URL(url)[responseMode === "query" ? "search" : "hash"]).to.contain(code);

      expect((await complete(url)).tokenResponse.access_token).to.equal(provider.accessToken);
    });

    it(`is refused where it comes elsewhere than in the ${responseMode} that was asked for`, async () => {
      const { code, state } = await logIn(provider, { responseMode });
      const answer = new URLSearchParams({ code, state }).toString();
      const sign = responseMode === "query" ? "#" : "?";

      const { cause } = await expectFlowError(
        complete(`https://app.example/callback${sign}${answer}`),
        OidcError.CodeExchangeFailed,
        "response_malformed",
      );
      const where = responseMode === "query" ? "fragment" : "query";
      expect(cause).to.have.property("message", `The answer came in the ${where}, unasked for`);
      expectNoTokenRequest();
    });
  }

  it("is told from parameters of another code flow on the same page", async () => {
    const { url } = await logIn(provider, { responseMode: "fragment" });
    const mixed = new URL(url);
    mixed.search = "?code=of-the-page&state=of-the-page";

    expect((await complete(mixed)).tokenResponse.access_token).to.equal(provider.accessToken);
  });

  it("is found beside parameters of the page", async () => {
    const result = await completeBent((parameters) => parameters.append("tab", "settings"));

    expect(result.tokenResponse.access_token).to.equal(provider.accessToken);
  });

  for (const url of [
    "https://app.example/callback",
    "https://app.example/callback?code=x",
    "https://app.example/callback?state=x",
    "https://app.example/callback?state=&code=x",
    "https://app.example/callback?error=access_denied",
    "https://app.example/callback#top",
    "/callback?code=x&state=y",
    "not an address",
    "",
  ]) {
    it(`is not in "${url}"`, async () => {
      const { cause } = await expectFlowError(
        complete(url),
        OidcError.MissingOrInvalidStoredState,
        "flow_unknown",
      );
      expect(cause).to.have.property("message", "The address holds no answer of a provider");
      expect(provider.server.log).to.be.empty;
    });
  }

  it("belongs to no login of this tab where its state is unknown", async () => {
    await expectFlowError(
      complete("https://app.example/callback?code=x&state=mae-unknown"),
      OidcError.MissingOrInvalidStoredState,
      "flow_unknown",
    );
  });

  it("tells that storage is blocked, not that the login is unknown", async () => {
    const { url } = await logIn(provider);
    blockStorage("sessionStorage");

    await expectFlowError(complete(url), OidcError.StorageUnavailable, "storage_unavailable");
  });

  describe("with an error", () => {
    const errorAnswer = (error: string, description?: string) =>
      completeBent((parameters) => {
        parameters.delete("code");
        parameters.set("error", error);
        if (description !== undefined) parameters.set("error_description", description);
      });

    it("of access_denied tells that the person refused", async () => {
      const error = await expectFlowError(
        errorAnswer("access_denied", "The person said no"),
        OidcError.AuthorizationRefused,
        "access_denied",
      );

      expect(error.cause).to.include({ message: "The person said no", error: "access_denied" });
      expect(error.retryable).to.be.false;
    });

    for (const error of ["server_error", "invalid_scope", "login_required", "made_up"]) {
      it(`of ${error} tells that the authorization failed, and what the provider said`, async () => {
        const { cause } = await expectFlowError(
          errorAnswer(error),
          OidcError.CodeExchangeFailed,
          "authorization_failed",
        );

        expect(cause).to.include({ message: error, error });
      });
    }

    it("ends the login: its state is worth nothing any more", async () => {
      const { url, code, state } = await logIn(provider);
      await expectFlowError(
        complete(url.replace("code=", "error=access_denied&x=")),
        OidcError.AuthorizationRefused,
        "access_denied",
      );

      await expectFlowError(
        completeAuthorizationCodeGrant(code, state),
        OidcError.MissingOrInvalidStoredState,
        "flow_unknown",
      );
    });

    it("is an error where there is a code too", async () => {
      await expectFlowError(
        completeBent((parameters) => parameters.set("error", "server_error")),
        OidcError.CodeExchangeFailed,
        "authorization_failed",
      );
      expectNoTokenRequest();
    });

    it("is believed from the issuer that was asked alone", async () => {
      await expectFlowError(
        completeBent((parameters) => {
          parameters.set("error", "access_denied");
          parameters.set("iss", "https://evil.example/");
        }),
        OidcError.CodeExchangeFailed,
        "issuer_mismatch",
      );
    });
  });

  describe("from an issuer", () => {
    it("that was asked is accepted", async () => {
      const result = await completeBent((parameters) => parameters.set("iss", ISSUER));

      expect(result.oidcClientSettings.issuer).to.equal(ISSUER);
    });

    it("that names itself, as it said it would, is accepted", async () => {
      provider.metadata.authorization_response_iss_parameter_supported = true;
      const result = await completeBent((parameters) => parameters.set("iss", ISSUER));

      expect(result.oidcClientSettings.issuer).to.equal(ISSUER);
    });

    for (const iss of [
      "https://evil.example/",
      "https://idp.example",
      "https://IDP.example/",
      "https://idp.example/realm",
      "",
    ]) {
      it(`of "${iss}" is refused before the code is sent anywhere`, async () => {
        const { cause } = await expectFlowError(
          completeBent((parameters) => parameters.set("iss", iss)),
          OidcError.CodeExchangeFailed,
          "issuer_mismatch",
        );
        expect(cause).to.have.property("message", `${iss} answered, ${ISSUER} was asked`);
        expectNoTokenRequest();
      });
    }

    it("that does not name itself, but said it would, is refused", async () => {
      provider.metadata.authorization_response_iss_parameter_supported = true;

      const { cause } = await expectFlowError(
        completeBent(() => undefined),
        OidcError.CodeExchangeFailed,
        "issuer_mismatch",
      );
      expect(cause).to.have.property("message", `Nobody answered, ${ISSUER} was asked`);
      expectNoTokenRequest();
    });

    it("that names itself is taken for the one that was asked, where there are but two strings", async () => {
      provider.metadata.authorization_response_iss_parameter_supported = true;
      const { code, state } = await logIn(provider);
      const { fetch } = provider.server;

      const result = await completeAuthorizationCodeGrant(code, state, { fetch });

      expect(result.oidcClientSettings.issuer).to.equal(ISSUER);
    });
  });

  describe("is malformed", () => {
    const malformed = async (
      bend: (parameters: URLSearchParams, answer: ProviderAnswer) => void,
    ): Promise<unknown> => {
      const { cause } = await expectFlowError(
        completeBent(bend),
        OidcError.CodeExchangeFailed,
        "response_malformed",
      );
      expectNoTokenRequest();
      return cause;
    };

    const names = ["code", "state", "iss", "error", "error_description", "error_uri"];
    for (const name of [...names, "session_state"]) {
      it(`with two values for ${name}, which the error's cause names`, async () => {
        const cause = await malformed((parameters, { state }) => {
          const value = name === "state" ? state : name === "iss" ? ISSUER : "x";
          parameters.set(name, value);
          parameters.append(name, value);
        });
        expect(cause).to.have.property("message", `The answer repeats: ${name}`);
      });
    }

    it("with two values for several, all of which the error's cause names", async () => {
      const cause = await malformed((parameters) => {
        for (const [name, value] of [...parameters]) parameters.append(name, value);
      });
      expect(cause).to.have.property("message", "The answer repeats: code, state");
    });

    it("with an empty code", async () => {
      const cause = await malformed((parameters) => parameters.set("code", ""));
      expect(cause).to.have.property("message", "The provider's answer has no code");
    });

    for (const name of ["id_token", "token", "response"]) {
      it(`with ${name}, which belongs to flows that were not asked for`, () =>
        malformed((parameters) => parameters.set(name, "x")));
    }

    it("as two strings with an empty code", async () => {
      const { state } = await logIn(provider);

      await expectFlowError(
        completeAuthorizationCodeGrant("", state),
        OidcError.CodeExchangeFailed,
        "response_malformed",
      );
    });
  });
});
