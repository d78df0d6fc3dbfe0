import { expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import {
  InteractiveAuth,
  provideAuthClient,
  type AuthDict,
  type UiaDialogElement,
} from "matrix-auth-elements";
import { attachSession } from "matrix-auth-elements/matrix-js-sdk";
import {
  CLIENT_ID,
  DEVICE_ID,
  HOMESERVER,
  ISSUER,
  RotatingIssuer,
  TOKEN,
  USER_ID,
  ending,
  newSession,
  signIn,
} from "../core/session/support.ts";
import { inState } from "../elements/support/element.ts";
import { waitFor } from "../elements/support/wait-for.ts";
import { rejectionOf } from "../support/rejection.ts";
import { held } from "../support/scripted-fetch.ts";
import { restoreStubs, stub } from "../support/stub.ts";
import { MatrixError, createClient } from "./matrix-js-sdk.js";

const BASE = "https://hs.example";
const USER = "@alice:hs.example";
/** matrix-js-sdk's log would hide the test's output. */
const SILENT = {
  ...Object.fromEntries(
    ["trace", "debug", "info", "warn", "error"].map((at) => [at, () => undefined]),
  ),
  getChild: () => SILENT,
} as never;
const FLOWS = { flows: [{ stages: ["m.login.password"] }], session: "s", params: {} };

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: Record<string, unknown> & { readonly auth?: AuthDict };
}

/** A homeserver that requires a password for protected requests, and accepts others. */
function homeserver(isProtected: (path: string) => boolean) {
  const asked: Asked[] = [];
  const fetchFn = async (input: URL | RequestInfo, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const text = await request.text();
    const body = (text ? JSON.parse(text) : {}) as Asked["body"];
    const path = new URL(request.url).pathname.replace("/_matrix/client/", "");
    asked.push({ method: request.method, path, body });
    // The user has no key backup.
    if (path.startsWith("v3/room_keys")) {
      return Response.json({ errcode: "M_NOT_FOUND", error: "none" }, { status: 404 });
    }
    if (!isProtected(path) || body.auth?.["password"] === "right")
      return Response.json(answer(path));
    const errcode = body.auth ? { errcode: "M_FORBIDDEN", error: "Invalid password" } : {};
    return Response.json({ ...FLOWS, ...errcode }, { status: 401 });
  };
  return { asked, fetchFn };
}

const answer = (path: string): object => {
  if (path.endsWith("keys/query")) return { device_keys: {}, master_keys: {}, failures: {} };
  if (path.endsWith("keys/upload")) return { one_time_key_counts: {} };
  if (path === "versions") return { versions: ["v1.11"] };
  return {};
};

