import { expect, fixture, html } from "@open-wc/testing";
import type { TemplateResult } from "lit";
import { ifDefined } from "lit/directives/if-defined.js";
import "matrix-auth-elements/define";
import {
  listSessions,
  type MatrixSession,
  type OidcCallbackElement,
  type MatrixLoginElement,
  type SessionStore,
} from "matrix-auth-elements";
import type { TestServers } from "matrix-auth-elements/testing";
import { Clock } from "../support/clock.js";
import { restoreStubs } from "../support/stub.js";
import { nextEvent } from "../elements/support/element.js";
import { HOMESERVER, hold, logOf, useTestServers } from "../elements/support/test-servers.js";
import { untilQuiet, waitFor } from "../elements/support/wait-for.js";
import { comeBack, goAway, leaveFor, storedText } from "./support.js";

type Target = MatrixLoginElement | OidcCallbackElement;

const codeOf = ({ error }: Target): unknown => error && "code" in error && error.code;

/** The element that has completed the sign-in, by its ID, and its session. */
interface Completed {
  readonly id: string;
  readonly session: MatrixSession;
}

const storeOf = (items: Map<string, string>): SessionStore => ({
  getItem: (key) => items.get(key),
  setItem: (key, value) => items.set(key, value),
  removeItem: (key) => items.delete(key),
});

