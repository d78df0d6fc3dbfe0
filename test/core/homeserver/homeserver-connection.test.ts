import { expect } from "@open-wc/testing";
import { HomeserverClient, MatrixError, RequestError } from "matrix-auth-elements/core";
import { everyTextIn, rejectionOf } from "../../support/rejection.ts";
import {
  json,
  never,
  redirectTo,
  ScriptedFetch,
  stalledBody,
} from "../../support/scripted-fetch.ts";
import { HOMESERVER } from "../login.ts";

const TOKEN = "secret-access-token";
const PASSWORD = "secret-password";
const API = `${HOMESERVER}/_matrix/client`;
const DEVICES = `GET ${API}/v3/devices`;

describe("HomeserverClient's requests", () => {
  let server: ScriptedFetch;
  let client: HomeserverClient;

  beforeEach(() => {
    server = new ScriptedFetch({ [DEVICES]: json({ devices: [] }) });
    client = new HomeserverClient({
      baseUrl: HOMESERVER,
      accessToken: TOKEN,
      fetch: server.fetch,
    });
  });

  describe("with a session", () => {
    const withSession = (accessToken: () => Promise<string>): HomeserverClient =>
      new HomeserverClient({
        baseUrl: HOMESERVER,
        session: { accessToken },
        fetch: server.fetch,
      });
    const sentTokens = (): unknown[] =>
      server.requests.map(({ headers }) => headers.get("Authorization"));

    it("asks for the token before each request", async () => {
      let asked = 0;
      const homeserver = withSession(async () => `token-${(asked += 1)}`);

      await homeserver.getDevices();
      await homeserver.getDevices();

      expect(sentTokens()).to.deep.equal(["Bearer token-1", "Bearer token-2"]);
      expect(homeserver.accessToken).to.be.undefined;
    });

    it("asks for a token that is still good at the old path too", async () => {
      const path = "keys/device_signing/upload";
      server.routes[`POST ${API}/v3/${path}`] = json({ errcode: "M_UNRECOGNIZED" }, 404);
      server.routes[`POST ${API}/unstable/${path}`] = json({});
      let asked = 0;

      await withSession(async () => `token-${(asked += 1)}`).uploadDeviceSigningKeys(null, {});

      expect(sentTokens()).to.deep.equal(["Bearer token-1", "Bearer token-2"]);
    });

    it("keeps the session as what the token is asked of", async () => {
      class Session {
        readonly #token = "private-token";
        async accessToken(): Promise<string> {
          return this.#token;
        }
      }
      const session = new Session();
      await new HomeserverClient({
        baseUrl: HOMESERVER,
        session,
        fetch: server.fetch,
      }).getDevices();

      expect(sentTokens()).to.deep.equal(["Bearer private-token"]);
    });

    it("prefers the session to a token", async () => {
      const session = { accessToken: async () => "of-the-session" };
      await new HomeserverClient({
        baseUrl: HOMESERVER,
        accessToken: TOKEN,
        session,
        fetch: server.fetch,
      }).getDevices();

      expect(sentTokens()).to.deep.equal(["Bearer of-the-session"]);
    });

    it("asks for no token where none is sent", async () => {
      server.routes[`POST ${API}/v3/register`] = json({ user_id: "@a:b" });
      let asked = 0;

      await withSession(async () => `token-${(asked += 1)}`).register({});

      expect(asked).to.equal(0);
    });

    it("asks for no token where no request can be sent", async () => {
      let asked = 0;
      const session = { accessToken: async () => `token-${(asked += 1)}` };
      const homeserver = new HomeserverClient({ baseUrl: "http://hs.example", session });

      expect(await rejectionOf(homeserver.getDevices())).to.be.instanceOf(TypeError);
      expect(asked).to.equal(0);
    });

    it("rejects with the session's own error", async () => {
      const ended = new Error("signed out");
      const rejecting = withSession(() => Promise.reject(ended));
      const throwing = withSession(() => {
        throw ended;
      });

      expect(await rejectionOf(rejecting.getDevices())).to.equal(ended);
      expect(await rejectionOf(throwing.getDevices())).to.equal(ended);
      expect(server.log).to.deep.equal([]);
    });

    it("waits no longer than it may for a session that hangs", async () => {
      const homeserver = withSession(() => new Promise(() => undefined));

      expect(await rejectionOf(homeserver.getDevices({ timeoutMs: 20 }))).to.include({
        code: "timeout",
      });
    });

    it("ends while it waits for the session, and sends nothing afterwards", async () => {
      const controller = new AbortController();
      let resolve!: (token: string) => void;
      const homeserver = withSession(() => new Promise((done) => (resolve = done)));
      const call = rejectionOf(homeserver.getDevices({ signal: controller.signal }));
      const why = new Error("left");
      controller.abort(why);

      expect(await call).to.include({ code: "aborted", cause: why });
      resolve("token");
      await new Promise((done) => setTimeout(done));
      expect(server.log).to.deep.equal([]);
    });
  });

  describe("that hang", () => {
    for (const [what, answer] of [
      ["before the headers", never],
      ["in the body", stalledBody],
    ] as const) {
      it(`end by the time limit ${what}`, async () => {
        server.routes[DEVICES] = answer;

        const error = await rejectionOf(client.getDevices({ timeoutMs: 20 }));

        expect(error).to.be.instanceOf(RequestError).and.to.include({ code: "timeout" });
      });

      it(`end by the caller's signal ${what}`, async () => {
        server.routes[DEVICES] = answer;
        const controller = new AbortController();
        const call = rejectionOf(client.getDevices({ signal: controller.signal }));
        setTimeout(() => controller.abort(), 5);

        expect(await call).to.include({ code: "aborted" });
      });
    }
  });

  describe("that are redirected", () => {
    for (const status of [301, 302, 303, 307, 308]) {
      it(`take nothing to where a ${status} leads`, async () => {
        const elsewhere = "https://elsewhere.example/";
        server.routes[`POST ${API}/v3/account/password`] = redirectTo(elsewhere, status);
        server.routes[`POST ${API}/v3/register`] = redirectTo(elsewhere, status);
        server.routes[DEVICES] = redirectTo(elsewhere, status);

        for (const call of [
          () => client.setPassword({ password: PASSWORD }, "new"),
          () => client.register({ password: PASSWORD }),
          () => client.getDevices(),
        ]) {
          const error = await rejectionOf(call());
          expect(error)
            .to.be.instanceOf(RequestError)
            .and.to.include({ code: "unexpected_redirect" });
        }
        expect(server.to(elsewhere)).to.deep.equal([]);
      });
    }
  });

  describe("for hostile identifiers", () => {
    const identifiers: readonly (readonly [string, string])[] = [
      ["A/B", "A%2FB"],
      ["../../logout", "..%2F..%2Flogout"],
      ["...", "..."],
      ["%2e%2e", "%252e%252e"],
      ["a?b=c#d", "a%3Fb%3Dc%23d"],
      ["Gerät 🔑", "Ger%C3%A4t%20%F0%9F%94%91"],
      ["\\..\\", "%5C..%5C"],
      ["a\r\nb", "a%0D%0Ab"],
    ];
    for (const [identifier, part] of identifiers) {
      it(`name one device: ${JSON.stringify(identifier)}`, async () => {
        const route = `DELETE ${API}/v3/devices/${part}`;
        server.routes[route] = json({});

        await client.deleteDevice(identifier);

        expect(server.log).to.deep.equal([route]);
      });
    }

    for (const identifier of ["", ".", ".."]) {
      it(`are not sent where they are no part of a path: "${identifier}"`, async () => {
        expect(await rejectionOf(client.deleteDevice(identifier))).to.be.instanceOf(TypeError);
        expect(() => client.getFallbackAuthUrl(identifier, "xyz")).to.throw(TypeError);
        expect(server.log).to.deep.equal([]);
      });
    }

    it("are not sent where they are no text", async () => {
      expect(await rejectionOf(client.deleteDevice("\uD800"))).to.be.instanceOf(URIError);
      expect(server.log).to.deep.equal([]);
    });
  });

  describe("getFallbackAuthUrl", () => {
    it("gives the address of the page for a stage", () => {
      expect(client.getFallbackAuthUrl("m.login.recaptcha", "xyz")).to.equal(
        `${API}/v3/auth/m.login.recaptcha/fallback/web?session=xyz`,
      );
    });

    it("escapes the stage and the session", () => {
      expect(client.getFallbackAuthUrl("../x y?", "a&b=c#d é")).to.equal(
        `${API}/v3/auth/..%2Fx%20y%3F/fallback/web?session=a%26b%3Dc%23d%20%C3%A9`,
      );
    });

    for (const baseUrl of ["https://example.org/matrix", "https://example.org/matrix/"]) {
      it(`is below ${baseUrl}`, () => {
        expect(new HomeserverClient({ baseUrl }).getFallbackAuthUrl("m.x", "s")).to.equal(
          "https://example.org/matrix/_matrix/client/v3/auth/m.x/fallback/web?session=s",
        );
      });
    }

    for (const baseUrl of ["javascript:alert(1)//", "http://hs.example", "hs.example", ""]) {
      it(`gives no address for a homeserver at "${baseUrl}"`, () => {
        const homeserver = new HomeserverClient({ baseUrl });

        expect(() => homeserver.getFallbackAuthUrl("m.x", "s")).to.throw(TypeError);
      });
    }
  });

  describe("generateClientSecret", () => {
    it("gives 32 characters of those that are allowed, others each time", () => {
      const secrets = Array.from({ length: 100 }, () => client.generateClientSecret());

      for (const secret of secrets) expect(secret).to.match(/^[0-9a-zA-Z.=_-]{32}$/);
      expect(new Set(secrets)).to.have.property("size", 100);
    });
  });

  describe("and their errors", () => {
    it("have no secret that was sent", async () => {
      const url = `POST ${API}/v3/account/password`;
      const auth = { type: "m.login.password", session: "secret-session", password: PASSWORD };
      for (const answer of [
        json({ errcode: "M_FORBIDDEN", error: "Invalid password" }, 403),
        json([], 500),
        json([]),
        redirectTo("https://elsewhere.example/"),
        () => Promise.reject(new TypeError("Failed to fetch")),
      ]) {
        server.routes[url] = answer;

        const text = everyTextIn(await rejectionOf(client.setPassword(auth, "secret-new")));

        expect(text).not.to.contain("secret");
      }
    });

    for (const token of ["secret\ntoken", "secret token", "sécret-token", "secret🔑"]) {
      it(`do not have a token that fits in no header: ${JSON.stringify(token)}`, async () => {
        const homeserver = new HomeserverClient({
          baseUrl: HOMESERVER,
          accessToken: token,
          fetch: server.fetch,
        });

        const error = await rejectionOf(homeserver.getDevices());

        expect(error).to.be.instanceOf(TypeError);
        expect(everyTextIn(error)).not.to.match(/s.cret/);
        expect(server.log).to.deep.equal([]);
      });
    }

    it("do not have the password of an address that holds one", async () => {
      const homeserver = new HomeserverClient({ baseUrl: "https://alice:secret@hs.example" });

      expect(everyTextIn(await rejectionOf(homeserver.getDevices()))).not.to.contain("secret");
    });

    it("tell a token that is not known from a proof that is asked for", async () => {
      server.routes[DEVICES] = json({ errcode: "M_UNKNOWN_TOKEN", soft_logout: true }, 401);

      const error = await rejectionOf(client.getDevices());

      expect(error).to.be.instanceOf(MatrixError).and.to.include({ errcode: "M_UNKNOWN_TOKEN" });
      expect((error as MatrixError).data).not.to.have.property("flows");
    });
  });

  describe("submitMsisdnTokenOtherUrl", () => {
    const SUBMIT = "https://id.example/_matrix/submit?x=1";
    const submit = (url: string) =>
      client.submitMsisdnTokenOtherUrl(url, "sid1", "secret-client", " 012 345\u00a0");

    it("posts the code as it was typed, without the access token", async () => {
      server.routes[`POST ${SUBMIT}`] = json({ success: true });

      expect(await submit(SUBMIT)).to.deep.equal({ success: true });
      const [request] = server.requests;
      expect(JSON.parse(request?.body ?? "")).to.deep.equal({
        sid: "sid1",
        client_secret: "secret-client",
        token: " 012 345\u00a0",
      });
      expect(request?.headers.has("Authorization")).to.be.false;
      expect(request).to.include({
        redirect: "manual",
        credentials: "omit",
        referrerPolicy: "no-referrer",
      });
    });

    it("sends no token to the homeserver itself either", async () => {
      const url = `${API}/unstable/add_threepid/msisdn/submit_token`;
      server.routes[`POST ${url}`] = json({ success: true });
      await submit(url);

      expect(server.requests[0]?.headers.has("Authorization")).to.be.false;
    });

    it("goes over plain http to this machine", async () => {
      server.routes["POST http://localhost:8090/submit"] = json({ success: true });

      await submit("http://localhost:8090/submit");

      expect(server.log).to.deep.equal(["POST http://localhost:8090/submit"]);
    });

    for (const url of [
      "http://id.example/submit",
      "javascript:alert(1)",
      "data:application/json,{}",
      "//id.example/submit",
      "/submit",
      "https://user:secret@id.example/",
      "",
    ]) {
      it(`goes nowhere for "${url}"`, async () => {
        const error = await rejectionOf(submit(url));

        expect(error).to.be.instanceOf(TypeError);
        expect(everyTextIn(error)).not.to.contain("secret");
        expect(server.log).to.deep.equal([]);
      });
    }

    it("rejects for a code that is not right", async () => {
      server.routes[`POST ${SUBMIT}`] = json({ success: false });

      const error = await rejectionOf(submit(SUBMIT));

      expect(error).to.be.instanceOf(MatrixError);
      expect(error).to.include({ errcode: "M_TOKEN_INCORRECT" });
      expect((error as Error).message).to.equal("The code is not the right one");
      expect(everyTextIn(error)).not.to.contain("secret").and.not.to.contain("345");
    });

    it("rejects with what the server says of it", async () => {
      server.routes[`POST ${SUBMIT}`] = json({
        success: false,
        errcode: "M_SESSION_EXPIRED",
        error: "Too late",
      });

      expect(await rejectionOf(submit(SUBMIT))).to.include({
        errcode: "M_SESSION_EXPIRED",
        message: "Too late",
      });
    });

    it("rejects where the server refuses", async () => {
      server.routes[`POST ${SUBMIT}`] = json({ errcode: "M_TOKEN_INCORRECT" }, 400);

      expect(await rejectionOf(submit(SUBMIT))).to.include({
        httpStatus: 400,
        errcode: "M_TOKEN_INCORRECT",
      });
    });

    it("follows no redirect", async () => {
      server.routes[`POST ${SUBMIT}`] = redirectTo("https://elsewhere.example/", 307);

      expect(await rejectionOf(submit(SUBMIT))).to.include({ code: "unexpected_redirect" });
      expect(server.log).to.have.lengthOf(1);
    });
  });
});
