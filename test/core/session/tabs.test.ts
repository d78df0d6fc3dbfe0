import { expect } from "@open-wc/testing";
import {
  hasSession,
  OidcError,
  OidcSession,
  type OidcSessionOptions,
  type SessionStore,
} from "matrix-auth-elements/core";
// It is internal: in this test, the code for refreshes is loaded late.
// eslint-disable-next-line @typescript-eslint/no-restricted-imports
import { tokenRefresh } from "../../../dist/core/session/end-tokens.js";
import { expectFlowError, rejectionOf } from "../../support/rejection.ts";
import { held, inSequence, networkFailure } from "../../support/scripted-fetch.ts";
import { restoreStubs, stub } from "../../support/stub.ts";
import { Clock, breathe, idle, until } from "../../support/clock.ts";
import {
  LIFE_S,
  RotatingIssuer,
  TOKEN,
  USER_ID,
  WHOAMI,
  ending,
  json,
  recordEvents,
  newSession,
  restoredSession,
  signIn,
  useEmptyStores,
} from "./support.ts";

const KEY = "matrix-auth-elements:session";

/** Makes the storage full until `restoreStubs()`. */
const becomeFull = (): void =>
  stub(Storage.prototype, "setItem", {
    value: () => {
      throw new DOMException("Full", "QuotaExceededError");
    },
  });
const CHANGED = { type: "session-changed" };
const REFUSED = { type: "session-ended", softLogout: false, reason: "refused" };
const BOB = "@bob:example";
const REPLACED = { type: "session-ended", softLogout: false, reason: "replaced" };
const ENDED = { type: "session-ended", softLogout: false, reason: "signed-out" };

/** A store that two tabs share: each sees the other's records immediately. */
function sharedStore(): SessionStore & { readonly items: Map<string, string> } {
  const items = new Map<string, string>();
  return {
    items,
    getItem: async (key) => items.get(key),
    setItem: async (key, value) => void items.set(key, value),
    removeItem: async (key) => void items.delete(key),
  };
}

/**
 * What two tabs see of one store, which shows each the other's changes late, as on a busy machine, and whether
 * changes are on their way.
 */
function lateViews(ms: number): readonly [SessionStore, SessionStore, () => boolean] {
  let late = 0;
  const views = [new Map<string, string>(), new Map<string, string>()] as const;
  const change = (own: number, use: (items: Map<string, string>) => unknown): void => {
    use(views[own] as Map<string, string>);
    late += 1;
    const show = (): void => {
      use(views[1 - own] as Map<string, string>);
      late -= 1;
    };
    setTimeout(show, ms);
  };
  const storeOf = (own: 0 | 1): SessionStore => ({
    getItem: async (key) => views[own].get(key),
    setItem: async (key, value) => change(own, (items) => items.set(key, value)),
    removeItem: async (key) => change(own, (items) => items.delete(key)),
  });
  return [storeOf(0), storeOf(1), () => late > 0];
}

/** A copy of `sessionStorage`, as a duplicated tab has it. */
const copyOf = (storage: Storage): Storage => {
  const items = new Map(Object.entries(storage).map(([key, value]) => [key, String(value)]));
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  } as Storage;
};

/** Holds the tabs' lock, like a suspended tab. Resolves to the function that releases it. */
const holdLock = (): Promise<() => void> =>
  new Promise((hasLock) => {
    const hold = (): Promise<void> => new Promise((resolve) => hasLock(resolve));
    void navigator.locks.request(KEY, hold);
  });

const withoutLocks = (): void => stub(navigator, "locks", { value: undefined });

const withoutDatabases = (): void =>
  stub(IDBDatabase.prototype, "transaction", {
    value: () => {
      throw new DOMException("Denied.", "SecurityError");
    },
  });

/** Makes the database complete each transaction late. */
function withSlowDatabase(ms: number): void {
  const { transaction } = IDBDatabase.prototype;
  stub(IDBDatabase.prototype, "transaction", {
    value(this: IDBDatabase, ...args: Parameters<typeof transaction>) {
      const slow = transaction.apply(this, args);
      const set = (done: () => void) =>
        slow.addEventListener("complete", () => setTimeout(done, ms));
      return Object.defineProperty(slow, "oncomplete", { set });
    },
  });
}

/** Makes the browser reject requests for locks, as it can for a single site. */
const withLocksRefused = (): void =>
  stub(navigator, "locks", {
    value: { request: () => Promise.reject(new DOMException("Denied.", "SecurityError")) },
  });

/**
 * Prerenders the page: it gets no locks before the user opens it. Returns the function that does.
 *
 * @see https://wicg.github.io/nav-speculation/prerendering.html#web-locks-patch
 */
function prerender(): () => void {
  const { locks } = navigator;
  const activated = new Promise((resolve) =>
    document.addEventListener("prerenderingchange", resolve, { once: true }),
  );
  stub(document, "prerendering", { value: true });
  const request = (...args: Parameters<LockManager["request"]>): Promise<unknown> =>
    activated.then(() => locks.request(...args));
  stub(navigator, "locks", { value: { request } });
  return () => {
    stub(document, "prerendering", { value: false });
    document.dispatchEvent(new Event("prerenderingchange"));
  };
}

