import { expect } from "@open-wc/testing";
import {
  LoginError,
  completeSsoLogin,
  loginWithPassword,
  startSsoLogin,
  type LegacyLoginResult,
  type PasswordLogin,
} from "matrix-auth-elements/core";
import { rejectionOf } from "../../support/rejection.ts";
import {
  ScriptedFetch,
  html,
  inSequence,
  json,
  text,
  truncatedJson,
  type Responder,
} from "../../support/scripted-fetch.ts";
import { restoreStubs, stub } from "../../support/stub.ts";
import { HOMESERVER } from "../login.ts";

const LOGIN = `POST ${HOMESERVER}/_matrix/client/v3/login`;
const LOGOUT = `POST ${HOMESERVER}/_matrix/client/v3/logout`;
const PASSWORD = "secret-password";
const SIGNED_IN = { user_id: "@alice:example", device_id: "DEVICE", access_token: "secret-access" };
const APP = "https://app.example/after?tab=1#there";

const settings: PasswordLogin = {
  homeserverUrl: HOMESERVER,
  identifier: { type: "m.id.user", user: "alice" },
  password: PASSWORD,
};

let server: ScriptedFetch;

const respondWith = (respond: Responder): void => void (server.routes[LOGIN] = respond);

const sent = (): unknown => JSON.parse(server.requests[0]?.body ?? "null") as unknown;

/** Both sign-in methods. They differ in their request, and in the meaning of M_FORBIDDEN. */
const WAYS = [
  {
    way: "loginWithPassword",
    credentials: {
      type: "m.login.password",
      identifier: { type: "m.id.user", user: "alice" },
      password: PASSWORD,
    },
    forbidden: "credentials_invalid",
    signIn: (more: Partial<PasswordLogin> = {}, signal?: AbortSignal) =>
      loginWithPassword({ ...settings, ...more }, { fetch: server.fetch, signal }),
  },
  {
    way: "completeSsoLogin",
    credentials: { type: "m.login.token", token: "secret-login-token" },
    forbidden: "login_token_refused",
    signIn: async (more: Partial<PasswordLogin> = {}, signal?: AbortSignal) => {
      const { homeserverUrl } = settings;
      const { url } = startSsoLogin({ homeserverUrl, redirectUri: APP, ...more });
      return completeSsoLogin(backFrom(url), { fetch: server.fetch, signal });
    },
  },
] as const;

/** The URL that the homeserver sends the user to. */
function backFrom(url: string): string {
  const back = new URL(new URL(url).searchParams.get("redirectUrl") ?? "");
  back.searchParams.set("loginToken", "secret-login-token");
  return back.href;
}

beforeEach(() => {
  sessionStorage.clear();
  server = new ScriptedFetch({ [LOGIN]: json(SIGNED_IN), [LOGOUT]: json({}) });
});

afterEach(restoreStubs);

