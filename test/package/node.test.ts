import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import {
  generateAuthorizationParams,
  generateAuthorizationUrl,
  generateScope,
  OidcError,
  secureRandomString,
} from "matrix-auth-elements/core";

describe("Without a browser", () => {
  it("makes an authorization URL whose state the caller keeps", async () => {
    const params = generateAuthorizationParams({ redirectUri: "https://app.example/callback" });
    const url = new URL(
      await generateAuthorizationUrl("https://idp.example/authorize?x=1", "me", params),
    );
    assert.equal(url.origin + url.pathname, "https://idp.example/authorize");
    const challenge = createHash("sha256").update(params.codeVerifier).digest("base64url");
    assert.deepEqual(Object.fromEntries(url.searchParams), {
      x: "1",
      response_type: "code",
      response_mode: "query",
      client_id: "me",
      redirect_uri: "https://app.example/callback",
      scope: params.scope,
      state: params.state,
      nonce: params.nonce,
      code_challenge: challenge,
      code_challenge_method: "S256",
    });
  });

  it("makes scopes and random strings", () => {
    assert.equal(
      generateScope("ABCDEFGHIJ"),
      "openid urn:matrix:client:api:* urn:matrix:client:device:ABCDEFGHIJ",
    );
    assert.notEqual(secureRandomString(32), secureRandomString(32));
  });

  it("refuses a login that needs a browser's storage, by code", async () => {
    const { generateOidcAuthorizationUrl, validateAuthMetadata } =
      await import("matrix-auth-elements/core");
    const metadata = validateAuthMetadata({
      issuer: "https://idp.example/",
      authorization_endpoint: "https://idp.example/authorize",
      token_endpoint: "https://idp.example/token",
      revocation_endpoint: "https://idp.example/revoke",
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
    });
    await assert.rejects(
      generateOidcAuthorizationUrl({
        metadata,
        clientId: "me",
        homeserverUrl: "https://hs.example",
        redirectUri: "https://app.example/callback",
        nonce: secureRandomString(10),
      }),
      { message: OidcError.StorageUnavailable, code: "storage_unavailable" },
    );
  });
});
