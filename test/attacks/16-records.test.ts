// Rule 16: a record is changed by comparison, and a message is believed after the store has confirmed it.
import { expect } from "@open-wc/testing";
import {
  listSessions,
  OidcError,
  OidcSession,
  restoreSession,
  SessionWatcher,
  type SessionStore,
} from "matrix-auth-elements/core";
import { breathe, Clock, until } from "../support/clock.ts";
import { expectFlowError } from "../support/rejection.ts";
import { held } from "../support/scripted-fetch.ts";
import { restoreStubs } from "../support/stub.ts";
import {
  ending,
  newSession,
  recordEvents,
  RotatingIssuer,
  signIn,
  TOKEN,
  useEmptyStores,
} from "../core/session/support.ts";

const KEY = "matrix-auth-elements:session";
type Stored = Record<string, unknown> & { readonly id: string; readonly version: number };

/** A store with promises. */
function promising(): Required<Omit<SessionStore, "update" | "keys">> & {
  readonly items: Map<string, string>;
} {
  const items = new Map<string, string>();
  return {
    items,
    getItem: async (key) => (await breathe(), items.get(key)),
    setItem: async (key, value) => (await breathe(), void items.set(key, value)),
    removeItem: async (key) => (await breathe(), void items.delete(key)),
  };
}

interface Internal {
  noteUserId(userId: string): Promise<void>;
  undo(options: { readonly notify: boolean }): Promise<void>;
}

const listable = () => {
  const store = promising();
  return { ...store, keys: async () => [...store.items.keys()] };
};