for (const { way, credentials, forbidden, signIn } of WAYS) {
  describe(way, () => {
    it("sends the credentials, and requests a refresh token", async () => {
      const result = await signIn({ deviceName: "My app" });

      expect(sent()).to.deep.equal({
        ...credentials,
        initial_device_display_name: "My app",
        refresh_token: true,
      });
      expect(server.requests[0]).to.include({ redirect: "manual", credentials: "omit" });
      expect(result).to.deep.equal({
        homeserverUrl: HOMESERVER,
        userId: "@alice:example",
        deviceId: "DEVICE",
        accessToken: "secret-access",
      } satisfies LegacyLoginResult);
    });

    it("returns a refresh token, and the access token's expiry", async () => {
      stub(Date, "now", { value: () => 1_000_000 });
      respondWith(json({ ...SIGNED_IN, refresh_token: "secret-refresh", expires_in_ms: 60_000 }));

      const { refreshToken, expiresAt } = await signIn();
      expect([refreshToken, expiresAt]).to.deep.equal(["secret-refresh", 1060]);
    });

    it("returns no expiry if the homeserver sends a lifetime of 0", async () => {
      respondWith(json({ ...SIGNED_IN, refresh_token: "secret-refresh", expires_in_ms: 0 }));

      expect(await signIn()).not.to.have.any.keys("expiresAt");
    });

    it("keeps the requested homeserver, regardless of the response", async () => {
      const elsewhere = { "m.homeserver": { base_url: "https://elsewhere.example" } };
      respondWith(json({ ...SIGNED_IN, well_known: elsewhere }));

      expect((await signIn()).homeserverUrl).to.equal(HOMESERVER);
    });

    for (const [what, respond, code] of [
      ["403 M_FORBIDDEN", json({ errcode: "M_FORBIDDEN" }, 403), forbidden],
      ["403 M_USER_DEACTIVATED", json({ errcode: "M_USER_DEACTIVATED" }, 403), "user_deactivated"],
      ["401 M_USER_LOCKED", json({ errcode: "M_USER_LOCKED" }, 401), "user_locked"],
      ["400 M_LIMIT_EXCEEDED", json({ errcode: "M_LIMIT_EXCEEDED" }, 400), "rate_limited"],
      ["429", html(429), "rate_limited"],
      ["502", html(502), "server_error"],
      ["404 M_UNRECOGNIZED", json({ errcode: "M_UNRECOGNIZED" }, 404), "login_not_supported"],
      ["501 M_UNRECOGNIZED", json({ errcode: "M_UNRECOGNIZED" }, 501), "login_not_supported"],
      ["400 M_UNKNOWN", json({ errcode: "M_UNKNOWN" }, 400), "login_refused"],
      ["a page", html(), "response_not_json"],
      ["no response", undefined, "network_error"],
      ["a redirect", () => Response.redirect("https://elsewhere.example/"), "unexpected_redirect"],
      ["no user", json({ ...SIGNED_IN, user_id: undefined }), "login_response_invalid"],
      [
        "a user ID that is none",
        json({ ...SIGNED_IN, user_id: "alice" }),
        "login_response_invalid",
      ],
      ["no device", json({ ...SIGNED_IN, device_id: "" }), "login_response_invalid"],
      ["no token", json({ ...SIGNED_IN, access_token: undefined }), "login_response_invalid"],
      [
        "a token that fits in no header",
        json({ ...SIGNED_IN, access_token: "secret\n" }),
        "login_response_invalid",
      ],
    ] as const) {
      it(`rejects with ${code} for ${what}`, async () => {
        if (respond) respondWith(respond);
        else delete server.routes[LOGIN];

        const error = await rejectionOf(signIn());
        expect(error).to.be.instanceOf(LoginError).and.include({ code });
        expect(JSON.stringify([error, (error as Error).message])).not.to.contain("secret");
        expect(server.log.filter((line) => !line.includes("elsewhere"))).to.have.length(
          what === "no user" || what.startsWith("a user") || what === "no device" ? 2 : 1,
        );
      });
    }

    it("rejects with unexpected, and the error as its cause, if the app's fetch has a fault", async () => {
      const fault = new TypeError("config is not defined");
      respondWith(() => Promise.reject(fault));

      const error = (await rejectionOf(signIn())) as LoginError;
      expect(error).to.include({ code: "unexpected", retryable: false });
      expect(error.cause).to.have.property("cause", fault);
    });

    it("reports how long a rate limit lasts, and the homeserver's code", async () => {
      respondWith(json({ errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 2000 }, 429));

      const error = await rejectionOf(signIn());
      const members = { errcode: "M_LIMIT_EXCEEDED", httpStatus: 429, retryAfterMs: 2000 };
      expect(error).to.include({ ...members, retryable: true });
    });

    it("signs out a user other than the expected one", async () => {
      const error = await rejectionOf(signIn({ expectedUserId: "@bob:example" }));

      expect(error).to.include({ code: "user_mismatch" });
      expect(server.log).to.deep.equal([LOGIN, LOGOUT]);
      expect(server.requests[1]?.headers.get("Authorization")).to.equal("Bearer secret-access");
    });

    it("requests a device, and signs out a different one", async () => {
      expect((await signIn({ deviceId: "DEVICE" })).deviceId).to.equal("DEVICE");
      expect(sent()).to.include({ device_id: "DEVICE" });

      const error = await rejectionOf(signIn({ deviceId: "OTHER" }));
      expect(error).to.include({ code: "login_response_invalid" });
      expect(server.log.at(-1)).to.equal(LOGOUT);
    });

    it("signs out immediately if the caller has cancelled the request", async () => {
      const controller = new AbortController();
      let release!: () => void;
      const held = new Promise<void>((resolve) => (release = resolve));
      const loggedOut = new Promise<void>((resolve) => {
        server.routes[LOGOUT] = () => {
          resolve();
          return Response.json({});
        };
      });
      respondWith(async () => {
        await held;
        return Response.json(SIGNED_IN);
      });
      const error = rejectionOf(signIn({}, controller.signal));
      controller.abort();

      expect(await error).to.include({ code: "aborted" });
      release();
      await loggedOut;
    });

    it("sends nothing if the caller has already cancelled", async () => {
      const error = await rejectionOf(signIn({}, AbortSignal.abort()));

      expect(error).to.include({ code: "aborted" });
      expect(server.log).to.be.empty;
    });

    it("sends nothing to a URL that must not receive secrets", async () => {
      const error = await rejectionOf(
        (async () => signIn({ homeserverUrl: "http://matrix.example" }))(),
      );

      expect(error).to.include({ code: "settings_invalid" });
      expect(server.log).to.be.empty;
    });
  });
}

describe("loginWithPassword", () => {
  it("sends nothing without a password", async () => {
    const error = await rejectionOf(loginWithPassword({ ...settings, password: "" }, server));

    expect(error).to.include({ code: "settings_invalid" });
    expect(server.log).to.be.empty;
  });
});

