// The requirements for ID tokens are in test/conformance/cases: id-token-*, signatures and
// key-sets. These tests need another clock, a cache, or a caller's options.
import { expect } from "@open-wc/testing";
import { SignJWT } from "jose";
import {
  OidcError,
  completeAuthorizationCodeGrant,
  type AuthorizationCodeGrantResult,
  type CompletionOptions,
  type OidcErrorCode,
} from "matrix-auth-elements/core";
import { expectFlowError } from "../../support/rejection.ts";
import { inSequence, json } from "../../support/scripted-fetch.ts";
import {
  ISSUER,
  ScriptedProvider,
  base64Url,
  makeSigningKey,
} from "../../support/scripted-provider.ts";
import { restoreStubs, stub } from "../../support/stub.ts";
import { logIn } from "../login.ts";

const HOUR = 60 * 60;

describe("An ID token", () => {
  let provider: ScriptedProvider;

  const complete = async (
    options: CompletionOptions = {},
  ): Promise<AuthorizationCodeGrantResult> => {
    const { code, state } = await logIn(provider);
    const { fetch } = provider.server;
    return completeAuthorizationCodeGrant(code, state, { fetch, ...options });
  };
  const expectRefused = (code: OidcErrorCode, options?: CompletionOptions): Promise<unknown> =>
    expectFlowError(complete(options), OidcError.InvalidIdToken, code);

  /** The revocation requests: token, hint and client. */
  const revoked = (): readonly (readonly (string | null)[])[] =>
    provider.server.to(`${ISSUER}revoke`).map(({ body }) => {
      const form = new URLSearchParams(body);
      return ["token", "token_type_hint", "client_id"].map((name) => form.get(name));
    });

  beforeEach(async () => {
    sessionStorage.clear();
    provider = await ScriptedProvider.create();
  });
  afterEach(restoreStubs);

  it("is accepted when its at_hash and header contain characters that only base64url has", async () => {
    let access_token = "";
    let hash = "";
    for (let i = 0; !/-.*-/.test(hash) || !/_.*_/.test(hash); i += 1) {
      access_token = `secret-access-token-${i}`;
      const bytes = new TextEncoder().encode(access_token);
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
      hash = base64Url(digest.slice(0, digest.length / 2));
    }
    provider.tokens = { access_token };
    provider.claims = { at_hash: hash };
    const { privateKey, jwk } = provider.signingKey;
    provider.signIdToken = async (claims) => {
      const header = { alg: "RS256", kid: jwk.kid, note: "?????????>>>>>>>>>" };
      const token = await new SignJWT(claims).setProtectedHeader(header).sign(privateKey);
      expect(token.split(".")[0]).to.match(/-.*-/).and.to.match(/_.*_/);
      return token;
    };

    expect((await complete()).idTokenClaims).to.include({ at_hash: hash });
  });

  it("is accepted when this device's clock is wrong by less than a day, and rejected otherwise", async () => {
    const at = 1_900_000_000;
    stub(Date, "now", { value: () => at * 1000 });
    for (const iat of [at - 24 * HOUR + 1, at - HOUR, at + HOUR, at + 24 * HOUR - 1]) {
      provider.claims = { iat, nbf: iat, exp: iat + 300 };
      const { idTokenClaims, tokenResponse } = await complete();
      expect(idTokenClaims?.iat).to.equal(iat);
      // The expiry is in the device's time, because it is compared with the device's clock later.
      expect(tokenResponse.expires_at).to.equal(at + Number(tokenResponse.expires_in));
    }
    for (const iat of [at - 24 * HOUR, at + 24 * HOUR]) {
      provider.claims = { iat, exp: iat + HOUR };
      await expectRefused("id_token_time");
    }
  });

  it("is rejected when it has expired on its issuer's clock, regardless of this device's clock", async () => {
    const at = 1_900_000_000;
    stub(Date, "now", { value: () => at * 1000 });
    for (const iat of [at - HOUR, at + HOUR]) {
      provider.claims = { iat, exp: iat - 300 };
      await expectRefused("id_token_time");
      provider.claims = { iat, nbf: iat + 301, exp: iat + HOUR };
      await expectRefused("id_token_time");
    }
  });

  it("isn't verified, and its keys aren't fetched, with idToken: off", async () => {
    provider.claims = { nonce: "other" };

    const { idTokenClaims, tokenResponse } = await complete({ idToken: "off" });

    expect(idTokenClaims).to.be.undefined;
    expect(tokenResponse).not.to.have.property("id_token");
    expect(provider.server.to(`${ISSUER}jwks`)).to.be.empty;
    expect(revoked()).to.be.empty;
  });

  it("can be missing with idToken: off", async () => {
    provider.tokens = { id_token: undefined };

    expect((await complete({ idToken: "off" })).idTokenClaims).to.be.undefined;
  });

  for (const [title, deviation, code] of [
    ["is for another login", () => (provider.claims = { nonce: "other" }), "id_token_invalid"],
    ["is signed by an unknown key", () => (provider.publishedKeys = []), "id_token_signature"],
    ["is missing", () => (provider.tokens = { id_token: undefined }), "id_token_missing"],
  ] as const) {
    it(`causes the accompanying tokens to be revoked when it ${title}`, async () => {
      deviation();
      await expectRefused(code);

      expect(revoked()).to.deep.equal([
        [provider.refreshToken, "refresh_token", provider.clientId],
        [provider.accessToken, "access_token", provider.clientId],
      ]);
    });
  }

  it("causes no revocation when its keys can't be fetched, because the sign-in can be completed later", async () => {
    provider.server.routes[`GET ${ISSUER}jwks`] = json({}, 503);
    await expectRefused("keys_unavailable");

    expect(revoked()).to.be.empty;
  });

  it("is required if the issuer doesn't name the granted scope", async () => {
    provider.tokens = { id_token: undefined, scope: undefined };

    await expectRefused("id_token_missing");
  });

  it("is verified with a key that bypasses the HTTP cache when the issuer has just changed its key", async () => {
    const key = await makeSigningKey("RS256");
    provider.signingKey = key;
    provider.server.routes[`GET ${ISSUER}jwks`] = inSequence(
      json({ keys: provider.publishedKeys }),
      json({ keys: [key.jwk] }),
    );

    expect((await complete()).idTokenClaims?.sub).to.equal("alice");
    const requests = provider.server.to(`${ISSUER}jwks`);
    expect(requests.map(({ cache }) => cache)).to.deep.equal(["default", "reload"]);
  });

  it("is verified with the newest key at each of two sign-ins within a minute", async () => {
    await complete();
    provider.signingKey = await makeSigningKey("RS256");
    provider.publishedKeys = [provider.signingKey.jwk];

    expect((await complete()).idTokenClaims?.sub).to.equal("alice");
  });

  it("is discarded as unverified if the issuer publishes no keys", async () => {
    delete provider.metadata.jwks_uri;
    provider.tokens = { id_token: "a.b.c" };

    const { idTokenClaims, tokenResponse } = await complete();

    expect(idTokenClaims).to.be.undefined;
    expect(tokenResponse).not.to.have.property("id_token");
  });

  it("is required without the scope openid only if the caller demands it", async () => {
    provider.tokens = { id_token: undefined, scope: "urn:matrix:client:api:*" };

    expect(await complete()).to.have.property("idTokenClaims", undefined);
    await expectRefused("id_token_missing", { idToken: "required" });
  });

  it("can be missing, but not wrong, with idToken: when-available", async () => {
    const idToken = "when-available";
    provider.tokens = { id_token: undefined };
    expect(await complete({ idToken })).to.have.property("idTokenClaims", undefined);

    provider.tokens = {};
    provider.claims = { nonce: "other" };
    await expectRefused("id_token_invalid", { idToken });
  });
});
