import { expect } from "@open-wc/testing";
import {
  OidcError,
  completeAuthorizationCodeGrant,
  completeAuthorizationCodeGrantFromUrl,
  generateAuthorizationParams,
  generateAuthorizationUrl,
  validateAuthMetadata,
  type OidcAuthorizationOptions,
} from "matrix-auth-elements/core";
import { expectFlowError, rejectionOf } from "../../support/rejection.ts";
import { json } from "../../support/scripted-fetch.ts";
import { ISSUER, ScriptedProvider, base64Url } from "../../support/scripted-provider.ts";
import { blockStorage, fillStorage, moveClock, restoreStubs, stub } from "../../support/stub.ts";
import { REDIRECT_URI, startLogin } from "../login.ts";

const parametersOf = (url: string): Record<string, string> =>
  Object.fromEntries(new URL(url).searchParams);

async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return base64Url(new Uint8Array(digest));
}

/** Makes WebCrypto unavailable, as on a page over HTTP. */
const loseSecureContext = (): void => stub(crypto, "subtle", { value: undefined });

describe("generateOidcAuthorizationUrl", () => {
  let provider: ScriptedProvider;
  const start = (options: Partial<OidcAuthorizationOptions> = {}) => startLogin(provider, options);

  beforeEach(async () => {
    sessionStorage.clear();
    provider = await ScriptedProvider.create();
  });
  afterEach(() => {
    restoreStubs();
    sessionStorage.clear();
  });

  it("is the issuer's authorization endpoint with all parameters of a sign-in", async () => {
    const url = await start({ deviceId: "DEVICE1234" });

    const { state, code_challenge, ...parameters } = parametersOf(url);
    expect(url.split("?")[0]).to.equal(`${ISSUER}authorize`);
    expect(parameters).to.deep.equal({
      response_type: "code",
      response_mode: "query",
      client_id: provider.clientId,
      redirect_uri: REDIRECT_URI,
      scope: "openid urn:matrix:client:api:* urn:matrix:client:device:DEVICE1234",
      nonce: "nonce-of-this-test",
      code_challenge_method: "S256",
    });
    // Other code of the page might have its own states.
    expect(state).to.match(/^mae-[A-Za-z0-9]{32}$/);
    // An S256 challenge is 32 bytes.
    expect(code_challenge).to.match(/^[\w-]{43}$/);
  });

  describe("after a provider has rejected a named device", () => {
    const NAMED = { deviceId: "DEVICE1234" };
    const deviceIn = (url: string): string | undefined =>
      /client:device:(\w+)/.exec(parametersOf(url)["scope"] ?? "")?.[1];
    /** The user allows the sign-in, and the provider rejects it with this error. */
    const reject = async (options: Partial<OidcAuthorizationOptions>, error: string) => {
      provider.server.routes[`POST ${ISSUER}token`] = json({ error }, 400);
      const { code, state } = provider.authorize(await start(options));
      await rejectionOf(completeAuthorizationCodeGrant(code, state, provider.server));
    };

    it("requests a new one if it was rejected with invalid_scope at the token endpoint", async () => {
      await reject(NAMED, "invalid_scope");

      expect(deviceIn(await start(NAMED)))
        .to.match(/^[A-Za-z0-9]{10}$/)
        .and.not.equal("DEVICE1234");
      expect(deviceIn(await start({ deviceId: "OTHER12345" }))).to.equal("OTHER12345");
    });

    it("requests a new one if it was rejected with invalid_scope in the authorization response", async () => {
      const url = new URL(provider.authorize(await start(NAMED)).url);
      url.searchParams.delete("code");
      url.searchParams.set("error", "invalid_scope");
      await rejectionOf(completeAuthorizationCodeGrantFromUrl(url));

      expect(deviceIn(await start(NAMED))).not.to.equal("DEVICE1234");
    });

    it("requests the same one again after another error", async () => {
      await reject(NAMED, "invalid_request");

      expect(deviceIn(await start(NAMED))).to.equal("DEVICE1234");
    });

    it("requests the same one again after an hour, or from another provider", async () => {
      await reject(NAMED, "invalid_scope");
      const metadata = validateAuthMetadata({
        ...provider.metadata,
        issuer: "https://other.example",
      });

      expect(deviceIn(await start({ ...NAMED, metadata }))).to.equal("DEVICE1234");
      moveClock(61 * 60_000);
      expect(deviceIn(await start(NAMED))).to.equal("DEVICE1234");
    });
  });

  it("contains the given prompt, login hint, response mode and further scopes", async () => {
    const parameters = parametersOf(
      await start({
        prompt: "create",
        loginHint: "mxid:@alice:example.org",
        responseMode: "fragment",
        additionalScopes: ["urn:synapse:admin:*"],
      }),
    );

    expect(parameters).to.include({
      prompt: "create",
      login_hint: "mxid:@alice:example.org",
      response_mode: "fragment",
    });
    expect(parameters.scope).to.match(/ urn:synapse:admin:\*$/);
  });

  it("never uses a state, a challenge, or a generated device twice", async () => {
    const urls = [parametersOf(await start()), parametersOf(await start())] as const;

    for (const name of ["state", "code_challenge", "scope"]) {
      expect(urls[0][name]).not.to.equal(urls[1][name]);
    }
  });

  it("appends the page's state to its own", async () => {
    const { state } = parametersOf(await start({ urlState: "room=#a&b;c" }));

    expect(state).to.match(/^[A-Za-z0-9-]{32,};room=#a&b;c$/);
  });

  it("keeps the authorization endpoint's query, and overrides our parameters", async () => {
    provider.metadata.authorization_endpoint = `${ISSUER}authorize?tenant=one&client_id=evil&state=evil`;
    const url = new URL(await start());

    expect(url.searchParams.get("tenant")).to.equal("one");
    expect(url.searchParams.getAll("client_id")).to.deep.equal([provider.clientId]);
    expect(url.searchParams.getAll("state")).to.have.length(1).and.not.to.include("evil");
  });

  it("requests no ID token if the issuer has no keys to verify one", async () => {
    delete provider.metadata.jwks_uri;
    const parameters = parametersOf(await start());

    expect(parameters).not.to.have.property("nonce");
    expect(parameters.scope).not.to.match(/openid/);
  });

  it("creates a new device if the given one is empty", async () => {
    expect(parametersOf(await start({ deviceId: "" })).scope).to.match(/device:[A-Za-z0-9]{10}$/);
  });

  it("redirects to the private scheme of a native app", async () => {
    const redirectUri = "org.example.app:/callback";

    expect(parametersOf(await start({ redirectUri })).redirect_uri).to.equal(redirectUri);
  });

  it("sends no request", async () => {
    stub(globalThis, "fetch", { value: provider.server.fetch });
    await start();

    expect(provider.server.log).to.be.empty;
  });

  it("puts neither the verifier nor the homeserver into the URL", async () => {
    const url = await start({ identityServerUrl: "https://identity.example" });
    const flow = Object.values(sessionStorage).join();
    const verifier = /"codeVerifier":"(\w+)"/.exec(flow)?.[1] ?? "";

    expect(verifier).to.match(/^[A-Za-z0-9]{43,128}$/);
    expect(await challengeOf(verifier)).to.equal(parametersOf(url).code_challenge);
    expect(url)
      .not.to.contain(verifier)
      .and.not.to.match(/matrix\.example|identity\.example/);
  });

  /** Checks that the function rejects and stores nothing. */
  const refused = async (
    options: Partial<OidcAuthorizationOptions>,
    ...[error, code, reason]: [OidcError, Parameters<typeof expectFlowError>[2], string?]
  ): Promise<void> => {
    const { cause } = await expectFlowError(start(options), error, code);
    if (reason !== undefined) expect(cause).to.have.property("message", reason);
    restoreStubs();
    expect(Object.keys(sessionStorage).filter((key) => !key.startsWith("filler"))).to.be.empty;
  };

  const misconfigured = (options: Partial<OidcAuthorizationOptions>, reason?: string) =>
    refused(options, OidcError.Misconfigured, "settings_invalid", reason);

  for (const endpoint of [
    "javascript:alert(document.domain)//",
    "http://idp.example/authorize",
    "data:text/html,x",
    "/authorize",
    "https://user:password@idp.example/authorize",
  ]) {
    it(`rejects the authorization endpoint ${endpoint}`, () => {
      const metadata = validateAuthMetadata(provider.metadata);
      return misconfigured(
        { metadata: { ...metadata, authorization_endpoint: endpoint } },
        "The authorization endpoint is not an HTTPS URL",
      );
    });
  }

  it("rejects an HTTP redirect URI, except on this machine", async () => {
    await start({ redirectUri: "http://localhost:8080/callback" });
    sessionStorage.clear();

    await misconfigured(
      { redirectUri: "http://app.example/callback" },
      "redirectUri is not an HTTPS URL",
    );
  });

  for (const [what, options, reason] of [
    ["a device ID that is invalid in a scope", { deviceId: "two words" }, undefined],
    ["an empty client id", { clientId: "" }, "clientId is empty"],
    [
      "an empty nonce: nothing would tie an ID token to this login",
      { nonce: "" },
      "nonce is empty",
    ],
  ] as const) {
    it(`rejects ${what}`, () => misconfigured(options, reason));
  }

  for (const [what, prepare, error, code] of [
    ["the page has no secure context", loseSecureContext, "InsecureContext", "insecure_context"],
    [
      "storage is blocked",
      () => blockStorage("sessionStorage"),
      "StorageUnavailable",
      "storage_unavailable",
    ],
    [
      "there is no storage",
      () => stub(globalThis, "sessionStorage", { value: null }),
      "StorageUnavailable",
      "storage_unavailable",
    ],
    ["storage is full", () => fillStorage(sessionStorage), "StorageUnavailable", "storage_full"],
  ] as const) {
    it(`rejects with ${code} and stores nothing when ${what}`, () => {
      prepare();
      return refused({}, OidcError[error], code);
    });
  }
});

describe("generateAuthorizationParams", () => {
  it("returns random values for a caller that stores its own state", () => {
    const params = generateAuthorizationParams({ redirectUri: REDIRECT_URI, deviceId: "DEVICE12" });

    expect(params.redirectUri).to.equal(REDIRECT_URI);
    expect(params.scope).to.equal(
      "openid urn:matrix:client:api:* urn:matrix:client:device:DEVICE12",
    );
    expect(params.codeVerifier).to.match(/^[A-Za-z0-9]{43,128}$/);
    expect(params.state).to.match(/^[A-Za-z0-9]{32}$/);
    expect(params.nonce).to.match(/^[A-Za-z0-9]{32}$/);
    expect(new Set(Object.values(params)).size).to.equal(5);
  });

  it("generates a device ID", () => {
    expect(generateAuthorizationParams({ redirectUri: REDIRECT_URI }).scope).to.match(
      /device:[A-Za-z0-9]{10}$/,
    );
  });
});

describe("generateAuthorizationUrl", () => {
  afterEach(restoreStubs);

  it("is the endpoint with the caller's values and the verifier's challenge", async () => {
    const params = generateAuthorizationParams({ redirectUri: REDIRECT_URI });
    const url = await generateAuthorizationUrl(`${ISSUER}authorize?tenant=one`, "client", params);

    expect(url).to.match(/^https:\/\/idp\.example\/authorize\?tenant=one&/);
    expect(parametersOf(url)).to.deep.equal({
      tenant: "one",
      response_type: "code",
      response_mode: "query",
      client_id: "client",
      redirect_uri: REDIRECT_URI,
      scope: params.scope,
      state: params.state,
      nonce: params.nonce,
      code_challenge: await challengeOf(params.codeVerifier),
      code_challenge_method: "S256",
    });
  });

  it("requests the caller's response mode, prompt and login hint", async () => {
    const params = generateAuthorizationParams({ redirectUri: REDIRECT_URI });
    const url = await generateAuthorizationUrl(`${ISSUER}authorize`, "client", params, {
      responseMode: "fragment",
      prompt: "create",
      loginHint: "mxid:@alice:example.org",
    });

    expect(parametersOf(url)).to.include({
      response_mode: "fragment",
      prompt: "create",
      login_hint: "mxid:@alice:example.org",
    });
  });

  it("stores nothing", async () => {
    sessionStorage.clear();
    const params = generateAuthorizationParams({ redirectUri: REDIRECT_URI });
    await generateAuthorizationUrl(`${ISSUER}authorize`, "client", params);

    expect(sessionStorage).to.have.length(0);
  });

  it("never sends the verifier itself as an S256 challenge", async () => {
    const params = generateAuthorizationParams({ redirectUri: REDIRECT_URI });
    loseSecureContext();

    await expectFlowError(
      generateAuthorizationUrl(`${ISSUER}authorize`, "client", params),
      OidcError.InsecureContext,
      "insecure_context",
    );
  });

  it("rejects an endpoint that is a script", () =>
    expectFlowError(
      generateAuthorizationUrl(
        "javascript:alert(1)",
        "client",
        generateAuthorizationParams({ redirectUri: REDIRECT_URI }),
      ),
      OidcError.Misconfigured,
      "settings_invalid",
    ));
});
