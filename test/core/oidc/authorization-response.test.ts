import { expect } from "@open-wc/testing";
import {
  OidcError,
  completeAuthorizationCodeGrant,
  completeAuthorizationCodeGrantFromUrl,
  type AuthorizationCodeGrantResult,
  type OidcAuthorizationOptions,
} from "matrix-auth-elements/core";
import { expectFlowError } from "../../support/rejection.ts";
import {
  ISSUER,
  ScriptedProvider,
  type ProviderResponse,
} from "../../support/scripted-provider.ts";
import { blockStorage, restoreStubs } from "../../support/stub.ts";
import { logIn } from "../login.ts";

describe("The response that the browser brings back", () => {
  let provider: ScriptedProvider;
  const complete = (url: string | URL) =>
    completeAuthorizationCodeGrantFromUrl(url, { fetch: provider.server.fetch });
  /** Logs in, changes the parameters of the response, and completes it. */
  const completeTampered = async (
    change: (parameters: URLSearchParams, response: ProviderResponse) => void,
    options?: Partial<OidcAuthorizationOptions>,
  ): Promise<AuthorizationCodeGrantResult> => {
    const response = await logIn(provider, options);
    const url = new URL(response.url);
    change(url.searchParams, response);
    return complete(url);
  };

  beforeEach(async () => {
    sessionStorage.clear();
    provider = await ScriptedProvider.create();
  });
  afterEach(restoreStubs);

  const expectNoTokenRequest = (): void =>
    void expect(provider.server.to(`${ISSUER}token`)).to.be.empty;

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
      expect(cause).to.have.property("message", "The URL contains no authorization response");
      expect(provider.server.log).to.be.empty;
    });
  }

  it("tells that storage is blocked, not that the login is unknown", async () => {
    const { url } = await logIn(provider);
    blockStorage("sessionStorage");

    await expectFlowError(complete(url), OidcError.StorageUnavailable, "storage_unavailable");
  });

  describe("with an error", () => {
    const errorAnswer = (error: string, description?: string) =>
      completeTampered((parameters) => {
        parameters.delete("code");
        parameters.set("error", error);
        if (description !== undefined) parameters.set("error_description", description);
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
  });

  describe("is malformed", () => {
    const malformed = async (
      change: (parameters: URLSearchParams, response: ProviderResponse) => void,
    ): Promise<unknown> => {
      const { cause } = await expectFlowError(
        completeTampered(change),
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
        expect(cause).to.have.property("message", `The response repeats: ${name}`);
      });
    }

    it("with two values for several, all of which the error's cause names", async () => {
      const cause = await malformed((parameters) => {
        for (const [name, value] of [...parameters]) parameters.append(name, value);
      });
      expect(cause).to.have.property("message", "The response repeats: code, state");
    });

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
