import { expect } from "@open-wc/testing";
import {
  completeDeviceAuthorizationGrant,
  discoverHomeserver,
  discoverIssuer,
  fetchAuthMetadata,
  generateOidcAuthorizationUrl,
  HomeserverClient,
  LegacySession,
  MatrixError,
  OidcSession,
  registerOidcClient,
  startDeviceAuthorization,
  validateAuthMetadata,
} from "matrix-auth-elements/core";
import { attachSession, OidcTokenRefresher } from "matrix-auth-elements/matrix-js-sdk";
import { Clock, idle, until } from "../support/clock.ts";
import { rejectionOf } from "../support/rejection.ts";
import { json, type Responder, ScriptedFetch } from "../support/scripted-fetch.ts";
import { restoreStubs, stub } from "../support/stub.ts";

const HS = "https://hs.example";
const ROUTE = `GET ${HS}/x`;
const MEGABYTE = 1 << 20;

const sessionOf = (fetch: typeof window.fetch, refreshToken?: string): LegacySession =>
  new LegacySession(
    {
      homeserverUrl: HS,
      userId: "@alice:hs.example",
      deviceId: "DEVICE",
      accessToken: "old",
      ...(refreshToken && { refreshToken }),
    },
    { fetch },
  );

/** A client of matrix-js-sdk that has the session attached. */
function attachedTo(session: LegacySession) {
  let token = "";
  const client = {
    http: {
      fetch: (url: URL | string, init?: RequestInit) => window.fetch(url, init),
      uploadContent: () => Promise.resolve(),
      cancelUpload: () => false,
      abort: () => undefined,
    },
    getHomeserverUrl: () => HS,
    getUserId: () => "@alice:hs.example",
    getDeviceId: () => "DEVICE",
    getAccessToken: () => token,
    setAccessToken: (given: string) => void (token = given),
    logout: () => Promise.resolve({}),
    stopClient: () => undefined,
  };
  attachSession(client, session);
  return client;
}

/** A response with a body in pieces of 64 KiB, at most `pieces`. It counts what is read. */
function inPieces(pieces: number, init: ResponseInit = { status: 401 }, start = "") {
  const progress = { taken: 0, isCancelled: false };
  const respond: Responder = () => {
    const piece = new TextEncoder().encode(" ".repeat(1 << 16));
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (body) => body.enqueue(new TextEncoder().encode(start || " ")),
        pull(body) {
          if (progress.taken >= pieces) return body.close();
          progress.taken += 1;
          body.enqueue(piece);
        },
        cancel: () => void (progress.isCancelled = true),
      },
      { highWaterMark: 0 },
    );
    return new Response(stream, init);
  };
  return { progress, respond };
}

/** The functions that look at an HTTP 401 before the app gets it. */
const SENDERS: Readonly<
  Record<string, (session: LegacySession) => (url: string, init?: RequestInit) => Promise<Response>>
> = {
  "session.fetch": (session) => session.fetch,
  "a client of matrix-js-sdk": (session) => attachedTo(session).http.fetch,
};

afterEach(restoreStubs);