describe("startSsoLogin", () => {
  const start = (more: Partial<Parameters<typeof startSsoLogin>[0]> = {}) =>
    startSsoLogin({ homeserverUrl: HOMESERVER, redirectUri: APP, ...more });

  it("stores no unknown member, such as a token of an earlier session", () => {
    sessionStorage.clear();
    const earlier = { userId: "@alice:example.org", deviceId: "LAPTOP", accessToken: "secret" };
    start({ ...earlier, expectedUserId: earlier.userId });
    const [stored] = Object.values({ ...sessionStorage });
    expect(stored).to.contain("LAPTOP").and.not.to.contain("secret");
  });

  it("opens the homeserver, which receives only a state", () => {
    const { url, state } = start({ deviceId: "DEVICE", expectedUserId: "@alice:example" });
    const { origin, pathname, searchParams } = new URL(url);

    expect(`${origin}${pathname}`).to.equal(`${HOMESERVER}/_matrix/client/v3/login/sso/redirect`);
    expect([...searchParams.keys()]).to.deep.equal(["redirectUrl"]);
    expect(searchParams.get("redirectUrl")).to.equal(
      `https://app.example/after?tab=1&state=${state}#there`,
    );
    expect(state).to.match(/^[A-Za-z0-9]{22}$/);
    expect(start().state).not.to.equal(state);
  });

  it("leaves out an earlier response in the redirect URI", () => {
    const { url, state } = start({ redirectUri: "https://app.example/?loginToken=old&state=old" });
    expect(new URL(url).searchParams.get("redirectUrl")).to.equal(
      `https://app.example/?state=${state}`,
    );
  });

  it("sends the identity provider and the action", () => {
    const { pathname, searchParams } = new URL(
      start({ idpId: "oidc/a b", action: "register" }).url,
    );

    expect(pathname).to.match(/\/sso\/redirect\/oidc%2Fa%20b$/);
    expect(searchParams.get("action")).to.equal("register");
  });

  for (const [what, more] of [
    ["a redirect URI", { redirectUri: "/after" }],
    ["an identity provider", { idpId: ".." }],
    ["a homeserver", { homeserverUrl: "javascript:alert(1)" }],
  ] as const) {
    it(`throws settings_invalid for an invalid ${what}`, () => {
      expect(() => start(more))
        .to.throw(LoginError)
        .with.property("code", "settings_invalid");
      expect(sessionStorage).to.have.length(0);
    });
  }

  it("throws storage_full if the storage is full", () => {
    stub(Storage.prototype, "setItem", {
      value: () => {
        throw new DOMException("", "QuotaExceededError");
      },
    });
    expect(() => start())
      .to.throw(LoginError)
      .with.property("code", "storage_full");
  });

  it("removes expired sign-ins", () => {
    const now = Date.now();
    start();
    stub(Date, "now", { value: () => now + 61 * 60_000 });
    start();

    expect(sessionStorage).to.have.length(1);
  });
});

describe("completeSsoLogin", () => {
  const back = (): string => backFrom(startSsoLogin({ ...settings, redirectUri: APP }).url);
  const complete = (url: string): Promise<unknown> => completeSsoLogin(url, server);

  it("returns the page's data that was stored with the sign-in", async () => {
    const appState = { returnTo: "/rooms" };
    const { url } = startSsoLogin({ ...settings, redirectUri: APP, appState });

    expect(await complete(backFrom(url))).to.deep.include({ appState });
  });

  for (const [what, code, url] of [
    ["with an unknown state", "flow_unknown", () => `${APP}&loginToken=x&state=unknown`],
    ["without state", "flow_unknown", () => "https://app.example/?loginToken=secret"],
    ["without token", "flow_unknown", () => APP],
    [
      "that comes an hour late",
      "flow_expired",
      () => {
        const url = back();
        const now = Date.now();
        stub(Date, "now", { value: () => now + 61 * 60_000 });
        return url;
      },
    ],
    [
      "from before the clock was set back",
      "flow_expired",
      () => {
        const url = back();
        const now = Date.now();
        stub(Date, "now", { value: () => now - 61 * 60_000 });
        return url;
      },
    ],
  ] as const) {
    it(`sends nothing for a response ${what}: ${code}`, async () => {
      expect(await rejectionOf(complete(url()))).to.include({ code });
      expect(server.log).to.be.empty;
    });
  }

  for (const [what, respond] of [
    ["another server's page", html()],
    ["a truncated response", truncatedJson(SIGNED_IN)],
    ["nothing", text("")],
    ["408", html(408)],
    ["425", json({ errcode: "M_UNKNOWN" }, 425)],
  ] as const) {
    it(`accepts the response again after ${what}`, async () => {
      const url = back();
      server.routes[LOGIN] = inSequence(respond, json(SIGNED_IN));

      expect(await rejectionOf(complete(url))).to.include({ retryable: true });
      expect(await complete(url)).to.include({ userId: SIGNED_IN.user_id });
    });
  }

  it("accepts a response only once", async () => {
    const url = back();
    await complete(url);

    expect(await rejectionOf(complete(url))).to.include({ code: "flow_unknown" });
    expect(server.log).to.have.length(1);
  });
});