describe("A sign-in belongs to the element that started it", () => {
  const { href } = location;
  let servers: TestServers;

  beforeEach(() => {
    sessionStorage.clear();
    localStorage.clear();
  });
  afterEach(() => {
    restoreStubs();
    if (location.href !== href) history.replaceState(null, "", href);
    localStorage.clear();
  });

  const useServers = async (method: "oauth" | "sso"): Promise<void> => {
    servers = await useTestServers({
      login: [method],
      accounts: { alice: "password", bob: "password" },
    });
  };

  const timesOf = (endpoint: string): number =>
    logOf(servers).filter((line) => line.endsWith(endpoint)).length;

  const completed = async (): Promise<Completed> => {
    const { target, detail } = await nextEvent(document, "matrix-login-success");
    return { id: (target as HTMLElement).id, session: detail.session };
  };

  /** Starts with one element of a page, and comes back to a page. */
  const through = async (
    start: TemplateResult,
    starter: string,
    end = start,
    user?: string,
  ): Promise<Completed> => {
    const back = await goAway(servers, start, starter, user);
    const success = completed();
    await comeBack(back, end);
    return success;
  };

  /** Another element's session is neither used nor signed out. */
  const isUntouched = (selector: string): void => {
    const other = document.querySelector<Target>(selector);
    expect(other?.session).to.equal(undefined);
    expect(other?.error).to.equal(undefined);
    for (const endpoint of ["/revoke", "/logout"]) expect(timesOf(endpoint)).to.equal(0);
  };

  const work = html`<matrix-login
    id="work"
    homeserver=${HOMESERVER}
    persist="local"
    session-key="work"
  ></matrix-login>`;
  const home = html`<matrix-login
    id="home"
    homeserver=${HOMESERVER}
    session-key="home"
  ></matrix-login>`;
  const callback = html`<oidc-callback
    id="callback"
    persist="local"
    session-key="work"
  ></oidc-callback>`;
  const alice = html`<matrix-login
    id="alice"
    homeserver=${HOMESERVER}
    persist="local"
    user-id="@alice:hs.example"
  ></matrix-login>`;
  const anyone = html`<matrix-login
    id="anyone"
    homeserver=${HOMESERVER}
    persist="local"
  ></matrix-login>`;
  const unnamed = html`<matrix-login id="unnamed" homeserver=${HOMESERVER}></matrix-login>`;
  const button = html`<oidc-login
    id="button"
    homeserver=${HOMESERVER}
    session-key="home"
    persist="none"
  ></oidc-login>`;

  for (const method of ["oauth", "sso"] as const) {
    describe(`after a redirect, with ${method}`, () => {
      beforeEach(() => useServers(method));

      for (const order of ["first", "last"]) {
        const page = (one: TemplateResult, other: TemplateResult): TemplateResult =>
          order === "first" ? html`${other}${one}` : html`${one}${other}`;

        it(`the sign-in of "home" stays in memory if "work" is ${order} in the document`, async () => {
          const { id } = await through(page(home, work), "#home");
          expect(id).to.equal("home");
          expect(storedText()).not.to.contain("access-token");
          isUntouched("#work");
        });

        it(`but the sign-in of "work" is in its own store, under its own key, if "work" is ${order}`, async () => {
          const { id, session } = await through(page(home, work), "#work");
          expect(id).to.equal("work");
          const [stored] = await listSessions({ store: "localStorage" });
          expect(stored?.key).to.equal("work");
          isUntouched("#home");
          session.close();
        });

        it(`a session of "work" stays signed in when "home" signs in, with "work" ${order}`, async () => {
          const first = await through(page(home, work), "#work");
          const { session } = await through(page(home, work), "#home", undefined, "bob");
          expect(session.user.userId).to.equal("@bob:hs.example");
          expect(first.session.state).to.equal("signed-in");
          expect(timesOf("/revoke") + timesOf("/logout")).to.equal(0);
          first.session.close();
        });

        it(`Bob's tokens are not revoked by an element for Alice that is ${order}`, async () => {
          const { id, session } = await through(page(anyone, alice), "#anyone", undefined, "bob");
          expect(id).to.equal("anyone");
          expect(session.user.userId).to.equal("@bob:hs.example");
          isUntouched("#alice");
          session.close();
        });

        it(`elements without a key are distinguished by persist, with the other ${order}`, async () => {
          const { id } = await through(page(unnamed, anyone), "#unnamed");
          expect(id).to.equal("unnamed");
          expect(storedText()).not.to.contain("access-token");
          isUntouched("#anyone");
        });

        it(`elements that differ only in their homeserver or ID are distinguished, with the other ${order}`, async () => {
          for (const other of [
            html`<matrix-login id="other" homeserver=${HOMESERVER} persist="local"></matrix-login>`,
            html`<matrix-login id="anyone" homeserver="hs.example" persist="local"></matrix-login>`,
          ]) {
            const back = await goAway(servers, page(anyone, other), "#anyone[homeserver^=https]");
            const success = nextEvent(document, "matrix-login-success");
            await comeBack(back, page(anyone, other));
            const { target, detail } = await success;
            expect((target as HTMLElement).matches("#anyone[homeserver^=https]")).to.be.true;
            await detail.session.signOut();
          }
        });

        it(`the element with accounts="many" completes its own sign-in, with the other ${order}`, async () => {
          const many = html`<matrix-login
            id="many"
            homeserver=${HOMESERVER}
            persist="local"
            accounts="many"
          ></matrix-login>`;
          const { id, session } = await through(page(many, anyone), "#many");
          expect(id).to.equal("many");
          expect(session.key).to.contain(session.user.deviceId);
          isUntouched("#anyone");
          session.close();
        });

        it(`<oidc-callback> leaves the response to the <matrix-login> that started the sign-in, if it is ${order}`, async () => {
          const { id } = await through(page(home, callback), "#home");
          expect(id).to.equal("home");
          expect(storedText()).not.to.contain("access-token");
          isUntouched("#callback");
        });

        it(`<oidc-callback> with the same settings joins it, and fires no event, if it is ${order}`, async () => {
          const plain = html`<oidc-callback id="callback" persist="local"></oidc-callback>`;
          const both = page(anyone, plain);
          const back = await goAway(servers, both, "#anyone");
          const targets: string[] = [];
          const note = ({ target }: Event): unknown => targets.push((target as HTMLElement).id);
          for (const type of ["matrix-login-success", "oidc-success"]) {
            document.addEventListener(type, note);
          }
          await comeBack(back, both);
          const joined = document.querySelector<OidcCallbackElement>("#callback");
          await waitFor(() => joined?.session, "it does not join");
          await waitFor(() => targets.length > 0);
          await untilQuiet();
          expect(targets).to.deep.equal(["anyone"]);
          for (const type of ["matrix-login-success", "oidc-success"]) {
            document.removeEventListener(type, note);
          }
          joined?.session?.close();
        });

        it(`<oidc-callback> without a key does the same, if it is ${order}`, async () => {
          const plain = html`<oidc-callback id="callback" persist="local"></oidc-callback>`;
          const { id } = await through(page(unnamed, plain), "#unnamed");
          expect(id).to.equal("unnamed");
          expect(storedText()).not.to.contain("access-token");
          isUntouched("#callback");
        });

        it(`the starter's custom store is used, with the other ${order}`, async () => {
          const items = new Map<string, string>();
          const store = storeOf(items);
          const own = html`<matrix-login
            id="own"
            homeserver=${HOMESERVER}
            .store=${store}
          ></matrix-login>`;
          const { id, session } = await through(page(own, anyone), "#own");
          expect(id).to.equal("own");
          expect(items).to.have.length(1);
          expect(storedText()).not.to.contain("access-token");
          isUntouched("#anyone");
          session.close();
        });
      }

      describe("if only its custom store distinguishes it from another element", () => {
        const kept = new Map<string, string>();
        /** The page keeps a response that no element completes: no element of a later test may have its key. */
        let key = 0;
        const custom = (id?: string, tag = "matrix-login"): TemplateResult =>
          tag === "matrix-login"
            ? html`<matrix-login
                id=${ifDefined(id)}
                homeserver=${HOMESERVER}
                session-key=${key}
                .store=${storeOf(kept)}
              ></matrix-login>`
            : html`<oidc-callback
                id=${ifDefined(id)}
                session-key=${key}
                .store=${storeOf(kept)}
              ></oidc-callback>`;

        beforeEach(() => {
          kept.clear();
          key += 1;
        });

        it("does not leave the page", async () => {
          const page = await fixture(html`<div>${custom()}${custom()}</div>`);
          const element = page.querySelector("matrix-login");
          if (!element) throw new Error("no element");
          void leaveFor(element);
          await waitFor(() => codeOf(element) === "settings_invalid");
          expect(sessionStorage.length).to.equal(0);
        });

        for (const [tag, ...ids] of [
          ["matrix-login"],
          ["oidc-callback"],
          ["oidc-callback", "one", "other"],
        ] as const) {
          it(`is completed by no <${tag}>${ids.length > 0 ? ", even if it has an ID" : ""}`, async () => {
            const back = await goAway(servers, custom(), "matrix-login");
            await comeBack(back, html`${custom(ids[0], tag)}${custom(ids[1], tag)}`);
            const elements = [...document.querySelectorAll<Target>(tag)];
            await waitFor(() => elements.every(({ error }) => error));
            expect(elements.map(codeOf)).to.deep.equal(["settings_invalid", "settings_invalid"]);
            const used = logOf(servers).filter((line) => /^POST .*\/(token|login)$/.test(line));
            expect(used).to.deep.equal([]);
            expect(kept.size).to.equal(0);
          });
        }

        it("control: is completed if both have an ID", async () => {
          const both = html`${custom("one")}${custom("other")}`;
          const { id, session } = await through(both, "#other");
          expect(id).to.equal("other");
          expect(kept.size).to.equal(1);
          session.close();
        });
      });

      it("an element that is mounted first leaves the response to the starter, which is mounted later", async () => {
        const back = await goAway(servers, html`${work}${home}`, "#home");
        const success = completed();
        await comeBack(back, work);
        await untilQuiet();
        expect(storedText()).not.to.contain("access-token");
        await comeBack(location.href, home);
        expect((await success).id).to.equal("home");
        isUntouched("#work");
      });

      it("the starter's user-id takes precedence over an element without user-id", async () => {
        const back = await goAway(servers, alice, "#alice", "bob");
        const error = nextEvent(document, "matrix-login-error");
        await comeBack(back, anyone);
        expect((await error).detail.code).to.equal("user_mismatch");
        expect(storedText()).not.to.contain("access-token");
      });

      it("a store that the page sets late belongs to the starter", async () => {
        const items = new Map<string, string>();
        const store = storeOf(items);
        const own = html`<matrix-login id="own" homeserver=${HOMESERVER}></matrix-login>`;
        const withStore = html`<matrix-login
          id="own"
          homeserver=${HOMESERVER}
          .store=${store}
        ></matrix-login>`;
        const back = await goAway(servers, withStore, "#own");
        const success = completed();
        const page = await comeBack(back, own);
        await untilQuiet();
        const element = page.querySelector("matrix-login");
        if (element) element.store = store;
        const { session } = await success;
        expect(items).to.have.length(1);
        session.close();
      });

      it("an element that is removed while it waits for the starter sends no request", async () => {
        const back = await goAway(servers, anyone, "#anyone");
        await untilQuiet();
        const sent = logOf(servers).length;
        const clock = new Clock();
        const page = await comeBack(
          back,
          html`<matrix-login id="other" homeserver=${HOMESERVER} persist="local"></matrix-login>`,
        );
        const element = page.querySelector("matrix-login");
        await waitFor(() => element?.state === "completing" && clock.pending.length > 0);
        page.remove();
        await clock.pass(2000);
        await untilQuiet();
        expect(logOf(servers).slice(sent)).to.deep.equal([]);
      });

      it("the starter's store takes precedence over the element's store after the redirect", async () => {
        // The page has a checkbox "Stay signed in", which is not checked after the redirect.
        const persisting = html`<matrix-login
          homeserver=${HOMESERVER}
          persist="session"
        ></matrix-login>`;
        const { session } = await through(persisting, "matrix-login", anyone);
        expect(localStorage.length).to.equal(0);
        expect(sessionStorage.getItem("matrix-auth-elements:session")).to.contain("access-token");
        session.close();
      });

      it("a sign-in that must stay in memory isn't stored by the callback page", async () => {
        const plain = html`<oidc-callback id="callback" persist="local"></oidc-callback>`;
        const back = await goAway(servers, unnamed, "#unnamed");
        await comeBack(back, plain);
        const element = document.querySelector<OidcCallbackElement>("#callback");
        await waitFor(() => ["success", "error"].includes(element?.state ?? ""));
        expect(storedText()).not.to.contain("access-token");
      });

      it("but with the usual settings, the callback page stores it under the common key", async () => {
        const { id, session } = await through(work, "#work", callback);
        expect(id).to.equal("callback");
        const [stored] = await listSessions({ store: "localStorage" });
        expect(stored?.key).to.equal("work");
        session.close();
      });

      it("a callback page for another account reports this, and doesn't use the response", async () => {
        const back = await goAway(servers, home, "#home");
        await comeBack(back, callback);
        const element = document.querySelector<OidcCallbackElement>("#callback");
        await untilQuiet();
        expect(element?.state).not.to.equal("success");
        const used = logOf(servers).filter((line) => /^POST .*\/(token|login)$/.test(line));
        expect(used).to.deep.equal([]);
        expect(storedText()).not.to.contain("access-token");
      });
    });
  }

  describe("each of several accounts has its own key on a callback page, too", () => {
    const many = html`<matrix-login
      homeserver=${HOMESERVER}
      persist="local"
      accounts="many"
    ></matrix-login>`;
    const plain = html`<oidc-callback persist="local"></oidc-callback>`;

    for (const method of ["oauth", "sso"] as const) {
      it(`with ${method}`, async () => {
        await useServers(method);
        const users = ["alice", "bob", "alice"];
        const sessions: MatrixSession[] = [];
        for (const user of users) {
          sessions.push((await through(many, "matrix-login", plain, user)).session);
        }
        const found = await listSessions({ store: "localStorage" });
        expect(found.map(({ userId }) => userId).sort()).to.deep.equal([
          "@alice:hs.example",
          "@bob:hs.example",
        ]);
        // The first session gets the message of another copy of it.
        await waitFor(() => sessions[0]?.state === "signed-out");
        expect(sessions.map(({ state }) => state)).to.deep.equal([
          "signed-out",
          "signed-in",
          "signed-in",
        ]);
        for (const session of sessions) session.close();
      });
    }
  });

  describe("the usual setups don't wait, and send one request to get tokens", () => {
    const login = (persist?: string): TemplateResult =>
      html`<oidc-login homeserver=${HOMESERVER} persist=${ifDefined(persist)}></oidc-login>`;
    const plain = (persist?: string): TemplateResult =>
      html`<oidc-callback persist=${ifDefined(persist)}></oidc-callback>`;
    const SETUPS: Record<string, readonly [start: TemplateResult, end: TemplateResult]> = {
      "persist on the callback": [login(), plain("local")],
      "persist on the button": [login("local"), plain()],
      "persist on both": [login("local"), plain("local")],
      "a <matrix-login> with a callback page": [anyone, plain("local")],
      "a <matrix-login> with a callback page without persist": [anyone, plain()],
      "a <matrix-login> on one page": [anyone, anyone],
      "a <matrix-login> with a session-key": [work, callback],
    };
    for (const [what, [start, end]] of Object.entries(SETUPS)) {
      for (const mounting of ["immediately", "late", "twice"]) {
        it(`${what}, mounted ${mounting} by a framework`, async () => {
          await useServers("oauth");
          const back = await goAway(servers, start, "*");
          // The button that was left might still send requests.
          await untilQuiet();
          const before = logOf(servers).length;
          const success = completed();
          if (mounting === "late") {
            await comeBack(back, html`<p>Loading…</p>`);
            await untilQuiet();
          }
          // A stand-in would wait for it, forever.
          new Clock();
          // A framework that mounts twice does it at once, before a server responds.
          const held = mounting === "twice" && hold(servers, "/token");
          const page = await comeBack(mounting === "late" ? location.href : back, end);
          if (held) {
            page.remove();
            await comeBack(location.href, end);
            held.release();
          }
          const { session } = await success;
          const requests = logOf(servers)
            .slice(before, before + 2)
            .sort();
          expect(requests).to.deep.equal([
            "GET https://idp.example/keys",
            "POST https://idp.example/token",
          ]);
          expect(timesOf("/token")).to.equal(1);
          expect(storedText()).to.contain("access-token");
          session.close();
        });
      }
    }
  });

  describe("with <oidc-login>", () => {
    beforeEach(() => useServers("oauth"));

    for (const order of ["first", "last"]) {
      const pair = (one: TemplateResult, other: TemplateResult): TemplateResult =>
        order === "first" ? html`${other}${one}` : html`${one}${other}`;
      const homes = html`<oidc-callback id="homes" session-key="home"></oidc-callback>`;

      it(`the callback with the same key completes it, if the callback of "work" is ${order}`, async () => {
        const page = html`${button}${pair(homes, callback)}`;
        const back = await goAway(servers, page, "#button");
        const success = nextEvent(document, "oidc-success");
        await comeBack(back, page);
        expect(((await success).target as HTMLElement).id).to.equal("homes");
        expect(storedText()).not.to.contain("access-token");
        isUntouched("#callback");
      });

      it(`a <matrix-login> that is ${order} does not complete it`, async () => {
        const plain = html`<oidc-login id="button" homeserver=${HOMESERVER}></oidc-login>
          <oidc-callback id="callback"></oidc-callback>`;
        const page = pair(plain, anyone);
        const back = await goAway(servers, page, "#button");
        const success = nextEvent(document, "oidc-success");
        await comeBack(back, page);
        expect(((await success).target as HTMLElement).id).to.equal("callback");
        expect(storedText()).not.to.contain("access-token");
        isUntouched("#anyone");
      });
    }

    describe("on a page with another button that nothing distinguishes from its own", () => {
      const kept = new Map<string, string>();
      const buttonWith = (sessionKey?: string): TemplateResult =>
        html`<oidc-login
          homeserver=${HOMESERVER}
          session-key=${ifDefined(sessionKey)}
          .store=${storeOf(kept)}
        ></oidc-login>`;

      beforeEach(() => kept.clear());

      it("does not leave the page", async () => {
        const page = await fixture(html`<div>${buttonWith()}${buttonWith()}</div>`);
        const element = page.querySelector("oidc-login");
        if (!element) throw new Error("no element");
        await element.login();
        expect(element.error).to.have.property("code", "settings_invalid");
        expect(sessionStorage.length).to.equal(0);
      });

      it("twin: leaves the page if each has a key, or if one is in a <matrix-login>", async () => {
        for (const other of [
          buttonWith("other"),
          html`<matrix-login homeserver=${HOMESERVER} .store=${storeOf(kept)}></matrix-login>`,
        ]) {
          const page = await fixture<HTMLElement>(html`<div>${buttonWith("own")}${other}</div>`);
          const element = page.querySelector<HTMLElement>("oidc-login");
          if (!element) throw new Error("no element");
          expect(await leaveFor(element)).to.contain("code_challenge=");
          page.remove();
        }
      });

      const callbackWith = (settings: object): TemplateResult => {
        const { persist, sessionKey, store, manual } = settings as Partial<OidcCallbackElement>;
        return html`<oidc-callback
          persist=${ifDefined(persist)}
          session-key=${ifDefined(sessionKey)}
          ?manual=${manual}
          .store=${store}
        ></oidc-callback>`;
      };
      const PLACES: Readonly<Record<string, readonly [object, object]>> = {
        "a custom store and persist": [{ store: storeOf(kept) }, { persist: "local" }],
        "two custom stores": [{ store: storeOf(kept) }, { store: storeOf(kept) }],
        "two values of persist": [{ persist: "session" }, { persist: "local" }],
        "persist and none": [{ persist: "local" }, {}],
        "two keys": [
          { persist: "local", sessionKey: "one" },
          { persist: "local", sessionKey: "other" },
        ],
      };
      for (const [what, callbacks] of Object.entries(PLACES)) {
        for (const order of ["first", "last"]) {
          it(`is completed by no callback with ${what}, with the second ${order}`, async () => {
            const plain = html`<oidc-login homeserver=${HOMESERVER}></oidc-login>`;
            const back = await goAway(servers, plain, "oidc-login");
            const all = order === "first" ? callbacks.toReversed() : callbacks;
            await comeBack(back, html`${all.map(callbackWith)}`);
            const elements = [...document.querySelectorAll("oidc-callback")];
            await waitFor(() => elements.every(({ error }) => error));
            expect(elements.map(codeOf)).to.deep.equal(["settings_invalid", "settings_invalid"]);
            expect(timesOf("/token")).to.equal(0);
            expect(storedText() + [...kept.values()].join()).not.to.contain("access-token");
          });
        }
      }

      for (const [what, settings] of Object.entries({
        "the same settings": [{ persist: "local" }, { persist: "local" }],
        "no session": [{ persist: "none" }, {}],
        "no session, and another key": [
          { persist: "none", sessionKey: "one" },
          { persist: "none", sessionKey: "other" },
        ],
        "other settings that waits for complete()": [
          { persist: "local" },
          { persist: "session", manual: true },
        ],
      })) {
        it(`twin: is completed if the other callback has ${what}`, async () => {
          const plain = html`<oidc-login homeserver=${HOMESERVER}></oidc-login>`;
          const back = await goAway(servers, plain, "oidc-login");
          const success = nextEvent(document, "oidc-success");
          await comeBack(back, html`${settings.map(callbackWith)}`);
          await success;
          expect(timesOf("/token")).to.equal(1);
        });
      }

      it("twin: is completed by the callback that the page chooses", async () => {
        const plain = html`<oidc-login homeserver=${HOMESERVER}></oidc-login>`;
        const back = await goAway(servers, plain, "oidc-login");
        const [one, other] = [{ persist: "local" }, { persist: "session" }].map((settings) =>
          callbackWith({ ...settings, manual: true }),
        );
        const page = await comeBack(back, html`${one}${other}`);
        const chosen = page.querySelector<OidcCallbackElement>("oidc-callback[persist=session]");
        await chosen?.complete();
        expect(chosen?.state).to.equal("success");
        expect(localStorage.length).to.equal(0);
        chosen?.session?.close();
      });
    });

    it("but with the usual settings, persist is needed only on the callback", async () => {
      const plain = html`<oidc-login id="button" homeserver=${HOMESERVER}></oidc-login>`;
      const { id, session } = await through(plain, "#button", callback);
      expect(id).to.equal("callback");
      const [stored] = await listSessions({ store: "localStorage" });
      expect(stored?.key).to.equal("work");
      session.close();
    });
  });
});
