import { expect } from "@open-wc/testing";
import {
  OidcError,
  OidcErrorCode,
  OidcFlowError,
  RequestErrorCode,
  completeAuthorizationCodeGrant,
  completeAuthorizationCodeGrantFromUrl,
} from "matrix-auth-elements/core";
import { everyTextIn, rejectionOf } from "../../support/rejection.ts";
import { html, json, networkFailure, never, text } from "../../support/scripted-fetch.ts";
import { ISSUER, ScriptedProvider, type ProviderAnswer } from "../../support/scripted-provider.ts";
import { logIn } from "../login.ts";

const TOKEN = `POST ${ISSUER}token`;

describe("OidcError", () => {
  it("has the messages that applications compare with", () => {
    expect(OidcError).to.include({
      NotSupported: "OIDC authentication not supported",
      Misconfigured: "OIDC is misconfigured",
      General: "Something went wrong with OIDC discovery",
      OpSupport: "Configured OIDC OP does not support required functions",
      DynamicRegistrationNotSupported: "Dynamic registration not supported",
      DynamicRegistrationFailed: "Dynamic registration failed",
      DynamicRegistrationInvalid: "Dynamic registration invalid response",
      CodeExchangeFailed: "Failed to exchange code for token",
      InvalidBearerTokenResponse: "Invalid bearer token response",
      InvalidIdToken: "Invalid ID token",
      MissingOrInvalidStoredState: "State required to finish logging in is not found in storage.",
    });
  });

  it("tells every message from the others", () => {
    expect(new Set(Object.values(OidcError)).size).to.equal(Object.keys(OidcError).length);
  });
});

describe("OidcErrorCode", () => {
  it("has stable values: the member's name in snake case, so that slots can be named by them", () => {
    for (const [member, value] of Object.entries(OidcErrorCode)) {
      expect(value).to.equal(member.replace(/(?!^)[A-Z]/g, "_$&").toLowerCase());
    }
  });

  it("holds every code of a request", () => {
    expect(OidcErrorCode).to.include(RequestErrorCode);
  });
});

describe("OidcFlowError", () => {
  it("is an Error with message, code and cause", () => {
    const cause = new Error("beneath");
    const error = new OidcFlowError(OidcError.General, "timeout", cause);

    expect(error).to.be.instanceOf(Error);
    expect(error).to.include({ name: "OidcFlowError", message: OidcError.General, cause });
    expect(error.code).to.equal("timeout");
    expect(String(error)).to.equal(`OidcFlowError: ${OidcError.General}`);
  });

  it("tells no time to wait where nobody asked to", () => {
    for (const cause of [undefined, null, "text", new Error("beneath")]) {
      expect(new OidcFlowError(OidcError.General, "timeout", cause).retryAfterMs).to.be.undefined;
    }
  });

  it("is worth another try where the next one may go better", () => {
    const retryable = Object.values(OidcErrorCode).filter(
      (code) => new OidcFlowError(OidcError.General, code).retryable,
    );

    expect(retryable).to.have.members([
      "network_error",
      "timeout",
      "aborted",
      "rate_limited",
      "server_error",
      "keys_unavailable",
    ]);
  });
});

