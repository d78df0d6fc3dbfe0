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
  registerOidcClient,
  restoreSession,
  startDeviceAuthorization,
} from "matrix-auth-elements/core";
import { make, settled, shownDevices } from "../elements/matrix-account/fixture.js";
import { textIn } from "../elements/support/element.js";
import { HOMESERVER, useTestServers } from "../elements/support/test-servers.js";
import { untilQuiet, waitFor } from "../elements/support/wait-for.js";
import { rejectionOf } from "../support/rejection.js";
import { json, ScriptedFetch } from "../support/scripted-fetch.js";
import { restoreStubs } from "../support/stub.js";

afterEach(restoreStubs);
beforeEach(() => localStorage.clear());

const KEY = "matrix-auth-elements:session";
const USER = "@alice:hs.example";
const RLO = "\u202E";

/** They show nothing, so that an ID with one looks like another ID. Not all are controls or spaces. */
const BLANKS =
  "\u034F\u115F\u17B4\u180B\u2065\u2800\u3164\uFE0F\uFFA0\u{E0100}" +
  "\uFFFC\uFDD0\u{1FFFF}\u{1D159}\u{16FE4}\u{13441}\u{13442}" +
  // The page's font might show a badge.
  "\uE000\uF8FF\u{10FFFD}";

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
  ...Array.from(BLANKS, (blank) => `@alice${blank}:hs.example`),
  "@alice:<img>.example",
  "@alice:hs.ex\u0430mple",
  "@alice:hs.exa\u0301mple",
  "@alice\uFF1Ahs.example",
  "\uFF20alice:hs.example",
  "@alice:hs.example:",
  "@alice:hs.example:123456",
  "@alice:hs.example:-1",
  "@alice::8448",
  "@alice:..",
  "@alice:.:8448",
  "@alice:bank.example@hs.example",
  "@alice:[:]",
  "@alice:[::1",
  "@alice:[::1]]",
  "@alice:[fe80::1%25en0]",
  `@alice:[${"0".repeat(46)}]`,
  "@alice:2001:db8::1",
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
  "@alice:[2001:DB8::1]",
  "@alice:[::]",
  "@alice:[::ffff:192.0.2.1]",
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
  ...Array.from(BLANKS, (blank) => `A${blank}`),
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

/** With a response in the server's own spelling. */
const clientOf = (body: string): HomeserverClient =>
  new HomeserverClient({
    baseUrl: HOMESERVER,
    accessToken: "token",
    fetch: async () => Promise.resolve(new Response(new TextEncoder().encode(body))),
  });

const accepted = async (call: Promise<unknown> | undefined): Promise<boolean> =>
  (await call?.then(
    () => true,
    () => false,
  )) ?? false;