/** The lease of tabs without locks, which they keep in IndexedDB. */
const LEASE = `${KEY}:lease`;
async function inDatabase(use: (sessions: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const opening = indexedDB.open("matrix-auth-elements", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore("sessions");
  await new Promise((resolve) => (opening.onsuccess = resolve));
  const database = opening.result;
  const request = use(database.transaction("sessions", "readwrite").objectStore("sessions"));
  await new Promise((resolve) => (request.onsuccess = resolve));
  database.close();
  return request.result;
}
const getLease = (): Promise<unknown> => inDatabase((sessions) => sessions.get(LEASE));
const setLease = (entry: string, key = LEASE): Promise<unknown> =>
  inDatabase((sessions) => sessions.put(entry, key));
const removeLease = (): Promise<unknown> => inDatabase((sessions) => sessions.delete(LEASE));

interface StoredRecord {
  readonly id: string;
}

/** Sends messages, and waits until so many responses have come; fails if there is one more. */
async function expectResponses(
  channel: BroadcastChannel,
  count: number,
  ...messages: readonly unknown[]
): Promise<void> {
  let responses = 0;
  channel.addEventListener("message", () => (responses += 1));
  for (const message of messages) channel.postMessage(message);
  await until(() => responses >= count);
  // Another response would arrive in the meantime.
  await breathe();
  expect(responses).to.equal(count);
}

describe("Two tabs of one session", () => {
  let issuer: RotatingIssuer;
  const keep = useEmptyStores();
  /** Another tab. */
  const restore = async (options?: OidcSessionOptions): Promise<OidcSession> =>
    keep(await restoredSession(issuer, options));
  /** A user signs in in one tab, and opens another. */
  const openTabs = async (
    store: SessionStore | "localStorage" = "localStorage",
    tokens = ending(),
  ): Promise<[OidcSession, OidcSession]> => {
    const first = keep(newSession(issuer, tokens, { store }));
    await first.stored;
    return [first, await restore({ store })];
  };

  /** Another user signs in in a third tab. */
  const signInBob = (
    own: RotatingIssuer,
    store: SessionStore | "localStorage" | "sessionStorage",
  ) => keep(newSession(own, { access_token: "secret-access-of-bob" }, { store, userId: BOB }));

  beforeEach(() => {
    issuer = new RotatingIssuer();
  });

  for (const [how, prepare] of [
    ["by Web Locks", () => undefined],
    ["with a lease in the store, without locks", withoutLocks],
    ["with a lease in the store, if the browser blocks locks", withLocksRefused],
  ] as const) {
    describe(how, () => {
      beforeEach(prepare);

      it("send each refresh token once, and get the same new tokens", async () => {
        const [first, second] = await openTabs();

        const tokens = await Promise.all([first.accessToken(), second.accessToken()]);

        expect(tokens).to.deep.equal(["secret-access-1", "secret-access-1"]);
        expect(issuer.received).to.deep.equal(["secret-refresh-0"]);
        // No lease stays there.
        expect(Object.keys(localStorage)).to.deep.equal([KEY]);
      });

      it("send each refresh token once if both call refresh(), even with a slow store", async () => {
        const items = new Map<string, string>();
        const [first, second] = await openTabs({
          getItem: async (key) => (await breathe(), items.get(key)),
          setItem: async (key, value) => (await breathe(), items.set(key, value)),
          removeItem: async (key) => (await breathe(), items.delete(key)),
        });

        await Promise.all([first.refresh(), second.refresh()]);

        expect(issuer.received).to.deep.equal(["secret-refresh-0"]);
        await Promise.all([first.refresh(), second.refresh()]);
        expect(issuer.received).to.deep.equal(["secret-refresh-0", "secret-refresh-1"]);
      });

      it("refresh one after the other if the first refresh fails", async () => {
        issuer.server.routes[TOKEN] = inSequence(networkFailure, issuer.refresh);
        const [first, second] = await openTabs("localStorage", ending(20));

        const tokens = await Promise.all([first.accessToken(), second.accessToken()]);

        expect(tokens).to.include("secret-access-1");
        expect(issuer.received).to.deep.equal(["secret-refresh-0", "secret-refresh-0"]);
      });

      it("both end after one request if the issuer rejects the refresh token", async () => {
        issuer.server.routes[TOKEN] = json({ error: "invalid_grant" }, 400);
        const [first, second] = await openTabs();
        const events = [recordEvents(first), recordEvents(second)];

        const calls = [first, second].map((each) => rejectionOf(each.accessToken()));
        for (const call of calls) expect(await call).to.include({ code: "session_ended" });
        await until(() => events.every(({ length }) => length > 0));
        expect(events).to.deep.equal([[REFUSED], [REFUSED]]);
        expect(issuer.server.log).to.have.length(1);
        expect(localStorage).to.have.length(0);
      });

      it("let a caller abort while it waits for the other tab", async () => {
        const clock = new Clock();
        const token = issuer.hold();
        const [first, second] = await openTabs();
        const got = first.accessToken();
        await clock.passPausesUntil(token.asked);
        const controller = new AbortController();
        const leaving = rejectionOf(second.accessToken({ signal: controller.signal }));
        await breathe();
        controller.abort();

        expect(await leaving).to.include({ code: "aborted" });
        await clock.pass(300);
        expect(issuer.received).to.deep.equal(["secret-refresh-0"]);
        token.release();
        expect(await clock.passPausesUntil(got)).to.equal("secret-access-1");
      });
    });
  }

  for (const [how, request] of [
    ["accessToken()", (session: OidcSession) => session.accessToken()],
    ["refresh()", (session: OidcSession) => session.refresh()],
  ] as const) {
    it(`send each refresh token once if one refreshes while the other's ${how} is loading the code`, async () => {
      const [first, second] = await openTabs();
      const events = recordEvents(second);
      const load = tokenRefresh.load.bind(tokenRefresh);
      const changed = until(() => events.length > 0);
      stub(tokenRefresh, "load", { value: () => changed.then(() => load()) });
      const token = request(second);
      restoreStubs();
      await first.accessToken();

      expect(await token).to.equal("secret-access-1");
      expect(issuer.received).to.deep.equal(["secret-refresh-0"]);
    });
  }

  it("reject with timeout, without a request, while another tab holds the lock", async () => {
    const clock = new Clock();
    const [first] = await openTabs();
    const release = await holdLock();

    const error = await clock.passUntil(rejectionOf(first.accessToken()));
    expect(error).to.include({ code: "timeout", retryable: true });
    expect(issuer.server.log).to.be.empty;
    // Signing out needs no lock.
    expect(await first.signOut()).to.be.true;
    release();
  });

  describe("of which one is prerendered", () => {
    it("refresh when the user opens it, even much later", async () => {
      const clock = new Clock();
      const [first] = await openTabs();
      const activate = prerender();
      const token = first.accessToken();
      await clock.pass(60_000);
      expect(issuer.received).to.be.empty;

      activate();
      expect(await clock.passUntil(token)).to.equal("secret-access-1");
      expect(issuer.received).to.deep.equal(["secret-refresh-0"]);
    });

    it("twin: refresh in a page with an injected element of the name prerendering", async () => {
      const [first] = await openTabs();
      const image = Object.assign(new Image(), { name: "prerendering" });
      document.body.append(image);
      stub(Document.prototype, "prerendering", { value: image });

      expect(await first.accessToken()).to.equal("secret-access-1");
      image.remove();
    });

    it("let a caller abort before the user opens it", async () => {
      const [first] = await openTabs();
      const activate = prerender();
      const controller = new AbortController();
      const leaving = rejectionOf(first.accessToken({ signal: controller.signal }));
      await idle();
      controller.abort();

      expect(await leaving).to.include({ code: "aborted" });
      activate();
      await idle();
      expect(issuer.received).to.be.empty;
    });

    it("end when the user opens it, if the user has signed out in the meantime", async () => {
      const [first] = await openTabs();
      const activate = prerender();
      const events = recordEvents(first);
      localStorage.clear();

      activate();
      await until(() => events.length > 0);
      expect(events).to.deep.equal([ENDED]);
    });
  });

  it("report that the homeserver rejects a new token, even while another tab holds the lock", async () => {
    const clock = new Clock();
    const [first] = await openTabs();
    const refused = await clock.passUntil(first.accessToken());
    const token = await clock.passUntil(first.replaceToken(refused, false));
    const release = await holdLock();
    const events = recordEvents(first);

    expect(await clock.passUntil(first.replaceToken(String(token), false))).to.be.undefined;
    expect(events).to.have.length(1);
    expect(events[0]).to.include({ type: "session-refresh-failed", code: "token_refused" });
    release();
  });

  it("use another tab's refreshed token if their own is rejected soon after it was issued", async () => {
    const [first, second] = await openTabs();
    const refused = await first.refresh();
    await until(() => second.expiresAt === first.expiresAt);
    // The first tab gets no message, as if it were late.
    first.close();
    await second.refresh();
    const events = recordEvents(first);

    expect(await first.replaceToken(refused, false)).to.equal("secret-access-2");
    expect(events).to.deep.equal([{ type: "session-changed" }]);
    expect(await second.accessToken()).to.equal("secret-access-2");
    expect(issuer.generation).to.equal(2);
  });

  it("keep a newer sign-in in the store when a refresh of the older one finishes later", async () => {
    const store = sharedStore();
    const token = issuer.hold();
    const [first] = await openTabs(store);
    const events = recordEvents(first);
    // The first tab gets no messages, as if they were late.
    first.close();
    const refreshing = rejectionOf(first.refresh());
    await token.asked;
    const other = new RotatingIssuer();
    await signInBob(other, store).stored;
    token.release();

    expect(await refreshing).to.include({ code: "session_ended" });
    expect(events).to.deep.equal([REPLACED]);
    expect(store.items.get(KEY)).to.contain("secret-access-of-bob");
    // The late tokens and the replaced tokens are revoked.
    await until(() => issuer.revocations.includes("secret-refresh-1"));
    expect(other.revocations).to.include("secret-refresh-0");
  });

  it("do not revoke the tokens of a late refresh if the same device has signed in again", async () => {
    const store = sharedStore();
    const token = issuer.hold();
    const [first] = await openTabs(store);
    const refreshing = rejectionOf(first.refresh());
    await token.asked;
    const again = keep(newSession(new RotatingIssuer(), ending(300), { store, userId: USER_ID }));
    await again.stored;
    token.release();

    expect(await refreshing).to.include({ code: "session_ended" });
    await breathe();
    expect(issuer.revocations).to.deep.equal([]);
  });

  it("restore a newer sign-in that a stale tab has overwritten", async () => {
    const store = sharedStore();
    const [first] = await openTabs(store);
    const old = store.items.get(KEY) as string;
    first.close();
    const clock = new Clock();
    // The device's clock does not matter.
    clock.jump(-86_400_000);
    const bob = keep(newSession(RotatingIssuer.withoutRevocation(), ending(300), { store }));
    await bob.stored;
    store.items.set(KEY, old);

    expect(await clock.passUntil(bob.refresh())).to.equal("secret-access-1");
    expect(store.items.get(KEY)).to.contain("secret-access-1");
  });

  it("are both notified that the session ended with a soft logout", async () => {
    const [first, second] = await openTabs("localStorage", ending(300));
    const events = [recordEvents(first), recordEvents(second)];
    issuer.server.routes[TOKEN] = json({ error: "invalid_grant" }, 400);

    expect(await first.replaceToken("secret-access-0", true)).to.be.undefined;
    await until(() => events[1]?.length);

    const softly = { ...REFUSED, softLogout: true };
    expect(events).to.deep.equal([[softly], [softly]]);
    expect([first.state, second.state]).to.deep.equal(["soft-logout", "soft-logout"]);
  });

  it("are notified of another tab's soft logout once the store shows it", async () => {
    const [first] = await openTabs("localStorage", ending(300));
    const events = recordEvents(first);
    const stored = JSON.parse(localStorage.getItem(KEY) ?? "") as { id: string; version: number };
    const { id, version } = stored;
    const record = JSON.stringify({ ...stored, version: version + 1, state: "soft-logout" });
    const channel = new BroadcastChannel(KEY);
    channel.postMessage({ id, record, kept: true, storeName: "localStorage" });
    await expectResponses(channel, 2, { id, query: -1 });
    channel.close();
    expect(events).to.deep.equal([]);
    localStorage.setItem(KEY, record);
    await until(() => events.length);

    expect(events).to.deep.equal([{ ...REFUSED, softLogout: true }]);
    await expectFlowError(first.accessToken(), OidcError.SessionEnded, "session_ended");
  });

  it("remove the tokens immediately when the user signs out during a refresh, and revoke the new ones", async () => {
    issuer = RotatingIssuer.withoutRevocation();
    const token = issuer.hold();
    const [first, second] = await openTabs();
    const refreshing = rejectionOf(first.accessToken());
    await token.asked;

    // Neither waits for the tab that holds the lock.
    expect(await second.signOut()).to.be.true;
    await until(() => first.state === "signed-out");
    expect(localStorage).to.have.length(0);
    token.release();
    expect(await refreshing).to.include({ code: "session_ended" });
    await until(() => issuer.revocations.includes("secret-refresh-1"));
    expect(localStorage).to.have.length(0);
  });

  it("end when another user signs in in a third tab, which stays signed in", async () => {
    const [first, second] = await openTabs("localStorage", ending(300));
    const events = [recordEvents(first), recordEvents(second)];
    const other = new RotatingIssuer();
    const third = signInBob(other, "localStorage");
    await until(() => events.every(({ length }) => length > 0));

    expect(events).to.deep.equal([[REPLACED], [REPLACED]]);
    // No tab has the older tokens, so they are revoked.
    await until(() => other.revocations.length === 2);
    for (const each of [third, await restore()]) {
      expect(await each.accessToken()).to.equal("secret-access-of-bob");
    }
  });

  for (const [what, userId] of [
    ["is known", USER_ID],
    ["is still unknown", undefined],
  ] as const) {
    it(`end without revoking their tokens if the same device signs in again, and its user ${what}`, async () => {
      const [first, second] = await openTabs("localStorage", ending(300));
      const events = [recordEvents(first), recordEvents(second)];
      const again = new RotatingIssuer();
      again.server.routes["GET https://matrix.example/_matrix/client/v3/account/whoami"] = json({});
      const tokens = { access_token: "secret-more-scopes" };
      keep(newSession(again, tokens, { store: "localStorage", userId }));
      await until(() => events.every(({ length }) => length > 0));
      await breathe();
      expect(events).to.deep.equal([[REPLACED], [REPLACED]]);
      expect([...issuer.revocations, ...again.revocations]).to.deep.equal([]);
    });
  }

  for (const [what, store] of [
    ["IndexedDB", "indexedDB"],
    ["a custom store", sharedStore()],
  ] as const) {
    it(`keep a sign-in that is being stored while another tab signs out, in ${what}`, async () => {
      const key = crypto.randomUUID();
      const first = keep(newSession(issuer, {}, { store, key }));
      await first.stored;
      const bob = { store, key, userId: BOB } as const;
      const second = keep(newSession(RotatingIssuer.withoutRevocation(), {}, bob));
      const events = recordEvents(second);
      await first.signOut();
      await second.stored;
      await idle();

      expect(second.state).to.equal("signed-in");
      expect((await restore({ store, key })).user.userId).to.equal(BOB);
      expect(events).to.be.empty;
    });
  }

  it("are not notified of the end of a session under another key", async () => {
    const [first] = await openTabs("localStorage", ending(300));
    const events = recordEvents(first);
    const other = keep(
      newSession(issuer, ending(300), { store: "localStorage", key: "second account" }),
    );
    await other.signOut();
    await breathe();

    expect(events).to.be.empty;
    expect(Object.keys(localStorage)).to.deep.equal([KEY]);
  });

  it("do not notify a closed session, which learns of new tokens or the end when it refreshes", async () => {
    const [first, second] = await openTabs();
    const events = recordEvents(second);
    second.close();
    await first.accessToken();
    await breathe();

    expect(events).to.be.empty;
    expect(await second.accessToken()).to.equal("secret-access-1");
    expect(issuer.received).to.deep.equal(["secret-refresh-0"]);
    await first.signOut();
    await expectFlowError(second.refresh(), OidcError.SessionEnded, "session_ended");
    expect(events).to.deep.equal([CHANGED, ENDED]);
  });

  it("send each refresh token once, even if the store returns the other tab's record late", async () => {
    const store = sharedStore();
    const [first] = await openTabs(store);
    const old = store.items.get(KEY);
    let lateReads = 0;
    const getItem = async (key: string) => {
      const item = store.items.get(key);
      return item === old || lateReads++ < 3 ? old : item;
    };
    const late = await restore({ store: { ...store, getItem } });
    // Neither tab has a message from the other yet, because both calls are in one task.
    const [one, other] = await Promise.all([first.accessToken(), late.accessToken()]);

    expect([one, other]).to.deep.equal(["secret-access-1", "secret-access-1"]);
    expect(issuer.received).to.deep.equal(["secret-refresh-0"]);
  });

  /** Two tabs with a store that is late. */
  const openLateTabs = async (ms: number): Promise<[OidcSession, OidcSession]> => {
    const [store, other, isLate] = lateViews(ms);
    const first = keep(newSession(issuer, ending(), { store }));
    await first.stored;
    await until(() => !isLate());
    return [first, await restore({ store: other })];
  };

  for (const [how, prepare] of [
    ["by Web Locks", () => undefined],
    ["without locks", withoutLocks],
  ] as const) {
    for (const ms of [300, 1500]) {
      it(`send each refresh token once ${how}, although the store is ${ms} ms late`, async () => {
        prepare();
        const tabs = await openLateTabs(ms);
        const events = tabs.map(recordEvents);

        const tokens = await Promise.all(tabs.map((tab) => tab.accessToken()));

        expect(tokens).to.deep.equal(["secret-access-1", "secret-access-1"]);
        expect(issuer.received).to.deep.equal(["secret-refresh-0"]);
        expect(events).to.deep.equal([[CHANGED], [CHANGED]]);
      });
    }
  }

  for (const ms of [0, 1500]) {
    it(`stay signed in if the provider rejects a token that a tab has just replaced, and the store shows the new one after ${ms} ms`, async () => {
      const [first, second] = await openLateTabs(ms);
      const events = [recordEvents(first), recordEvents(second)];
      const rejection = held(() => Response.json({ error: "invalid_grant" }, { status: 400 }));
      issuer.server.routes[TOKEN] = rejection.respond;
      const late = second.accessToken();
      await rejection.asked;
      issuer.server.routes[TOKEN] = issuer.refresh;
      // The first tab doesn't share the lock, for example because the browser has broken it.
      stub(navigator, "locks", { value: undefined });
      const token = await first.accessToken();
      rejection.release();

      expect(await late).to.equal(token);
      expect(events).to.deep.equal([[CHANGED], [CHANGED]]);
      expect(issuer.received).to.deep.equal(["secret-refresh-0", "secret-refresh-0"]);
      expect(await first.refresh()).to.equal("secret-access-2");
    });
  }

  it("write to the store only in the tab that refreshed, because the store might have a newer record", async () => {
    const store = sharedStore();
    const written: string[] = [];
    const [first] = await openTabs(store);
    const setItem = async (_: string, value: string) => void written.push(value);
    const second = await restore({ store: { ...store, setItem } });
    await first.refresh();
    await until(() => second.expiresAt === first.expiresAt);

    expect(await second.accessToken()).to.equal("secret-access-1");
    expect(written).to.be.empty;
  });

  it("report an end only when the store shows it, which might be later than the message", async () => {
    const [first, second] = await openTabs();
    const record = localStorage.getItem(KEY);
    const found = new Promise((resolve) => {
      second.addEventListener("session-ended", () =>
        resolve(hasSession({ store: "localStorage" })),
      );
    });
    const { getItem } = Storage.prototype;
    let lateReads = 2;
    stub(Storage.prototype, "getItem", {
      value(this: Storage, key: string) {
        return getItem.call(this, key) ?? (key === KEY && lateReads-- > 0 ? record : null);
      },
    });
    void first.signOut();

    expect(await found).to.be.false;
  });

  it("both stay signed in if one could not store the new tokens", async () => {
    const [first, second] = await openTabs();
    const events = [recordEvents(first), recordEvents(second)];
    becomeFull();
    await first.accessToken();
    await until(() => events[1]?.length);
    restoreStubs();
    expect(localStorage.getItem(KEY)).to.be.null;

    expect(await second.refresh()).to.equal("secret-access-2");
    await until(() => events[0]?.length === 2);
    expect(events).to.deep.equal([
      [CHANGED, CHANGED],
      [CHANGED, CHANGED],
    ]);
    // The second tab has stored its tokens, so now a missing record ends the session.
    localStorage.clear();
    await expectFlowError(first.refresh(), OidcError.SessionEnded, "session_ended");
    await expectFlowError(second.refresh(), OidcError.SessionEnded, "session_ended");
  });

  it("both stay signed in if the storage is full and both refresh at the same time", async () => {
    const [first, second] = await openTabs();
    const events = [recordEvents(first), recordEvents(second)];
    becomeFull();
    const { postMessage } = BroadcastChannel.prototype;
    const late: Promise<void>[] = [];
    // A message may take longer than it takes to get a lock.
    stub(BroadcastChannel.prototype, "postMessage", {
      value(this: BroadcastChannel, message: unknown) {
        late.push(idle().then(() => postMessage.call(this, message)));
      },
    });

    expect(await Promise.all([first.accessToken(), second.accessToken()])).to.deep.equal([
      "secret-access-1",
      "secret-access-1",
    ]);
    expect(issuer.received).to.deep.equal(["secret-refresh-0"]);
    expect(events).to.deep.equal([[CHANGED], [CHANGED]]);
    // The channels are closed before the last messages, so those are lost.
    restoreStubs();
    first.close();
    second.close();
    await Promise.allSettled(late);
  });

  it("refresh with the other tab's refresh token if its access token has expired too", async () => {
    const clock = new Clock();
    const [first, second] = await openTabs();
    second.close();
    await clock.passUntil(first.refresh());
    clock.jump(LIFE_S * 1000);

    expect(await clock.passUntil(second.accessToken())).to.equal("secret-access-2");
    expect(issuer.received).to.deep.equal(["secret-refresh-0", "secret-refresh-1"]);
  });

  const countQueries = () => {
    const channel = new BroadcastChannel(KEY);
    let queries = 0;
    channel.onmessage = ({ data }: MessageEvent<{ query?: number } | null>) => {
      queries += Number(data?.query !== undefined);
    };
    return { channel, queries: () => queries };
  };

  it("query each other only before a request", async () => {
    const { channel, queries } = countQueries();
    const [first, second] = await openTabs();
    await Promise.all([first.accessToken(), second.accessToken()]);
    await idle();
    channel.close();

    expect(queries()).to.equal(1);
  });

  it("query each other once if the store was emptied, even if another sign-in responds", async () => {
    const first = keep(newSession(issuer, {}, { store: "localStorage" }));
    await first.stored;
    const other = keep(newSession(issuer, { access_token: "b" }, { store: "sessionStorage" }));
    await other.stored;
    const { channel, queries } = countQueries();
    localStorage.clear();
    channel.postMessage({ id: "another" });

    await until(() => first.state === "signed-out");
    channel.close();
    expect(queries()).to.equal(1);
    expect(other.state).to.equal("signed-in");
  });

  it("store a record that its sender could not store, unless the store has a newer one", async () => {
    const [first] = await openTabs();
    const stored = (): { readonly id: string; readonly version: number } =>
      JSON.parse(localStorage.getItem(KEY) ?? "{}") as { id: string; version: number };
    const before = stored();
    const channel = new BroadcastChannel(KEY);
    /** The message of a worker that is older than the page and cannot write. */
    const send = (version: number): void => {
      const record = JSON.stringify({ ...before, version });
      channel.postMessage({ id: before.id, record, kept: false, storeName: "localStorage" });
    };

    send(before.version + 1);
    await until(() => stored().version === before.version + 1);

    // Another tab writes while the message is on its way.
    localStorage.setItem(KEY, JSON.stringify({ ...before, version: before.version + 3 }));
    send(before.version + 2);
    await first.refresh();
    channel.close();
    expect(stored().version).to.be.greaterThan(before.version + 3);
  });

  it("leave no tokens in the store after the end, even if a write had already started", async () => {
    const store = sharedStore();
    const [first, second] = await openTabs(store);
    const write = store.setItem;
    let signedOut: Promise<boolean> | undefined;
    store.setItem = async (key, value) => {
      signedOut ??= second.signOut();
      await until(() => first.state === "signed-out");
      await write(key, value);
    };
    const events = recordEvents(first);

    await expectFlowError(first.accessToken(), OidcError.SessionEnded, "session_ended");
    await signedOut;
    expect(events).to.deep.equal([ENDED]);
    expect([...store.items.keys()]).to.be.empty;
  });

  it("leave no channel open after the end", async () => {
    const close = BroadcastChannel.prototype.close;
    let closed = 0;
    stub(BroadcastChannel.prototype, "close", {
      value(this: BroadcastChannel) {
        closed += 1;
        close.call(this);
      },
    });
    const [first, second] = await openTabs("localStorage", ending(300));
    await first.signOut();
    await until(() => second.state === "signed-out");

    expect(closed).to.equal(2);
  });

  it("use the store's record if the browser has no BroadcastChannel", async () => {
    stub(globalThis, "BroadcastChannel", { value: undefined });
    const [first, second] = await openTabs();

    await Promise.all([first.accessToken(), second.accessToken()]);
    expect(issuer.received).to.deep.equal(["secret-refresh-0"]);
    await first.signOut();
    await expectFlowError(second.refresh(), OidcError.SessionEnded, "session_ended");
  });

  it("ignore invalid messages", async () => {
    const [first] = await openTabs("localStorage", ending(300));
    const events = recordEvents(first);
    const { id } = JSON.parse(localStorage.getItem(KEY) ?? "") as { id: string };
    const channel = new BroadcastChannel(KEY);
    await expectResponses(
      channel,
      2,
      ...[null, "text", [], {}, { id }, { id, record: "{" }],
      { id, record: localStorage.getItem(KEY) },
      { id, end: "signed-out" },
      { id, end: { state: "signed-in", reason: "refused" } },
      { id, end: { state: "signed-out", reason: "bored" } },
      ...[
        { id, query: "-1" },
        { id, query: 0 },
        { id: "other", query: "-1" },
      ],
      { id: "other", end: { state: "signed-out", reason: "signed-out" } },
      // The two tabs respond only to this message.
      { id, query: -1 },
    );
    channel.close();

    expect([events, first.state]).to.deep.equal([[], "signed-in"]);
    expect(await first.accessToken()).to.equal("secret-access-0");
  });

  it("respond to a query for another session's ID with their own record", async () => {
    await openTabs("localStorage", ending(300));
    const channel = new BroadcastChannel(KEY);
    await expectResponses(channel, 2, { id: "other", query: 0 });
    channel.close();
  });

  it("end if a message reports a sign-in that their store shows late", async () => {
    const [first, second] = await openTabs("localStorage", ending(300));
    first.close();
    const events = recordEvents(second);
    const theirs = JSON.parse(localStorage.getItem(KEY) ?? "") as StoredRecord;
    const record = JSON.stringify({ ...theirs, id: "other" });
    const channel = new BroadcastChannel(KEY);
    channel.postMessage({ id: "other", record, kept: true, storeName: "localStorage" });
    await expectResponses(channel, 1, { id: theirs.id, query: -1 });
    channel.close();
    localStorage.setItem(KEY, record);
    await until(() => second.state !== "signed-in");

    expect(events).to.deep.equal([REPLACED]);
  });

  describe("with a user ID that arrives later", () => {
    /** Reports the user ID to a session, like an element after a `whoami` request. */
    const note = (session: OidcSession, userId = USER_ID): Promise<void> =>
      (session as OidcSession & { noteUserId(userId: string): Promise<void> }).noteUserId(userId);

    it("both get and keep it when one of them receives it from its page", async () => {
      const tokens = ending(300);
      const first = keep(newSession(issuer, tokens, { store: "localStorage", userId: undefined }));
      await first.stored;
      issuer.server.routes[`GET ${WHOAMI}`] = networkFailure;
      const second = await restore();
      const events = [recordEvents(first), recordEvents(second)];
      await note(first);
      await until(() => events[1]?.length);

      expect(events).to.deep.equal([[CHANGED], [CHANGED]]);
      for (const each of [first, second, await restore()]) {
        expect(each.user.userId).to.equal(USER_ID);
      }
    });

    it("both get and keep it when only the new tab requests it", async () => {
      const first = keep(
        newSession(issuer, ending(300), { store: "localStorage", userId: undefined }),
      );
      await first.stored;
      const second = await restore();
      const events = [recordEvents(first), recordEvents(second)];
      await until(() => events[0]?.length);

      expect(events).to.deep.equal([[CHANGED], [CHANGED]]);
      expect(issuer.server.log).to.deep.equal([`GET ${WHOAMI}`]);
      for (const each of [first, second, await restore()]) {
        expect(each.user.userId).to.equal(USER_ID);
      }
      expect(issuer.server.log).to.have.length(1);
    });

    it("never replace the user ID with another user's", async () => {
      const [first, second] = await openTabs("localStorage", ending(300));
      const events = [recordEvents(first), recordEvents(second)];
      await note(first, BOB);
      const third = await restore({ userId: BOB });

      expect(events).to.deep.equal([[], []]);
      for (const each of [first, second, third, await restore()]) {
        expect(each.user.userId).to.equal(USER_ID);
      }
    });
  });

  it("detect a soft logout at a refresh, without a message", async () => {
    const [first, second] = await openTabs();
    const events = recordEvents(second);
    second.close();
    issuer.server.routes[TOKEN] = json({ error: "invalid_grant" }, 400);
    await first.replaceToken("secret-access-0", true);
    await expectFlowError(second.refresh(), OidcError.SessionEnded, "session_ended");

    expect(events).to.deep.equal([{ ...REFUSED, softLogout: true }]);
    expect(issuer.received).to.have.length(1);
  });

  it("continue if the lease of a closed tab has expired, or has the time of a wrong clock", async () => {
    withoutLocks();
    const [first] = await openTabs();
    for (const until of [Date.now() - 1, Date.now() + 3_600_000, "soon"]) {
      await setLease(`somebody ${until}`);
      await first.refresh();
    }

    expect(issuer.generation).to.equal(3);
  });

  it("wait for the lease of another tab", async () => {
    withoutLocks();
    const clock = new Clock();
    const [first] = await openTabs();
    await setLease(`somebody ${Date.now() + 20_000}`);
    const got = first.accessToken();
    await clock.passPauses(10_000);
    expect(issuer.server.log).to.be.empty;
    expect(await getLease()).to.match(/^somebody /);
    await removeLease();

    expect(await clock.passPausesUntil(got)).to.equal("secret-access-1");
  });

  it("hold their lease for its whole time, although the computer slept while it settled", async () => {
    withoutLocks();
    const clock = new Clock();
    const token = issuer.hold();
    const [first] = await openTabs();
    const got = first.accessToken();
    while ((await getLease()) === undefined) await breathe();
    clock.jump(35_000);
    await clock.passUntil(token.asked);
    const [, end] = String(await getLease()).split(" ");
    expect(Number(end) - Date.now()).to.be.above(35_000);
    token.release();

    expect(await clock.passUntil(got)).to.equal("secret-access-1");
  });

  it("remove their lease after the last caller has aborted", async () => {
    withoutLocks();
    // Time stands still: a slow database takes longer than a lease takes to settle.
    new Clock();
    const [first] = await openTabs();
    const controller = new AbortController();
    const got = rejectionOf(first.accessToken({ signal: controller.signal }));
    while ((await getLease()) === undefined) await breathe();
    controller.abort();

    expect(await got).to.include({ code: "aborted" });
    while ((await getLease()) !== undefined) await breathe();
    expect(issuer.server.log).to.be.empty;
  });

  it("do not release another tab's lease after their own has expired", async () => {
    withoutLocks();
    const token = issuer.hold();
    const [first] = await openTabs();
    const got = first.accessToken();
    await token.asked;
    await setLease("somebody 1");
    token.release();
    await got;

    expect(await getLease()).to.equal("somebody 1");
    await removeLease();
  });

  it("wait for a lease in their store if the browser blocks databases", async () => {
    withoutLocks();
    withoutDatabases();
    const [first] = await openTabs();
    const clock = new Clock();
    localStorage.setItem(LEASE, `somebody ${Date.now() + 20_000}`);
    const got = first.accessToken();
    await clock.passPauses(300);
    expect(issuer.server.log).to.be.empty;
    localStorage.removeItem(LEASE);

    expect(await clock.passPausesUntil(got)).to.equal("secret-access-1");
    expect(localStorage.getItem(LEASE)).to.be.null;
  });

  it("continue without a lease if the store can't keep one", async () => {
    withoutLocks();
    withoutDatabases();
    const store = sharedStore();
    const [first] = await openTabs({
      ...store,
      setItem: async (key, value) => {
        if (key.endsWith("lease")) throw new Error("Full");
        store.items.set(key, value);
      },
    });

    expect(await first.accessToken()).to.equal("secret-access-1");
  });

  it("continue, after a while, if a tab without locks has closed while it changed their store", async () => {
    withoutLocks();
    const clock = new Clock();
    const store = sharedStore();
    const [first] = await clock.passUntil(openTabs(store, ending(300)));
    await setLease(`closed ${Date.now() + 40_000}`, `${KEY}:change:lease`);

    expect(await clock.passPausesUntil(first.refresh())).to.equal("secret-access-1");
    expect(store.items.get(KEY)).to.include("secret-refresh-1");
  });

  for (const databaseMs of [1200, 2200, 4500, 8000]) {
    it(`keep their session in their store if the database takes ${databaseMs} ms for each step, and a tab without locks has closed`, async () => {
      withoutLocks();
      const clock = new Clock();
      const store = sharedStore();
      await setLease(`closed ${Date.now() + 40_000}`, `${KEY}:change:lease`);
      withSlowDatabase(databaseMs);
      const session = keep(newSession(issuer, ending(300), { store }));
      await clock.passUntil(session.stored);

      expect(store.items.get(KEY)).to.include("secret-refresh-0");
    });
  }

  it("continue if the store can't remove their lease", async () => {
    withoutLocks();
    withoutDatabases();
    const store = sharedStore();
    const [first] = await openTabs({
      ...store,
      removeItem: () => Promise.reject(new Error("Not now")),
    });

    expect(await first.accessToken()).to.equal("secret-access-1");
  });

  describe("that are two windows, each with its own modules", () => {
    let frame: HTMLIFrameElement;
    let second: Window;

    beforeEach(async () => {
      frame = document.createElement("iframe");
      frame.src = new URL("second-tab.html", import.meta.url).href;
      document.body.append(frame);
      await until(() => frame.contentWindow?.SecondTabSession);
      second = frame.contentWindow as Window;
    });
    afterEach(() => frame.remove());

    const restoreInSecond = async (
      store: "localStorage" | "sessionStorage",
    ): Promise<OidcSession> => {
      const options = { store, fetch: issuer.server.fetch };
      return keep((await second.SecondTabSession?.restore(options)) as OidcSession);
    };

    it("send each refresh token once, and are both notified of new tokens and of the end", async () => {
      const first = keep(newSession(issuer, ending(), { store: "localStorage" }));
      const other = await restoreInSecond("localStorage");
      const events = [recordEvents(first), recordEvents(other)];
      expect(other).not.to.be.instanceOf(OidcSession);

      const tokens = await Promise.all([first.accessToken(), other.accessToken()]);
      expect(tokens).to.deep.equal(["secret-access-1", "secret-access-1"]);
      expect(issuer.received).to.deep.equal(["secret-refresh-0"]);

      await other.signOut();
      await until(() => events[0]?.length === 2);
      expect(events).to.deep.equal([
        [CHANGED, ENDED],
        [CHANGED, ENDED],
      ]);
    });

    describe("of which one is the other's duplicate, with a copy of its sessionStorage", () => {
      let first: OidcSession;
      let other: OidcSession;
      let copy: Storage;

      beforeEach(async () => {
        first = keep(newSession(issuer, ending(), { store: "sessionStorage" }));
        copy = copyOf(sessionStorage);
        Object.defineProperty(second, "sessionStorage", { value: copy });
        other = await restoreInSecond("sessionStorage");
      });

      it("send each refresh token once", async () => {
        await Promise.all([first.accessToken(), other.accessToken()]);

        expect(issuer.received).to.deep.equal(["secret-refresh-0"]);
        expect(await other.accessToken()).to.equal("secret-access-1");
      });

      it("have the new tokens after a reload, too", async () => {
        await first.accessToken();
        await until(() => copy.getItem(KEY)?.includes("secret-access-1"));
        other.close();
        other = await restoreInSecond("sessionStorage");

        expect(await other.accessToken()).to.equal("secret-access-1");
      });

      it("catch up if one did not get the new tokens", async () => {
        other.close();
        await first.accessToken();
        other = await restoreInSecond("sessionStorage");

        expect(await other.accessToken()).to.equal("secret-access-1");
        expect(issuer.received).to.deep.equal(["secret-refresh-0"]);
      });

      it("remove the tokens in both if one signs out", async () => {
        await first.signOut();
        await until(() => other.state === "signed-out");

        expect([sessionStorage.getItem(KEY), copy.getItem(KEY)]).to.deep.equal([null, null]);
      });

      it("can have different users", async () => {
        const bob = signInBob(RotatingIssuer.withoutRevocation(), "sessionStorage");
        const Session = second.SecondTabSession as typeof OidcSession;
        const eve = signIn({ access_token: "secret-access-of-eve" });
        other = keep(new Session({ ...eve }, { store: "sessionStorage" }));
        await bob.refresh();
        await idle();

        expect(await bob.accessToken()).to.equal("secret-access-1");
        expect(await other.accessToken()).to.equal("secret-access-of-eve");
      });
    });
  });
});
