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
import { html, inSequence, json, text, type Responder } from "../../support/scripted-fetch.ts";
import { ISSUER, ScriptedProvider } from "../../support/scripted-provider.ts";
import { HOMESERVER } from "../login.ts";

const TOKEN = "secret-access-token";
const API = `${HOMESERVER}/_matrix/client`;
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

const open: readonly Endpoint[] = [
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

  it("register sends auth and leaves the caller's body as it was", async () => {
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

  it("generateClientSecret returns 32 allowed characters, others each time", () => {
    const secrets = Array.from({ length: 100 }, () => client.generateClientSecret());

    for (const secret of secrets) expect(secret).to.match(/^[0-9a-zA-Z.=_-]{32}$/);
    expect(new Set(secrets)).to.have.property("size", 100);
  });
});