describe("An identifier from a server", () => {
  for (const [what, use] of Object.entries(USES)) {
    it(`is rejected in ${what} if it isn't in the specification's form`, async () => {
      const used: unknown[] = [];
      for (const id of BAD_USER_IDS) if (await accepted(use(id, "DEVICE"))) used.push(id);
      for (const id of BAD_DEVICE_IDS) if (await accepted(use(USER, id))) used.push(id);
      expect(used).to.deep.equal([]);
    });

    it(`is accepted in ${what} if it is in this form`, async () => {
      const unused: unknown[] = [];
      for (const id of GOOD_USER_IDS) if (!(await accepted(use(id, "DEVICE")))) unused.push(id);
      for (const id of GOOD_DEVICE_IDS) if (!(await accepted(use(USER, id)))) unused.push(id);
      expect(unused).to.deep.equal([]);
    });
  }

  for (const [what, body] of Object.entries({
    "the prototype": `{"__proto__":{"user_id":"${USER}"}}`,
    "the constructor": `{"constructor":{"user_id":"${USER}"}}`,
    "a list": `[{"user_id":"${USER}"}]`,
    "another spelling": `{"USER_ID":"${USER}","userId":"${USER}"}`,
    "the first of two members": `{"user_id":"${USER}","user_id":"alice"}`,
    "a text": JSON.stringify(JSON.stringify({ user_id: USER })),
    "a comment": `{/*"user_id":*/"x":"${USER}"}`,
    "a second document": `{"x":1}{"user_id":"${USER}"}`,
    "an unquoted member": `{user_id:"${USER}"}`,
    "a large number next to it": `{"user_id":1e400,"x":"${USER}"}`,
  })) {
    it(`is not read from ${what}`, async () => {
      expect(await accepted(clientOf(body).whoami())).to.equal(false);
    });
  }

  for (const [what, body] of Object.entries({
    "a byte order mark": `\uFEFF{"user_id":"${USER}"}`,
    escapes: `{"\\u0075ser_id":"\\u0040alice:hs.example"}`,
    "white space": `\n\t{ "user_id" : "${USER}" }\r\n`,
  })) {
    it(`twin: is read from JSON with ${what}`, async () => {
      expect((await clientOf(body).whoami()).user_id).to.equal(USER);
    });
  }

  it("doesn't hide the devices in a list, because each device chooses its own ID", async () => {
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

describe("A provider's response", () => {
  const ISSUER = "https://idp.example";
  const METADATA = {
    issuer: `${ISSUER}/`,
    authorization_endpoint: `${ISSUER}/authorize`,
    token_endpoint: `${ISSUER}/token`,
    revocation_endpoint: `${ISSUER}/revoke`,
    registration_endpoint: `${ISSUER}/register`,
    device_authorization_endpoint: `${ISSUER}/device`,
    grant_types_supported: ["authorization_code", "refresh_token"],
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
  };
  const APP = { clientUri: "https://app.example/", redirectUris: ["https://app.example/"] };
  const VALUES = {
    "a code for the user": {
      use: async (user_code: unknown) => {
        const codes = { device_code: "d", verification_uri: `${ISSUER}/code`, expires_in: 600 };
        const request = { metadata: METADATA, clientId: "client" };
        const { fetch } = serverWith({ ...codes, user_code });
        return (await startDeviceAuthorization(request, { fetch })).user_code;
      },
      good: ["WDJB-MJHT", "Zwölf Hasen"],
      bad: [...BAD_DEVICE_IDS, ""],
    },
    // It is kept in the storage that sessions need.
    "a client ID": {
      use: (client_id: unknown) => registerOidcClient(METADATA, APP, serverWith({ client_id })),
      good: ["01J8Z3Q9X7", "https://app.example/client.json", "an app", "c".repeat(2048)],
      bad: ["", "c".repeat(2049), "c".repeat(500_000), 7, ["client"], {}],
    },
  };
  for (const [what, { use, good, bad }] of Object.entries(VALUES)) {
    it(`with ${what} is rejected if its characters or its length are not allowed`, async () => {
      const used: unknown[] = [];
      for (const value of bad) if (await accepted(use(value))) used.push(value);
      expect(used).to.deep.equal([]);
    });

    it(`twin: with ${what} is accepted otherwise`, async () => {
      for (const value of good) expect(await use(value)).to.equal(value);
    });
  }
});

describe("A session", () => {
  it("does not keep a user ID that isn't in the specification's form", async () => {
    for (const id of BAD_USER_IDS) {
      localStorage.clear();
      const session = sessionWith(id);
      await session.stored;
      // It asks once the session is stored; the restored one asks again.
      await (
        await restoreSession({ store: "localStorage", ...serverWith({ user_id: id }) })
      )?.stored;
      await untilQuiet();
      expect(session.user.userId).to.equal(undefined);
      session.close();
    }
  });

  it("keeps a user ID in this form", async () => {
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
    const named = ["PHONE", "A\uFFFDB\uFFFDC", "M\u00FC/ \u{1F4F1}"].map(
      (id) => `Unnamed device${id}`,
    );
    expect(shownDevices(element)).to.deep.equal(named);
  });

  for (const [what, display_name, shown] of [
    ["another direction", `This${RLO}resworb`, "This resworb"],
    ["a lone surrogate", "Phone \uD83D", "Phone \uFFFD"],
    ["half an emoji at the end", `${"n".repeat(99)}\u{1F468}\u200D\u{1F469}`, `${"n".repeat(99)}…`],
    ["lines", "Phone\n\n\u2028Tablet", "Phone Tablet"],
    ["an emoji of several parts", "\u{1F468}\u200D\u{1F469}", "\u{1F468}\u200D\u{1F469}"],
    ["no visible character", "\u200B\u2800\u3164\uFE0F", "Unnamed deviceODD"],
    ["only spaces", " \u00A0\u3000", "Unnamed deviceODD"],
    ["only marks", "\u0301\u0301", "Unnamed deviceODD"],
  ] as const) {
    it(`shows a device's name that has ${what}`, async () => {
      const servers = await useTestServers({ login: ["password"], accounts: { alice: "secret" } });
      const devices = [{ device_id: "ODD", display_name }];
      servers.override("GET /devices", () => Response.json({ devices }), { times: Infinity });
      const session = new LegacySession(servers.signIn("alice"));
      const element = await make({ session, sections: "devices" });
      await settled(element);
      await element.updateComplete;
      expect(shownDevices(element)).to.deep.equal([shown]);
    });
  }

  it("shows that an address has characters that no address has", async () => {
    const servers = await useTestServers({
      login: ["password"],
      accounts: { alice: { password: "secret", emails: [`a${RLO}b@mail.example`] } },
    });
    const devices = [{ device_id: "PHONE", last_seen_ip: `10.${RLO}0.0.1` }];
    servers.override("GET /devices", () => Response.json({ devices }), { times: Infinity });
    const element = await make({ session: new LegacySession(servers.signIn("alice")) });
    await settled(element);
    await element.updateComplete;
    expect(textIn(element)).to.contain("a\uFFFDb@mail.example").and.to.contain("10.\uFFFD0.0.1");
  });

  it("shows a user ID in the specification's form", async () => {
    expect(await show(USER)).to.contain(USER);
  });
});

describe("A homeserver's name", () => {
  it("is rejected if it is longer than a server name can be", async () => {
    const name = `${"a".repeat(250)}.example`;
    expect(await rejectionOf(discoverHomeserver(name))).to.have.property(
      "code",
      "homeserver_invalid",
    );
  });
});

describe("The server's name in the URL of an image", () => {
  const requestsFor = async (url: string): Promise<readonly string[]> => {
    const server = new ScriptedFetch();
    const { fetch } = server;
    const client = new HomeserverClient({ baseUrl: HOMESERVER, accessToken: "token", fetch });
    await client.getThumbnail(url, { width: 1, height: 1 }).catch(() => undefined);
    return server.log;
  };

  it("can't become another part of a path, even if a proxy decodes it twice", async () => {
    const names = ["..", ".", "%2e%2e", "%2E", "a%2f..", "a\\b", "a@b", "a b", "a:b", "", RLO];
    for (const name of names) expect(await requestsFor(`mxc://${name}/id`)).to.deep.equal([]);
  });

  it("can't be followed by an ID that leads elsewhere", async () => {
    const ids = ["..", "%2e%2e", "a/b", "a?b", "a#b", "a\\b", "a%2fb", "a b", "", `a${RLO}`, "ä"];
    for (const id of ids) expect(await requestsFor(`mxc://hs.example/${id}`), id).to.deep.equal([]);
  });

  it("can have every form that the specification allows", async () => {
    for (const name of ["hs.example", "hs.example:8448", "127.0.0.1:80", "[2001:db8::1]:8448"]) {
      // The new path, and then the one of before Matrix 1.11.
      const requests = await requestsFor(`mxc://${name}/id`);
      expect(requests).to.have.length(2);
      for (const each of requests) expect(decodeURIComponent(each)).to.contain(`/${name}/id`);
    }
  });
});
