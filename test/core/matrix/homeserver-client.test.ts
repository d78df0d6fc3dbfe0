import { expect } from "@open-wc/testing";
import {
  HomeserverClient,
  MatrixError,
  OidcError,
  RequestError,
  type AuthDict,
} from "matrix-auth-elements/core";
import { expectFlowError, rejectionOf } from "../../support/rejection.ts";
import {
  html,
  inSequence,
  json,
  networkFailure,
  text,
  type Responder,
} from "../../support/scripted-fetch.ts";
import { ISSUER, ScriptedProvider } from "../../support/scripted-provider.ts";
import { HOMESERVER } from "../login.ts";
import {
  API,
  INVALID_RESPONSES,
  MEDIA,
  PROFILE,
  WHOAMI,
  anonymous,
  guarded,
  masterKey,
  open,
  type Endpoint,
} from "./homeserver-client.table.ts";

const TOKEN = "secret-access-token";
const REGISTER = `POST ${API}/v3/register`;
const AVAILABLE = `GET ${API}/v3/register/available?username=a`;
const METADATA = `GET ${API}/v1/auth_metadata`;
const AUTH: AuthDict = { type: "m.login.password", session: "xyz", password: "secret-password" };

describe("HomeserverClient", () => {
  let provider: ScriptedProvider;

  it("can be in a ref() of Vue, which wraps a plain object in a proxy without its private members", () => {
    const client = new HomeserverClient({ baseUrl: HOMESERVER });
    expect(Object.prototype.toString.call(client)).to.equal("[object HomeserverClient]");
  });
  let client: HomeserverClient;
  /** Lets the homeserver respond to one more route. */
  const serve = (route: string, respond: Responder): void => {
    provider.server.routes[route] = respond;
  };
  const bodies = (): unknown[] =>
    provider.server.requests.map(({ body }) => JSON.parse(body) as unknown);

  beforeEach(async () => {
    provider = await ScriptedProvider.create();
    const { fetch } = provider.server;
    client = new HomeserverClient({ baseUrl: HOMESERVER, accessToken: TOKEN, fetch });
  });

  const expectRequest = ({ route, body }: Endpoint, authorization: string | null): void => {
    expect(provider.server.log).to.deep.equal([route]);
    const [request] = provider.server.requests;
    if (body) expect(bodies()).to.deep.equal([body]);
    else expect(request?.body).to.equal("");
    expect(request?.headers.get("Content-Type")).to.equal(body ? "application/json" : null);
    expect(request?.headers.get("Authorization")).to.equal(authorization);
    expect(request).to.include({ redirect: "manual", credentials: "omit" });
  };

  for (const endpoint of guarded) {
    const { name, route, body, response = {}, call } = endpoint;
    for (const auth of [null, undefined]) {
      it(`${name} sends no auth when it is ${String(auth)}`, async () => {
        serve(route, json(response));

        expect(await call(client, auth)).to.deep.equal(response);
        expectRequest(endpoint, `Bearer ${TOKEN}`);
      });
    }

    it(`${name} sends the whole body again with auth`, async () => {
      const data = { session: "xyz", flows: [{ stages: ["m.login.password"] }], params: {} };
      serve(route, inSequence(json(data, 401), json(response)));

      const error = await rejectionOf(call(client, null));
      await call(client, AUTH);

      expect(error).to.be.instanceOf(MatrixError).and.to.deep.include({ httpStatus: 401, data });
      expect(bodies()).to.deep.equal([body, { ...body, auth: AUTH }]);
    });
  }

  for (const [endpoints, token] of [
    [open, `Bearer ${TOKEN}`],
    [anonymous, null],
  ] as const) {
    for (const endpoint of endpoints) {
      const { name, route, response = {}, result = response, call } = endpoint;
      it(`${name} sends ${token ? "the" : "no"} access token`, async () => {
        serve(route, json(response));

        expect(await call(client, undefined)).to.deep.equal(result);
        expectRequest(endpoint, token);
      });
    }
  }

  for (const { name, call } of [...guarded, ...open, ...anonymous]) {
    if (name.includes(" with ") || call.length < 3) continue;
    it(`${name} takes a signal as its last argument`, async () => {
      const error = await rejectionOf(call(client, null, { signal: AbortSignal.abort() }));

      expect(error).to.be.instanceOf(RequestError).and.to.include({ code: "aborted" });
      expect(provider.server.log).to.deep.equal([]);
    });
  }

  it("register sends auth and doesn't change the caller's body", async () => {
    serve(REGISTER, json({ user_id: "@a:b" }));
    const body = Object.freeze({ username: "alice", auth: AUTH });

    await client.register(body);

    expect(bodies()).to.deep.equal([{ username: "alice", auth: AUTH }]);
  });

  for (const kind of ["a password", "guest&x", "User", 5]) {
    it(`register rejects with a TypeError that does not name ${kind}, and sends nothing`, async () => {
      const error = await rejectionOf(client.register("alice" as never, kind as never));

      expect(error).to.be.instanceOf(TypeError);
      expect(String(error)).not.to.contain(String(kind));
      expect(provider.server.log).to.deep.equal([]);
    });
  }

  it("login rejects with a TypeError for matrix-js-sdk's parameters, and sends nothing", async () => {
    const error = await rejectionOf(client.login("m.login.password" as never, AUTH as never));

    expect(error).to.be.instanceOf(TypeError);
    expect(provider.server.log).to.deep.equal([]);
  });

  it("ssoRedirectUrl contains the page and the identity provider, encoded as parts of a path", () => {
    const options = { idpId: "a/b", action: "register" } as const;
    expect(client.ssoRedirectUrl("https://app.example/?a=1", options)).to.equal(
      `${API}/v3/login/sso/redirect/a%2Fb?redirectUrl=https%3A%2F%2Fapp.example%2F%3Fa%3D1&action=register`,
    );
    expect(() => client.ssoRedirectUrl("https://app.example/", { idpId: ".." })).to.throw(
      TypeError,
    );
  });

  it("register returns no tokens that are not strings", async () => {
    serve(REGISTER, json({ user_id: "@a:b", access_token: 5 }));

    expect((await client.register({})).access_token).to.be.undefined;
  });

  it("isUsernameAvailable returns false for M_USER_IN_USE", async () => {
    serve(AVAILABLE, json({ errcode: "M_USER_IN_USE" }, 400));

    expect(await client.isUsernameAvailable("a")).to.be.false;
  });

  it("isUsernameAvailable rejects with M_INVALID_USERNAME", async () => {
    serve(AVAILABLE, json({ errcode: "M_INVALID_USERNAME" }, 400));

    expect(await rejectionOf(client.isUsernameAvailable("a"))).to.include({
      errcode: "M_INVALID_USERNAME",
    });
  });

  describe("uploadDeviceSigningKeys", () => {
    const stable = `POST ${API}/v3/keys/device_signing/upload`;
    const unstable = `POST ${API}/unstable/keys/device_signing/upload`;

    for (const status of [400, 404, 405]) {
      it(`requests the old path after ${status} M_UNRECOGNIZED`, async () => {
        serve(stable, json({ errcode: "M_UNRECOGNIZED" }, status));
        serve(unstable, json({}));

        await client.uploadDeviceSigningKeys(AUTH, { master_key: masterKey });

        const { log, requests } = provider.server;
        expect(log).to.deep.equal([stable, unstable]);
        expect(requests[1]?.body).to.equal(requests[0]?.body);
        expect(requests[1]?.headers.get("Authorization")).to.equal(`Bearer ${TOKEN}`);
      });
    }

    it("rejects with M_UNRECOGNIZED when neither path exists", async () => {
      serve(stable, json({ errcode: "M_UNRECOGNIZED" }, 404));
      serve(unstable, json({ errcode: "M_UNRECOGNIZED" }, 404));

      expect(await rejectionOf(client.uploadDeviceSigningKeys(null, {}))).to.include({
        errcode: "M_UNRECOGNIZED",
      });
      expect(provider.server.log).to.deep.equal([stable, unstable]);
    });

    for (const [what, respond] of [
      ["another error", json({ errcode: "M_INVALID_SIGNATURE" }, 400)],
      ["a 502", html(502)],
      ["a 404 without JSON", html(404)],
    ] as const) {
      it(`does not request the old path after ${what}`, async () => {
        serve(stable, respond);

        await rejectionOf(client.uploadDeviceSigningKeys(null, {}));

        expect(provider.server.log).to.deep.equal([stable]);
      });
    }
  });

  for (const [what, call, route, respond] of INVALID_RESPONSES) {
    it(`rejects with response_not_json when the response to ${route} has ${what}`, async () => {
      serve(route.replace(" ", ` ${API}/`), respond);

      const error = await rejectionOf(call(client));

      expect(error).to.be.instanceOf(RequestError).and.to.include({ code: "response_not_json" });
      expect((error as Error).message).not.to.contain("secret");
    });
  }

  describe("getAuthMetadata", () => {
    const DOCUMENT = `GET ${ISSUER}.well-known/openid-configuration`;

    it("returns the metadata with the signing keys, without sending the access token", async () => {
      serve(METADATA, json(provider.metadata));

      expect(await client.getAuthMetadata()).to.deep.equal({
        ...provider.metadata,
        signingKeys: provider.publishedKeys,
      });
      expect(provider.server.log).to.deep.equal([METADATA, DOCUMENT, `GET ${ISSUER}jwks`]);
      for (const { headers } of provider.server.requests) {
        expect(headers.has("Authorization")).to.be.false;
      }
    });

    it("requests no signing keys if the caller declines them", async () => {
      serve(METADATA, json(provider.metadata));

      const metadata = await client.getAuthMetadata({ signingKeys: false });

      expect(metadata).to.deep.equal({ ...provider.metadata, signingKeys: null });
      expect(provider.server.log).to.deep.equal([METADATA, DOCUMENT]);
    });

    it("returns null as signing keys when the issuer has no jwks_uri", async () => {
      delete provider.metadata.jwks_uri;
      serve(METADATA, json(provider.metadata));

      expect(await client.getAuthMetadata()).to.have.property("signingKeys", null);
    });

    it("allows endpoints on another origin if the caller allows it", async () => {
      provider.metadata.token_endpoint = "https://tokens.example/token";
      serve(METADATA, json(provider.metadata));

      await expectFlowError(client.getAuthMetadata(), OidcError.OpSupport, "metadata_invalid");
      await client.getAuthMetadata({ allowedOrigins: ["https://tokens.example"] });
    });
  });

  describe("for the profile", () => {
    it("sets the fields of the token's owner, whom it requests once if necessary", async () => {
      serve(WHOAMI, json({ user_id: "@a:b" }));
      serve(`PUT ${PROFILE}/displayname`, json({}));
      serve(`PUT ${PROFILE}/avatar_url`, json({}));
      await client.setDisplayName("Alice");
      const { fetch } = provider.server;
      const known = new HomeserverClient({ baseUrl: HOMESERVER, userId: "@a:b", fetch });
      await known.setAvatarUrl("mxc://b/image");

      expect(provider.server.log).to.deep.equal([
        WHOAMI,
        `PUT ${PROFILE}/displayname`,
        `PUT ${PROFILE}/avatar_url`,
      ]);
      expect(provider.server.requests.slice(1).map(({ body }) => body)).to.deep.equal([
        '{"displayname":"Alice"}',
        '{"avatar_url":"mxc://b/image"}',
      ]);
    });
  });

  describe("for media", () => {
    const image = new Blob(["pixels"], { type: "image/png" });
    const size = { width: 96, height: 96, method: "crop" } as const;
    const query = "?width=96&height=96&method=crop";
    const THUMBNAIL = `GET ${API}/v1/media/thumbnail/b/image${query}`;
    const OLD_THUMBNAIL = `GET ${MEDIA}/thumbnail/b/image${query}`;
    const unrecognized = json({ errcode: "M_UNRECOGNIZED" }, 404);
    const picture = (type: string, body = "pixels"): Responder =>
      text(body, { headers: { "Content-Type": type } });

    it("uploads a file with its type, the token, and only the given name", async () => {
      serve(`POST ${MEDIA}/upload`, json({ content_uri: "mxc://b/image" }));
      serve(`POST ${MEDIA}/upload?filename=a+b.png`, json({ content_uri: "mxc://b/other" }));

      const named = new File([image], "secret-name.png", { type: "image/png" });
      expect(await client.uploadContent(named)).to.deep.equal({ content_uri: "mxc://b/image" });
      await client.uploadContent(image, { name: "a b.png", type: "image/gif" });

      const [first, second] = provider.server.requests;
      expect(first?.headers.get("Content-Type")).to.equal("image/png");
      expect(first?.headers.get("Authorization")).to.equal(`Bearer ${TOKEN}`);
      expect(first?.body).to.equal("[object Blob]");
      expect(first).to.include({ redirect: "manual", credentials: "omit", cache: "no-store" });
      expect(second?.headers.get("Content-Type")).to.equal("image/gif");
    });

    it("rejects an upload whose response has no URL, and passes on the errors of the homeserver and the caller", async () => {
      const tooLarge = json({ errcode: "M_TOO_LARGE", error: `${TOKEN} is too much` }, 413);
      serve(`POST ${MEDIA}/upload`, inSequence(json({ content_uri: 5 }), tooLarge));

      const invalid = await rejectionOf(client.uploadContent(image));
      const refused = await rejectionOf(client.uploadContent(image));
      const signal = AbortSignal.abort();
      const aborted = await rejectionOf(client.uploadContent(image, { signal }));

      expect(invalid).to.include({ code: "response_not_json" });
      expect(refused).to.be.instanceOf(MatrixError).and.to.include({ errcode: "M_TOO_LARGE" });
      expect(String(refused)).not.to.contain(TOKEN);
      expect(aborted).to.include({ code: "aborted" });
      expect(provider.server.log).to.have.length(2);
    });

    it("sends an upload again with the next token", async () => {
      const unknown = json({ errcode: "M_UNKNOWN_TOKEN" }, 401);
      serve(`POST ${MEDIA}/upload`, inSequence(unknown, json({ content_uri: "mxc://b/image" })));
      const session = {
        accessToken: async () => "first",
        replaceToken: async () => "second",
      };
      const { fetch } = provider.server;
      const other = new HomeserverClient({ baseUrl: HOMESERVER, session, fetch });

      expect(await other.uploadContent(image)).to.have.property("content_uri", "mxc://b/image");
      const sent = provider.server.requests.map(({ headers }) => headers.get("Authorization"));
      expect(sent).to.deep.equal(["Bearer first", "Bearer second"]);
    });

    it("gets a thumbnail as an image, with the token in a header", async () => {
      serve(THUMBNAIL, picture("Image/PNG; charset=binary"));

      const found = await client.getThumbnail("mxc://b/image", size);

      expect(found.type).to.equal("image/png");
      expect(await found.text()).to.equal("pixels");
      expect(provider.server.requests[0]?.headers.get("Authorization")).to.equal(`Bearer ${TOKEN}`);
      expect(provider.server.requests[0]).to.include({ redirect: "manual", cache: "no-store" });
    });

    for (const [what, unknown] of [
      ["a Matrix error", unrecognized],
      ["a page", html(404)],
      ["no response to a preflight", networkFailure],
    ] as const) {
      it(`uses the old paths after ${what}, for a thumbnail without the token`, async () => {
        serve(THUMBNAIL, unknown);
        serve(OLD_THUMBNAIL, picture("image/webp"));
        serve(`GET ${API}/v1/media/config`, unknown);
        serve(`GET ${MEDIA}/config`, json({ "m.upload.size": 5 }));

        expect(await client.getThumbnail("mxc://b/image", size)).to.have.property("size", 6);
        expect(provider.server.to(OLD_THUMBNAIL.slice(4))[0]?.headers.has("Authorization")).to.be
          .false;
        expect(await client.getMediaConfig()).to.deep.equal({ "m.upload.size": 5 });
      });
    }

    it("does not request a missing image from another path", async () => {
      serve(THUMBNAIL, json({ errcode: "M_NOT_FOUND" }, 404));

      const error = await rejectionOf(client.getThumbnail("mxc://b/image", size));

      expect(error).to.include({ code: "M_NOT_FOUND" });
      expect(provider.server.log).to.deep.equal([THUMBNAIL]);
    });

    it("rejects a thumbnail above the size limit", async () => {
      serve(THUMBNAIL, () => {
        const headers = { "Content-Type": "image/png" };
        return new Response(new Uint8Array(9 * 2 ** 20), { headers });
      });

      const error = await rejectionOf(client.getThumbnail("mxc://b/image", size));

      expect(error).to.include({ code: "response_too_large" });
    });

    for (const type of ["image/svg+xml", "text/html", "image/png-or-not", ""]) {
      it(`rejects a thumbnail of the type "${type}"`, async () => {
        serve(THUMBNAIL, picture(type, "<svg xmlns='http://www.w3.org/2000/svg'/>"));

        const error = await rejectionOf(client.getThumbnail("mxc://b/image", size));

        expect(error).to.be.instanceOf(RequestError);
      });
    }

    for (const url of [
      "",
      "https://b/image",
      "mxc://b",
      "mxc://b/../whoami",
      "mxc://../a",
      "mxc://b/a?b",
    ]) {
      it(`rejects "${url}" with a TypeError, and sends nothing`, async () => {
        expect(await rejectionOf(client.getThumbnail(url, size))).to.be.instanceOf(TypeError);
        expect(provider.server.log).to.deep.equal([]);
      });
    }
  });

  it("generateClientSecret returns 32 allowed characters, which differ each time", () => {
    const secrets = Array.from({ length: 100 }, () => client.generateClientSecret());

    for (const secret of secrets) expect(secret).to.match(/^[0-9a-zA-Z.=_-]{32}$/);
    expect(new Set(secrets)).to.have.property("size", 100);
  });
});