describe("Rule 16: a session's record", () => {
  let issuer: RotatingIssuer;
  const keep = useEmptyStores();
  const { fetch } = globalThis;

  beforeEach(() => {
    issuer = new RotatingIssuer();
  });
  afterEach(() => {
    globalThis.fetch = fetch;
  });

  const stored = (): Stored => JSON.parse(localStorage.getItem(KEY) ?? "{}") as Stored;
  /** Sends a message of another tab, and waits until it is handled. */
  const say = async (message: object): Promise<void> => {
    const clock = new Clock();
    const channel = keep(new BroadcastChannel(KEY));
    // The session's channel is older, so it receives the message before.
    const later = keep(new BroadcastChannel(KEY));
    const received = new Promise<void>((resolve) => {
      later.onmessage = ({ data }) => data === "end" && resolve();
    });
    channel.postMessage(message);
    channel.postMessage("end");
    await received;
    // Longer than a store may be late.
    await clock.pass(800);
    expect(clock.pending).to.be.empty;
    restoreStubs();
  };

  describe("and messages of other tabs", () => {
    const OTHER = { access_token: "of-another", refresh_token: "of-another" };
    const anotherSignIn = (ours: Stored) => ({
      id: "other",
      record: { ...ours, id: "other", signedInAt: 9e15, replaces: [ours.id], version: 9 },
    });
    for (const [what, message] of [
      ["an end", ({ id }) => ({ id, end: { state: "signed-out", reason: "signed-out" } })],
      ["a soft logout", ({ id }) => ({ id, end: { state: "soft-logout", reason: "refused" } })],
      ["a replacement", ({ id }) => ({ id, end: { state: "signed-out", reason: "replaced" } })],
      [
        "a soft logout in a record",
        (ours) => ({ id: ours.id, record: { ...ours, version: 9, state: "soft-logout" } }),
      ],
      ["another sign-in", anotherSignIn],
      ...["indexedDB", "sessionStorage", undefined].map((storeName) => [
        `another sign-in in ${storeName ?? "an unnamed store"}`,
        (ours: Stored) => ({ ...anotherSignIn(ours), storeName }),
      ]),
      [
        "later tokens",
        (ours) => ({ id: ours.id, record: { ...ours, version: 9, tokenResponse: OTHER } }),
      ],
      [
        "later tokens for another user",
        (ours) => ({
          id: ours.id,
          record: { ...ours, version: 9, tokenResponse: OTHER, userId: "@eve:example" },
        }),
      ],
    ] as readonly (readonly [string, (ours: Stored) => { record?: object }])[]) {
      it(`is not changed by ${what} that the store does not confirm`, async () => {
        const session = keep(newSession(issuer, {}, { store: "localStorage" }));
        const events = recordEvents(session);
        const { record, ...rest } = message(stored());
        const common = { kept: true, storeName: "localStorage" };
        await say({ ...common, ...rest, ...(record && { record: JSON.stringify(record) }) });

        expect(events).to.deep.equal([]);
        expect(session.state).to.equal("signed-in");
        expect(await session.accessToken()).to.equal("secret-access-0");
        expect(issuer.server.log).to.deep.equal([]);
      });
    }

    it("doesn't accept another homeserver, client, or endpoint from a sender that cannot write to the store", async () => {
      const session = keep(newSession(issuer, {}, { store: "localStorage" }));
      const ours = stored();
      const record = JSON.stringify({
        ...ours,
        version: 9,
        homeserverUrl: "https://evil.example",
        metadata: {
          token_endpoint: "https://evil.example/token",
          revocation_endpoint: "https://evil.example/revoke",
        },
      });
      await say({ id: ours.id, record, kept: false, storeName: "localStorage" });

      expect(session.homeserverUrl).to.equal("https://matrix.example");
      expect(await session.refresh()).to.equal("secret-access-1");
      expect(issuer.server.log).to.deep.equal([TOKEN]);
    });

    it("starts nothing in a SessionWatcher that the store does not confirm", async () => {
      const watcher = keep(new SessionWatcher({ store: "localStorage" }));
      const started: unknown[] = [];
      watcher.addEventListener("session-started", ({ detail }) => started.push(detail));
      const other = keep(newSession(issuer, {}, { store: "localStorage", key: "elsewhere" }));
      await other.stored;
      const record = localStorage.getItem("elsewhere");
      await say({ id: "any", record, kept: true, storeName: "localStorage" });

      expect(started).to.deep.equal([]);
    });

    it("control: follows the end, the tokens, and the sign-in that the store confirms", async () => {
      const first = keep(newSession(issuer, {}, { store: "localStorage" }));
      const second = keep((await OidcSession.restore({ store: "localStorage" })) as OidcSession);
      const events = recordEvents(second);
      await first.refresh();
      await until(() => events.length === 1);
      expect(await second.accessToken()).to.equal("secret-access-1");
      await first.signOut();
      await until(() => events.length === 2);
      expect(second.state).to.equal("signed-out");
    });
  });

  describe("and items of other code", () => {
    const FOREIGN = [
      "another library's",
      '{"version":1}',
      JSON.stringify({ kind: "passkey", id: "x", version: 1, deviceId: "D" }),
    ];
    const places: Record<string, () => SessionStore | "localStorage" | "indexedDB"> = {
      localStorage: () => "localStorage",
      indexedDB: () => "indexedDB",
      "a custom store with promises": promising,
      "a custom store without": () => localStorage,
    };
    for (const [what, place] of Object.entries(places)) {
      for (const foreign of FOREIGN) {
        it(`neither replaces nor removes ${foreign} in ${what}`, async () => {
          const store = place();
          const put = async (text: string): Promise<void> => {
            if (typeof store === "object") return void (await store.setItem("app", text));
            if (store === "localStorage") return localStorage.setItem("app", text);
            await keep(newSession(issuer, {}, { store, key: "first" })).stored;
            const database = await openDatabase();
            const transaction = database.transaction("sessions", "readwrite");
            transaction.objectStore("sessions").put(text, "app");
            await new Promise((resolve) => (transaction.oncomplete = resolve));
            database.close();
          };
          const get = async (): Promise<unknown> => {
            if (typeof store === "object") return store.getItem("app");
            if (store === "localStorage") return localStorage.getItem("app");
            const database = await openDatabase();
            const request = database.transaction("sessions").objectStore("sessions").get("app");
            await new Promise((resolve) => (request.onsuccess = resolve));
            database.close();
            return request.result;
          };
          await put(foreign);
          const session = keep(newSession(issuer, ending(), { store, key: "app" }));
          await expectFlowError(session.stored, OidcError.StorageUnavailable, "store_key_taken");
          // It works in its page.
          expect(await session.accessToken()).to.equal("secret-access-1");
          expect(await session.signOut()).to.be.true;

          expect(await get()).to.equal(foreign);
        });
      }
    }
  });

  describe("and a later record", () => {
    it("is not removed by a tab whose refresh is rejected after another tab's refresh", async () => {
      const session = keep(newSession(issuer, {}, { store: "localStorage" }));
      const events = recordEvents(session);
      const token = held(() => Response.json({ error: "invalid_grant" }, { status: 400 }));
      issuer.server.routes[TOKEN] = token.respond;
      const refreshing = session.refresh();
      await token.asked;
      // A tab or process without this lock.
      const { tokenResponse, ...ours } = stored() as Stored & { readonly tokenResponse: object };
      const tokens = { ...tokenResponse, access_token: "later", refresh_token: "later" };
      const later = JSON.stringify({ ...ours, version: 5, tokenResponse: tokens });
      localStorage.setItem(KEY, later);
      token.release();

      expect(await refreshing).to.equal("later");
      expect(localStorage.getItem(KEY)).to.equal(later);
      expect(events.map(({ type }) => type)).to.deep.equal(["session-changed"]);
      expect(issuer.revocations).to.deep.equal([]);
    });

    it("is not overwritten by tokens that arrive late, which are not revoked", async () => {
      const session = keep(newSession(issuer, {}, { store: "localStorage" }));
      const token = issuer.hold();
      const refreshing = session.refresh();
      await token.asked;
      const { tokenResponse, ...ours } = stored() as Stored & { readonly tokenResponse: object };
      const tokens = { ...tokenResponse, access_token: "later", refresh_token: "later" };
      localStorage.setItem(KEY, JSON.stringify({ ...ours, version: 5, tokenResponse: tokens }));
      token.release();

      expect(await refreshing).to.equal("later");
      expect(stored().version).to.equal(5);
      expect(issuer.revocations).to.deep.equal([]);
    });

    it("in IndexedDB is not overwritten by a record that an earlier page left in localStorage", async () => {
      const session = keep(newSession(issuer, {}, { store: "indexedDB" }));
      await session.stored;
      await session.refresh();
      const other = keep(newSession(issuer, { access_token: "other" }, { store: "localStorage" }));
      await other.stored;
      const text = localStorage.getItem(KEY);

      const restored = keep((await restoreSession({ store: "indexedDB" })) as OidcSession);
      expect(await restored.accessToken()).to.equal("secret-access-1");
      expect(await listSessions({ store: "indexedDB" })).to.have.length(1);
      // The earlier page still uses it.
      expect(localStorage.getItem(KEY)).to.equal(text);
      await session.signOut();
      expect(localStorage.getItem(KEY)).to.equal(text);
    });

    it("that an earlier page left in localStorage does not sign in its user after a sign-out", async () => {
      const session = keep(newSession(issuer, {}, { store: "indexedDB" }));
      await session.stored;
      await keep(newSession(issuer, { access_token: "other" }, { store: "localStorage" })).stored;
      await session.signOut();

      expect(await restoreSession({ store: "indexedDB" })).to.equal(undefined);
      expect(await listSessions({ store: "indexedDB" })).to.deep.equal([]);
      // Twin: a later sign-in on the earlier page does.
      await keep(newSession(issuer, { access_token: "third" }, { store: "localStorage" })).stored;
      const restored = keep((await restoreSession({ store: "indexedDB" })) as OidcSession);
      expect(await restored.accessToken()).to.equal("third");
    });

    it("control: a session in localStorage moves if IndexedDB has none, or an earlier version", async () => {
      await keep(newSession(issuer, {}, { store: "localStorage" })).stored;
      const first = stored();
      keep((await restoreSession({ store: "indexedDB" })) as OidcSession);
      expect(localStorage.getItem(KEY)).to.be.null;
      const tokenResponse = { access_token: "later" };
      localStorage.setItem(KEY, JSON.stringify({ ...first, version: 3, tokenResponse }));
      const restored = keep((await restoreSession({ store: "indexedDB" })) as OidcSession);
      expect(await restored.accessToken()).to.equal("later");
      expect(localStorage.getItem(KEY)).to.be.null;
    });
  });

  describe("and what another tab still uses", () => {
    it("is not revoked when a sign-in replaces a copy of its session", async () => {
      const first = keep(newSession(issuer, {}, { store: "sessionStorage" }));
      await first.stored;
      const { id } = JSON.parse(sessionStorage.getItem(KEY) ?? "") as Stored;
      const record = sessionStorage.getItem(KEY);
      first.close();
      // The tab of which this one is a duplicate.
      const tab = keep(new BroadcastChannel(KEY));
      let questions = 0;
      tab.onmessage = ({ data }: MessageEvent<{ id?: string; query?: number } | null>) => {
        if (data?.id !== id || data.query === undefined) return;
        questions += 1;
        tab.postMessage({ id, record, kept: true, storeName: "sessionStorage" });
      };
      const other = new RotatingIssuer();
      const tokens = { access_token: "of-bob", refresh_token: "refresh-of-bob" };
      const source = { ...signIn(tokens), deviceId: "ANOTHER" };
      const options = { store: "sessionStorage", fetch: other.server.fetch, userId: "@bob:x" };
      const clock = new Clock();
      const bob = keep(new OidcSession(source, options as { store: "sessionStorage" }));
      await bob.stored;
      const isAnswered = () => questions > 0 && clock.pending.length === 0;
      await clock.passPausesUntil(until(isAnswered));
      // It comes after what a replacement revokes.
      await bob.signOut();

      expect(other.revocations).to.have.members(["of-bob", "refresh-of-bob"]);
    });

    it("control: is revoked if no other tab has it", async () => {
      const first = keep(newSession(issuer, {}, { store: "sessionStorage" }));
      await first.stored;
      const other = new RotatingIssuer();
      const source = { ...signIn({ access_token: "of-bob" }), deviceId: "ANOTHER" };
      const options = { store: "sessionStorage", fetch: other.server.fetch, userId: "@bob:x" };
      await keep(new OidcSession(source, options as { store: "sessionStorage" })).stored;

      await until(() => other.revocations.length === 2);
      expect(first.state).to.equal("signed-out");
    });
  });

  describe("of a soft logout", () => {
    const BOB = "@bob:example";
    const places: Record<
      string,
      () => SessionStore | "localStorage" | "sessionStorage" | "indexedDB"
    > = {
      sessionStorage: () => "sessionStorage",
      localStorage: () => "localStorage",
      indexedDB: () => "indexedDB",
      "a custom store with promises": listable,
      "a custom store with promises and update()": () => {
        const store = listable();
        const { items } = store;
        return {
          ...store,
          update: async (key, change) => {
            await breathe();
            const next = change(items.get(key));
            if (next === null) items.delete(key);
            else if (next !== undefined) items.set(key, next);
          },
        };
      },
      "a custom store without": () => {
        const items = new Map<string, string>();
        return {
          keys: () => items.keys(),
          getItem: (key) => items.get(key),
          setItem: (key, value) => items.set(key, value),
          removeItem: (key) => items.delete(key),
        };
      },
    };
    for (const [what, place] of Object.entries(places)) {
      describe(`in ${what}`, () => {
        let store: ReturnType<typeof place>;
        const refusing = (): RotatingIssuer => {
          const other = new RotatingIssuer();
          other.server.routes[TOKEN] = () =>
            Response.json({ error: "invalid_grant" }, { status: 400 });
          return other;
        };
        const signInAs = async (userId: string | undefined, deviceId: string, key?: string) => {
          const source = { ...signIn({ access_token: `of-${deviceId}` }), deviceId };
          const { fetch: send } = RotatingIssuer.withoutRevocation().server;
          const options = { store, key, userId, fetch: send };
          const session = keep(new OidcSession(source, options as { store: "localStorage" }));
          await session.stored;
          return session;
        };
        const softLogOut = async (): Promise<void> => {
          const session = keep(newSession(refusing(), {}, { store }));
          await session.stored;
          await session.replaceToken("secret-access-0", true).catch(() => undefined);
          expect(session.state).to.equal("soft-logout");
        };
        const found = async (): Promise<readonly string[]> =>
          (await listSessions({ store }))
            .map(({ userId = "?", deviceId, state }) => `${userId} ${deviceId} ${state}`)
            .sort();
        const isFound = async (...expected: readonly string[]): Promise<void> => {
          for (let tries = 0; tries < 50 && (await found()).length > expected.length; tries++) {
            await breathe();
          }
          expect(await found()).to.deep.equal(expected);
        };
        const ALICES = "@alice:example DEVICE1234 soft-logout";
        beforeEach(async () => {
          store = place();
          await softLogOut();
          expect(await found()).to.deep.equal([ALICES]);
        });

        it("keeps the device while another user is signed in", async () => {
          const bob = await signInAs(BOB, "BOBS");
          expect(await found()).to.deep.equal([ALICES, `${BOB} BOBS signed-in`]);
          await bob.signOut();
          expect(await found()).to.deep.equal([ALICES]);
          expect(await restoreSession({ store })).to.equal(undefined);
        });

        it("is forgotten when its user signs in", async () => {
          await signInAs(BOB, "BOBS");
          await signInAs("@alice:example", "DEVICE1234");
          await isFound("@alice:example DEVICE1234 signed-in");
        });

        it("is forgotten when a sign-in turns out to be by the same user", async () => {
          const alice = await signInAs(undefined, "NEW");
          expect(await found()).to.deep.equal(["? NEW signed-in", ALICES]);
          await (alice as OidcSession & Internal).noteUserId("@alice:example");
          await isFound("@alice:example NEW signed-in");
        });

        it("is removed everywhere by signOut(), even from its second key", async () => {
          const kept = keep((await restoreSession({ store })) as OidcSession);
          const bob = await signInAs(BOB, "BOBS");
          await kept.signOut();
          expect(await found()).to.deep.equal([`${BOB} BOBS signed-in`]);
          expect(bob.state).to.equal("signed-in");
        });

        it("neither replaces nor removes a session with the same key", async () => {
          await signInAs(BOB, "BOBS");
          const [aside] = (await listSessions({ store })).filter(
            ({ state }) => state !== "signed-in",
          );
          // The page signs in the user with the key from the list.
          await signInAs("@alice:example", "DEVICE1234", aside?.key);
          const both = ["@alice:example DEVICE1234 signed-in", `${BOB} BOBS signed-in`];
          expect(await found()).to.deep.equal(both);
          await signInAs("@alice:example", "SECOND");
          await breathe();
          expect(await found()).to.include(both[0]);
        });

        for (const userId of ["@alice:example", undefined]) {
          it(`is restored after ${userId ?? "an unknown user"} has cancelled the sign-in`, async () => {
            const session = await signInAs(userId, "NEW");
            await (session as OidcSession & Internal).undo({ notify: false });
            expect(await found()).to.deep.equal([ALICES]);
            expect((await restoreSession({ store }))?.state).to.equal("soft-logout");
          });

          it(`is restored after ${userId ?? "an unknown user"} has cancelled while the sign-in was stored`, async () => {
            const source = { ...signIn(), deviceId: "NEW" };
            const options = { store, userId } as { store: "localStorage" };
            const session = keep(new OidcSession(source, options));
            await (session as OidcSession & Internal).undo({ notify: false });
            await session.stored;
            await isFound(ALICES);
            expect((await restoreSession({ store }))?.state).to.equal("soft-logout");
          });
        }
      });
    }
  });

  it("is changed by a custom store's update(), if it has one, and otherwise under a lock", async () => {
    const plain = promising();
    const changes: string[] = [];
    const withUpdate: SessionStore = {
      ...plain,
      setItem: () => changes.push("setItem"),
      removeItem: () => changes.push("removeItem"),
      update: async (key, change) => {
        const next = change(plain.items.get(key));
        if (next === null) plain.items.delete(key);
        else if (next !== undefined) plain.items.set(key, next);
      },
    };
    const session = keep(newSession(issuer, {}, { store: withUpdate }));
    await session.stored;
    await session.refresh();
    expect(plain.items.get(KEY)).to.contain("secret-access-1");
    await session.signOut();
    expect(plain.items.has(KEY)).to.be.false;
    expect(changes).to.deep.equal([]);

    // Two sign-ins at the same time: the second replaces the first, which ends.
    const both = [1, 2].map(() => keep(newSession(new RotatingIssuer(), {}, { store: plain })));
    await Promise.all(both.map(({ stored: done }) => done));
    await until(() => both.some(({ state }) => state === "signed-out"));
    expect(both.filter(({ state }) => state === "signed-in")).to.have.length(1);
  });
});

const openDatabase = (): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open("matrix-auth-elements", 1);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error as DOMException);
  });