describe("With matrix-js-sdk", () => {
  let element: UiaDialogElement;

  const types = async (password: string): Promise<void> => {
    await inState(element, "awaiting-input");
    const field = element.querySelector<HTMLInputElement>("[name=password]");
    if (!field) throw new Error("no field");
    field.value = password;
    field.form?.requestSubmit();
  };

  const clientOf = (fetchFn: typeof fetch): ReturnType<typeof createClient> =>
    createClient({
      logger: SILENT,
      baseUrl: BASE,
      userId: USER,
      deviceId: "DEVICE",
      accessToken: "token",
      fetchFn,
    });

  beforeEach(async () => {
    element = await fixture<UiaDialogElement>(html`<uia-dialog></uia-dialog>`);
  });

  it("a MatrixClient works as a client: the dialog reads its user and its errors", async () => {
    const { asked, fetchFn } = homeserver((path) => path.startsWith("v3/devices/"));
    const client = clientOf(fetchFn);
    element.client = client;
    const deleting = element.authenticate((auth) =>
      client.deleteDevice("OTHER", auth ?? undefined),
    );
    await types("wrong");
    await waitFor(() => element.querySelector("[aria-invalid]"), "the error is not shown");
    expect(element.querySelector<HTMLInputElement>("[name=username]")?.value).to.equal(USER);
    await types("right");
    await deleting;
    expect(asked.map(({ method, path, body }) => [method, path, body.auth?.type])).to.deep.equal([
      ["DELETE", "v3/devices/OTHER", undefined],
      ["DELETE", "v3/devices/OTHER", "m.login.password"],
      ["DELETE", "v3/devices/OTHER", "m.login.password"],
    ]);
  });

  it("a MatrixClient is the context's client without a wrapper", async () => {
    const { fetchFn } = homeserver(() => true);
    const place = await fixture<HTMLElement>(html`<div><uia-dialog></uia-dialog></div>`);
    const client = clientOf(fetchFn);
    provideAuthClient(place, client);
    element = place.querySelector("uia-dialog") as UiaDialogElement;
    const changing = element.authenticate((auth) => client.setPassword(auth as never, "new"));
    await types("right");
    await changing;
  });

  it("InteractiveAuth accepts a MatrixClient", async () => {
    const { fetchFn } = homeserver((path) => path === "v3/account/deactivate");
    const client = clientOf(fetchFn);
    const auth = new InteractiveAuth({
      matrixClient: client,
      doRequest: (dict) => client.deactivateAccount(dict ?? undefined),
      stateUpdated: (type) => {
        void auth.submitAuthDict({ type, password: "right" });
      },
      requestEmailToken: () => Promise.reject(new Error("not requested")),
      inputs: {},
    });
    await auth.attemptAuth();
    expect(auth.getClientSecret()).to.have.length.greaterThan(10);
  });

  it("a MatrixError without stages ends the attempt unchanged", async () => {
    const error = new MatrixError({ errcode: "M_UNKNOWN_TOKEN", error: "gone" }, 401);
    const caught = await element
      .authenticate(() => Promise.reject(error))
      .catch((thrown: unknown) => thrown);
    expect(caught).to.equal(error);
  });

  describe("when the access token has ended (docs/get-started/matrix-js-sdk.md)", () => {
    const options = { logger: SILENT, baseUrl: HOMESERVER, userId: USER_ID, deviceId: DEVICE_ID };
    let issuer: RotatingIssuer;

    beforeEach(() => {
      issuer = new RotatingIssuer();
      // The sign-in's tokens are no longer valid, because they were refreshed.
      issuer.generation = 1;
    });
    afterEach(restoreStubs);

    it("version 43 refreshes with the data of a sign-in, and the app stores the new tokens", async () => {
      const { metadata } = signIn();
      issuer.server.routes[`GET ${HOMESERVER}/_matrix/client/v1/auth_metadata`] = () =>
        Response.json({
          ...metadata,
          authorization_endpoint: `${ISSUER}authorize`,
          registration_endpoint: `${ISSUER}register`,
          response_types_supported: ["code"],
          response_modes_supported: ["query", "fragment"],
          grant_types_supported: ["authorization_code", "refresh_token"],
          code_challenge_methods_supported: ["S256"],
        });
      stub(globalThis, "fetch", { value: issuer.server.fetch });
      const kept: unknown[] = [];
      const client = createClient({
        ...options,
        accessToken: "secret-access-0",
        refreshToken: issuer.refreshToken,
        oauthClientId: CLIENT_ID,
        onTokenRefresh: ({ accessToken, refreshToken }) => kept.push([accessToken, refreshToken]),
      });

      expect((await client.whoami()).user_id).to.equal("@alice:example");
      expect(issuer.received).to.deep.equal(["secret-refresh-1"]);
      expect(kept).to.deep.equal([["secret-access-2", "secret-refresh-2"]]);
    });

    it("an attached session refreshes the client's token", async () => {
      const session = newSession(issuer, { refresh_token: issuer.refreshToken });
      const client = createClient({ ...options, deviceId: session.user.deviceId });
      attachSession(client, session);

      expect((await client.whoami()).user_id).to.equal("@alice:example");
      expect(issuer.received).to.deep.equal(["secret-refresh-1"]);
      session.close();
    });

    it("an attached session replaces the client's earlier token, starting with the first request", async () => {
      const tokens = { refresh_token: issuer.refreshToken, ...ending(-1) };
      const session = newSession(issuer, tokens);
      const { deviceId } = session.user;
      const client = createClient({ ...options, deviceId, accessToken: "secret-access-0" });
      attachSession(client, session);

      expect((await client.whoami()).user_id).to.equal("@alice:example");
      session.close();
    });

    it("a detached session sends no uploads that were still waiting for a token", async () => {
      const response = held(issuer.refresh);
      issuer.server.routes[TOKEN] = response.respond;
      const session = newSession(issuer, { refresh_token: issuer.refreshToken, ...ending(-1) });
      const client = createClient({ ...options, deviceId: session.user.deviceId });
      const detach = attachSession(client, session);
      const upload = rejectionOf(client.uploadContent(new Blob(["a"])));
      await response.asked;
      detach();
      response.release();

      expect(await upload).to.include({ code: "aborted" });
      session.close();
    });

    it("an attached session accepts the inputs of fetch(), and sends no token to another origin", async () => {
      const session = newSession(issuer);
      const client = createClient({ ...options, deviceId: session.user.deviceId });
      attachSession(client, session);
      await waitFor(() => client.getAccessToken(), "the client has no token");
      const received: (string | null)[] = [];
      issuer.server.routes[`GET ${location.origin}/relative`] = ({ headers }) => {
        received.push(headers.get("Authorization"), headers.get("X-Own"));
        return Response.json({});
      };
      const fetchBy = client.http.fetch as unknown as typeof fetch;
      await fetchBy("/relative", { headers: { Authorization: "Bearer secret-access-0" } });
      await fetchBy(new Request("/relative", { headers: { "X-Own": "kept" } }));

      expect(received).to.deep.equal([null, null, null, "kept"]);
      session.close();
    });
  });

  it("the SDK's crypto resets cross-signing through the dialog", async () => {
    const { asked, fetchFn } = homeserver((path) => path.endsWith("device_signing/upload"));
    const client = clientOf(fetchFn);
    await client.initRustCrypto({ useIndexedDB: false });
    element.client = client;
    const resetting = client.getCrypto()?.bootstrapCrossSigning({
      setupNewCrossSigning: true,
      authUploadDeviceSigningKeys: element.authUploadDeviceSigningKeys as never,
    });
    await types("right");
    await resetting;
    const uploads = asked.filter(({ path }) => path.endsWith("device_signing/upload"));
    expect(uploads.map(({ body }) => [typeof body["master_key"], body.auth?.type])).to.deep.equal([
      ["object", undefined],
      ["object", "m.login.password"],
    ]);
    client.stopClient();
  });
});
