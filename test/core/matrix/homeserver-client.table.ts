// The endpoints of HomeserverClient: the call, its request, and the response.
import type { AuthDict, HomeserverClient, RequestOptions } from "matrix-auth-elements/core";
import { html, json, text, type Responder } from "../../support/scripted-fetch.ts";
import { HOMESERVER } from "../login.ts";

export const API = `${HOMESERVER}/_matrix/client`;
export const MEDIA = `${HOMESERVER}/_matrix/media/v3`;
export const WHOAMI = `GET ${API}/v3/account/whoami`;

export type Call = (client: HomeserverClient, auth: AuthDict | null | undefined, options?: RequestOptions) => Promise<unknown>;

export interface Endpoint {
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
export const masterKey = { user_id: "@a:b", usage: ["master"], keys: { "ed25519:k": "k" } };
const mail = { email: "a@b.example", client_secret: "s3cret", send_attempt: 2 };
const message = { country: "DE", phone_number: "0151 1", client_secret: "s3cret", send_attempt: 1 };
const sent = { sid: "sid1", submit_url: "https://id.example/submit" };

const profile = { displayname: "Alice", avatar_url: "mxc://b/image" };
export const PROFILE = `${API}/v3/profile/%40a%3Ab`;

/** The endpoints that require User-Interactive Authentication. */
export const guarded: readonly Endpoint[] = [
  { name: "deleteDevice", route: `DELETE ${API}/v3/devices/DEVICE1`, body: {}, call: (client, auth, options) => client.deleteDevice("DEVICE1", auth, options) },
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
    call: (client, auth, options) => client.addThreePidOnly({ sid: "sid1", client_secret: "s3cret", auth }, options),
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
    call: (client, auth, options) => client.uploadDeviceSigningKeys(auth, { master_key: masterKey }, options),
  },
];

export const open: readonly Endpoint[] = [
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
  { name: "getDevices", route: `GET ${API}/v3/devices`, response: { devices }, call: (client, _, options) => client.getDevices(options) },
  {
    name: "getDevices with entries without an ID",
    route: `GET ${API}/v3/devices`,
    response: { devices: [null, "A", {}, { device_id: null }, ...devices] },
    result: { devices },
    call: (client) => client.getDevices(),
  },
  ...[{}, { devices: null }].map((response) => ({
    name: `getDevices with ${JSON.stringify(response)}`,
    route: `GET ${API}/v3/devices`,
    response,
    result: { devices: [] },
    call: (client: HomeserverClient) => client.getDevices(),
  })),
  {
    name: "setDeviceDetails",
    route: `PUT ${API}/v3/devices/D%2F1`,
    body: { display_name: "Laptop" },
    response: {},
    call: (client, _, options) => client.setDeviceDetails("D/1", { display_name: "Laptop" }, options),
  },
  {
    name: "getCapabilities",
    route: `GET ${API}/v3/capabilities`,
    response: { capabilities: { "m.change_password": { enabled: false } } },
    result: { "m.change_password": { enabled: false } },
    call: (client, _, options) => client.getCapabilities(options),
  },
  { name: "getThreePids", route: `GET ${API}/v3/account/3pid`, response: { threepids }, call: (client, _, options) => client.getThreePids(options) },
  {
    name: "getThreePids with entries without an address",
    route: `GET ${API}/v3/account/3pid`,
    response: { threepids: [null, 1, { medium: "email" }, { address: 1 }, ...threepids] },
    result: { threepids },
    call: (client) => client.getThreePids(),
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
    call: (client, _, options) => client.bindThreePid({ sid: "sid1", client_secret: "s3cret", id_server: "id.example", id_access_token: "t" }, options),
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
    call: (client, _, options) => client.uploadKeySignatures({ "@a:b": { D: { device_id: "D" } } }, options),
  },
  { name: "logout", route: `POST ${API}/v3/logout`, body: {}, call: (client, _, options) => client.logout(options) },
  { name: "logoutAll", route: `POST ${API}/v3/logout/all`, body: {}, call: (client, _, options) => client.logoutAll(options) },
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
];

export const anonymous: readonly Endpoint[] = [
  {
    name: "login",
    route: `POST ${API}/v3/login`,
    body: { refresh_token: true, type: "m.login.token", token: "secret-login-token" },
    response: { user_id: "@a:b", device_id: "D", access_token: "token", home_server: "b" },
    call: (client, _, options) => client.login({ type: "m.login.token", token: "secret-login-token" }, options),
  },
  {
    name: "register",
    route: `POST ${API}/v3/register`,
    body: { username: "alice", password: "secret" },
    response: { user_id: "@alice:b", access_token: "t", device_id: "D", home_server: "b" },
    call: (client, auth, options) => client.register({ username: "alice", password: "secret", auth }, undefined, options),
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
  ...[{}, { available: null }, { available: false }].map((response) => ({
    name: `isUsernameAvailable with ${JSON.stringify(response)}`,
    route: `GET ${API}/v3/register/available?username=alice`,
    response,
    // The status 200 means that the name is available.
    result: response.available !== false,
    call: (client: HomeserverClient) => client.isUsernameAvailable("alice"),
  })),
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
    call: (client, _, options) => client.requestRegisterEmailToken("a@b.example", "s3cret", 2, "https://app.example/next", options),
  },
  {
    name: "requestRegisterMsisdnToken",
    route: `POST ${API}/v3/register/msisdn/requestToken`,
    body: message,
    response: { ...sent, msisdn: "491511", intl_fmt: "+49 151 1" },
    call: (client, _, options) => client.requestRegisterMsisdnToken("DE", "0151 1", "s3cret", 1, undefined, options),
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
    call: (client) => client.requestAdd3pidMsisdnToken("DE", "0151 1", "s3cret", 1, "https://app.example/next"),
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

/** What a response has that the client rejects. */
export const INVALID_RESPONSES: readonly (readonly [what: string, call: (client: HomeserverClient) => Promise<unknown>, route: string, respond: Responder])[] =
  [
    ["HTML", (client) => client.whoami(), "GET v3/account/whoami", html()],
    ["a list", (client) => client.logout(), "POST v3/logout", json([])],
    ["capabilities in a list", (client) => client.getCapabilities(), "GET v3/capabilities", json({ capabilities: [] })],
    ["no user", (client) => client.whoami(), "GET v3/account/whoami", json({})],
    ["a user without a name", (client) => client.whoami(), "GET v3/account/whoami", json({ user_id: "" })],
    ["a user that is a number", (client) => client.whoami(), "GET v3/account/whoami", json({ user_id: 5 })],
    ["a user in a prototype", (client) => client.whoami(), "GET v3/account/whoami", text('{"__proto__":{"user_id":"@a:b"}}')],
    ["no user but a token", (client) => client.register({}), "POST v3/register", json({ access_token: "secret" })],
    ["devices that are not a list", (client) => client.getDevices(), "GET v3/devices", json({ devices: {} })],
    ["threepids that are no list", (client) => client.getThreePids(), "GET v3/account/3pid", json({ threepids: {} })],
    ["no device", (client) => client.login({ type: "m.login.token", token: "x" }), "POST v3/login", json({ user_id: "@a:b", access_token: "x" })],
    ["no login token", (client) => client.requestLoginToken(), "POST v1/login/get_token", json({})],
    ["a sid that is a number", (client) => client.requestRegisterEmailToken("a@b.example", "s", 1), "POST v3/register/email/requestToken", json({ sid: 5 })],
  ];
