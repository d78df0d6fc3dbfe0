import assert from "node:assert/strict";
import { beforeEach, describe } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import {
  apiClient,
  assertRefused,
  createSignedInUser,
  passwordLogin,
  refuses,
  within,
  type ApiClient,
  type ApiResponse,
  type SignedInUser,
} from "./api-client.js";
import type { HomeserverUnderTest, Kind } from "./homeserver.js";

const WHOAMI = ["GET", "v3/account/whoami"] as const;
const REFRESH = ["POST", "v3/refresh"] as const;
const LOGOUT = ["POST", "v3/logout"] as const;
const LOGOUT_ALL = ["POST", "v3/logout/all"] as const;
const GONE = "401 M_UNKNOWN_TOKEN" as const;

interface Tokens {
  readonly access: string;
  readonly refresh: string;
}

const tokensOf = ({ body }: ApiResponse): Tokens => ({
  access: String(body.access_token),
  refresh: String(body["refresh_token"]),
});

/** The tokens of the legacy API: sign-in, refresh, and sign-out. */
export function loginContract(kind: Kind): void {
  within(kind, "as it is installed", (given, it) => {
    let server: HomeserverUnderTest;
    let me: SignedInUser;
    let anonymous: ApiClient;

    beforeEach(async () => {
      server = given();
      anonymous = apiClient(server);
      me = await createSignedInUser(server);
    });

    const logIn = (change: object = {}): Promise<ApiResponse> =>
      anonymous("POST", "v3/login", { ...passwordLogin(me), ...change });
    const refresh = (token: string): Promise<ApiResponse> =>
      anonymous(...REFRESH, { refresh_token: token });
    const whoami = (token: string): Promise<ApiResponse> => apiClient(server, token)(...WHOAMI);

    describe("devices of sign-ins", () => {
      it("have the requested ID and name", async () => {
        const { body } = await logIn({ device_id: "MINE", initial_device_display_name: "Lantern" });
        assert.equal(body["device_id"], "MINE");
        const device = await me.api("GET", "v3/devices/MINE");
        assert.equal(device.body["display_name"], "Lantern");
      });

      it("keep their name when a user signs in to one again", async () => {
        await logIn({ device_id: "MINE", initial_device_display_name: "Lantern" });
        await logIn({ device_id: "MINE", initial_device_display_name: "Another" });
        const { body } = await me.api("GET", "v3/devices");
        const names = (body["devices"] as { device_id: string; display_name: string }[])
          .filter(({ device_id }) => device_id === "MINE")
          .map(({ display_name }) => display_name);
        assert.deepEqual(names, ["Lantern"]);
      });
    });

    describe("refresh tokens", () => {
      const begin = async (): Promise<Tokens> => tokensOf(await logIn({ refresh_token: true }));

      it("are returned with the access token's lifetime if the sign-in requests them", async () => {
        const { body } = await logIn({ refresh_token: true });
        assert.equal(typeof body["refresh_token"], "string");
        const lifetime = Number(body["expires_in_ms"]);
        assert.ok(lifetime > 0 && lifetime <= 300_000);
      });

      it("aren't returned otherwise, and the access token doesn't expire", async () => {
        for (const change of [{}, { refresh_token: false }]) {
          const { body } = await logIn(change);
          assert.deepEqual([body["refresh_token"], body["expires_in_ms"]], [undefined, undefined]);
        }
      });

      it("are exchanged for new tokens of the same device", async () => {
        const first = await begin();
        const response = await refresh(first.refresh);
        assert.equal(response.status, 200);
        assert.deepEqual(Object.keys(response.body).sort(), [
          "access_token",
          "expires_in_ms",
          "refresh_token",
        ]);
        const second = tokensOf(response);
        assert.notEqual(second.access, first.access);
        assert.notEqual(second.refresh, first.refresh);
        const devices = [await whoami(first.access), await whoami(second.access)].map(
          ({ body }) => body["device_id"],
        );
        assert.deepEqual(devices, [devices[0], devices[0]]);
      });

      it("can be used again until the new token is used", async () => {
        const first = await begin();
        const lost = tokensOf(await refresh(first.refresh));
        const second = tokensOf(await refresh(first.refresh));
        await assertRefused(whoami(lost.access), GONE);
        await assertRefused(refresh(lost.refresh), GONE);
        assert.equal((await whoami(second.access)).status, 200);
      });

      it("are 403 M_FORBIDDEN once the new access token has been used", async () => {
        const first = await begin();
        await whoami(tokensOf(await refresh(first.refresh)).access);
        await assertRefused(refresh(first.refresh), "403 M_FORBIDDEN");
      });

      it("are 401 M_UNKNOWN_TOKEN once the new refresh token has been used", async () => {
        const first = await begin();
        await refresh(tokensOf(await refresh(first.refresh)).refresh);
        await assertRefused(refresh(first.refresh), GONE);
      });

      it("end at sign-out", async () => {
        const { access, refresh: token } = await begin();
        await apiClient(server, access)(...LOGOUT, {});
        await assertRefused(refresh(token), GONE);
      });

      refuses(it, () => anonymous, [
        ["an unknown refresh token", [...REFRESH, { refresh_token: "no" }], GONE],
        ["no refresh token", [...REFRESH, {}], "400 M_MISSING_PARAM"],
        [
          "a refresh token that is a number",
          [...REFRESH, { refresh_token: 1 }],
          "400 M_INVALID_PARAM",
        ],
        ["signing out without a token", [...LOGOUT, {}], "401 M_MISSING_TOKEN"],
        ["signing out everywhere without a token", [...LOGOUT_ALL, {}], "401 M_MISSING_TOKEN"],
      ]);
    });

    it("signs out all of the user's devices, and no other user's, with POST /logout/all", async () => {
      const stranger = await createSignedInUser(server);
      const other = tokensOf(await logIn({ refresh_token: true, device_id: "OTHER" }));
      assert.equal((await me.api(...LOGOUT_ALL, {})).status, 200);
      await assertRefused(me.api(...WHOAMI), GONE);
      await assertRefused(whoami(other.access), GONE);
      await assertRefused(refresh(other.refresh), GONE);
      assert.equal((await stranger.api(...WHOAMI)).status, 200);
      const again = apiClient(server, tokensOf(await logIn({ device_id: "AGAIN" })).access);
      const { body } = await again("GET", "v3/devices");
      const ids = (body["devices"] as { device_id: string }[]).map(({ device_id }) => device_id);
      assert.deepEqual(ids, ["AGAIN"]);
    });

    it("rejects a locked user with 401 M_USER_LOCKED, but allows refreshes and sign-out", async () => {
      const session = tokensOf(await logIn({ refresh_token: true }));
      await server.setLocked(me.user, true);
      for (const request of [logIn(), whoami(session.access)]) {
        const { status, body } = await request;
        assert.deepEqual([status, body.errcode, body["soft_logout"]], [401, "M_USER_LOCKED", true]);
      }
      const { access } = tokensOf(await refresh(session.refresh));
      assert.equal((await apiClient(server, access)(...LOGOUT, {})).status, 200);
      await server.setLocked(me.user, false);
      await assertRefused(whoami(access), GONE);
      assert.equal((await logIn()).status, 200);
    });
  });

  within(kind, "with tokens that soon expire", (server, it) => {
    /** Waits until a token is rejected. Resolves to the error response. */
    const expiry = async (token: string): Promise<ApiResponse> => {
      for (;;) {
        const response = await apiClient(server(), token)(...WHOAMI);
        if (response.status !== 200) return response;
        await delay(200);
      }
    };

    for (const refresh_token of [true, false]) {
      it(`signs out softly, and keeps the device, when an access token ${refresh_token ? "with" : "without"} a refresh token expires`, async () => {
        const me = await createSignedInUser(server());
        const logIn = (): Promise<ApiResponse> =>
          apiClient(server())("POST", "v3/login", {
            ...passwordLogin(me),
            device_id: "KEPT",
            refresh_token,
          });
        const { body: first } = await logIn();
        const { status, body } = await expiry(String(first.access_token));
        assert.deepEqual(
          [status, body.errcode, body["soft_logout"]],
          [401, "M_UNKNOWN_TOKEN", true],
        );
        const { body: second } = await logIn();
        const api = apiClient(server(), String(second.access_token));
        const { body: listed } = await api("GET", "v3/devices");
        const ids = (listed["devices"] as { device_id: string }[]).map((each) => each.device_id);
        assert.deepEqual(ids.sort(), ["HERE", "KEPT"]);
      });
    }

    it("signs out with a token that has expired", async () => {
      const { token, api } = await createSignedInUser(server());
      await expiry(token);
      assert.equal((await api(...LOGOUT, {})).status, 200);
      const { body } = await api(...WHOAMI);
      assert.equal(body["soft_logout"], false);
    });
  });

  within(kind, "with single sign-on", (server, it) => {
    const REDIRECT = "v3/login/sso/redirect";
    const back = new URLSearchParams({ redirectUrl: "https://app.example/?state=1" }).toString();
    const follow = (path: string): Promise<Response> =>
      fetch(`${server().baseUrl}/_matrix/client/${path}?${back}`, { redirect: "manual" });

    it("lists its identity provider, and the other methods", async () => {
      const { body } = await apiClient(server())("GET", "v3/login");
      const flows = body.flows as unknown as { type: string }[];
      assert.deepEqual(flows.slice(0, 1), [
        { type: "m.login.sso", identity_providers: [{ id: "oidc-lantern", name: "Lantern" }] },
      ]);
      const types = flows.map(({ type }) => type);
      assert.ok(types.includes("m.login.token") && types.includes("m.login.password"));
    });

    for (const path of [REDIRECT, `${REDIRECT}/oidc-lantern`]) {
      it(`redirects from ${path} to the provider's authorization endpoint`, async () => {
        const response = await follow(path);
        assert.equal(response.status, 302);
        const url = new URL(response.headers.get("Location") ?? "");
        assert.notEqual(url.origin, server().baseUrl);
        assert.equal(url.searchParams.get("response_type"), "code");
        assert.equal(url.searchParams.get("scope"), "openid");
        assert.match(response.headers.get("Set-Cookie") ?? "", /HttpOnly/i);
      });
    }

    refuses(it, () => apiClient(server()), [
      ["a redirect without `redirectUrl`", ["GET", REDIRECT], "400 M_MISSING_PARAM"],
      [
        "a redirect to an unknown identity provider",
        ["GET", `${REDIRECT}/oidc-other?${back}`],
        "404 M_NOT_FOUND",
      ],
    ]);
  });
}
