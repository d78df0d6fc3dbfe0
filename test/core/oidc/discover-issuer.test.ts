import { expect } from "@open-wc/testing";
import {
  OidcError,
  discoverAndValidateOIDCIssuerWellKnown,
  discoverIssuer,
} from "matrix-auth-elements/core";
import { expectFlowError } from "../../support/rejection.ts";
import { html, json, networkFailure } from "../../support/scripted-fetch.ts";
import { ISSUER, ScriptedProvider } from "../../support/scripted-provider.ts";
import { restoreStubs, stub } from "../../support/stub.ts";

const DOCUMENT = `GET ${ISSUER}.well-known/openid-configuration`;

describe("Discovery of an issuer", () => {
  let provider: ScriptedProvider;
  const discover = (issuer: string = ISSUER, allowedOrigins?: readonly string[]) =>
    discoverAndValidateOIDCIssuerWellKnown(issuer, {
      fetch: provider.server.fetch,
      allowedOrigins,
    });

  beforeEach(async () => {
    provider = await ScriptedProvider.create();
  });

  afterEach(restoreStubs);

  it("gives the validated metadata with the issuer's signing keys", async () => {
    expect(await discover()).to.deep.equal({
      ...provider.metadata,
      signingKeys: provider.publishedKeys,
    });
    expect(provider.server.log).to.deep.equal([DOCUMENT, `GET ${ISSUER}jwks`]);
  });

  it("gives null for the keys of an issuer that publishes none", async () => {
    delete provider.metadata.jwks_uri;

    expect(await discover()).to.have.property("signingKeys", null);
    expect(provider.server.log).to.deep.equal([DOCUMENT]);
  });

  it("asks with the page's own fetch, where nobody says otherwise", async () => {
    stub(globalThis, "fetch", { value: provider.server.fetch });

    expect((await discoverAndValidateOIDCIssuerWellKnown(ISSUER)).signingKeys).to.have.length(1);
  });

  it("needs no keys where the caller wants the metadata alone", async () => {
    const { fetch } = provider.server;

    expect(await discoverIssuer(ISSUER, { fetch })).to.deep.equal(provider.metadata);
    expect(provider.server.log).to.deep.equal([DOCUMENT]);
  });

  for (const [asked, named] of [
    ["https://idp.example/realms/one", "https://idp.example/realms/one"],
    ["https://idp.example/realms/one/", "https://idp.example/realms/one/"],
    ["https://idp.example/realms/one", "https://idp.example/realms/one/"],
    ["https://idp.example/realms/one/", "https://idp.example/realms/one"],
  ] as const) {
    it(`of ${asked} keeps its path, where the document names ${named}`, async () => {
      provider.metadata.issuer = named;
      const route = "GET https://idp.example/realms/one/.well-known/openid-configuration";
      provider.server.routes[route] = json(provider.metadata);

      // What the issuer calls itself is what its answers and tokens will be compared with.
      expect((await discover(asked)).issuer).to.equal(named);
      expect(provider.server.log[0]).to.equal(route);
    });
  }

  for (const issuer of [
    "https://evil.example/",
    "https://idp.example/realms",
    "https://idp.example.evil.example/",
    "https://idp.example:8443/",
    "https://idp.example//",
  ]) {
    it(`refuses a document that names the issuer ${issuer}`, async () => {
      provider.metadata.issuer = issuer;

      const { cause } = await expectFlowError(discover(), OidcError.OpSupport, "issuer_mismatch");
      expect(cause).to.have.property(
        "message",
        `The document of ${ISSUER} names the issuer ${issuer}`,
      );
    });
  }

  for (const issuer of [
    "",
    "idp.example",
    "http://idp.example/",
    "javascript:alert(1)",
    "https://idp.example/?a",
    "https://idp.example/#a",
    "https://user:password@idp.example/",
  ]) {
    it(`refuses the issuer "${issuer}" without any request`, async () => {
      const { cause } = await expectFlowError(
        discover(issuer),
        OidcError.General,
        "issuer_invalid",
      );
      expect(cause).to.have.property(
        "message",
        "An issuer is an https address without query and fragment",
      );
      expect(provider.server.log).to.be.empty;
    });
  }

  it("fails with the faults of the document", async () => {
    provider.metadata.code_challenge_methods_supported = ["plain"];

    await expectFlowError(discover(), OidcError.OpSupport, "metadata_invalid");
  });

  it("fails where there is no document", async () => {
    provider.server.routes[DOCUMENT] = html(404);

    await expectFlowError(discover(), OidcError.General, "unexpected_status");
  });

  it("allows endpoints on another origin by name", async () => {
    provider.metadata.token_endpoint = "https://tokens.example/token";

    await expectFlowError(discover(), OidcError.OpSupport, "metadata_invalid");
    expect((await discover(ISSUER, ["https://tokens.example"])).token_endpoint).to.equal(
      "https://tokens.example/token",
    );
  });

  for (const keySet of [{}, [], null, { keys: {} }, { keys: ["key"] }, { keys: [null] }]) {
    it(`takes ${JSON.stringify(keySet)} for no key set`, async () => {
      provider.server.routes[`GET ${ISSUER}jwks`] = json(keySet);

      const { cause } = await expectFlowError(discover(), OidcError.General, "keys_unavailable");
      expect(cause).to.have.property("message", `${ISSUER}jwks is no key set`);
    });
  }

  it("fails where the keys are out of reach", async () => {
    provider.server.routes[`GET ${ISSUER}jwks`] = networkFailure;

    await expectFlowError(discover(), OidcError.General, "network_error");
  });
});