for (const [what, senderOf] of Object.entries(SENDERS)) {
  describe(`An HTTP 401 for ${what}`, () => {
    it("is read up to a megabyte, and the rest is not kept for the app", async () => {
      const { progress, respond } = inPieces(512);
      const send = senderOf(sessionOf(new ScriptedFetch({ [ROUTE]: respond }).fetch));
      const response = await send(`${HS}/x`);
      expect(response.status).to.equal(401);
      expect(progress.taken).to.be.lessThan(40);
      await response.body?.cancel();
      await until(() => progress.isCancelled);
    });

    it("stays readable for the app after that", async () => {
      const { respond } = inPieces(48);
      const send = senderOf(sessionOf(new ScriptedFetch({ [ROUTE]: respond }).fetch));
      const response = await send(`${HS}/x`);
      expect((await response.text()).length).to.equal(48 * (1 << 16) + 1);
    });

    it("with an endless body is returned after the time limit", async () => {
      const clock = new Clock();
      const respond: Responder = () =>
        new Response(new ReadableStream({ start: (body) => body.enqueue(new Uint8Array(1)) }), {
          status: 401,
        });
      const send = senderOf(sessionOf(new ScriptedFetch({ [ROUTE]: respond }).fetch));
      const response = send(`${HS}/x`);
      await clock.passUntil(response);
      expect((await response).status).to.equal(401);
    });

    it("with an endless body ends with the app's signal", async () => {
      const respond: Responder = () =>
        new Response(new ReadableStream({ start: (body) => body.enqueue(new Uint8Array(1)) }), {
          status: 401,
        });
      const { signal, ...controller } = listenedSignal();
      const send = senderOf(sessionOf(new ScriptedFetch({ [ROUTE]: respond }).fetch));
      const rejected = rejectionOf(send(`${HS}/x`, { signal }));
      await idle();
      controller.abort();
      expect(await rejected).to.have.property("name", "AbortError");
    });

    it("about the token causes a retry with a new token, and stays readable if there is none", async () => {
      const unknown = { errcode: "M_UNKNOWN_TOKEN", error: "Unknown", soft_logout: true };
      const server = new ScriptedFetch({
        [ROUTE]: ({ headers }) =>
          headers.get("Authorization") === "Bearer new"
            ? Response.json({ ok: true })
            : Response.json(unknown, { status: 401 }),
        [`POST ${HS}/_matrix/client/v3/refresh`]: json({ access_token: "new" }),
      });
      const response = await senderOf(sessionOf(server.fetch, "refresh"))(`${HS}/x`);
      expect(await response.json()).to.deep.equal({ ok: true });
      const ended = await senderOf(sessionOf(server.fetch))(`${HS}/x`);
      expect(await ended.json()).to.deep.equal(unknown);
    });
  });
}

