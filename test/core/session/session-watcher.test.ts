import { expect } from "@open-wc/testing";
import {
  LegacySession,
  OidcError,
  SessionWatcher,
  type LegacyLoginResult,
  type MatrixSession,
  type OidcSession,
  type SessionOptions,
  type SessionStore,
} from "matrix-auth-elements/core";
import { expectFlowError } from "../../support/rejection.ts";
import { restoreStubs, stub } from "../../support/stub.ts";
import { breathe, until } from "../../support/clock.ts";
import { HOMESERVER, RotatingIssuer, ending, newSession, useEmptyStores } from "./support.ts";

const LOGIN: LegacyLoginResult = {
  homeserverUrl: HOMESERVER,
  userId: "@alice:example",
  deviceId: "DEVICE",
  accessToken: "secret-access",
  refreshToken: undefined,
  expiresAt: undefined,
} as unknown as LegacyLoginResult;

const KEPT: SessionOptions = { store: "localStorage" };

describe("SessionWatcher", () => {
  // In WebKit the test files share their storage, so a watcher would report another file's session.
  const keep = useEmptyStores();
  /** Starts a watcher. Returns its list of reports, to which later reports are added. */
  const watch = (options: Pick<SessionOptions, "store" | "key"> = {}): object[] => {
    const started: object[] = [];
    const watcher = keep(new SessionWatcher(options));
    watcher.addEventListener("session-started", ({ detail }) => started.push(detail));
    return started;
  };
  const signIn = async (options = KEPT, more: Partial<LegacyLoginResult> = {}): Promise<void> => {
    await keep(new LegacySession({ ...LOGIN, ...more }, options)).stored;
  };
  /** Waits as long as a message to another tab takes. */
  const settle = async (): Promise<void> => {
    const channel = new BroadcastChannel("settle");
    const arrived = new Promise((resolve) => (channel.onmessage = resolve));
    const sender = new BroadcastChannel("settle");
    sender.postMessage(1);
    await arrived;
    channel.close();
    sender.close();
    await breathe();
  };

  it("reports a sign-in in another tab, without tokens", async () => {
    const started = watch();
    await signIn();
    await until(() => started.length > 0);
    expect(started).to.deep.equal([
      {
        key: "matrix-auth-elements:session",
        kind: "legacy",
        state: "signed-in",
        userId: "@alice:example",
        deviceId: "DEVICE",
        homeserverUrl: HOMESERVER,
      },
    ]);
  });

  it("reports each sign-in once, including the next one", async () => {
    const started = watch();
    await signIn();
    await until(() => started.length > 0);
    await signIn(KEPT, { userId: "@bob:example" });
    await until(() => started.length > 1);
    await settle();
    expect(started).to.have.length(2);
    expect(started[1]).to.include({ userId: "@bob:example" });
  });

  describe("in a page that returns from the back/forward cache, in which it received no messages", () => {
    /** Another page of the tab changes the store meanwhile. */
    const comeBack = (): boolean =>
      dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
    const KEY = "matrix-auth-elements:session";

    it("ends a session that was signed out", async () => {
      await signIn();
      const watcher = keep(new SessionWatcher(KEPT));
      const session = await watcher.current();
      const ended: object[] = [];
      watcher.addEventListener("session-ended", ({ detail }) => ended.push(detail));
      localStorage.removeItem(KEY);
      comeBack();
      await until(() => ended.length > 0);
      expect(session?.state).to.equal("signed-out");
      expect(await watcher.current()).to.be.undefined;
    });

    it("reports the user who has signed in", async () => {
      await signIn({ ...KEPT, key: "other" }, { userId: "@bob:example" });
      const started = watch();
      await settle();
      localStorage.setItem(KEY, localStorage.getItem("other") ?? "");
      comeBack();
      await until(() => started.length > 0);
      comeBack();
      await settle();
      expect(started).to.have.length(1);
      expect(started[0]).to.include({ userId: "@bob:example" });
    });
  });

  it("reports nothing for new tokens of the session that it found in the store", async () => {
    const issuer = new RotatingIssuer();
    const session: OidcSession = keep(newSession(issuer, ending(), { store: "localStorage" }));
    await session.stored;
    await settle();
    const started = watch();
    await session.refresh();
    await settle();
    expect(started).to.deep.equal([]);
  });

  it("reports nothing for another key or for a store that tabs do not share", async () => {
    const started = watch();
    await signIn({ ...KEPT, key: "other" });
    await signIn({ store: "sessionStorage" });
    await signIn({ store: "memory" });
    await settle();
    expect(started).to.deep.equal([]);
  });

  it("reports nothing for a session that could not be stored", async () => {
    const started = watch();
    stub(Storage.prototype, "setItem", {
      value: () => {
        throw new DOMException("Full", "QuotaExceededError");
      },
    });
    await signIn().catch(() => undefined);
    await settle();
    expect(started).to.deep.equal([]);
  });

  for (const [what, store, change] of [
    ["another tab's session in sessionStorage", "sessionStorage", { id: "another" }],
    ["a session that has ended", "localStorage", { id: "another", state: "soft-logout" }],
    ["a message that is not a session", "localStorage", { id: "" }],
  ] as const) {
    it(`reports nothing for ${what}`, async () => {
      await signIn({ store });
      const started = watch({ store });
      const text = window[store].getItem("matrix-auth-elements:session") ?? "";
      const record = JSON.stringify({ ...(JSON.parse(text) as object), ...change });
      const channel = keep(new BroadcastChannel("matrix-auth-elements:session"));
      channel.postMessage({ record, kept: true, storeName: store });
      await settle();
      expect(started).to.deep.equal([]);
    });
  }

  it("watches a custom store", async () => {
    const items = new Map<string, string>();
    const store: SessionStore = {
      getItem: async (key) => items.get(key),
      setItem: async (key, value) => void items.set(key, value),
      removeItem: async (key) => void items.delete(key),
    };
    const started = watch({ store, key: "work" });
    await signIn({ store, key: "work" });
    await until(() => started.length > 0);
    expect(started[0]).to.include({ key: "work" });
  });

  describe("current()", () => {
    const issuer = new RotatingIssuer();
    const watcherOf = (store: "localStorage" | "sessionStorage" | "indexedDB") =>
      keep(new SessionWatcher({ store, fetch: issuer.server.fetch }));
    const endsOf = (watcher: SessionWatcher): object[] => {
      const ends: object[] = [];
      watcher.addEventListener("session-ended", ({ detail }) => ends.push(detail));
      return ends;
    };
    const givenBy = async (watcher: SessionWatcher): Promise<MatrixSession> => {
      const session = await watcher.current();
      if (!session) throw new Error("The user is not signed in");
      return keep(session);
    };
    const SIGNED_OUT = { softLogout: false, reason: "signed-out" };

    it("returns the same session until it ends, and none while no user is signed in", async () => {
      const watcher = watcherOf("localStorage");
      expect((await watcher.current()) === undefined).to.be.true;
      await signIn();
      const session = await givenBy(watcher);
      expect(session.user.userId).to.equal("@alice:example");
      await settle();
      expect((await watcher.current()) === session).to.be.true;
    });

    for (const store of ["localStorage", "sessionStorage", "indexedDB"] as const) {
      it(`returns the session object of a sign-in on this page in ${store}, until it is closed`, async () => {
        const session = keep(new LegacySession(LOGIN, { store }));
        await session.stored;
        expect((await watcherOf(store).current()) === session).to.be.true;
        session.close();
        expect((await watcherOf(store).current()) === session).to.be.false;
      });

      it(`ends only once if this tab signs out, in ${store}`, async () => {
        const watcher = watcherOf(store);
        const ends = endsOf(watcher);
        await signIn({ store });
        const session = await givenBy(watcher);
        await settle();
        await session.signOut().catch(() => false);
        await until(() => ends.length > 0);
        await settle();
        expect(ends).to.deep.equal([SIGNED_OUT]);
        expect((await watcher.current()) === undefined).to.be.true;
      });
    }

    it("ends when another object of the same session signs out", async () => {
      const watcher = watcherOf("localStorage");
      const ends = endsOf(watcher);
      const other = keep(new LegacySession(LOGIN, { ...KEPT, fetch: issuer.server.fetch }));
      await other.stored;
      await givenBy(watcher);
      await other.signOut();
      await until(() => ends.length > 0);
      expect(ends).to.deep.equal([SIGNED_OUT]);
    });

    it("returns the next user's session, and reports no end, if another user signs in", async () => {
      const watcher = watcherOf("localStorage");
      const ends = endsOf(watcher);
      await signIn();
      const first = await givenBy(watcher);
      await settle();
      const started = new Promise((resolve) =>
        watcher.addEventListener("session-started", resolve),
      );
      await signIn(KEPT, { userId: "@bob:example" });
      await started;
      expect((await givenBy(watcher)).user.userId).to.equal("@bob:example");
      await until(() => first.state === "signed-out");
      await settle();
      expect(ends).to.deep.equal([]);
    });

    it("rejects if the browser blocks the store, and reads it again at the next call", async () => {
      const watcher = watcherOf("localStorage");
      const session = new LegacySession(LOGIN, KEPT);
      await session.stored;
      session.close();
      stub(Storage.prototype, "getItem", {
        value: () => {
          throw new DOMException("", "SecurityError");
        },
      });
      await expectFlowError(watcher.current(), OidcError.StorageUnavailable, "storage_unavailable");
      restoreStubs();
      expect((await givenBy(watcher)).state).to.equal("signed-in");
    });
  });

  it("reports nothing after it is closed", async () => {
    await signIn();
    const watcher = new SessionWatcher({});
    const events: Event[] = [];
    for (const type of ["session-started", "session-ended"] as const) {
      watcher.addEventListener(type, (event: Event) => events.push(event));
    }
    const held = await watcher.current();
    watcher.close();
    await keep(held as MatrixSession).signOut();
    await signIn();
    await settle();
    expect(events).to.deep.equal([]);
  });

  it("reports nothing from a lookup that was running when it was closed", async () => {
    let find!: (nothing: undefined) => void;
    const found = new Promise<undefined>((resolve) => (find = resolve));
    const store = { getItem: () => found, setItem: () => undefined, removeItem: () => undefined };
    const started: Event[] = [];
    const watcher = new SessionWatcher({ store });
    watcher.addEventListener("session-started", (event) => started.push(event));
    await signIn({ store: { ...store, getItem: () => undefined } });
    await settle();
    watcher.close();
    find(undefined);
    await settle();
    expect(started).to.deep.equal([]);
  });
});