describe("No error holds a token, a code or a verifier:", () => {
  let provider: ScriptedProvider;
  let login: ProviderAnswer;
  let secrets: string[];

  beforeEach(async () => {
    sessionStorage.clear();
    provider = await ScriptedProvider.create();
    const sign = provider.signIdToken;
    provider.signIdToken = async (claims) => {
      const idToken = await sign(claims);
      secrets.push(idToken, ...idToken.split(".").slice(1));
      return idToken;
    };
  });

  const prepare = async (): Promise<void> => {
    login = await logIn(provider);
    const verifier = /"codeVerifier":"(\w+)"/.exec(Object.values(sessionStorage).join())?.[1];
    secrets = [login.code, provider.accessToken, provider.refreshToken, verifier ?? ""];
    expect(secrets).not.to.include("");
  };
  const complete = (url = login.url) =>
    completeAuthorizationCodeGrantFromUrl(url, { fetch: provider.server.fetch, timeoutMs: 50 });

  const failures: Record<string, () => Promise<unknown>> = {
    "the token endpoint refuses": () => {
      provider.server.routes[TOKEN] = json({ error: "invalid_grant" }, 400);
      return complete();
    },
    "the token endpoint refuses, and repeats what it was sent": () => {
      provider.server.routes[TOKEN] = ({ body }) =>
        Response.json({ error: "invalid_grant", error_description: body }, { status: 400 });
      return complete();
    },
    "the token endpoint challenges": () => {
      provider.server.routes[TOKEN] = json(
        { error: "invalid_client" },
        { status: 401, headers: { "WWW-Authenticate": 'Basic realm="a"' } },
      );
      return complete();
    },
    "the token endpoint breaks, and repeats what it was sent": () => {
      provider.server.routes[TOKEN] = ({ body }) => new Response(body, { status: 500 });
      return complete();
    },
    "the token endpoint is out of reach": () => {
      provider.server.routes[TOKEN] = networkFailure;
      return complete();
    },
    "the token endpoint never answers": () => {
      provider.server.routes[TOKEN] = never;
      return complete();
    },
    "the token endpoint answers with HTML": () => {
      provider.server.routes[TOKEN] = html();
      return complete();
    },
    "the tokens come in broken JSON": () => {
      provider.server.routes[TOKEN] = text(`{"access_token":"${provider.accessToken}"`);
      return complete();
    },
    "the tokens are of a wrong type": () => {
      provider.tokens = { token_type: "mac", expires_in: "soon" };
      return complete();
    },
    "the scope was not granted": () => {
      provider.tokens = { scope: "openid" };
      return complete();
    },
    "the keys are out of reach": () => {
      provider.server.routes[`GET ${ISSUER}jwks`] = networkFailure;
      return complete();
    },
    "the keys do not fit": () => {
      provider.publishedKeys = [];
      return complete();
    },
    "the signature is wrong": () => {
      const sign = provider.signIdToken;
      provider.signIdToken = async (claims) => `${(await sign(claims)).slice(0, -8)}AAAAAAAA`;
      return complete();
    },
    "the ID token is for another client": () => {
      provider.claims = { aud: "other" };
      return complete();
    },
    "the ID token has the azp of another": () => {
      provider.claims = { azp: "other" };
      return complete();
    },
    "the ID token has expired": () => {
      provider.claims = { exp: 1 };
      return complete();
    },
    "the ID token is old": () => {
      provider.claims = { iat: 1 };
      return complete();
    },
    "the ID token has a wrong at_hash": () => {
      provider.claims = { at_hash: "other" };
      return complete();
    },
    "the ID token is no token": () => {
      provider.tokens = { id_token: `${provider.accessToken}.x` };
      return complete();
    },
    "the answer is of another issuer": () => complete(`${login.url}&iss=https://evil.example/`),
    "the answer repeats the code": () => complete(`${login.url}&code=${login.code}`),
    "the answer has an error": () => complete(`${login.url}&error=server_error`),
    "the answer has a token": () => complete(`${login.url}&token=${provider.accessToken}`),
    "the answer came in the wrong place": () => complete(login.url.replace("?", "#")),
    "the answer is no whole address": () => complete(new URL(login.url).search),
    "the login is unknown": () => completeAuthorizationCodeGrant(login.code, "unknown"),
    "the login was tampered with": () => {
      for (const [key, record] of Object.entries(sessionStorage)) {
        sessionStorage.setItem(key, String(record).replace(/"homeserverUrl"/, '"x"'));
      }
      return complete();
    },
  };
  for (const [what, fail] of Object.entries(failures)) {
    it(what, async () => {
      await prepare();

      const texts = everyTextIn(await rejectionOf(fail()));

      expect(secrets.filter((secret) => texts.includes(secret))).to.be.empty;
    });
  }
});