function listenedSignal(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

const IDP = "https://idp.example";
const METADATA = {
  issuer: `${IDP}/`,
  authorization_endpoint: `${IDP}/authorize`,
  token_endpoint: `${IDP}/token`,
  revocation_endpoint: `${IDP}/revoke`,
  registration_endpoint: `${IDP}/register`,
  device_authorization_endpoint: `${IDP}/device`,
  jwks_uri: `${IDP}/keys`,
  response_types_supported: ["code"],
  code_challenge_methods_supported: ["S256"],
  grant_types_supported: ["authorization_code", "refresh_token"],
};

type Fetch = typeof window.fetch;

const clientWith = (fetch: Fetch): HomeserverClient =>
  new HomeserverClient({ baseUrl: HS, accessToken: "t", fetch });

const oauthSession = (fetch: Fetch): OidcSession =>
  new OidcSession(
    {
      tokenResponse: { access_token: "a", refresh_token: "r", token_type: "Bearer" },
      oidcClientSettings: { clientId: "client", issuer: METADATA.issuer },
      metadata: METADATA,
      homeserverUrl: HS,
      idTokenClaims: undefined,
      deviceId: "DEVICE",
      scope: "urn:matrix:client:api:* urn:matrix:client:device:DEVICE",
    },
    { fetch },
  );

/** Every kind of document and endpoint, by method and URL, with a call that reads its response. */
const ENDPOINTS: Readonly<Record<string, (fetch: Fetch) => Promise<unknown>>> = {
  "GET https://hs.example/.well-known/matrix/client": (fetch) =>
    discoverHomeserver("hs.example", { fetch }),
  [`GET ${HS}/_matrix/client/v1/auth_metadata`]: (fetch) => fetchAuthMetadata(HS, { fetch }),
  [`GET ${IDP}/.well-known/openid-configuration`]: (fetch) => discoverIssuer(`${IDP}/`, { fetch }),
  [`GET ${IDP}/keys`]: (fetch) => clientWith(fetch).getAuthMetadata(),
  [`POST ${IDP}/register`]: (fetch) =>
    registerOidcClient(METADATA, { clientUri: `${HS}/`, redirectUris: [`${HS}/`] }, { fetch }),
  [`POST ${IDP}/device`]: (fetch) =>
    startDeviceAuthorization({ metadata: METADATA, clientId: "client" }, { fetch }),
  [`POST ${IDP}/token`]: (fetch) => oauthSession(fetch).refresh(),
  [`POST ${IDP}/revoke`]: (fetch) => oauthSession(fetch).signOut(),
  [`GET ${HS}/_matrix/client/v3/login`]: (fetch) => clientWith(fetch).getLoginFlows(),
  [`POST ${HS}/_matrix/client/v3/login`]: (fetch) =>
    clientWith(fetch).login({ type: "m.login.token", token: "t" }),
  [`POST ${HS}/_matrix/client/v3/logout`]: (fetch) => sessionOf(fetch).signOut(),
  [`POST ${HS}/_matrix/client/v3/refresh`]: (fetch) => sessionOf(fetch, "refresh").refresh(),
  [`POST ${HS}/_matrix/client/v3/account/deactivate`]: (fetch) =>
    clientWith(fetch).deactivateAccount(),
  [`GET ${HS}/_matrix/client/v3/capabilities`]: (fetch) => clientWith(fetch).getCapabilities(),
  [`GET ${HS}/_matrix/client/v1/media/thumbnail/hs.example/id?width=1&height=1&method=scale`]: (
    fetch,
  ) => clientWith(fetch).getThumbnail("mxc://hs.example/id", { width: 1, height: 1 }),
  "POST https://sms.example/x": (fetch) =>
    clientWith(fetch).submitMsisdnTokenOtherUrl("https://sms.example/x", "s", "c", "1"),
};

describe("An endless body", () => {
  for (const [route, call] of Object.entries(ENDPOINTS)) {
    for (const status of [200, 401, 403, 503]) {
      it(`is read up to a limit: HTTP ${status} for ${route}`, async () => {
        const type = route.includes("thumbnail") ? "image/png" : "application/json";
        const headers = { "Content-Type": type };
        const { progress, respond } = inPieces(1024, { status, headers });
        const server = new ScriptedFetch({
          [`GET ${HS}/_matrix/client/v1/auth_metadata`]: json(METADATA),
          [`GET ${IDP}/.well-known/openid-configuration`]: json(METADATA),
          [route]: respond,
        });
        const clock = new Clock();
        const settled = call(server.fetch).catch(() => undefined);
        await clock.passUntil(settled);
        expect(server.log).to.contain(route);
        expect(progress.taken).to.be.lessThan(512);
      });
    }
  }
});

/** JSON that a parser accepts, and a program stumbles over. */
const ODD_BODIES: Readonly<Record<string, string>> = {
  "lists in lists": "[".repeat(9000) + "]".repeat(9000),
  "objects in objects": `${'{"flows":'.repeat(9000)}1${"}".repeat(9000)}`,
  "deep members": deepIn((inner) => inner),
  "deep lists as members": deepIn((inner) => `[${inner}]`),
  "numbers above all": allMembers("1e400"),
  "numbers below all": allMembers("-1e400"),
  "texts as numbers": allMembers(`"9999999999999999999"`),
  "objects that are no texts": allMembers(`{"toString":1,"valueOf":1,"length":9}`),
  prototypes: `{"__proto__":{"errcode":1},"constructor":{"prototype":1},"hasOwnProperty":1}`,
  "many members": `{${Array.from({ length: 9000 }, (_, i) => `"k${i}":""`).join()}}`,
  "half a character": allMembers(`"\\ud800"`),
  "a byte order mark only": "\uFEFF",
  null: "null",
  "a text": `"text"`,
};

/** The members that the library reads, with one value. */
function allMembers(value: string): string {
  const names =
    "errcode error error_description retry_after_ms session flows params completed user_id device_id " +
    "access_token refresh_token token_type expires_in expires_in_ms scope id_token client_id issuer keys " +
    "m.homeserver m.identity_server devices threepids capabilities device_code user_code interval " +
    "verification_uri well_known content_uri sid submit_url authorization_endpoint";
  return `{${names
    .split(" ")
    .map((name) => `"${name}":${value}`)
    .join()}}`;
}

function deepIn(wrap: (inner: string) => string): string {
  return allMembers(wrap(`${'{"a":'.repeat(500)}1${"}".repeat(500)}`));
}

describe("A body of odd JSON", () => {
  for (const [what, body] of Object.entries(ODD_BODIES)) {
    it(`results in an error with a code, or in none: ${what}`, async () => {
      const headers = { "Content-Type": "application/json" };
      for (const [route, call] of Object.entries(ENDPOINTS)) {
        for (const status of [200, 400, 401, 403, 429, 500]) {
          const server = new ScriptedFetch({
            [`GET ${HS}/_matrix/client/v1/auth_metadata`]: json(METADATA),
            [`GET ${IDP}/.well-known/openid-configuration`]: json(METADATA),
            [route]: () => new Response(body, { status, headers }),
          });
          const clock = new Clock();
          const settled = call(server.fetch).then(
            () => undefined,
            (error: unknown) => error,
          );
          await clock.passUntil(settled);
          const error = await settled;
          restoreStubs();
          if (error !== undefined) expect(error, `${status} ${route}`).to.have.property("code");
        }
      }
    });
  }
});

describe("A time from a server", () => {
  const DAY_S = 86_400;
  const CODES = { device_code: "c", user_code: "u", verification_uri: `${IDP}/link` };
  const TOKENS = { access_token: "new", refresh_token: "r2", token_type: "Bearer" };

  /** Each with a time, in seconds, and what the library makes of it. */
  const TIMES: Readonly<
    Record<
      string,
      (seconds: number, fetch: (routes: Record<string, Responder>) => Fetch) => Promise<number>
    >
  > = {
    "Retry-After": async (seconds, fetch) => {
      const headers = { "Retry-After": `${seconds}` };
      const limited = (): Response => Response.json({}, { status: 429, headers });
      const client = clientWith(fetch({ [`GET ${HS}/_matrix/client/v3/login`]: limited }));
      return (
        Number(((await rejectionOf(client.getLoginFlows())) as MatrixError).retryAfterMs) / 1000
      );
    },
    retry_after_ms: async (seconds, fetch) => {
      const limited = json({ errcode: "M_LIMIT_EXCEEDED", retry_after_ms: seconds * 1000 }, 429);
      const client = clientWith(fetch({ [`GET ${HS}/_matrix/client/v3/login`]: limited }));
      return (
        Number(((await rejectionOf(client.getLoginFlows())) as MatrixError).retryAfterMs) / 1000
      );
    },
    "expires_in of a device code": async (expires_in, fetch) => {
      const request = { metadata: METADATA, clientId: "client" };
      const routes = { [`POST ${IDP}/device`]: json({ ...CODES, expires_in }) };
      const codes = await startDeviceAuthorization(request, { fetch: fetch(routes) });
      expect(codes.expires_at - Date.now() / 1000).to.be.within(
        codes.expires_in - 9,
        codes.expires_in,
      );
      return codes.expires_in;
    },
  };
  for (const [what, read] of Object.entries(TIMES)) {
    it(`is at most a day if it is ${what}`, async () => {
      const fetch = (routes: Record<string, Responder>): Fetch => new ScriptedFetch(routes).fetch;
      for (const seconds of [30 * DAY_S, 2 ** 31, 1e20, 1e300]) {
        expect(await read(seconds, fetch)).to.equal(DAY_S);
      }
      expect(await read(600, fetch)).to.equal(600);
    });
  }

  for (const [what, members] of Object.entries({
    "codes that never expire": { expires_in: 1e300, interval: 3600 },
    "an endless interval": { expires_in: 1e300, interval: 1e300 },
  })) {
    it(`ends the wait for the user after a day, with ${what}`, async () => {
      const clock = new Clock();
      const server = new ScriptedFetch({
        [`POST ${IDP}/token`]: json({ error: "authorization_pending" }, 400),
      });
      const session = { ...CODES, expires_at: 1e300, ...members };
      const grant = { session, metadata: METADATA, clientId: "client", homeserverUrl: HS };
      const outcome = rejectionOf(completeDeviceAuthorizationGrant(grant, server));
      await clock.pass(DAY_S * 1000 + 3600_000);
      expect(await outcome).to.include({ code: "flow_expired" });
    });
  }

  it("is a valid date as the expiry of a token", async () => {
    const refresher = new OidcTokenRefresher(
      METADATA.issuer,
      "client",
      `${HS}/`,
      "DEVICE",
      undefined,
      {
        metadata: METADATA,
        fetch: new ScriptedFetch({ [`POST ${IDP}/token`]: json({ ...TOKENS, expires_in: 1e300 }) })
          .fetch,
      },
    );
    const { expiry } = await refresher.doRefreshAccessToken("r");
    expect(expiry?.getTime()).to.be.greaterThan(Date.now());
  });
});

describe("The metadata of a provider", () => {
  const start = (grants: readonly string[]): Promise<string> =>
    generateOidcAuthorizationUrl({
      metadata: validateAuthMetadata({ ...METADATA, grant_types_supported: grants }),
      ...{ clientId: "client", homeserverUrl: HS, redirectUri: `${HS}/`, nonce: "n" },
    });
  const storedFlows = (): number =>
    Object.keys(sessionStorage).filter((key) => key.includes(":flow:")).length;
  const USUAL = METADATA.grant_types_supported;

  beforeEach(() => sessionStorage.clear());
  afterEach(() => sessionStorage.clear());

  it("can't fill the storage that other sign-ins need", async () => {
    const error = await rejectionOf(start([...USUAL, "x".repeat(MEGABYTE / 2)]));
    expect(error).to.include({ code: "storage_full" });
    expect(storedFlows()).to.equal(0);
  });

  it("twin: is kept with the sign-in if it is short", async () => {
    await start([...USUAL, "x".repeat(1000)]);
    expect(storedFlows()).to.equal(1);
  });
});

describe("A response to one of the library's requests", () => {
  const API = `${HS}/_matrix/client/v3`;
  const client = (routes: Record<string, Responder>): HomeserverClient =>
    new HomeserverClient({ baseUrl: HS, accessToken: "t", fetch: new ScriptedFetch(routes).fetch });
  const padded = (body: object, length: number): object => ({
    ...body,
    padding: "x".repeat(length),
  });

  for (const [what, url, call] of [
    ["an account", `${API}/account/whoami`, (it: HomeserverClient) => it.whoami()],
    ["addresses", `${API}/account/3pid`, (it: HomeserverClient) => it.getThreePids()],
  ] as const) {
    it(`about ${what} can have at most a megabyte`, async () => {
      const body = { user_id: "@a:hs", threepids: [] };
      const routes = { [`GET ${url}`]: json(padded(body, MEGABYTE)) };
      expect(await rejectionOf(call(client(routes)))).to.include({ code: "response_too_large" });
      await call(client({ [`GET ${url}`]: json(padded(body, MEGABYTE / 2)) }));
    });
  }

  it("with devices can be longer, but has a limit", async () => {
    const route = `GET ${API}/devices`;
    const devices = Array.from({ length: 20_000 }, (_, i) => ({
      device_id: `DEVICE${i}`,
      x: "x".repeat(60),
    }));
    expect((await client({ [route]: json({ devices }) }).getDevices()).devices).to.have.length(
      20_000,
    );
    const tooLong = client({ [route]: json(padded({ devices }, 4 * MEGABYTE)) });
    expect(await rejectionOf(tooLong.getDevices())).to.include({ code: "response_too_large" });
  });

  it("with an error can have at most a megabyte, even for devices", async () => {
    const route = `GET ${API}/devices`;
    const long = client({ [route]: json(padded({ errcode: "M_UNKNOWN" }, MEGABYTE), 403) });
    expect(await rejectionOf(long.getDevices())).to.include({ code: "response_too_large" });
    const short = client({ [route]: json(padded({ errcode: "M_UNKNOWN" }, MEGABYTE / 2), 403) });
    expect(await rejectionOf(short.getDevices())).to.be.instanceOf(MatrixError);
  });
});

describe("A secret that a server chose, such as a token", () => {
  /** The characters that are encoded to look for it in an error. */
  async function encodedFor(length: number): Promise<number> {
    let encoded = 0;
    const { btoa } = globalThis;
    stub(globalThis, "btoa", {
      value: (text: string) => {
        encoded += text.length;
        return btoa(text);
      },
    });
    const body = { errcode: "M_UNKNOWN_TOKEN", error: "Unknown" };
    const { fetch } = new ScriptedFetch({
      [`POST ${HS}/_matrix/client/v3/refresh`]: json(body, 400),
    });
    const error = await rejectionOf(clientWith(fetch).refreshToken("x".repeat(length)));
    restoreStubs();
    expect(error).to.include({ errcode: "M_UNKNOWN_TOKEN" });
    return encoded;
  }

  it("causes no more work if it is longer than 2,048 characters", async () => {
    const most = await encodedFor(1 << 11);
    expect(most).to.be.greaterThan(await encodedFor(1 << 10));
    expect(await encodedFor(1 << 14)).to.equal(most);
  });
});
