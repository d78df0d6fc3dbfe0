import { expect } from "@open-wc/testing";
import {
  HomeserverClient,
  MatrixError,
  OidcError,
  RequestError,
  type HomeserverClientOptions,
} from "matrix-auth-elements/core";
import { everyTextIn, expectFlowError, rejectionOf } from "../../support/rejection.ts";
import { html, json, networkFailure, text, type Responder } from "../../support/scripted-fetch.ts";
import { ISSUER, ScriptedProvider } from "../../support/scripted-provider.ts";
import { restoreStubs, stub } from "../../support/stub.ts";
import { HOMESERVER } from "../login.ts";

const WHOAMI = `GET ${HOMESERVER}/_matrix/client/v3/account/whoami`;
const METADATA = `GET ${HOMESERVER}/_matrix/client/v1/auth_metadata`;
const TOKEN = "secret-access-token";

describe("HomeserverClient", () => {
  let provider: ScriptedProvider;
  const client = (options: Partial<HomeserverClientOptions> = {}) =>
    new HomeserverClient({
      baseUrl: HOMESERVER,
      accessToken: TOKEN,
      fetch: provider.server.fetch,
      ...options,
    });

  beforeEach(async () => {
    provider = await ScriptedProvider.create();
  });
  afterEach(restoreStubs);

  it("knows whose it is, where it was told", () => {
    expect(client({ userId: "@alice:example", deviceId: "DEVICE1234" })).to.include({
      baseUrl: HOMESERVER,
      accessToken: TOKEN,
      userId: "@alice:example",
      deviceId: "DEVICE1234",
    });
  });

  it("uses the fetch that the page has at the time of the call, where it was given none", async () => {
    provider.server.routes[WHOAMI] = json({ user_id: "@alice:example" });
    const homeserver = client({ fetch: undefined });
    stub(globalThis, "fetch", { value: provider.server.fetch });

    expect((await homeserver.whoami()).user_id).to.equal("@alice:example");
  });

  it("prefers the fetch of the call to its own", async () => {
    provider.server.routes[WHOAMI] = json({ user_id: "@alice:example" });

    const whoami = await client({ fetch: networkFailure }).whoami({ fetch: provider.server.fetch });

    expect(whoami.user_id).to.equal("@alice:example");
  });

  describe("getAuthMetadata", () => {
    it("gives the homeserver's authorization server with its keys", async () => {
      provider.server.routes[METADATA] = json(provider.metadata);

      expect(await client().getAuthMetadata()).to.deep.equal({
        ...provider.metadata,
        signingKeys: provider.publishedKeys,
      });
      expect(provider.server.log).to.deep.equal([METADATA, `GET ${ISSUER}jwks`]);
    });

    it("tells nobody the access token", async () => {
      provider.server.routes[METADATA] = json(provider.metadata);
      await client().getAuthMetadata();

      for (const { headers } of provider.server.requests) {
        expect(headers.has("Authorization")).to.be.false;
      }
    });

    it("gives null for the keys of an issuer that publishes none", async () => {
      delete provider.metadata.jwks_uri;
      provider.server.routes[METADATA] = json(provider.metadata);

      expect(await client().getAuthMetadata()).to.have.property("signingKeys", null);
    });

    it("allows endpoints on another origin by name", async () => {
      provider.metadata.token_endpoint = "https://tokens.example/token";
      provider.server.routes[METADATA] = json(provider.metadata);

      await expectFlowError(client().getAuthMetadata(), OidcError.OpSupport, "metadata_invalid");
      await client().getAuthMetadata({ allowedOrigins: ["https://tokens.example"] });
    });
  });

  describe("whoami", () => {
    it("gives the user and the device of the access token", async () => {
      provider.server.routes[WHOAMI] = json({
        user_id: "@alice:example",
        device_id: "DEVICE1234",
        is_guest: false,
        unknown: true,
      });

      expect(await client().whoami()).to.deep.equal({
        user_id: "@alice:example",
        device_id: "DEVICE1234",
        is_guest: false,
      });
      expect(provider.server.requests[0]?.headers.get("Authorization")).to.equal(`Bearer ${TOKEN}`);
    });

    it("leaves out what is of no use", async () => {
      provider.server.routes[WHOAMI] = json({ user_id: "@a:b", device_id: null, is_guest: "no" });

      expect(await client().whoami()).to.deep.equal({ user_id: "@a:b" });
    });

    it("asks below the path of a base URL, with and without a slash at its end", async () => {
      const route = "GET https://example.org/matrix/_matrix/client/v3/account/whoami";
      provider.server.routes[route] = json({ user_id: "@a:b" });

      for (const baseUrl of ["https://example.org/matrix", "https://example.org/matrix/"]) {
        expect((await client({ baseUrl }).whoami()).user_id).to.equal("@a:b");
      }
    });

    it("sends no Authorization without a token", async () => {
      provider.server.routes[WHOAMI] = json({ errcode: "M_MISSING_TOKEN" }, 401);
      await rejectionOf(client({ accessToken: undefined }).whoami());

      expect(provider.server.requests[0]?.headers.has("Authorization")).to.be.false;
    });

    it("sends a token over plain http to this machine alone", async () => {
      const path = "/_matrix/client/v3/account/whoami";
      provider.server.routes[`GET http://localhost:8008${path}`] = json({ user_id: "@a:b" });
      provider.server.routes[`GET http://hs.example${path}`] = json({ user_id: "@a:b" });

      await client({ baseUrl: "http://localhost:8008" }).whoami();
      await rejectionOf(() => client({ baseUrl: "http://hs.example" }).whoami());

      expect(provider.server.log).to.deep.equal([`GET http://localhost:8008${path}`]);
    });

    it("rejects with what the homeserver said", async () => {
      const body = { errcode: "M_UNKNOWN_TOKEN", error: "Unrecognised token", soft_logout: true };
      provider.server.routes[WHOAMI] = json(body, 401);

      const error = await rejectionOf(client().whoami());

      expect(error).to.be.instanceOf(MatrixError);
      expect(error).to.deep.include({
        name: "MatrixError",
        message: "Unrecognised token",
        httpStatus: 401,
        errcode: "M_UNKNOWN_TOKEN",
        data: body,
        retryAfterMs: undefined,
      });
      expect(everyTextIn(error)).not.to.contain(TOKEN);
    });

    it("tells how long the homeserver asks to wait", async () => {
      provider.server.routes[WHOAMI] = json(
        { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 2000 },
        429,
      );

      expect(await rejectionOf(client().whoami())).to.include({
        errcode: "M_LIMIT_EXCEEDED",
        retryAfterMs: 2000,
      });
    });

    for (const [what, answer] of [
      ["HTML", html(502)],
      ["a list", json([], 502)],
      ["members of a wrong type", json({ errcode: 5, error: {} }, 502)],
    ] as const) {
      it(`rejects with the status where the refusal is ${what}`, async () => {
        provider.server.routes[WHOAMI] = answer;

        const error = await rejectionOf(client().whoami());

        expect(error).to.be.instanceOf(MatrixError);
        expect(error).to.include({ httpStatus: 502, errcode: undefined });
        expect((error as MatrixError).message).to.contain("502");
      });
    }

    const noUser: readonly (readonly [string, Responder])[] = [
      ["HTML", html()],
      ["a list", json([])],
      ["no user", json({})],
      ["a user that is no text", json({ user_id: 5 })],
      ["a user that only a prototype has", text('{"__proto__":{"user_id":"@a:b"}}')],
    ];
    for (const [what, answer] of noUser) {
      it(`rejects where the answer is ${what}`, async () => {
        provider.server.routes[WHOAMI] = answer;

        const error = await rejectionOf(client().whoami());

        expect(error).to.be.instanceOf(RequestError).and.to.include({ code: "response_not_json" });
      });
    }

    it("rejects where there is no answer, without the token in the error", async () => {
      provider.server.routes[WHOAMI] = networkFailure;

      const error = await rejectionOf(client().whoami());

      expect(error).to.be.instanceOf(RequestError).and.to.include({ code: "network_error" });
      expect(everyTextIn(error)).not.to.contain(TOKEN);
    });
  });
});
