// A client of matrix-js-sdk and a session are two sources of identity.
import { expect } from "@open-wc/testing";
import { OidcSession, restoreSession } from "matrix-auth-elements/core";
import { attachSession } from "matrix-auth-elements/matrix-js-sdk";
import { idle, until } from "../support/clock.ts";
import { json, ScriptedFetch } from "../support/scripted-fetch.ts";

const HS = "https://hs.example";
const ISSUER = "https://idp.example/";
const ALICE = "@alice:hs.example";

describe("Rule 15: a client of matrix-js-sdk, attached to a session whose user is not known yet", () => {
  let stopped: number;
  let token: string;
  const stayed = (): Promise<Response> => Promise.resolve(new Response("the client's own"));
  const makeClient = () => ({
    http: {
      fetch: stayed,
      uploadContent: () => Promise.resolve(),
      cancelUpload: () => false,
      abort: () => undefined,
    },
    getHomeserverUrl: () => HS,
    getUserId: () => ALICE,
    getDeviceId: () => "DEVICE",
    getAccessToken: () => token,
    setAccessToken: (given: string) => void (token = given),
    logout: () => Promise.resolve({}),
    stopClient: () => void (stopped += 1),
  });

  /** Attaches the session that an earlier page has stored before it knew the user. */
  const attach = async (user_id: string) => {
    const kept = {
      ...{ deviceId: "DEVICE", scope: "urn:matrix:client:api:*", homeserverUrl: HS },
      tokenResponse: { access_token: "the-token", token_type: "Bearer" as const },
      oidcClientSettings: { clientId: "client", issuer: ISSUER },
      idTokenClaims: undefined,
    };
    const first = new OidcSession(kept, { store: "localStorage" });
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
    const client = makeClient();
    const detach = attachSession(client, session);
    await until(() => token === "the-token");
    respond();
    await until(() => session.user.userId === user_id);
    await idle();
    detach();
    session.close();
    return client;
  };

  beforeEach(() => {
    localStorage.clear();
    stopped = 0;
    token = "";
  });
  afterEach(() => localStorage.clear());

  it("stops without a token, and is detached, once the homeserver names another user", async () => {
    await attach("@bob:hs.example");
    expect([stopped, token]).to.deep.equal([1, ""]);
  });

  it("twin: continues if it is the same user", async () => {
    await attach(ALICE);
    expect([stopped, token]).to.deep.equal([0, "the-token"]);
  });
});
