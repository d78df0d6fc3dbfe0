import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { describe, it } from "node:test";
import { OidcErrorCode } from "matrix-auth-elements/core";
import { POPUP_ROWS, ROWS, SESSION_ROWS } from "./cases/index.js";

// The tests of the basic, config, dynamic, refresh token and comprehensive plans. README.md explains why others
// do not fit.
const RELYING_PARTY_TESTS = [
  "invalid-iss",
  "missing-sub",
  "invalid-aud",
  "missing-aud",
  "missing-iat",
  "kid-absent-single-jwks",
  "kid-absent-multiple-jwks",
  "idtoken-sig-rs256",
  "idtoken-sig-none",
  "invalid-sig-rs256",
  "invalid-sig-es256",
  "invalid-sig-hs256",
  "nonce-invalid",
  "invalid-athash",
  "missing-athash",
  "mtls-endpoint-aliases",
  "ignores-unparseable-key-in-jwks",
  "discovery-openid-config",
  "discovery-jwks-uri-keys",
  "discovery-issuer-mismatch",
  "signing-key-rotation-just-before-signing",
  "signing-key-rotation",
  "dynamic-registration",
  "refresh-token",
  "refresh-token-invalid-issuer",
  "refresh-token-invalid-sub",
  "refresh-token-invalid-aud",
];

const FAPI_TESTS = [
  "discovery-issuer-mismatch",
  "invalid-iss",
  "invalid-aud",
  "invalid-secondary-aud",
  "invalid-null-alg",
  "invalid-alternate-alg",
  "invalid-expired-exp",
  "invalid-missing-exp",
  "invalid-missing-aud",
  "invalid-missing-iss",
  "valid-aud-as-array",
  "invalid-nonce",
  "invalid-missing-nonce",
  "invalid-authorization-response-iss",
  "remove-authorization-response-iss",
  "ensure-authorization-response-with-invalid-state-fails",
  "ensure-authorization-response-with-invalid-missing-state-fails",
  "token-endpoint-response-without-expires_in",
  "token-type-case-insensitivity",
];

describe("The table of hostile providers", () => {
  it("has at least 120 rows on sign-ins, and as many on sessions", () => {
    assert.ok(ROWS.length >= 120, `${ROWS.length} rows`);
    assert.ok(SESSION_ROWS.length >= 120, `${SESSION_ROWS.length} rows`);
  });

  it("names each row uniquely", () => {
    const ids = [...ROWS, ...SESSION_ROWS, ...POPUP_ROWS].map(({ id }) => id);
    assert.deepEqual(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      [],
    );
    for (const id of ids) assert.match(id, /^[a-z0-9-]+$/);
  });

  it("has every test of the OpenID Foundation that fits a public client with the code flow", async () => {
    const folder = new URL("cases/", import.meta.url);
    const files = await readdir(folder);
    const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), "utf8")));
    const sources = ROWS.map(({ source }) => source);
    const named = new Set([...sources, ...texts].join("\n").match(/[\w-]+-client-test-[\w-]+/g));
    const missing = [
      ...RELYING_PARTY_TESTS.map((name) => `oidcc-client-test-${name}`),
      ...FAPI_TESTS.map((name) => `fapi2-security-profile-final-client-test-${name}`),
    ].filter((name) => !named.has(name));
    assert.deepEqual(missing, []);
  });

  it("gives each row a source with a URL, a deviation, an existing error and a different control", () => {
    const rows = [...ROWS, ...SESSION_ROWS, ...POPUP_ROWS];
    for (const { id, source, deviation, refused, control } of rows) {
      assert.match(source, /^.*\S, https:\/\/[^\s]+$/, id);
      assert.ok(URL.canParse(source.slice(source.lastIndexOf(" ") + 1)), id);
      assert.notEqual(Object.keys(deviation).length, 0, id);
      if (typeof refused === "object" && "code" in refused) {
        assert.ok(Object.values<string>(OidcErrorCode).includes(refused.code), id);
      }
      assert.notEqual(control, deviation, id);
    }
  });
});
