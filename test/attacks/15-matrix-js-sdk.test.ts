// A client and a session are two sources of identity.
import { expect } from "@open-wc/testing";
import {
  HomeserverClient,
  LegacySession,
  OidcError,
  OidcSession,
  restoreSession,
} from "matrix-auth-elements/core";
import { attachSession } from "matrix-auth-elements/matrix-js-sdk";
import { idle, until } from "../support/clock.ts";
import { expectFlowError, rejectionOf } from "../support/rejection.ts";
import { json, ScriptedFetch } from "../support/scripted-fetch.ts";
import { recordAt } from "./support.ts";

const HS = "https://hs.example";
const ISSUER = "https://idp.example/";
const ALICE = "@alice:hs.example";
const NEW = "https://new.example";

/** The result of a sign-in. */
const SIGNED_IN = {
  ...{ deviceId: "DEVICE", scope: "urn:matrix:client:api:*", homeserverUrl: HS },
  tokenResponse: { access_token: "the-token", token_type: "Bearer" as const },
  oidcClientSettings: { clientId: "client", issuer: ISSUER },
  idTokenClaims: undefined,
};

const clientOf = (uploadContent: (file: unknown) => Promise<unknown>) => {
  let token = "";
  return {
    http: {
      fetch: () => Promise.resolve(new Response("the client's own")),
      uploadContent,
      cancelUpload: () => false,
      abort: () => undefined,
    },
    stopped: 0,
    getHomeserverUrl: () => HS,
    getUserId: () => ALICE,
    getDeviceId: () => "DEVICE",
    getAccessToken: () => token,
    setAccessToken: (given: string) => void (token = given),
    logout: () => Promise.resolve({}),
    stopClient(): void {
      this.stopped += 1;
    },
  };
};

describe("Rule 15: a client of matrix-js-sdk, attached to a session whose user is not known yet", () => {
  /** Attaches the session that an earlier page has stored before it knew the user. */
  const attach = async (user_id: string) => {
    const first = new OidcSession(SIGNED_IN, { store: "localStorage" });
    await first.stored;
    first.close();
    let respond!: () => void;
    const asked = new Promise<void>((resolve) => (respond = resolve));
    const server = new ScriptedFetch({
      [`GET ${HS}/_matrix/client/v3/account/whoami`]: (request) =>
        asked.then(() => json({ user_id, device_id: "DEVICE" })(request)),
      [`GET ${HS}/_matrix/client/v3/sync`]: json({}),
    });
    const session = await restoreSession({ store: "localStorage", fetch: server.fetch });
    if (!session) throw new Error("no session");
    const client = clientOf(() => Promise.resolve());
    const detach = attachSession(client, session);
    await until(() => client.getAccessToken() === "the-token");
    respond();
    await until(() => session.user.userId === user_id);
    await idle();
    detach();
    session.close();
    return [client.stopped, client.getAccessToken()];
  };

  beforeEach(() => localStorage.clear());
  afterEach(() => localStorage.clear());

  it("stops without a token, and is detached, once the homeserver names another user", async () => {
    expect(await attach("@bob:hs.example")).to.deep.equal([1, ""]);
  });

  it("twin: continues if it is the same user", async () => {
    expect(await attach(ALICE)).to.deep.equal([0, "the-token"]);
  });
});

describe("Rule 15: a client of a session that has moved to another URL", () => {
  const file = new Blob(["text"]);
  const requests: Readonly<Record<string, (client: HomeserverClient) => Promise<unknown>>> = {
    "a request": (client) => client.getDevices(),
    "an upload": (client) => client.uploadContent(file),
    "an image": (client) => client.getThumbnail("mxc://hs.example/id", { width: 1, height: 1 }),
    "the size limit": (client) => client.getMediaConfig(),
  };
  let server: ScriptedFetch;
  let session: OidcSession;
  /** The origins that received the token. */
  const receivers = (): readonly string[] => [
    ...new Set(
      server.requests
        .filter(({ headers }) => headers.get("Authorization") === "Bearer the-token")
        .map(({ url }) => new URL(url).origin),
    ),
  ];
  const move = async (): Promise<void> => {
    await session.moveTo(NEW);
    server.requests.length = 0;
  };

  beforeEach(() => {
    server = new ScriptedFetch({
      [`GET ${NEW}/_matrix/client/v3/account/whoami`]: json({
        user_id: ALICE,
        device_id: "DEVICE",
      }),
    });
    session = new OidcSession(SIGNED_IN, { userId: ALICE, fetch: server.fetch });
  });
  afterEach(() => session.close());

  for (const [what, send] of Object.entries(requests)) {
    for (const [how, isMoved, receiver] of [
      ["doesn't send its token to the old URL", true, NEW],
      ["twin: sends it there before the move", false, HS],
    ] as const) {
      it(`${how}: ${what}`, async () => {
        const client = new HomeserverClient({ baseUrl: HS, session, fetch: server.fetch });
        if (isMoved) await move();
        await rejectionOf(send(client));
        expect(receivers()).to.deep.equal([receiver]);
      });
    }
  }

  for (const [how, homeserverUrl, authorization] of [
    ["doesn't send it to the old URL", NEW, null],
    ["twin: sends it there before the move", HS, "Bearer new-token"],
  ] as const) {
    it(`${how} if another tab has refreshed the token, with the session's fetch`, async () => {
      server.routes[`GET ${HS}/_matrix/client/v3/sync`] = json({});
      const user = { homeserverUrl: HS, userId: ALICE, deviceId: "DEVICE" };
      const expired = { accessToken: "old-token", refreshToken: "refresh", expiresAt: 1 };
      const options = { store: "localStorage", key: "tabs", fetch: server.fetch } as const;
      const own = new LegacySession({ ...user, ...expired }, options);
      await own.stored;
      // Its message has not arrived yet.
      const tokenResponse = { access_token: "new-token", refresh_token: "next" };
      const record = {
        ...recordAt(localStorage, "tabs"),
        version: 9,
        homeserverUrl,
        tokenResponse,
      };
      localStorage.setItem("tabs", JSON.stringify(record));
      await own.fetch(`${HS}/_matrix/client/v3/sync`);
      const [request] = server.to(`${HS}/_matrix/client/v3/sync`);
      expect(request?.headers.get("Authorization")).to.equal(authorization);
      expect(own.homeserverUrl).to.equal(homeserverUrl);
      own.close();
      localStorage.clear();
    });
  }

  for (const isMoved of [true, false]) {
    it(`${isMoved ? "isn't the token" : "twin: is the token"} that matrix-js-sdk's client returns for the old URL`, async () => {
      const client = clientOf(async () => Promise.resolve());
      const detach = attachSession(client, session);
      await until(() => client.getAccessToken() === "the-token");
      if (isMoved) await move();
      await idle();
      expect(client.getAccessToken()).to.equal(isMoved ? "" : "the-token");
      detach();
    });

    it(`${isMoved ? "doesn't upload there" : "twin: uploads before the move"}, in matrix-js-sdk`, async () => {
      const uploads: string[] = [];
      const client = clientOf(async () => uploads.push(client.getAccessToken()));
      const detach = attachSession(client, session);
      if (isMoved) await move();
      const upload = client.http.uploadContent(file);
      if (isMoved) await expectFlowError(upload, OidcError.Misconfigured, "settings_invalid");
      else await upload;
      expect(uploads).to.deep.equal(isMoved ? [] : ["the-token"]);
      detach();
    });
  }
});
