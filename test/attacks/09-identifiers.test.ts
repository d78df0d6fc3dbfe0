// Rule 9: identifiers from servers have the specification's form and length before they are kept or shown.
import { expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import type { MatrixAccountElement } from "matrix-auth-elements";
import {
  HomeserverClient,
  LegacySession,
  OidcSession,
  discoverHomeserver,
  loginWithPassword,
  restoreSession,
} from "matrix-auth-elements/core";
import { make, settled, shownDevices } from "../elements/matrix-account/fixture.js";
import { textIn } from "../elements/support/element.js";
import { HOMESERVER, useTestServers } from "../elements/support/test-servers.js";
import { timeForMore, waitFor } from "../elements/support/wait-for.js";
import { rejectionOf } from "../support/rejection.js";
import { json, ScriptedFetch } from "../support/scripted-fetch.js";
import { restoreStubs } from "../support/stub.js";

afterEach(restoreStubs);
beforeEach(() => localStorage.clear());

const KEY = "matrix-auth-elements:session";
const USER = "@alice:hs.example";
const RLO = "\u202E";

const BAD_USER_IDS: readonly unknown[] = [
  "alice",
  "@alice",
  "@alice:",
  "alice:hs.example",
  "#alice:hs.example",
  "@alice:hs.example:8448:1",
  "@alice:hs.example/x",
  "@alice:hs.example ",
  " @alice:hs.example",
  "@ali ce:hs.example",
  "@alice:hs .example",
  "@alice:hs.example\n",
  "@alice\n:hs.example",
  `@${RLO}ecila:hs.example`,
  `@alice:hs${RLO}.example`,
  "@al\u200Bice:hs.example",
  "@al\u0000ice:hs.example",
  "@al\u2066ice:hs.example",
  "@al\u2028ice:hs.example",
  "@al\uD800ice:hs.example",
  "@alice:<img>.example",
  `@${"a".repeat(255 - ":hs.example".length)}:hs.example`,
  // 128 characters, but more than 255 bytes.
  `@${"ü".repeat(127)}:hs.example`,
  `@alice:${"a".repeat(255)}`,
  { toString: 1 },
  ["@alice:hs.example"],
  1,
  null,
];

const GOOD_USER_IDS = [
  USER,
  "@a.b_c=d-e/f+1:hs.example:8448",
  "@alice:[2001:db8::1]:8448",
  "@alice:127.0.0.1",
  "@alice:localhost:8008",
  "@:hs.example",
  "@Älice!:hs.example",
  `@${"a".repeat(254 - ":hs.example".length)}:hs.example`,
];

const BAD_DEVICE_IDS: readonly unknown[] = [
  " ",
  "A\nB",
  `A${RLO}B`,
  "A\u200BB",
  "A\u0000B",
  "A\uD800",
  "A".repeat(256),
  "ü".repeat(128),
  { toString: 1 },
  ["DEVICE"],
  7,
];
const GOOD_DEVICE_IDS = ["DEVICE", "My phone", "a~b.c_d-e", "A".repeat(255)];

/** Every place where a server names a user or a device. */
const USES: Readonly<
  Record<string, (user_id: unknown, device_id: unknown) => Promise<unknown> | undefined>
> = {
  whoami: (user_id, device_id) => clientWith({ user_id, device_id }).whoami(),
  "a sign-in by the client": (user_id, device_id) =>
    clientWith({ user_id, device_id, access_token: "token" }).login({
      type: "m.login.token",
      token: "t",
    }),
  "a sign-in with a password": (user_id, device_id) =>
    loginWithPassword(
      {
        homeserverUrl: HOMESERVER,
        identifier: { type: "m.id.user", user: "alice" },
        password: "secret",
      },
      serverWith({ user_id, device_id, access_token: "token" }),
    ),
  "a registration": (user_id, device_id) =>
    clientWith({ user_id, device_id, access_token: "token" }).register({}),
  "a stored session": async (userId, deviceId) => {
    const tokenResponse = { access_token: "token", token_type: "Bearer" };
    const record = {
      kind: "legacy",
      id: "id",
      version: 0,
      signedInAt: 0,
      homeserverUrl: HOMESERVER,
    };
    localStorage.setItem(KEY, JSON.stringify({ ...record, userId, deviceId, tokenResponse }));
    const session = await restoreSession({ store: "localStorage" });
    session?.close();
    if (!session) throw new Error("none");
  },
};

const serverWith = (body: unknown) => {
  const routes = new Proxy<ScriptedFetch["routes"]>({}, { get: () => json(body) });
  return { fetch: new ScriptedFetch(routes).fetch };
};
const clientWith = (body: unknown): HomeserverClient =>
  new HomeserverClient({ baseUrl: HOMESERVER, accessToken: "token", ...serverWith(body) });

const accepted = async (call: Promise<unknown> | undefined): Promise<boolean> =>
  (await call?.then(
    () => true,
    () => false,
  )) ?? false;

describe("An identifier from a server", () => {
  for (const [what, use] of Object.entries(USES)) {
    it(`is refused in ${what} if it does not have the specification's form`, async () => {
      const used: unknown[] = [];
      for (const id of BAD_USER_IDS) if (await accepted(use(id, "DEVICE"))) used.push(id);
      for (const id of BAD_DEVICE_IDS) if (await accepted(use(USER, id))) used.push(id);
      expect(used).to.deep.equal([]);
    });

    it(`is accepted in ${what} if it has`, async () => {
      const unused: unknown[] = [];
      for (const id of GOOD_USER_IDS) if (!(await accepted(use(id, "DEVICE")))) unused.push(id);
      for (const id of GOOD_DEVICE_IDS) if (!(await accepted(use(USER, id)))) unused.push(id);
      expect(unused).to.deep.equal([]);
    });
  }

  it("does not hide the devices in a list, because whoever signs in chooses the ID", async () => {
    const ids = [...GOOD_DEVICE_IDS, ...BAD_DEVICE_IDS.filter((id) => typeof id === "string")];
    const devices = ids.map((device_id) => ({ device_id }));
    expect((await clientWith({ devices }).getDevices()).devices).to.deep.equal(devices);
  });
});

const sessionWith = (user_id: unknown): OidcSession =>
  new OidcSession(
    {
      tokenResponse: { access_token: "token", token_type: "Bearer" },
      oidcClientSettings: { clientId: "client", issuer: "https://idp.example/" },
      homeserverUrl: HOMESERVER,
      idTokenClaims: undefined,
      deviceId: "DEVICE",
      scope: "urn:matrix:client:api:* urn:matrix:client:device:DEVICE",
    },
    { store: "localStorage", ...serverWith({ user_id }) },
  );

describe("A session", () => {
  it("does not keep a user ID without the specification's form", async () => {
    for (const id of BAD_USER_IDS) {
      localStorage.clear();
      const session = sessionWith(id);
      await session.stored;
      // It asks once the session is stored; the restored one asks again.
      await (
        await restoreSession({ store: "localStorage", ...serverWith({ user_id: id }) })
      )?.stored;
      await timeForMore();
      expect(session.user.userId).to.equal(undefined);
      session.close();
    }
  });

  it("keeps one that has it", async () => {
    const stored = sessionWith(USER);
    await stored.stored;
    const restored = await restoreSession({
      store: "localStorage",
      ...serverWith({ user_id: USER }),
    });
    await waitFor(() => restored?.user.userId === USER);
    stored.close();
    restored?.close();
  });
});

describe("<matrix-account>", () => {
  const show = async (userId: string): Promise<string> => {
    const servers = await useTestServers({ login: ["password"], accounts: { alice: "secret" } });
    const session = new LegacySession(servers.signIn("alice"));
    const client = new HomeserverClient({ baseUrl: HOMESERVER, session });
    Object.defineProperties(client, {
      userId: { value: undefined },
      whoami: { value: async () => Promise.resolve({ user_id: userId }) },
    });
    const element = await fixture<MatrixAccountElement>(
      html`<matrix-account .client=${client}></matrix-account>`,
    );
    await waitFor(() => ["ready", "error"].includes(element.state));
    await element.updateComplete;
    return textIn(element);
  };

  it("does not show a user ID that another library has not checked", async () => {
    expect(await show(`@${RLO}ecila:hs.example`)).not.to.contain("ecila");
  });

  it("shows every device, and the ID of each as text only", async () => {
    const servers = await useTestServers({ login: ["password"], accounts: { alice: "secret" } });
    const devices = ["PHONE", `A${RLO}B\nC`, "M\u00FC/ \u{1F4F1}"].map((device_id) => ({
      device_id,
    }));
    servers.override("GET /devices", () => Response.json({ devices }), { times: Infinity });
    const session = new LegacySession(servers.signIn("alice"));
    const element = await make({ session, sections: "devices" });
    await settled(element);
    await element.updateComplete;
    expect(shownDevices(element)).to.deep.equal(["PHONE", "A\uFFFDB\uFFFDC", "M\u00FC/ \u{1F4F1}"]);
  });

  it("shows one that has the specification's form", async () => {
    expect(await show(USER)).to.contain(USER);
  });
});

describe("A homeserver's name", () => {
  it("is refused if it is longer than a server name can be", async () => {
    const name = `${"a".repeat(250)}.example`;
    expect(await rejectionOf(discoverHomeserver(name))).to.have.property(
      "code",
      "homeserver_invalid",
    );
  });
});
