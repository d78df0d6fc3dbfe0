// Rule 16: one account has one key: homeserver, user, and device.
import { expect, html } from "@open-wc/testing";
import { listSessions, type MatrixLoginElement, restoreSession } from "matrix-auth-elements";
import type { TestServers } from "matrix-auth-elements/testing";
import { inState, part } from "../elements/support/element.js";
import { HOMESERVER, logOf, useTestServers } from "../elements/support/test-servers.js";
import { waitFor } from "../elements/support/wait-for.js";
import { fill, ready } from "../elements/matrix-login/fixture.js";
import { DATABASE, settled } from "../core/session/support.js";

describe("Rule 16: several accounts", () => {
  let servers: TestServers;
  const store = "localStorage";

  beforeEach(async () => {
    servers = await useTestServers({
      login: ["password"],
      accounts: { alice: "secret-password", bob: "secret-password" },
    });
    sessionStorage.clear();
    localStorage.clear();
  });
  afterEach(() => localStorage.clear());

  const signIn = async (
    username: string,
    {
      deviceId,
      sessionKey,
      accounts = "many",
      persist = "local",
    }: {
      readonly deviceId?: string | undefined;
      readonly sessionKey?: string | undefined;
      readonly accounts?: "one" | "many";
      readonly persist?: "local" | "indexeddb";
    },
  ): Promise<MatrixLoginElement> => {
    const element = await ready(
      html`<matrix-login
        homeserver=${HOMESERVER}
        persist=${persist}
        accounts=${accounts}
        .deviceId=${deviceId}
        .sessionKey=${sessionKey}
      ></matrix-login>`,
    );
    fill(element, { username, password: "secret-password" });
    part(element, "submit").click();
    await inState(element, "success");
    element.remove();
    return element;
  };
  const logouts = (): number => logOf(servers).filter((each) => each.endsWith("/logout")).length;
  const users = async (): Promise<readonly (string | undefined)[]> =>
    (await listSessions({ store })).map(({ userId }) => userId).sort();

  for (const [what, settings] of [
    ["device-id", { deviceId: "APPDEVICE" }],
    ["session-key", { sessionKey: "app" }],
    ["device-id and session-key", { deviceId: "APPDEVICE", sessionKey: "app" }],
    ["neither", {}],
  ] as const) {
    it(`keep the first account if a second one signs in, with ${what}`, async () => {
      const elements = [await signIn("alice", settings), await signIn("bob", settings)];

      expect(await users()).to.deep.equal(["@alice:hs.example", "@bob:hs.example"]);
      expect(elements.map(({ session }) => session?.state)).to.deep.equal([
        "signed-in",
        "signed-in",
      ]);
      expect(logouts()).to.equal(0);
      for (const { session } of elements) session?.close();
    });

    it(`control: keep one session if the same user signs in again, with ${what}`, async () => {
      const elements = [await signIn("alice", settings), await signIn("alice", settings)];

      expect(await users()).to.deep.equal(["@alice:hs.example"]);
      expect(elements[1]?.session?.state).to.equal("signed-in");
      for (const { session } of elements) session?.close();
    });
  }

  const userIds = async (key: string): Promise<string | undefined> =>
    (await restoreSession({ store, key }))?.user.userId;

  for (const [what, otherKey, ownKey] of [
    ["has no session-key", undefined, "app"],
    ["has another session-key", "other", undefined],
    ["has a session-key that begins with this one", "application", "app"],
    ["has a session-key below this one", "app:other", "app"],
  ] as const) {
    it(`keep the same user's session of another app on the origin, which ${what}`, async () => {
      const other = await signIn("alice", { sessionKey: otherKey, accounts: "one" });
      const own = await signIn("alice", { sessionKey: ownKey });

      expect(other.session?.state).to.equal("signed-in");
      expect(await userIds(other.session?.key ?? "")).to.equal("@alice:hs.example");
      expect(logouts()).to.equal(0);
      for (const { session } of [other, own]) session?.close();
    });

    it(`keep the same user's account of another app with several accounts, which ${what}`, async () => {
      const other = await signIn("alice", { sessionKey: otherKey });
      const own = await signIn("alice", { sessionKey: ownKey });

      expect(other.session?.state).to.equal("signed-in");
      expect(await users()).to.have.length(2);
      expect(logouts()).to.equal(0);
      for (const { session } of [other, own]) session?.close();
    });
  }

  it("keep the session of another app in localStorage if this one uses IndexedDB", async () => {
    await settled(indexedDB.deleteDatabase(DATABASE));
    const other = await signIn("alice", { accounts: "one" });
    other.session?.close();
    const own = await signIn("alice", { sessionKey: "app", persist: "indexeddb" });
    await waitFor(async () => (await listSessions({ store: "indexedDB" })).length === 2);

    expect(await userIds("matrix-auth-elements:session")).to.equal("@alice:hs.example");
    own.session?.close();
  });

  it("control: replace the session that the same app had before it kept several accounts", async () => {
    const before = await signIn("alice", { sessionKey: "app", accounts: "one" });
    const after = await signIn("alice", { sessionKey: "app" });

    await waitFor(() => before.session === undefined, "The session before has not ended");
    expect(await users()).to.deep.equal(["@alice:hs.example"]);
    expect(logouts()).to.equal(1);
    after.session?.close();
  });
});
