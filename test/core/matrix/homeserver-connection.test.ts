import { expect } from "@open-wc/testing";
import {
  HomeserverClient,
  MatrixError,
  type HomeserverClientOptions,
} from "matrix-auth-elements/core";
import { everyTextIn, rejectionOf } from "../../support/rejection.ts";
import {
  html,
  json,
  networkFailure,
  never,
  redirectTo,
  ScriptedFetch,
  stalledBody,
} from "../../support/scripted-fetch.ts";
import { restoreStubs, stub } from "../../support/stub.ts";
import { HOMESERVER } from "../login.ts";
import { NOT_BASE_URLS, SPELLINGS_OF_HOMESERVER } from "../session/support.ts";

const TOKEN = "secret-access-token";
const PASSWORD = "secret-password";
const API = `${HOMESERVER}/_matrix/client`;
const DEVICES = `GET ${API}/v3/devices`;
const NO_MATRIX_ERROR = {
  httpStatus: 502,
  errcode: undefined,
  message: "The homeserver responded with HTTP 502",
  data: {},
};
const SET_PASSWORD = `POST ${API}/v3/account/password`;

describe("HomeserverClient", () => {
  let server: ScriptedFetch;
  const clientWith = (options: Partial<HomeserverClientOptions> = {}): HomeserverClient =>
    new HomeserverClient({
      baseUrl: HOMESERVER,
      accessToken: TOKEN,
      fetch: server.fetch,
      ...options,
    });
  const sentTokens = (): unknown[] =>
    server.requests.map(({ headers }) => headers.get("Authorization"));

  beforeEach(() => {
    server = new ScriptedFetch({ [DEVICES]: json({ devices: [] }) });
  });
  afterEach(restoreStubs);

  it("has readable options, except for the session", () => {
    const options = { baseUrl: HOMESERVER, userId: "@alice:example", deviceId: "DEVICE1234" };

    expect(clientWith(options)).to.include({ ...options, accessToken: TOKEN });
    expect(clientWith({ session: { accessToken: async () => TOKEN } })).not.to.have.property(
      "session",
    );
  });

  for (const [baseUrl, isSame] of [
    [HOMESERVER, true],
    [`${HOMESERVER}/`, true],
    [`${HOMESERVER}:443`, true],
    [HOMESERVER.toUpperCase(), true],
    ["https://elsewhere.example", false],
    [`${HOMESERVER}.elsewhere.example`, false],
    [`${HOMESERVER}:8448`, false],
    [`${HOMESERVER}/other`, false],
    ["no URL", false],
  ] as const) {
    it(`${isSame ? "accepts" : "rejects"} the session of ${HOMESERVER} with the base URL ${baseUrl}`, () => {
      const session = { homeserverUrl: HOMESERVER, accessToken: async () => TOKEN };
      const create = (): HomeserverClient => clientWith({ baseUrl, session });
      if (isSame) expect(create).not.to.throw();
      else expect(create).to.throw(TypeError, `The session is for ${HOMESERVER}, not for`);
    });
  }

  it("uses the page's current fetch by default", async () => {
    const client = clientWith({ fetch: undefined });
    stub(globalThis, "fetch", { value: server.fetch });

    await client.getDevices();

    expect(server.log).to.deep.equal([DEVICES]);
  });

  it("uses the fetch of the call rather than the client's", async () => {
    await clientWith({ fetch: networkFailure }).getDevices({ fetch: server.fetch });

    expect(server.log).to.deep.equal([DEVICES]);
  });

  it("sends no Authorization without a token", async () => {
    await clientWith({ accessToken: undefined }).getDevices();

    expect(sentTokens()).to.deep.equal([null]);
  });

  it("sends the token over plain http to localhost", async () => {
    server.routes["GET http://localhost:8008/_matrix/client/v3/devices"] = json({ devices: [] });

    await clientWith({ baseUrl: "http://localhost:8008" }).getDevices();

    expect(sentTokens()).to.deep.equal([`Bearer ${TOKEN}`]);
  });

  for (const accessToken of ["secret\ntoken", "secret token", "sécret-token", "secret🔑"]) {
    it(`rejects with a TypeError that doesn't contain the token ${JSON.stringify(accessToken)}`, async () => {
      const error = await rejectionOf(clientWith({ accessToken }).getDevices());

      expect(error).to.be.instanceOf(TypeError);
      expect(everyTextIn(error)).not.to.match(/s.cret/);
      expect(server.log).to.deep.equal([]);
    });
  }

  describe("with a session", () => {
    let tokens: number;
    const counted = { accessToken: async () => `token-${(tokens += 1)}` };
    beforeEach(() => (tokens = 0));

    it("requests a token for each request, instead of accessToken", async () => {
      const client = clientWith({ session: counted });

      await client.getDevices();
      await client.getDevices();

      expect(sentTokens()).to.deep.equal(["Bearer token-1", "Bearer token-2"]);
    });

    it("requests a token again for the old path of an endpoint", async () => {
      const path = "keys/device_signing/upload";
      server.routes[`POST ${API}/v3/${path}`] = json({ errcode: "M_UNRECOGNIZED" }, 404);
      server.routes[`POST ${API}/unstable/${path}`] = json({});

      await clientWith({ session: counted }).uploadDeviceSigningKeys(null, {});

      expect(sentTokens()).to.deep.equal(["Bearer token-1", "Bearer token-2"]);
    });

    it("calls accessToken() on the session itself", async () => {
      class Session {
        readonly #token = "private-token";
        async accessToken(): Promise<string> {
          return this.#token;
        }
      }
      await clientWith({ session: new Session() }).getDevices();

      expect(sentTokens()).to.deep.equal(["Bearer private-token"]);
    });

    it("requests no token for an endpoint that needs none", async () => {
      server.routes[`POST ${API}/v3/register`] = json({ user_id: "@a:b" });

      await clientWith({ session: counted }).register({});

      expect(tokens).to.equal(0);
    });

    it("requests no token when the base URL is not https", async () => {
      const client = clientWith({ session: counted, baseUrl: "http://hs.example" });

      expect(await rejectionOf(client.getDevices())).to.be.instanceOf(TypeError);
      expect(tokens).to.equal(0);
    });

    for (const [how, fail] of [
      ["rejects with", (error: Error) => Promise.reject(error)],
      [
        "throws",
        (error: Error) => {
          throw error;
        },
      ],
    ] as const) {
      it(`rejects with the error that the session ${how}`, async () => {
        const ended = new Error("signed out");
        const client = clientWith({ session: { accessToken: () => fail(ended) } });

        expect(await rejectionOf(client.getDevices())).to.equal(ended);
        expect(server.log).to.deep.equal([]);
      });
    }

    it("rejects with timeout when the session never responds", async () => {
      const client = clientWith({ session: { accessToken: () => new Promise(() => undefined) } });

      expect(await rejectionOf(client.getDevices({ timeoutMs: 20 }))).to.include({
        code: "timeout",
      });
    });

    it("rejects with aborted while it waits for the session, and sends nothing later", async () => {
      const controller = new AbortController();
      let resolve!: (token: string) => void;
      const accessToken = () => new Promise<string>((done) => (resolve = done));
      const client = clientWith({ session: { accessToken } });
      const call = rejectionOf(client.getDevices({ signal: controller.signal }));
      const cause = new Error("left");
      controller.abort(cause);

      expect(await call).to.include({ code: "aborted", cause });
      resolve("token");
      await new Promise((done) => setTimeout(done));
      expect(server.log).to.deep.equal([]);
    });
  });

  for (const [what, respond] of [
    ["the headers never come", never],
    ["the body stalls", stalledBody],
  ] as const) {
    it(`rejects with timeout when ${what}`, async () => {
      server.routes[DEVICES] = respond;

      const error = await rejectionOf(clientWith().getDevices({ timeoutMs: 20 }));

      expect(error).to.include({ name: "RequestError", code: "timeout" });
    });

    it(`rejects with aborted when the signal aborts while ${what}`, async () => {
      server.routes[DEVICES] = respond;
      const controller = new AbortController();
      const call = rejectionOf(clientWith().getDevices({ signal: controller.signal }));
      setTimeout(() => controller.abort());

      expect(await call).to.include({ code: "aborted" });
    });
  }

  for (const status of [301, 302, 303, 307, 308]) {
    for (const [name, route, call] of [
      ["setPassword", SET_PASSWORD, (client) => client.setPassword({ password: PASSWORD }, "new")],
      ["register", `POST ${API}/v3/register`, (client) => client.register({ password: PASSWORD })],
      ["getDevices", DEVICES, (client) => client.getDevices()],
    ] as readonly (readonly [string, string, (client: HomeserverClient) => Promise<unknown>])[]) {
      it(`rejects with unexpected_redirect when ${name} is redirected with ${status}`, async () => {
        server.routes[route] = redirectTo("https://elsewhere.example/", status);

        const error = await rejectionOf(call(clientWith()));

        expect(error).to.include({ name: "RequestError", code: "unexpected_redirect" });
        expect(server.log).to.deep.equal([route]);
      });
    }
  }

  describe("for hostile identifiers", () => {
    for (const [identifier, part] of [
      ["A/B", "A%2FB"],
      ["../../logout", "..%2F..%2Flogout"],
      ["...", "..."],
      ["%2e%2e", "%252e%252e"],
      ["a?b=c#d", "a%3Fb%3Dc%23d"],
      ["Gerät 🔑", "Ger%C3%A4t%20%F0%9F%94%91"],
      ["\\..\\", "%5C..%5C"],
      ["a\r\nb", "a%0D%0Ab"],
    ] as const) {
      it(`encodes the device ID ${JSON.stringify(identifier)} as one part of the path`, async () => {
        const route = `DELETE ${API}/v3/devices/${part}`;
        server.routes[route] = json({});

        await clientWith().deleteDevice(identifier);

        expect(server.log).to.deep.equal([route]);
      });
    }

    for (const identifier of ["", ".", "..", "\uD800"]) {
      it(`rejects with a TypeError for the identifier ${JSON.stringify(identifier)}`, async () => {
        const client = clientWith();

        expect(await rejectionOf(client.deleteDevice(identifier))).to.be.instanceOf(TypeError);
        expect(() => client.getFallbackAuthUrl(identifier, "xyz")).to.throw(TypeError);
        expect(server.log).to.deep.equal([]);
      });
    }
  });

  describe("getFallbackAuthUrl", () => {
    for (const [baseUrl, type, session, url] of [
      [HOMESERVER, "m.login.sso", "xyz", `${API}/v3/auth/m.login.sso/fallback/web?session=xyz`],
      [
        HOMESERVER,
        "../x y?",
        "a&b=c#d é",
        `${API}/v3/auth/..%2Fx%20y%3F/fallback/web?session=a%26b%3Dc%23d+%C3%A9`,
      ],
      [HOMESERVER, "m.x", "\uD800", `${API}/v3/auth/m.x/fallback/web?session=%EF%BF%BD`],
      ...["https://example.org/matrix", "https://example.org/matrix/"].map(
        (baseUrl) =>
          [
            baseUrl,
            "m.x",
            "s",
            "https://example.org/matrix/_matrix/client/v3/auth/m.x/fallback/web?session=s",
          ] as const,
      ),
    ] as const) {
      it(`getFallbackAuthUrl returns ${url} below ${baseUrl}`, () => {
        expect(clientWith({ baseUrl }).getFallbackAuthUrl(type, session)).to.equal(url);
      });
    }

    for (const baseUrl of SPELLINGS_OF_HOMESERVER) {
      it(`reads the base URL ${JSON.stringify(baseUrl)} as browsers do`, async () => {
        const client = clientWith({ baseUrl });
        expect(client.baseUrl).to.equal("https://matrix.example");
        const { origin, pathname } = new URL(client.getFallbackAuthUrl("m.x", "s"));
        expect(origin).to.equal("https://matrix.example");
        expect(pathname).to.equal("/_matrix/client/v3/auth/m.x/fallback/web");
        await rejectionOf(client.getAuthMetadata());
        expect(server.log[0]).to.equal(
          "GET https://matrix.example/_matrix/client/v1/auth_metadata",
        );
      });
    }

    for (const baseUrl of ["javascript:alert(1)//", ...NOT_BASE_URLS, ""]) {
      it(`getFallbackAuthUrl throws a TypeError for the base URL "${baseUrl}"`, () => {
        expect(() => clientWith({ baseUrl }).getFallbackAuthUrl("m.x", "s")).to.throw(TypeError);
      });
    }
  });

  describe("that fail", () => {
    for (const [what, respond] of [
      ["403", json({ errcode: "M_FORBIDDEN", error: "Invalid password" }, 403)],
      ["500", json([], 500)],
      ["a list", json([])],
      ["a redirect", redirectTo("https://elsewhere.example/")],
      ["a network error", networkFailure],
    ] as const) {
      it(`rejects with an error that contains no secrets after ${what}`, async () => {
        const auth = { type: "m.login.password", session: "secret-session", password: PASSWORD };
        server.routes[SET_PASSWORD] = respond;

        const error = await rejectionOf(clientWith().setPassword(auth, "secret-new"));

        expect(everyTextIn(error)).not.to.contain("secret");
      });
    }

    for (const accessToken of ["secret\n", "\nsecret", "sec ret", "s\u{E9}cret"]) {
      it(`never sends, and never reveals, a token that is invalid in a header: ${JSON.stringify(accessToken)}`, async () => {
        const error = await rejectionOf(clientWith({ accessToken }).getDevices());
        expect(error).to.be.instanceOf(TypeError);
        expect(error).to.have.property("message", "The access token is not valid in a header");
        expect(server.log).to.deep.equal([]);
      });
    }

    it("rejects with an error that omits the password in the base URL", async () => {
      const client = clientWith({ baseUrl: "https://alice:secret@hs.example" });

      expect(everyTextIn(await rejectionOf(client.getDevices()))).not.to.contain("secret");
    });

    for (const [what, respond, expected] of [
      [
        "error and wait",
        json({ errcode: "M_LIMIT_EXCEEDED", error: "Too many", retry_after_ms: 2000 }, 429),
        { errcode: "M_LIMIT_EXCEEDED", message: "Too many", httpStatus: 429, retryAfterMs: 2000 },
      ],
      [
        "whole body",
        json({ errcode: "M_UNKNOWN_TOKEN", soft_logout: true }, 401),
        {
          errcode: "M_UNKNOWN_TOKEN",
          httpStatus: 401,
          retryAfterMs: undefined,
          data: { errcode: "M_UNKNOWN_TOKEN", soft_logout: true },
        },
      ],
      ["only the status for a list", json([], 502), NO_MATRIX_ERROR],
      ["only the status for HTML", html(502), NO_MATRIX_ERROR],
      [
        "only the status for members of other types",
        json({ errcode: 5, error: {} }, 502),
        { ...NO_MATRIX_ERROR, data: { errcode: 5, error: {} } },
      ],
    ] as const) {
      it(`rejects with a MatrixError that has the homeserver's ${what}`, async () => {
        server.routes[DEVICES] = respond;

        const error = await rejectionOf(clientWith().getDevices());

        expect(error).to.be.instanceOf(MatrixError);
        expect(error).to.deep.include({ name: "MatrixError", ...expected });
      });
    }
  });
});
