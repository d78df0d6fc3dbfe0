import { expect } from "@open-wc/testing";
import {
  HomeserverClient,
  MatrixError,
  OidcError,
  RequestError,
  type AuthDict,
  type RequestOptions,
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

const TOKEN = "secret-access-token";
const API = `${HOMESERVER}/_matrix/client`;
const MEDIA = `${HOMESERVER}/_matrix/media/v3`;
const WHOAMI = `GET ${API}/v3/account/whoami`;
const REGISTER = `POST ${API}/v3/register`;
const AVAILABLE = `GET ${API}/v3/register/available?username=a`;
const METADATA = `GET ${API}/v1/auth_metadata`;
const AUTH: AuthDict = { type: "m.login.password", session: "xyz", password: "secret-password" };

type Call = (
  client: HomeserverClient,
  auth: AuthDict | null | undefined,
  options?: RequestOptions,
) => Promise<unknown>;

interface Endpoint {
  readonly name: string;
  readonly route: string;
  /** The request's body without `auth`. `undefined` if the request has no body. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly response?: Readonly<Record<string, unknown>>;
  /** The return value, if it is not the whole response. */
  readonly result?: unknown;
  readonly call: Call;
}

const devices = [{ device_id: "A", display_name: "One" }, { device_id: "B" }];
const threepids = [{ medium: "email", address: "a@b.example" }];
const masterKey = { user_id: "@a:b", usage: ["master"], keys: { "ed25519:k": "k" } };
const mail = { email: "a@b.example", client_secret: "s3cret", send_attempt: 2 };
const message = {
  country: "DE",
  phone_number: "0151 1",
  client_secret: "s3cret",
  send_attempt: 1,
};
const sent = { sid: "sid1", submit_url: "https://id.example/submit" };

/** The endpoints that require User-Interactive Authentication. */
const guarded: readonly Endpoint[] = [
  {
    name: "deleteDevice",
    route: `DELETE ${API}/v3/devices/DEVICE1`,
    body: {},
    call: (client, auth, options) => client.deleteDevice("DEVICE1", auth, options),
  },
  {
    name: "deleteMultipleDevices",
    route: `POST ${API}/v3/delete_devices`,
    body: { devices: ["A", "B/C"] },
    call: (client, auth, options) => client.deleteMultipleDevices(["A", "B/C"], auth, options),
  },
  {
    name: "setPassword",
    route: `POST ${API}/v3/account/password`,
    body: { new_password: "new" },
    call: (client, auth, options) => client.setPassword(auth, "new", undefined, options),
  },
  {
    name: "setPassword with logoutDevices",
    route: `POST ${API}/v3/account/password`,
    body: { new_password: "new", logout_devices: false },
    call: (client, auth) => client.setPassword(auth, "new", false),
  },
  {
    name: "deactivateAccount",
    route: `POST ${API}/v3/account/deactivate`,
    body: {},
    response: { id_server_unbind_result: "success" },
    call: (client, auth, options) => client.deactivateAccount(auth, undefined, options),
  },
  {
    name: "deactivateAccount with erase",
    route: `POST ${API}/v3/account/deactivate`,
    body: { erase: true },
    call: (client, auth) => client.deactivateAccount(auth, true),
  },
  {
    name: "addThreePidOnly",
    route: `POST ${API}/v3/account/3pid/add`,
    body: { sid: "sid1", client_secret: "s3cret" },
    call: (client, auth, options) =>
      client.addThreePidOnly({ sid: "sid1", client_secret: "s3cret", auth }, options),
  },
  {
    name: "requestLoginToken",
    route: `POST ${API}/v1/login/get_token`,
    body: {},
    response: { login_token: "token", expires_in_ms: 120_000 },
    call: (client, auth, options) => client.requestLoginToken(auth, options),
  },
  {
    name: "uploadDeviceSigningKeys",
    route: `POST ${API}/v3/keys/device_signing/upload`,
    body: { master_key: masterKey },
    call: (client, auth, options) =>
      client.uploadDeviceSigningKeys(auth, { master_key: masterKey }, options),
  },
];

const open: Endpoint[] = [
  {
    name: "whoami",
    route: WHOAMI,
    response: { user_id: "@a:b", device_id: "D", is_guest: false, unknown: true },
    result: { user_id: "@a:b", device_id: "D", is_guest: false },
    call: (client, _, options) => client.whoami(options),
  },
  {
    name: "whoami with members of other types",
    route: WHOAMI,
    response: { user_id: "@a:b", device_id: null, is_guest: "no" },
    result: { user_id: "@a:b" },
    call: (client) => client.whoami(),
  },
  {
    name: "getDevices",
    route: `GET ${API}/v3/devices`,
    response: { devices },
    call: (client, _, options) => client.getDevices(options),
  },
  {
    name: "setDeviceDetails",
    route: `PUT ${API}/v3/devices/D%2F1`,
    body: { display_name: "Laptop" },
    response: {},
    call: (client, _, options) =>
      client.setDeviceDetails("D/1", { display_name: "Laptop" }, options),
  },
  {
    name: "getCapabilities",
    route: `GET ${API}/v3/capabilities`,
    response: { capabilities: { "m.change_password": { enabled: false } } },
    result: { "m.change_password": { enabled: false } },
    call: (client, _, options) => client.getCapabilities(options),
  },
  {
    name: "getThreePids",
    route: `GET ${API}/v3/account/3pid`,
    response: { threepids },
    call: (client, _, options) => client.getThreePids(options),
  },
  {
    name: "deleteThreePid",
    route: `POST ${API}/v3/account/3pid/delete`,
    body: { medium: "email", address: "a@b.example" },
    response: { id_server_unbind_result: "no-support" },
    call: (client, _, options) => client.deleteThreePid("email", "a@b.example", options),
  },
  {
    name: "bindThreePid",
    route: `POST ${API}/v3/account/3pid/bind`,
    body: { sid: "sid1", client_secret: "s3cret", id_server: "id.example", id_access_token: "t" },
    call: (client, _, options) =>
      client.bindThreePid(
        { sid: "sid1", client_secret: "s3cret", id_server: "id.example", id_access_token: "t" },
        options,
      ),
  },
  {
    name: "unbindThreePid",
    route: `POST ${API}/v3/account/3pid/unbind`,
    body: { medium: "email", address: "a@b.example" },
    response: { id_server_unbind_result: "success" },
    call: (client, _, options) => client.unbindThreePid("email", "a@b.example", options),
  },
  {
    name: "uploadKeySignatures",
    route: `POST ${API}/v3/keys/signatures/upload`,
    body: { "@a:b": { D: { device_id: "D" } } },
    response: { failures: {} },
    call: (client, _, options) =>
      client.uploadKeySignatures({ "@a:b": { D: { device_id: "D" } } }, options),
  },
  {
    name: "logout",
    route: `POST ${API}/v3/logout`,
    body: {},
    call: (client, _, options) => client.logout(options),
  },
  {
    name: "logoutAll",
    route: `POST ${API}/v3/logout/all`,
    body: {},
    call: (client, _, options) => client.logoutAll(options),
  },
];

const profile = { displayname: "Alice", avatar_url: "mxc://b/image" };
const PROFILE = `${API}/v3/profile/%40a%3Ab`;
open.push(
  {
    name: "getProfileInfo",
    route: `GET ${PROFILE}`,
    response: { ...profile, "m.tz": "Europe/Paris" },
    call: (client, _, options) => client.getProfileInfo("@a:b", undefined, options),
  },
  {
    name: "getProfileInfo with a field, and values of other types",
    route: `GET ${PROFILE}/displayname`,
    response: { displayname: null, avatar_url: 5 },
    result: { displayname: undefined, avatar_url: undefined },
    call: (client) => client.getProfileInfo("@a:b", "displayname"),
  },
  {
    name: "getMediaConfig",
    route: `GET ${API}/v1/media/config`,
    response: { "m.upload.size": 1000, other: true },
    call: (client, _, options) => client.getMediaConfig(true, options),
  },
  {
    name: "getMediaConfig with the old path, and no limit",
    route: `GET ${MEDIA}/config`,
    response: { "m.upload.size": -1 },
    result: { "m.upload.size": undefined },
    call: (client) => client.getMediaConfig(false),
  },
);

const anonymous: readonly Endpoint[] = [
  {
    name: "login",
    route: `POST ${API}/v3/login`,
    body: { refresh_token: true, type: "m.login.token", token: "secret-login-token" },
    response: { user_id: "@a:b", device_id: "D", access_token: "token", home_server: "b" },
    call: (client, _, options) =>
      client.login({ type: "m.login.token", token: "secret-login-token" }, options),
  },
  {
    name: "register",
    route: `POST ${API}/v3/register`,
    body: { username: "alice", password: "secret" },
    response: { user_id: "@alice:b", access_token: "t", device_id: "D", home_server: "b" },
    call: (client, auth, options) =>
      client.register({ username: "alice", password: "secret", auth }, undefined, options),
  },
  {
    name: "register with a kind",
    route: `POST ${API}/v3/register?kind=guest`,
    body: {},
    response: { user_id: "@1:b" },
    result: { user_id: "@1:b", access_token: undefined, device_id: undefined },
    call: (client, auth) => client.register({ auth }, "guest"),
  },
  {
    name: "isUsernameAvailable",
    route: `GET ${API}/v3/register/available?username=%C3%A4%26kind%3D..%2F%3F`,
    response: { available: true },
    result: true,
    call: (client, _, options) => client.isUsernameAvailable("ä&kind=../?", options),
  },
  {
    name: "refreshToken",
    route: `POST ${API}/v3/refresh`,
    body: { refresh_token: "r1" },
    response: { access_token: "a2", refresh_token: "r2", expires_in_ms: 60_000 },
    call: (client, _, options) => client.refreshToken("r1", options),
  },
  {
    name: "refreshToken with a response of other types",
    route: `POST ${API}/v3/refresh`,
    body: { refresh_token: "r1" },
    response: { access_token: "a2", refresh_token: null, expires_in_ms: "an hour" },
    result: { access_token: "a2", refresh_token: undefined, expires_in_ms: undefined },
    call: (client) => client.refreshToken("r1"),
  },
  {
    name: "requestRegisterEmailToken",
    route: `POST ${API}/v3/register/email/requestToken`,
    body: { ...mail, next_link: "https://app.example/next" },
    response: sent,
    call: (client, _, options) =>
      client.requestRegisterEmailToken(
        "a@b.example",
        "s3cret",
        2,
        "https://app.example/next",
        options,
      ),
  },
  {
    name: "requestRegisterMsisdnToken",
    route: `POST ${API}/v3/register/msisdn/requestToken`,
    body: message,
    response: { ...sent, msisdn: "491511", intl_fmt: "+49 151 1" },
    call: (client, _, options) =>
      client.requestRegisterMsisdnToken("DE", "0151 1", "s3cret", 1, undefined, options),
  },
  {
    name: "requestAdd3pidEmailToken",
    route: `POST ${API}/v3/account/3pid/email/requestToken`,
    body: mail,
    response: { sid: "sid1" },
    result: { sid: "sid1", submit_url: undefined },
    call: (client) => client.requestAdd3pidEmailToken("a@b.example", "s3cret", 2),
  },
  {
    name: "requestAdd3pidMsisdnToken",
    route: `POST ${API}/v3/account/3pid/msisdn/requestToken`,
    body: { ...message, next_link: "https://app.example/next" },
    response: sent,
    call: (client) =>
      client.requestAdd3pidMsisdnToken("DE", "0151 1", "s3cret", 1, "https://app.example/next"),
  },
  {
    name: "requestPasswordEmailToken",
    route: `POST ${API}/v3/account/password/email/requestToken`,
    body: mail,
    response: { sid: "sid1", submit_url: null },
    result: { sid: "sid1", submit_url: undefined },
    call: (client) => client.requestPasswordEmailToken("a@b.example", "s3cret", 2),
  },
  {
    name: "requestPasswordMsisdnToken",
    route: `POST ${API}/v3/account/password/msisdn/requestToken`,
    body: message,
    response: sent,
    call: (client) => client.requestPasswordMsisdnToken("DE", "0151 1", "s3cret", 1),
  },
];

describe("HomeserverClient", () => {
  let provider: ScriptedProvider;
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
      it(`${name} sends no auth when that is ${String(auth)}`, async () => {
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

  for (const [what, call, route, respond] of [
    ["HTML", (it) => it.whoami(), "GET v3/account/whoami", html()],
    ["a list", (it) => it.logout(), "POST v3/logout", json([])],
    [
      "capabilities in a list",
      (it) => it.getCapabilities(),
      "GET v3/capabilities",
      json({ capabilities: [] }),
    ],
    ["no user", (it) => it.whoami(), "GET v3/account/whoami", json({})],
    ["a user without a name", (it) => it.whoami(), "GET v3/account/whoami", json({ user_id: "" })],
    ["a user that is a number", (it) => it.whoami(), "GET v3/account/whoami", json({ user_id: 5 })],
    [
      "a user in a prototype",
      (it) => it.whoami(),
      "GET v3/account/whoami",
      text('{"__proto__":{"user_id":"@a:b"}}'),
    ],
    [
      "no user but a token",
      (it) => it.register({}),
      "POST v3/register",
      json({ access_token: "secret" }),
    ],
    [
      "devices that are not a list",
      (it) => it.getDevices(),
      "GET v3/devices",
      json({ devices: {} }),
    ],
    ["no list of devices", (it) => it.getDevices(), "GET v3/devices", json({ devices: null })],
    ["a device without an id", (it) => it.getDevices(), "GET v3/devices", json({ devices: [{}] })],
    [
      "an address that is text",
      (it) => it.getThreePids(),
      "GET v3/account/3pid",
      json({ threepids: ["a@b.example"] }),
    ],
    [
      "threepids that are no list",
      (it) => it.getThreePids(),
      "GET v3/account/3pid",
      json({ threepids: {} }),
    ],
    [
      "no device",
      (it) => it.login({ type: "m.login.token", token: "x" }),
      "POST v3/login",
      json({ user_id: "@a:b", access_token: "x" }),
    ],
    ["no login token", (it) => it.requestLoginToken(), "POST v1/login/get_token", json({})],
    [
      "a sid that is a number",
      (it) => it.requestRegisterEmailToken("a@b.example", "s", 1),
      "POST v3/register/email/requestToken",
      json({ sid: 5 }),
    ],
  ] as readonly (readonly [string, Call, string, Responder])[]) {
    it(`rejects with response_not_json when the response to ${route} has ${what}`, async () => {
      serve(route.replace(" ", ` ${API}/`), respond);

      const error = await rejectionOf(call(client, null));

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

    it("allows endpoints on another origin that the caller names", async () => {
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
      serve(`POST ${MEDIA}/upload?filename=a%20b.png`, json({ content_uri: "mxc://b/other" }));

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

    it("rejects an upload without a URL, and with the errors of the homeserver and the caller", async () => {
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

  it("generateClientSecret returns 32 allowed characters, different ones each time", () => {
    const secrets = Array.from({ length: 100 }, () => client.generateClientSecret());

    for (const secret of secrets) expect(secret).to.match(/^[0-9a-zA-Z.=_-]{32}$/);
    expect(new Set(secrets)).to.have.property("size", 100);
  });
});
