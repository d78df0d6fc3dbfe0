import { expect } from "@open-wc/testing";
import { discoverAndValidateOIDCIssuerWellKnown, discoverIssuer } from "matrix-auth-elements/core";
import { json } from "../../support/scripted-fetch.ts";
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

  it("returns the validated metadata with the issuer's signing keys", async () => {
    expect(await discover()).to.deep.equal({
      ...provider.metadata,
      signingKeys: provider.publishedKeys,
    });
    expect(provider.server.log).to.deep.equal([DOCUMENT, `GET ${ISSUER}jwks`]);
  });

  it("returns null for the keys of an issuer that publishes none", async () => {
    delete provider.metadata.jwks_uri;

    expect(await discover()).to.have.property("signingKeys", null);
    expect(provider.server.log).to.deep.equal([DOCUMENT]);
  });

  it("sends its request with the page's fetch by default", async () => {
    stub(globalThis, "fetch", { value: provider.server.fetch });

    expect((await discoverAndValidateOIDCIssuerWellKnown(ISSUER)).signingKeys).to.have.length(1);
  });

  it("requests no keys if the caller needs only the metadata", async () => {
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
    it(`of ${asked} keeps the path if the document contains ${named}`, async () => {
      provider.metadata.issuer = named;
      const route = "GET https://idp.example/realms/one/.well-known/openid-configuration";
      provider.server.routes[route] = json(provider.metadata);

      // Responses and tokens are compared with the issuer in its own document.
      expect((await discover(asked)).issuer).to.equal(named);
      expect(provider.server.log[0]).to.equal(route);
    });
  }
});
