// Rule 16: one account has one key: homeserver, user, and device.
import { expect, html } from "@open-wc/testing";
import { listSessions, type MatrixLoginElement } from "matrix-auth-elements";
import type { TestServers } from "matrix-auth-elements/testing";
import { inState, part } from "../elements/support/element.js";
import { HOMESERVER, logOf, useTestServers } from "../elements/support/test-servers.js";
import { fill, ready } from "../elements/matrix-login/fixture.js";

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
    { deviceId, sessionKey }: { readonly deviceId?: string; readonly sessionKey?: string },
  ): Promise<MatrixLoginElement> => {
    const element = await ready(
      html`<matrix-login
        homeserver=${HOMESERVER}
        persist="local"
        accounts="many"
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

    it(`twin: keep one session if the same user signs in again, with ${what}`, async () => {
      const elements = [await signIn("alice", settings), await signIn("alice", settings)];

      expect(await users()).to.deep.equal(["@alice:hs.example"]);
      expect(elements[1]?.session?.state).to.equal("signed-in");
      for (const { session } of elements) session?.close();
    });
  }
});
