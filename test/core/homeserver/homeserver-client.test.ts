import { expect } from "@open-wc/testing";
import {
  HomeserverClient,
  MatrixError,
  RequestError,
  type AuthDict,
  type RequestOptions,
} from "matrix-auth-elements/core";
import { rejectionOf } from "../../support/rejection.ts";
import { html, inTurn, json, ScriptedFetch } from "../../support/scripted-fetch.ts";
import { HOMESERVER } from "../login.ts";

const TOKEN = "secret-access-token";
const API = `${HOMESERVER}/_matrix/client`;
const AUTH: AuthDict = { type: "m.login.password", session: "xyz", password: "secret-password" };

type Call = (
  client: HomeserverClient,
  auth: AuthDict | null | undefined,
  options?: RequestOptions,
) => Promise<unknown>;

interface Endpoint {
  readonly name: string;
  readonly route: string;
  /** What the homeserver gets, `auth` aside; undefined where it gets no body. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly answer?: Readonly<Record<string, unknown>>;
  /** What is returned, if it is not the whole answer. */
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

/** Those that ask for proof of who is asking. */
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
    answer: { id_server_unbind_result: "success" },
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
    answer: { login_token: "token", expires_in_ms: 120_000 },
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
    name: "getDevices",
    route: `GET ${API}/v3/devices`,
    answer: { devices },
    call: (client, _, options) => client.getDevices(options),
  },
  {
    name: "getThreePids",
    route: `GET ${API}/v3/account/3pid`,
    answer: { threepids },
    call: (client, _, options) => client.getThreePids(options),
  },
  {
    name: "deleteThreePid",
    route: `POST ${API}/v3/account/3pid/delete`,
    body: { medium: "email", address: "a@b.example" },
    answer: { id_server_unbind_result: "no-support" },
    call: (client, _, options) => client.deleteThreePid("email", "a@b.example", options),
  },
  {
    name: "uploadKeySignatures",
    route: `POST ${API}/v3/keys/signatures/upload`,
    body: { "@a:b": { D: { device_id: "D" } } },
    answer: { failures: {} },
    call: (client, _, options) =>
      client.uploadKeySignatures({ "@a:b": { D: { device_id: "D" } } }, options),
  },
  {
    name: "logout",
    route: `POST ${API}/v3/logout`,
    body: {},
    call: (client, _, options) => client.logout(options),
  },
];

const anonymous: readonly Endpoint[] = [
  {
    name: "register",
    route: `POST ${API}/v3/register`,
    body: { username: "alice", password: "secret" },
    answer: { user_id: "@alice:b", access_token: "t", device_id: "D", home_server: "b" },
    call: (client, auth, options) =>
      client.register({ username: "alice", password: "secret", auth }, undefined, options),
  },
  {
    name: "register with a kind",
    route: `POST ${API}/v3/register?kind=guest%26x`,
    body: {},
    answer: { user_id: "@1:b" },
    result: { user_id: "@1:b", access_token: undefined, device_id: undefined },
    call: (client, auth) => client.register({ auth }, "guest&x"),
  },
  {
    name: "isUsernameAvailable",
    route: `GET ${API}/v3/register/available?username=%C3%A4%26kind%3D..%2F%3F`,
    answer: { available: true },
    result: true,
    call: (client, _, options) => client.isUsernameAvailable("ä&kind=../?", options),
  },
  {
    name: "requestRegisterEmailToken",
    route: `POST ${API}/v3/register/email/requestToken`,
    body: { ...mail, next_link: "https://app.example/next" },
    answer: sent,
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
    answer: { ...sent, msisdn: "491511", intl_fmt: "+49 151 1" },
    call: (client, _, options) =>
      client.requestRegisterMsisdnToken("DE", "0151 1", "s3cret", 1, undefined, options),
  },
  {
    name: "requestAdd3pidEmailToken",
    route: `POST ${API}/v3/account/3pid/email/requestToken`,
    body: mail,
    answer: { sid: "sid1" },
    result: { sid: "sid1", submit_url: undefined },
    call: (client) => client.requestAdd3pidEmailToken("a@b.example", "s3cret", 2),
  },
  {
    name: "requestAdd3pidMsisdnToken",
    route: `POST ${API}/v3/account/3pid/msisdn/requestToken`,
    body: { ...message, next_link: "https://app.example/next" },
    answer: sent,
    call: (client) =>
      client.requestAdd3pidMsisdnToken("DE", "0151 1", "s3cret", 1, "https://app.example/next"),
  },
  {
    name: "requestPasswordEmailToken",
    route: `POST ${API}/v3/account/password/email/requestToken`,
    body: mail,
    answer: { sid: "sid1", submit_url: null },
    result: { sid: "sid1", submit_url: undefined },
    call: (client) => client.requestPasswordEmailToken("a@b.example", "s3cret", 2),
  },
  {
    name: "requestPasswordMsisdnToken",
    route: `POST ${API}/v3/account/password/msisdn/requestToken`,
    body: message,
    answer: sent,
    call: (client) => client.requestPasswordMsisdnToken("DE", "0151 1", "s3cret", 1),
  },
];

