import { expect } from "@open-wc/testing";
import { SignJWT, UnsecuredJWT } from "jose";
import {
  OidcError,
  completeAuthorizationCodeGrant,
  type AuthorizationCodeGrantResult,
  type CompletionOptions,
  type OidcErrorCode,
} from "matrix-auth-elements/core";
import { expectFlowError, rejectionOf } from "../../support/rejection.ts";
import { inTurn, json } from "../../support/scripted-fetch.ts";
import {
  ISSUER,
  ScriptedProvider,
  base64Url,
  makeSigningKey,
  type SigningKey,
} from "../../support/scripted-provider.ts";
import { moveClock, restoreStubs, stub } from "../../support/stub.ts";
import { logIn } from "../login.ts";

const HOUR = 60 * 60;
const now = (): number => Math.floor(Date.now() / 1000);

describe("An ID token", () => {
  let provider: ScriptedProvider;

  const complete = async (
    options: CompletionOptions = {},
  ): Promise<AuthorizationCodeGrantResult> => {
    const { code, state } = await logIn(provider);
    const { fetch } = provider.server;
    return completeAuthorizationCodeGrant(code, state, { fetch, ...options });
  };
  const expectRefused = (code: OidcErrorCode): Promise<unknown> =>
    expectFlowError(complete(), OidcError.InvalidIdToken, code);

  beforeEach(async () => {
    sessionStorage.clear();
    provider = await ScriptedProvider.create();
  });
  afterEach(restoreStubs);

  describe("is accepted", () => {
    for (const algorithm of ["RS256", "ES256", "EdDSA"] as const) {
      it(`with a signature by ${algorithm}, and with a right at_hash`, async () => {
        provider = await ScriptedProvider.create(algorithm);
        const hash = algorithm === "EdDSA" ? "SHA-512" : "SHA-256";
        const bytes = new TextEncoder().encode(provider.accessToken);
        const digest = new Uint8Array(await crypto.subtle.digest(hash, bytes));
        const at_hash = base64Url(digest.slice(0, digest.length / 2));
        provider.claims = { at_hash };

        expect((await complete()).idTokenClaims).to.include({ sub: "alice", at_hash });
      });
    }

    it("with an at_hash, and a header, in letters that base64url alone has", async () => {
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

    it("with RS256 where the issuer does not say what it signs with", async () => {
      delete provider.metadata.id_token_signing_alg_values_supported;

      expect((await complete()).idTokenClaims?.sub).to.equal("alice");
    });

    it("for several audiences, where azp names us", async () => {
      provider.claims = { aud: ["other", provider.clientId], azp: provider.clientId };

      expect((await complete()).idTokenClaims?.aud).to.deep.equal(["other", provider.clientId]);
    });

    it("without a kid, where there is but one key that fits", async () => {
      provider.signIdToken = (claims) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: "RS256" })
          .sign(provider.signingKey.privateKey);

      expect((await complete()).idTokenClaims?.sub).to.equal("alice");
    });

    for (const [what, by] of [
      ["four minutes slow", -4 * 60],
      ["four minutes fast", 4 * 60],
    ] as const) {
      it(`by a device whose clock is ${what}`, async () => {
        provider.claims = { iat: now() - by, exp: now() - by + 60 };

        expect((await complete()).idTokenClaims?.sub).to.equal("alice");
      });
    }

    it("with a sub of 255 characters", async () => {
      const sub = "a".repeat(255);
      provider.claims = { sub };

      expect((await complete()).idTokenClaims?.sub).to.equal(sub);
    });

    it("with claims of any name, which touch no prototype", async () => {
      const claims = '{"__proto__":{"polluted":true},"extra":1}';
      provider.claims = JSON.parse(claims) as Record<string, unknown>;

      const { idTokenClaims } = await complete();

      expect(idTokenClaims).to.include({ extra: 1 });
      expect({}).not.to.have.property("polluted");
    });
  });

  describe("is refused", () => {
    const refused: readonly (readonly [string, () => Record<string, unknown>, OidcErrorCode])[] = [
      ["without iss", () => ({ iss: undefined }), "id_token_invalid"],
      ["of another issuer", () => ({ iss: "https://evil.example/" }), "id_token_invalid"],
      [
        "of an issuer that differs by a slash",
        () => ({ iss: "https://idp.example" }),
        "id_token_invalid",
      ],
      ["without aud", () => ({ aud: undefined }), "id_token_invalid"],
      ["for another client", () => ({ aud: "other" }), "id_token_invalid"],
      ["for several others", () => ({ aud: ["other", "another"] }), "id_token_invalid"],
      [
        "for a list that holds us as a part of a text",
        () => ({ aud: [`${provider.clientId},other`] }),
        "id_token_invalid",
      ],
      [
        "for several audiences without azp",
        () => ({ aud: [provider.clientId, "other"] }),
        "id_token_invalid",
      ],
      [
        "for several audiences with the azp of another",
        () => ({ aud: [provider.clientId, "other"], azp: "other" }),
        "id_token_invalid",
      ],
      ["for us alone with the azp of another", () => ({ azp: "other" }), "id_token_invalid"],
      ["with an empty azp", () => ({ azp: "" }), "id_token_invalid"],
      ["without nonce", () => ({ nonce: undefined }), "id_token_invalid"],
      ["with the nonce of another login", () => ({ nonce: "other" }), "id_token_invalid"],
      [
        "with a nonce that is no text",
        () => ({ nonce: ["nonce-of-this-test"] }),
        "id_token_invalid",
      ],
      ["without sub", () => ({ sub: undefined }), "id_token_invalid"],
      ["with a sub that is no text", () => ({ sub: 5 }), "id_token_invalid"],
      ["with an empty sub", () => ({ sub: "" }), "id_token_invalid"],
      ["with a sub of 256 letters", () => ({ sub: "a".repeat(256) }), "id_token_invalid"],
      ["without exp", () => ({ exp: undefined }), "id_token_invalid"],
      ["with an exp that is no number", () => ({ exp: "never" }), "id_token_invalid"],
      [
        "that expired an hour ago",
        () => ({ iat: now() - HOUR - 60, exp: now() - HOUR }),
        "id_token_time",
      ],
      [
        "that expired an hour ago, though issued just now",
        () => ({ exp: now() - HOUR }),
        "id_token_time",
      ],
      ["without iat", () => ({ iat: undefined }), "id_token_invalid"],
      ["with an iat that is no number", () => ({ iat: "now" }), "id_token_invalid"],
      [
        "that was issued an hour ago",
        () => ({ iat: now() - HOUR, exp: now() + HOUR }),
        "id_token_time",
      ],
      [
        "that is issued in an hour",
        () => ({ iat: now() + HOUR, exp: now() + 2 * HOUR }),
        "id_token_time",
      ],
      [
        "that is not valid before an hour has passed",
        () => ({ nbf: now() + HOUR }),
        "id_token_time",
      ],
      [
        "with the at_hash of another access token",
        () => ({ at_hash: base64Url(new Uint8Array(16)) }),
        "id_token_invalid",
      ],
      ["with an empty at_hash", () => ({ at_hash: "" }), "id_token_invalid"],
      ["with an at_hash that is no text", () => ({ at_hash: null }), "id_token_invalid"],
    ];
    for (const [what, claims, code] of refused) {
      it(what, async () => {
        provider.claims = claims();

        await expectRefused(code);
      });
    }

    it("with the reason for whoever looks into the cause, and no secret in it", async () => {
      for (const [claims, reason] of [
        [{ sub: "" }, /^sub is empty/],
        [{ azp: "other" }, /^azp names another client$/],
        [
          { iat: now() - HOUR },
          /^The ID token was issued 36\d\d seconds ago by this device's clock$/,
        ],
        [{ at_hash: "other" }, /^at_hash does not fit the access token$/],
      ] as const) {
        provider.claims = claims;

        const { cause } = (await rejectionOf(complete())) as Error;
        expect(cause).to.be.instanceOf(Error).and.have.property("message").that.matches(reason);
        expect(cause).not.to.have.property("code");
      }
      provider.tokens = { id_token: "x" };
      expect(((await rejectionOf(complete())) as Error).cause).to.have.property(
        "message",
        "The ID token is no compact JWS",
      );
    });

    it("with the code of oauth4webapi in the cause, where that was what refused", async () => {
      provider.claims = { nonce: "other" };

      const { cause } = (await rejectionOf(complete())) as Error;
      expect(cause).to.include({
        name: "OperationProcessingError",
        code: "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
      });
      // Where it was thrown, not where it was copied.
      expect(cause).to.have.property("stack").that.includes("processAuthorizationCode");
    });

    it("where it is ten minutes old, or five minutes ahead, to the second", async () => {
      const at = 1_900_000_000;
      stub(Date, "now", { value: () => at * 1000 });
      for (const iat of [at - 599, at + 299]) {
        provider.claims = { iat, exp: at + HOUR };
        expect((await complete()).idTokenClaims?.iat).to.equal(iat);
      }
      for (const iat of [at - 600, at + 300]) {
        provider.claims = { iat, exp: at + HOUR };
        await expectRefused("id_token_time");
      }
    });

    for (const hours of [2, -2]) {
      it(`by a device whose clock is wrong by ${hours} hours`, async () => {
        // The issuer's clock is right.
        provider.claims = { iat: now(), exp: now() + 300 };
        moveClock(hours * HOUR * 1000);

        await expectRefused("id_token_time");
      });
    }

    it("where the issuer has keys and granted openid, but sent none", async () => {
      provider.tokens = { id_token: undefined };

      await expectRefused("id_token_missing");
    });

    for (const [what, spoil] of [
      ["padding behind it", (token: string) => `${token}=`],
      ["a line break behind it", (token: string) => `${token}\n`],
      ["a blank before it", (token: string) => ` ${token}`],
      ["a line break in its middle", (token: string) => token.replace(".", "\n.")],
    ] as const) {
      it(`with ${what}, which others might read over`, async () => {
        const sign = provider.signIdToken;
        provider.signIdToken = async (claims) => spoil(await sign(claims));

        await expectRefused("id_token_invalid");
      });
    }

    it("where the issuer has keys and does not say what it granted, but sent none", async () => {
      provider.tokens = { id_token: undefined, scope: undefined };

      await expectRefused("id_token_missing");
    });

    for (const idToken of ["x", "x.y", "a.b.c", "..", "a.b.c.d.e"]) {
      it(`where it is "${idToken}"`, async () => {
        provider.tokens = { id_token: idToken };

        await expectRefused("id_token_invalid");
      });
    }
  });

  describe("whose signature", () => {
    const signWith = (key: SigningKey, kid = provider.signingKey.jwk.kid): void => {
      provider.signIdToken = (claims) =>
        new SignJWT(claims).setProtectedHeader({ alg: key.algorithm, kid }).sign(key.privateKey);
    };

    it("was made with another key under the name of the issuer's is refused", async () => {
      signWith(await makeSigningKey("RS256"));

      await expectRefused("id_token_signature");
    });

    it("covers other claims is refused", async () => {
      const sign = provider.signIdToken;
      provider.signIdToken = async (claims) => {
        const [header = "", , signature = ""] = (await sign(claims)).split(".");
        const payload = new TextEncoder().encode(JSON.stringify({ ...claims, sub: "mallory" }));
        return `${header}.${base64Url(payload)}.${signature}`;
      };

      await expectRefused("id_token_signature");
    });

    it("is missing is refused", async () => {
      const sign = provider.signIdToken;
      provider.signIdToken = async (claims) => (await sign(claims)).replace(/[^.]*$/, "");

      await expectRefused("id_token_signature");
    });

    it("was made with a key that the issuer does not publish is refused", async () => {
      const key = await makeSigningKey("RS256");
      signWith(key, key.jwk.kid);

      await expectRefused("id_token_signature");
      expect(provider.server.to(`${ISSUER}jwks`)).to.have.length(2);
    });

    for (const algorithms of [["RS256"], ["RS256", "none"], undefined]) {
      it(`is none is refused, where the issuer lists ${JSON.stringify(algorithms)}`, async () => {
        provider.metadata.id_token_signing_alg_values_supported = algorithms;
        provider.signIdToken = (claims) => Promise.resolve(new UnsecuredJWT(claims).encode());

        await expectRefused("id_token_invalid");
      });
    }

    for (const algorithms of [["RS256"], ["RS256", "HS256"]]) {
      it(`is HS256 with the public key as its secret is refused, where the issuer lists ${algorithms.join()}`, async () => {
        provider.metadata.id_token_signing_alg_values_supported = algorithms;
        const secret = new TextEncoder().encode(JSON.stringify(provider.signingKey.jwk));
        const { kid } = provider.signingKey.jwk;
        provider.signIdToken = (claims) =>
          new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid }).sign(secret);

        await expectRefused("id_token_invalid");
      });
    }

    it("is of an algorithm that the issuer does not list is refused", async () => {
      const key = await makeSigningKey("ES256");
      provider.publishedKeys = [key.jwk];
      signWith(key, key.jwk.kid);

      await expectRefused("id_token_invalid");
    });

    it("is by a key for encryption is refused", async () => {
      provider.publishedKeys = [{ ...provider.signingKey.jwk, use: "enc" }];

      await expectRefused("id_token_signature");
    });

    it("could be by either of two keys, without a kid, is refused", async () => {
      const other = await makeSigningKey("RS256");
      provider.publishedKeys = [provider.signingKey.jwk, other.jwk];
      provider.signIdToken = (claims) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: "RS256" })
          .sign(provider.signingKey.privateKey);

      await expectRefused("id_token_signature");
    });

    it("is by no key, because the issuer's set is empty, is refused", async () => {
      provider.publishedKeys = [];

      await expectRefused("id_token_signature");
    });

    it("brings its own key along is refused", async () => {
      const key = await makeSigningKey("RS256");
      const { kid, ...jwk } = key.jwk;
      provider.signIdToken = (claims) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: "RS256", kid, jwk, jku: "https://evil.example/jwks" })
          .sign(key.privateKey);

      await expectRefused("id_token_signature");
      expect(provider.server.log).not.to.include("GET https://evil.example/jwks");
    });

    it("has a critical header that nobody here understands is refused", async () => {
      const { privateKey, jwk } = provider.signingKey;
      provider.signIdToken = (claims) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: "RS256", kid: jwk.kid, crit: ["made-up"], "made-up": true })
          .sign(privateKey, { crit: { "made-up": true } });

      await expectRefused("id_token_invalid");
    });
  });

  describe("of an issuer that changes its key between keys and token", () => {
    it("is verified with the new key, fetched past the HTTP cache", async () => {
      const key = await makeSigningKey("RS256");
      provider.signingKey = key;
      provider.server.routes[`GET ${ISSUER}jwks`] = inTurn(
        json({ keys: provider.publishedKeys }),
        json({ keys: [key.jwk] }),
      );

      expect((await complete()).idTokenClaims?.sub).to.equal("alice");
      const requests = provider.server.to(`${ISSUER}jwks`);
      expect(requests.map(({ cache }) => cache)).to.deep.equal(["default", "reload"]);
    });

    it("is verified twice in a minute, with a key for each", async () => {
      await complete();
      provider.signingKey = await makeSigningKey("RS256");
      provider.publishedKeys = [provider.signingKey.jwk];

      expect((await complete()).idTokenClaims?.sub).to.equal("alice");
    });
  });

  describe("is not asked for where the issuer publishes no keys:", () => {
    beforeEach(() => {
      delete provider.metadata.jwks_uri;
    });

    it("the login has no claims", async () => {
      expect(await complete()).to.have.property("idTokenClaims", undefined);
    });

    it("one that comes all the same is not passed on, because nobody verified it", async () => {
      provider.tokens = { id_token: "a.b.c" };

      const { idTokenClaims, tokenResponse } = await complete();

      expect(idTokenClaims).to.be.undefined;
      expect(tokenResponse).not.to.have.property("id_token");
    });

    it("a caller can demand one, and the login fails", () =>
      expectFlowError(
        complete({ idToken: "required" }),
        OidcError.InvalidIdToken,
        "id_token_missing",
      ));
  });

  it("is not required where the issuer did not grant openid", async () => {
    provider.tokens = {
      id_token: undefined,
      scope: "urn:matrix:client:api:* urn:matrix:client:device:DEVICE1234",
    };

    expect(await complete()).to.have.property("idTokenClaims", undefined);
    await expectFlowError(
      complete({ idToken: "required" }),
      OidcError.InvalidIdToken,
      "id_token_missing",
    );
  });

  it("may be missing where the caller takes it when it is available", async () => {
    provider.tokens = { id_token: undefined };

    expect(await complete({ idToken: "when-available" })).to.have.property(
      "idTokenClaims",
      undefined,
    );
  });

  it("is verified where it is there, also where the caller could do without", async () => {
    provider.claims = { nonce: "other" };

    await expectFlowError(
      complete({ idToken: "when-available" }),
      OidcError.InvalidIdToken,
      "id_token_invalid",
    );
  });
});
