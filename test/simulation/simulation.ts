// Plays a schedule: what users, servers, and the browser do, in which order. It checks what must hold after each step,
// and at the end.
import type { MatrixSession, SessionStore, SessionStoreName } from "matrix-auth-elements/core";
import { giveBack, type Realm, takeRealm } from "./realm.ts";
import {
  type Grant,
  type Home,
  homeserverOf,
  issuerOf,
  accessToken,
  LIFE_S,
  refreshToken,
  type Reply,
  Servers,
  tokensIn,
} from "./servers.ts";
import { createPage, type Page, type StorageName, World } from "./world.ts";

export const KEY = "matrix-auth-elements:session";

export interface Setup {
  readonly kind: "oauth" | "legacy";
  /**
   * `custom`: an app's own store with promises, without transactions. `files`: programs in Node instead of tabs.
   * `moving`: the app has moved from localStorage to IndexedDB, and A is a tab with its earlier version.
   */
  readonly store: "localStorage" | "indexedDB" | "custom" | "files" | "moving";
  /** Without Web Locks, as in insecure contexts. */
  readonly hasLocks: boolean;
  /** Whether B has no messages. */
  readonly isDeaf: boolean;
  /** Whether the open tabs use their sessions at the end. */
  readonly isUsed: boolean;
}

export const TABS = ["A", "B", "C"] as const;

/** What a tab does: `B refresh`. */
export const ACTIONS = [
  "open",
  "sign in alice",
  "sign in bob",
  "token",
  "refresh",
  "request",
  "sign out",
  "close",
  "freeze",
  "hide",
  "show",
  "store cut off",
  "store read-only",
  "store works",
  "clock -1 h",
  "clock +1 h",
] as const;

/** What happens around the tabs. */
export const EVENTS = [
  "sleep 1 s",
  "sleep 30 s",
  "sleep 5 min",
  "clock -1 h",
  "clock +1 h",
  "lose request",
  "lose response",
  "respond 500",
  "respond 429",
  "respond HTML",
  "end on server",
  "storage full",
  "storage free",
  "clear storage",
  "database stuck",
  "lock kept",
  "lock stolen",
] as const;

export class Violation extends Error {}

interface Tab {
  readonly page: Page;
  readonly realm: Realm;
  /** The last one is the app's. */
  readonly sessions: MatrixSession[];
}

interface Receiver {
  readonly page: Page;
  /** How often the page was frozen when the server responded. */
  readonly freezes: number;
  readonly isLost: () => boolean;
}

interface Call {
  readonly what: string;
  readonly page: Page;
  /** What it signs out. */
  readonly leaving: Grant | undefined;
  isSettled: boolean;
  /** Whether its program ended first. */
  isCut: boolean;
}

/** The part of a stored record that the rules are about. */
interface Stored {
  readonly grant: Grant | undefined;
  readonly version: number;
  readonly refreshToken: string | undefined;
}

interface SomeRecord {
  readonly deviceId: string;
  readonly version: number;
  readonly tokenResponse: { readonly refresh_token?: string };
}

/**
 * What has gone wrong in a schedule, and so excuses what a rule would forbid. Other excuses belong to one sign-in: see
 * `#raced` and `#cleared`.
 *
 * - `storage`: a storage has failed. Then a session may end with its page.
 * - `behind`: a tab could not change its storage, which has kept what the tab's tokens have replaced.
 * - `full`: the mark of a sign-out might have found no room.
 * - `lease`: the clock has changed while a lease said who may change something.
 * - `lock`: a lock was stolen.
 * - `sign-out`: a request has failed that signs out.
 */
type Trouble = "storage" | "behind" | "full" | "lease" | "lock" | "sign-out";

const STORAGES: readonly StorageName[] = ["localStorage", "indexedDB", "disk"];

const HOMES: Readonly<Record<string, Home>> = { alice: "one", bob: "two" };

const MAX_SLEEPS = 3;