describe("HomeserverClient's endpoints", () => {
  let server: ScriptedFetch;
  let client: HomeserverClient;

  beforeEach(() => {
    server = new ScriptedFetch();
    client = new HomeserverClient({
      baseUrl: HOMESERVER,
      accessToken: TOKEN,
      fetch: server.fetch,
    });
  });

  const expectRequest = ({ route, body }: Endpoint, authorization: string | null): void => {
    expect(server.log).to.deep.equal([route]);
    const [request] = server.requests;
    if (body) expect(JSON.parse(request?.body ?? "")).to.deep.equal(body);
    else expect(request?.body).to.equal("");
    expect(request?.headers.get("Content-Type")).to.equal(body ? "application/json" : null);
    expect(request?.headers.get("Authorization")).to.equal(authorization);
    expect(request).to.include({ redirect: "manual", credentials: "omit" });
  };

  for (const endpoint of guarded) {
    const { name, route, body, answer = {}, call } = endpoint;
    describe(name, () => {
      for (const auth of [null, undefined]) {
        it(`sends no proof where it is ${String(auth)}`, async () => {
          server.routes[route] = json(answer);

          expect(await call(client, auth)).to.deep.equal(answer);
          expectRequest(endpoint, `Bearer ${TOKEN}`);
        });
      }

      it("sends the whole body again with a proof", async () => {
        server.routes[route] = json(answer);

        await call(client, AUTH);

        expectRequest({ ...endpoint, body: { ...body, auth: AUTH } }, `Bearer ${TOKEN}`);
      });

      it("rejects with what proof the homeserver asks for", async () => {
        const data = { session: "xyz", flows: [{ stages: ["m.login.password"] }], params: {} };
        server.routes[route] = json(data, 401);

        const error = await rejectionOf(call(client, null));

        expect(error).to.be.instanceOf(MatrixError).and.to.deep.include({ httpStatus: 401, data });
      });
    });
  }

  for (const endpoint of open) {
    const { name, route, answer = {}, call } = endpoint;
    it(`${name} asks with the access token`, async () => {
      server.routes[route] = json(answer);

      expect(await call(client, null)).to.deep.equal(answer);
      expectRequest(endpoint, `Bearer ${TOKEN}`);
    });
  }

  for (const endpoint of anonymous) {
    const { name, route, answer = {}, result = answer, call } = endpoint;
    it(`${name} tells nobody the access token`, async () => {
      server.routes[route] = json(answer);

      expect(await call(client, undefined)).to.deep.equal(result);
      expectRequest(endpoint, null);
    });
  }

  it("register sends a proof", async () => {
    server.routes[`POST ${API}/v3/register`] = json({ user_id: "@a:b" });

    await client.register({ username: "alice", auth: AUTH });

    expect(JSON.parse(server.requests[0]?.body ?? "")).to.deep.equal({
      username: "alice",
      auth: AUTH,
    });
  });

  it("register changes nothing in the body that it was given", async () => {
    server.routes[`POST ${API}/v3/register`] = json({ user_id: "@a:b" });
    const body = Object.freeze({ username: "alice", auth: null });

    await client.register(body);

    expect(body).to.deep.equal({ username: "alice", auth: null });
  });

  for (const { name, call } of [...guarded, ...open, ...anonymous]) {
    if (name.includes(" with ") || call.length < 3) continue;
    it(`${name} takes a signal as its last argument`, async () => {
      const error = await rejectionOf(call(client, null, { signal: AbortSignal.abort() }));

      expect(error).to.be.instanceOf(RequestError).and.to.include({ code: "aborted" });
      expect(server.log).to.deep.equal([]);
    });
  }

  it("isUsernameAvailable knows a name that is taken", async () => {
    server.routes[`GET ${API}/v3/register/available?username=a`] = json(
      { errcode: "M_USER_IN_USE" },
      400,
    );

    expect(await client.isUsernameAvailable("a")).to.be.false;
  });

  it("isUsernameAvailable rejects where the name is none", async () => {
    server.routes[`GET ${API}/v3/register/available?username=A`] = json(
      { errcode: "M_INVALID_USERNAME" },
      400,
    );

    expect(await rejectionOf(client.isUsernameAvailable("A"))).to.include({
      errcode: "M_INVALID_USERNAME",
    });
  });

  describe("uploadDeviceSigningKeys on an old homeserver", () => {
    const stable = `POST ${API}/v3/keys/device_signing/upload`;
    const unstable = `POST ${API}/unstable/keys/device_signing/upload`;

    for (const status of [400, 404, 405]) {
      it(`asks at the old path after ${status} M_UNRECOGNIZED`, async () => {
        server.routes[stable] = json({ errcode: "M_UNRECOGNIZED" }, status);
        server.routes[unstable] = json({});

        await client.uploadDeviceSigningKeys(AUTH, { master_key: masterKey });

        expect(server.log).to.deep.equal([stable, unstable]);
        const [first, second] = server.requests;
        expect(second?.body).to.equal(first?.body);
        expect(second?.headers.get("Authorization")).to.equal(`Bearer ${TOKEN}`);
      });
    }

    it("rejects where neither path is known, after two requests", async () => {
      server.routes[stable] = json({ errcode: "M_UNRECOGNIZED" }, 404);
      server.routes[unstable] = json({ errcode: "M_UNRECOGNIZED" }, 404);

      expect(await rejectionOf(client.uploadDeviceSigningKeys(null, {}))).to.include({
        errcode: "M_UNRECOGNIZED",
      });
      expect(server.log).to.deep.equal([stable, unstable]);
    });

    for (const [what, answer] of [
      ["another refusal", json({ errcode: "M_INVALID_SIGNATURE" }, 400)],
      ["a server's failure", html(502)],
      ["a page that is not there", html(404)],
    ] as const) {
      it(`asks nowhere else after ${what}`, async () => {
        server.routes[stable] = answer;

        await rejectionOf(client.uploadDeviceSigningKeys(null, {}));

        expect(server.log).to.deep.equal([stable]);
      });
    }
  });

  describe("an answer that is none", () => {
    const wrong: readonly (readonly [string, Call, string, unknown])[] = [
      ["devices that are no list", (it) => it.getDevices(), "GET v3/devices", { devices: {} }],
      ["a device without an id", (it) => it.getDevices(), "GET v3/devices", { devices: [{}] }],
      ["a device that is null", (it) => it.getDevices(), "GET v3/devices", { devices: [null] }],
      ["no addresses", (it) => it.getThreePids(), "GET v3/account/3pid", {}],
      ["no user", (it) => it.register({}), "POST v3/register", { access_token: "secret-new" }],
      ["no login token", (it) => it.requestLoginToken(), "POST v1/login/get_token", {}],
      [
        "no validation session",
        (it) => it.requestRegisterEmailToken("a@b.example", "s", 1),
        "POST v3/register/email/requestToken",
        { sid: 5 },
      ],
      ["a list", (it) => it.logout(), "POST v3/logout", []],
    ];
    for (const [what, call, route, body] of wrong) {
      it(`rejects for ${what}`, async () => {
        const [method = "", path = ""] = route.split(" ");
        server.routes[`${method} ${API}/${path}`] = json(body);

        const error = await rejectionOf(call(client, null));

        expect(error).to.be.instanceOf(RequestError).and.to.include({ code: "response_not_json" });
        expect((error as Error).message).not.to.contain("secret");
      });
    }

    it("leaves out tokens that are none", async () => {
      server.routes[`POST ${API}/v3/register`] = json({ user_id: "@a:b", access_token: 5 });

      expect((await client.register({})).access_token).to.be.undefined;
    });
  });

  it("takes one proof after the other, with the same body each time", async () => {
    server.routes[`POST ${API}/v3/account/password`] = inTurn(
      json({ session: "xyz", flows: [{ stages: ["m.login.password"] }] }, 401),
      json({}),
    );

    await rejectionOf(client.setPassword(null, "new-password", true));
    await client.setPassword(AUTH, "new-password", true);

    expect(server.requests.map(({ body }) => JSON.parse(body) as unknown)).to.deep.equal([
      { new_password: "new-password", logout_devices: true },
      { new_password: "new-password", logout_devices: true, auth: AUTH },
    ]);
  });
});
