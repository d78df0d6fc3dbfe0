// Rule 4: a client's sign-out starts before the page can close, and continues when it has closed.
import { expect } from "@open-wc/testing";
import { HomeserverClient, LegacySession } from "matrix-auth-elements/core";

const baseUrl = "https://hs.example";
const login = { homeserverUrl: baseUrl, userId: "@alice:hs.example", deviceId: "DEVICE" };

const CLIENTS: Readonly<Record<string, (fetch: typeof globalThis.fetch) => HomeserverClient>> = {
  "with a token": (fetch) => new HomeserverClient({ baseUrl, accessToken: "token", fetch }),
  "at a base path": (fetch) =>
    new HomeserverClient({ baseUrl: `${baseUrl}/path/`, accessToken: "token", fetch }),
  "with a session": (fetch) => {
    const session = new LegacySession({ ...login, accessToken: "token" }, { fetch });
    return new HomeserverClient({ baseUrl, session, fetch });
  },
};

const CALLS: Readonly<Record<string, (client: HomeserverClient) => Promise<unknown>>> = {
  "logout()": (client) => client.logout(),
  "logoutAll()": (client) => client.logoutAll(),
};

for (const [how, make] of Object.entries(CLIENTS)) {
  describe(`Rule 4: a client ${how}`, () => {
    /** The requests that are sent before the next task. */
    const sentBy = async (
      call: (client: HomeserverClient) => Promise<unknown>,
    ): Promise<readonly RequestInit[]> => {
      const sent: RequestInit[] = [];
      const client = make((_, init = {}) => {
        sent.push(init);
        return Promise.resolve(Response.json({ user_id: login.userId }));
      });
      call(client).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve));
      return sent;
    };

    for (const [name, call] of Object.entries(CALLS)) {
      it(`sends the request of ${name} at once, and lets it continue after the page`, async () => {
        expect((await sentBy(call)).map(({ keepalive }) => keepalive)).to.deep.equal([true]);
      });
    }

    it("control: other requests end with the page", async () => {
      const [whoami] = await sentBy((client) => client.whoami());
      expect(whoami?.keepalive ?? false).to.equal(false);
    });
  });
}