const MS: Readonly<Record<string, number>> = {
  "1 s": 1000,
  "30 s": 30_000,
  "5 min": 300_000,
  "30 min": 1_800_000,
  "-1 h": -3_600_000,
  "+1 h": 3_600_000,
};

export class Simulation {
  readonly setup: Setup;
  readonly world: World;
  readonly servers: Servers;
  readonly #tabs = new Map<string, Tab>();
  readonly #calls: Call[] = [];
  /** What the network does with the next requests. */
  readonly #faults: string[] = [];
  /** The sign-ins that each storage has had, in the order of their first appearance. */
  readonly #appeared: Readonly<Record<StorageName, Grant[]>> = {
    localStorage: [],
    indexedDB: [],
    disk: [],
  };
  /** What an app's own store has lost, because it has no transactions: see {@link World.isRaced}. */
  readonly #raced = new Set<Grant>();
  /** What was in a storage that the user has cleared: it may end, or continue in its pages. */
  readonly #cleared = new Set<Grant>();
  /** Who gets the newest tokens of a grant, unless they are lost on the way. */
  readonly #receivers = new Map<Grant, Receiver>();
  readonly #troubles = new Set<Trouble>();
  /** Whose request the servers handle. */
  #requester: Page | undefined;
  #sleeps = 0;
  /** Found in a task, reported after it. */
  #violation: string | undefined;
  #pages = 0;

  constructor(setup: Setup) {
    this.setup = setup;
    this.world = new World({ hasLocks: setup.hasLocks });
    this.world.onWrite = (storage, key, value) => this.#onWrite(storage, key, value);
    this.servers = new Servers(() => this.world.serverTime);
    this.servers.onReuse = (grant) => this.#onReuse(grant);
    this.servers.onRevoke = (grant) => this.#onRevoke(grant);
  }

  async play(steps: readonly string[]): Promise<void> {
    // All schedules begin with a user who has signed in, in a browser with two tabs.
    await this.#begin();
    for (const step of steps) await this.#step(step);
    await this.#end();
  }

  async #begin(): Promise<void> {
    for (const step of ["A sign in alice", "settle", "B open", "settle"]) await this.#step(step);
  }

  async #step(step: string): Promise<void> {
    this.world.trace?.(step);
    const [subject = "", action = "", ...rest] = step.split(" ");
    const what = [action, ...rest].join(" ");
    if (subject === "run") {
      for (const choice of [action, ...rest]) await this.world.run(Number(choice));
    } else if (subject === "settle") await this.world.settle();
    else if ((TABS as readonly string[]).includes(subject)) this.#act(subject, what);
    else this.#happen(step);
    await this.world.turn();
    if (this.#violation) throw new Violation(this.#violation);
  }

  #act(name: string, what: string): void {
    const tab = this.#tabs.get(name);
    if (what === "open" || what.startsWith("sign in")) {
      if (tab?.page.isFrozen) return;
      const opened = tab ?? this.#openTab(name);
      if (what === "open") this.#restore(opened);
      else this.#signIn(opened, what.slice("sign in ".length));
      return;
    }
    const session = tab?.sessions.at(-1);
    if (!tab) return;
    if (what === "close") return this.#closeTab(name, tab);
    if (what === "show") this.world.show(tab.page);
    if (tab.page.isFrozen || !session) return;
    if (what.startsWith("store")) {
      if (what !== "store works") this.#troubles.add("behind").add("storage");
      tab.page.isCutOff = what === "store cut off";
      tab.page.isReadOnly = what === "store read-only";
    }
    if (what.startsWith("clock") && tab.page.isProgram) {
      this.#troubles.add("lease");
      tab.page.clockOffset += MS[what.slice("clock ".length)] ?? 0;
    }
    if (what === "hide" && !tab.page.isProgram && !this.world.cache(tab.page))
      return this.#closeTab(name, tab);
    if (what === "freeze") {
      tab.page.isFrozen = true;
      tab.page.freezes += 1;
    }
    if (what === "token") this.#takeToken(tab, session, () => session.accessToken());
    if (what === "refresh") this.#takeToken(tab, session, () => session.refresh());
    if (what === "request") {
      const url = `${session.homeserverUrl}/_matrix/client/v3/account/whoami`;
      this.#call(tab, what, () => session.fetch(url));
    }
    if (what === "sign out") this.#signOut(tab, session);
  }

  #happen(event: string): void {
    const [word = "", ...rest] = event.split(" ");
    const ms = MS[rest.join(" ")] ?? 0;
    if (word === "sleep") this.#sleep(ms);
    else if (word === "clock") {
      if (this.world.hasLease) this.#troubles.add("lease");
      this.world.clockOffset += ms;
    } else if (word === "lose" || word === "respond") this.#faults.push(event);
    else if (event === "end on server") {
      const grant = this.#stored().find(({ grant }) => grant)?.grant;
      if (grant) grant.endedBy ??= "server";
    } else if (event === "clear storage") {
      this.servers.grants.forEach((grant) => this.#cleared.add(grant));
      for (const items of Object.values(this.world.items)) items.clear();
    } else if (event === "lock kept") this.world.keepLock(KEY);
    else if (event === "lock stolen") {
      this.#troubles.add("lock");
      this.world.stealLock(KEY);
    } else {
      this.#troubles.add("storage");
      this.world.isFull = event === "storage full";
      if (this.world.isFull) this.#troubles.add("full");
      this.world.isDatabaseStuck ||= event === "database stuck";
    }
  }

  /** All timers are late then. A page that never wakes for long makes no progress. */
  #sleep(ms: number): void {
    this.#sleeps += 1;
    if (this.#sleeps > MAX_SLEEPS) return;
    if (this.world.hasLease) this.#troubles.add("lease");
    this.world.time += ms;
  }

  // Tabs

  #openTab(name: string): Tab {
    this.#pages += 1;
    const page = createPage(`${name}${this.#pages}`, this.setup.store === "files");
    page.isDeaf = this.setup.isDeaf && name === "B";
    const realm = takeRealm();
    realm.enter(this.world.globalsOf(page));
    const tab = { page, realm, sessions: [] };
    this.#tabs.set(name, tab);
    return tab;
  }

  #closeTab(name: string, { page, realm }: Tab): void {
    for (const call of this.#calls) {
      if (!page.isProgram || call.page !== page || call.isSettled) continue;
      call.isCut = true;
      // A program that does not wait for its files, unlike a page, may leave the session there.
      const { leaving } = call;
      if (leaving && !this.#isLeaving(leaving)) this.#cleared.add(leaving);
    }
    this.world.close(page);
    this.#tabs.delete(name);
    if (!page.isOpening) giveBack(realm);
  }

  #storageOf(page: Page): StorageName {
    const { store } = this.setup;
    if (store === "moving") return page.name.startsWith("A") ? "localStorage" : "indexedDB";
    return store === "localStorage" || store === "indexedDB" ? store : "disk";
  }

  #storeOf(page: Page): SessionStoreName | SessionStore {
    const { store } = this.setup;
    const storage = this.#storageOf(page);
    if (storage !== "disk") return storage;
    return this.world.diskStore(page, { isTransactional: store === "files" }) as SessionStore;
  }

  #optionsOf(page: Page) {
    return { store: this.#storeOf(page), key: KEY, fetch: this.#fetchOf(page) };
  }

  #signIn(tab: Tab, user: string): void {
    const home = HOMES[user] ?? "one";
    const grant = this.servers.signIn(home, user);
    const { core } = tab.realm;
    const options = this.#optionsOf(tab.page);
    const tokens = { access_token: accessToken(grant), refresh_token: refreshToken(grant) };
    const expiry = { expires_in: LIFE_S, expires_at: this.world.now() / 1000 + LIFE_S };
    const { deviceId, userId } = grant;
    const homeserverUrl = homeserverOf(home);
    const issuer = issuerOf(home);
    const session =
      this.setup.kind === "oauth"
        ? new core.OidcSession(
            {
              tokenResponse: { ...tokens, ...expiry, token_type: "Bearer" },
              oidcClientSettings: { clientId: "client", issuer },
              metadata: {
                issuer,
                token_endpoint: `${issuer}token`,
                revocation_endpoint: `${issuer}revoke`,
              },
              homeserverUrl,
              idTokenClaims: undefined,
              deviceId,
              scope: `urn:matrix:client:api:* urn:matrix:client:device:${deviceId}`,
            },
            { ...options, userId },
          )
        : new core.LegacySession(
            {
              homeserverUrl,
              userId,
              deviceId,
              accessToken: tokens.access_token,
              refreshToken: tokens.refresh_token,
              expiresAt: expiry.expires_at,
            },
            options,
          );
    this.#adopt(tab, session);
    this.#call(tab, "stored", () => {
      // Then it exists only in its page, as the app learns.
      session.stored.catch(() => this.#troubles.add("storage"));
      return session.stored;
    });
  }

  #restore(tab: Tab): void {
    const { core } = tab.realm;
    this.#call(tab, "open", async () => {
      const session = await core.restoreSession(this.#optionsOf(tab.page));
      if (session) this.#adopt(tab, session);
    });
  }

  #adopt(tab: Tab, session: MatrixSession): void {
    tab.sessions.push(session);
    const grant = this.#grantOf(session);
    session.addEventListener("session-ended", ({ detail: { reason } }) => {
      // What a storage still has was not replaced there, even if it is full.
      const isThere = this.#stored().some((each) => each.grant === grant);
      const mayBeLost = this.#has("storage") && !(reason === "replaced" && isThere);
      const isLost = mayBeLost || this.#raced.has(grant);
      if (!this.#mayEnd(grant) && !isLost) {
        this.#fail(`the session of ${grant.id} ended in ${tab.page.name}, as ${reason}`);
      }
    });
  }

  #grantOf({ user }: MatrixSession): Grant {
    return this.servers.grants.find(({ deviceId }) => deviceId === user.deviceId) as Grant;
  }

  #takeToken(tab: Tab, session: MatrixSession, take: () => Promise<string>): void {
    const grant = this.#grantOf(session);
    this.#call(tab, "token", async () => {
      const token = await take();
      if (!token.startsWith(`${grant.id}.`)) this.#fail(`${grant.id} got ${token}`);
    });
  }

  #signOut(tab: Tab, session: MatrixSession): void {
    if (session.state === "signed-out") return;
    const grant = this.#grantOf(session);
    // Other tabs find the session in the storage.
    if (tab.page.isCutOff || tab.page.isReadOnly) this.#cleared.add(grant);
    this.#call(tab, "sign out", () => session.signOut(), grant);
  }

  /** A call may reject, but it settles. */
  #call({ page }: Tab, what: string, call: () => Promise<unknown>, leaving?: Grant): void {
    const entry: Call = { what, page, leaving, isSettled: false, isCut: false };
    this.#calls.push(entry);
    const settle = () => (entry.isSettled = true);
    const name = `${page.name}: ${what}`;
    const trace = (outcome: unknown) => this.world.trace?.(`${name} → ${String(outcome)}`);
    call().then(trace, trace).finally(settle);
  }

  // The network

  #fetchOf(page: Page): typeof globalThis.fetch {
    return (input, init) =>
      new Promise((resolve, reject) => {
        const { url, ...given } =
          input instanceof Request ? input : { ...init, url: String(input) };
        const headers = new Headers(input instanceof Request ? input.headers : init?.headers);
        const sent = { url: new URL(url), headers, body: String(init?.body ?? "") };
        const { signal } = input instanceof Request ? input : given;
        signal?.addEventListener("abort", () => reject(signal.reason as Error));
        this.#checkOrigin(sent);
        const isLeaving = /revoke|logout/.test(sent.url.pathname);
        this.world.soon(undefined, () => {
          const fault = this.#faults.shift();
          if (fault && isLeaving) this.#troubles.add("sign-out");
          const fail = () => this.world.soon(page, () => reject(new TypeError("Failed to fetch")));
          if (fault === "lose request") return void fail();
          const failed = fault?.startsWith("respond ") && fault.slice("respond ".length);
          this.#requester = page;
          const reply: Reply = failed
            ? { status: Number(failed) || 200, body: failed }
            : this.servers.respond(sent);
          if (reply.grant) this.#receivers.delete(reply.grant);
          if (fault === "lose response") return void fail();
          let hasArrived = false;
          if (reply.grant) {
            const isLost = () => signal?.aborted === true && !hasArrived;
            this.#receivers.set(reply.grant, { page, freezes: page.freezes, isLost });
          }
          this.world.soon(page, () => {
            hasArrived = signal?.aborted !== true;
            resolve(responseOf(reply));
          });
        });
      });
  }

  #checkOrigin({ url, headers, body }: { url: URL; headers: Headers; body: string }): void {
    const text = `${url.href} ${headers.get("Authorization") ?? ""} ${body}`;
    for (const token of tokensIn(text)) {
      const home = token.split(".")[0];
      if (!url.hostname.endsWith(`${home}.example`)) this.#fail(`${url.origin} got ${token}`);
    }
  }

  /** Without Web Locks, a lease says who refreshes. It needs a store, and a clock says when it ends. */
  get #mayLeaseFail(): boolean {
    const hasLease = !this.setup.hasLocks || this.setup.store === "files";
    return hasLease && (this.#has("lease") || this.#has("storage"));
  }

  #onReuse(grant: Grant): void {
    const { page, freezes, isLost } = this.#receivers.get(grant) ?? {};
    // Signing out with the legacy API may need new tokens. Nothing else uses them.
    if (this.#isLeaving(grant)) return;
    if ([page, this.#requester].some((each) => this.#hasSignedOut(each, grant))) return;
    if (this.#mayLeaseFail || this.#has("lock") || this.#raced.has(grant)) return;
    const newest = refreshToken(grant);
    const storage = this.#requester && this.#storageOf(this.#requester);
    const isStored = storage && this.#storedIn(storage)?.refreshToken === newest;
    // A tab whose storage was cleared does not tell others its tokens: the user may have wanted to sign out.
    const isHeard = page && !page.isDeaf && !this.#requester?.isDeaf;
    const tells = isHeard && !page.isClosed && !this.#cleared.has(grant);
    const isKnown = tells && page.freezes === freezes && isLost?.() === false;
    // What a storage does not show, or cannot keep, another tab only knows from a message.
    if (this.#has("storage") ? isKnown : isStored || isKnown)
      this.#fail(`a refresh token of ${grant.id} was used twice`);
  }

  #onRevoke(grant: Grant): void {
    const isIn = !this.#has("storage") && !this.#mayEnd(grant);
    if (isIn && !this.#raced.has(grant))
      this.#fail(`${grant.id} was revoked, although it is in use`);
  }

  // What must hold

  #fail(what: string): void {
    this.#violation ??= what;
  }

  #storedIn(storage: StorageName): Stored | undefined {
    const text = this.world.items[storage].get(KEY);
    return text === undefined ? undefined : this.#parse(text);
  }

  #stored(): Stored[] {
    return STORAGES.flatMap((storage) => this.#storedIn(storage) ?? []);
  }

  #parse(text: string): Stored {
    const { deviceId, version, tokenResponse } = JSON.parse(text) as SomeRecord;
    const grant = this.servers.grants.find((each) => each.deviceId === deviceId);
    return { grant, version, refreshToken: tokenResponse.refresh_token };
  }

  #has(trouble: Trouble): boolean {
    return this.#troubles.has(trouble);
  }

  /** Whether users have signed it out. */
  #isLeaving(grant: Grant): boolean {
    return this.#calls.some(({ leaving, isCut }) => leaving === grant && !isCut);
  }

  /** Also if the page has closed since: its request may arrive late. */
  #hasSignedOut(by: Page | undefined, grant: Grant): boolean {
    return this.#calls.some(({ page, leaving }) => page === by && leaving === grant);
  }

  /** Whether the server or the user has ended it, or another sign-in has replaced it. */
  #mayEnd(grant: Grant): boolean {
    const isWanted = this.#isLeaving(grant) || this.#cleared.has(grant);
    const had = STORAGES.map((storage) => this.#appeared[storage]).filter(({ length }) => length);
    const hadIt = had.filter((grants) => grants.includes(grant));
    // What no storage has had is replaced with any sign-in.
    const isReplaced = (hadIt.length ? hadIt : had).some((grants) => grants.at(-1) !== grant);
    return grant.endedBy !== undefined || isWanted || isReplaced;
  }

  #onWrite(storage: StorageName, key: string, value: string | null): void {
    if (key !== KEY) return;
    const text = this.world.items[storage].get(key);
    const before = text === undefined ? undefined : this.#parse(text);
    const after = value === null ? undefined : this.#parse(value);
    const { grant } = after ?? {};
    const appeared = this.#appeared[storage];
    if (grant && !appeared.includes(grant)) appeared.push(grant);
    const what = before?.grant && `${before.grant.id}, version ${before.version}, in ${storage}`;
    this.world.trace?.(`${what} → ${grant?.id ?? "nothing"}, version ${after?.version ?? "-"}`);
    const loss = before?.grant && this.#lossIn(before, after, storage);
    const isCustom = storage === "disk" && this.setup.store === "custom";
    if (isCustom && (this.world.isRaced || (loss && this.#mayLeaseFail))) {
      for (const each of [before?.grant, grant]) if (each) this.#raced.add(each);
    } else if (loss) this.#fail(`${what}, ${loss}`);
  }

  /** What a change of a record takes from its user. */
  #lossIn(before: Stored, after: Stored | undefined, storage: StorageName): string | undefined {
    const { grant } = before;
    if (!grant) return undefined;
    if (!after?.grant) {
      const hasMoved = this.#stored().filter((each) => each.grant === grant).length > 1;
      const mayBe = this.#mayEnd(grant) || this.#has("storage") || hasMoved;
      return mayBe ? undefined : "was removed";
    }
    if (after.grant === grant) {
      const isLater = after.version > before.version;
      return isLater ? undefined : `was overwritten with version ${after.version}`;
    }
    const isEarlier = this.#appeared[storage].at(-1) !== after.grant;
    if (!isEarlier || this.#cleared.has(after.grant)) return undefined;
    return `was overwritten with the earlier ${after.grant.id}`;
  }

  async #end(): Promise<void> {
    this.world.isFull = false;
    this.world.releaseKept();
    this.#faults.length = 0;
    for (const { page } of this.#tabs.values()) this.world.show(page);
    await this.#step("settle");
    for (const { what, page, isSettled } of this.#calls) {
      if (!isSettled && !page.isClosed) this.#fail(`${what} in ${page.name} does not settle`);
    }
    this.#checkTabs();
    // After each pause.
    this.world.time += MS["30 min"] ?? 0;
    if (this.setup.isUsed) for (const tab of this.#tabs.values()) await this.#use(tab);
    for (const [name, tab] of this.#tabs) this.#closeTab(name, tab);
    if (!this.world.isDatabaseStuck) await this.#restart();
    if (this.#violation) throw new Violation(this.#violation);
  }

  /** Not if a storage was cleared since, with the mark that says what has ended. */
  #mustBeOut(grant: Grant): boolean {
    return this.#isLeaving(grant) && !this.#cleared.has(grant);
  }

  #checkTabs(): void {
    for (const { page, sessions } of this.#tabs.values()) {
      for (const session of sessions) {
        const grant = this.#grantOf(session);
        const isIn = session.state === "signed-in";
        // Programs learn of an end with their next request.
        // A frozen tab with the earlier store hears of it after it has stored what it was waiting for. A tab in the page
        // cache does not hear of it, and might not be able to read it.
        const isLate = page.freezes > 0 && (this.setup.store === "moving" || this.#has("storage"));
        // A tab that has just restored a session, and can't read its storage again, does not know of its end.
        const isUnsure = page.isCutOff || this.#has("full");
        const mayBeIn = page.isProgram || this.setup.isDeaf || isLate || isUnsure;
        if (isIn && !mayBeIn && this.#mustBeOut(grant)) {
          this.#fail(`${grant.id} is signed in, in ${page.name}, after its sign-out`);
        }
      }
    }
  }

  /** What is signed in after a restart is what was signed in before. */
  async #restart(): Promise<void> {
    const tab = this.#openTab("B");
    this.#restore(tab);
    await this.#step("settle");
    const [session] = tab.sessions;
    const found = session?.state === "signed-in" ? this.#grantOf(session) : undefined;
    // A full storage has no room for the mark that says what has ended.
    if (found && this.#mustBeOut(found) && !this.#has("storage")) {
      this.#fail(`${found.id} is restored after its sign-out`);
    }
    const last = this.#appeared[this.#storageOf(tab.page)].at(-1);
    // A tab with the earlier store can write what was replaced in IndexedDB. Its tokens are revoked, except those that a
    // tab gets which can't read its storage, and so doesn't know that they belong to a replaced session.
    const mayBeEarlier = !found || this.#raced.has(found) || this.#cleared.has(found);
    const isUnknown = this.#has("behind") && this.setup.store === "moving";
    if (found && found !== last && !mayBeEarlier && !isUnknown && !found.endedBy) {
      this.#fail(`${found.id} is restored, which was replaced`);
    }
    const mayBeLost = this.#has("storage") || (last && this.#raced.has(last));
    if (last && !this.#mayEnd(last) && found !== last && !mayBeLost) {
      this.#fail(`${last.id} is not restored`);
    }
    for (const grant of this.servers.grants) {
      if (!this.#isLeaving(grant)) continue;
      if (!grant.endedBy && !this.#has("sign-out") && this.setup.kind === "oauth") {
        this.#fail(`${grant.id} was not revoked`);
      }
    }
    if (session && found && !found.endedBy) await this.#useRestored(tab, session);
    this.#closeTab("B", tab);
  }

  /** A session that is signed in gets a token. */
  async #use(tab: Tab): Promise<void> {
    const session = tab.sessions.at(-1);
    if (session?.state !== "signed-in") return;
    const outcome: { token?: string } = {};
    this.#call(tab, "refresh", async () => (outcome.token = await session.refresh()));
    await this.#step("settle");
    const isIn = session.state === "signed-in" && !this.#grantOf(session).endedBy;
    if (isIn && !outcome.token) this.#fail(`the session in ${tab.page.name} gets no token`);
  }

  async #useRestored(tab: Tab, session: MatrixSession): Promise<void> {
    const outcome: { token?: string; isSignedOut?: boolean } = {};
    this.#call(tab, "refresh", async () => (outcome.token = await session.refresh()));
    await this.#step("settle");
    if (!outcome.token && !this.#has("behind")) this.#fail("the restored session gets no token");
    this.#signOut(tab, session);
    await this.#step("settle");
    this.#restore(tab);
    await this.#step("settle");
    if (tab.sessions.length > 1) this.#fail("a session is restored after its sign-out");
  }
}

/** The members that the core uses: a real response takes longer than the rest of a schedule. */
function responseOf({ status, body }: Reply): Response {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const createReader = () => {
    const chunks = [new TextEncoder().encode(text)];
    const read = async () => {
      const value = chunks.shift();
      return { value, done: value === undefined };
    };
    return { read, cancel: async () => undefined };
  };
  const response = {
    status,
    ok: status < 400,
    type: "basic",
    url: "",
    headers: new Headers(status === 429 ? { "Retry-After": "20" } : {}),
    body: { getReader: createReader, cancel: async () => undefined },
    clone: () => responseOf({ status, body }),
  };
  return response as unknown as Response;
}
