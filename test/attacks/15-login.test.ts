// Rule 15: a sign-in acts on what the page had set when it began.
import { expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import {
  listSessions,
  type MatrixLoginElement,
  type OidcLoginElement,
  type SessionStore,
} from "matrix-auth-elements";
import type { TestServers } from "matrix-auth-elements/testing";
import { fill, ready } from "../elements/matrix-login/fixture.js";
import { inState, nextEvent, part } from "../elements/support/element.js";
import {
  hold,
  HOMESERVER,
  logOf,
  REVOCATION,
  useTestServers,
} from "../elements/support/test-servers.js";
import { untilQuiet, waitFor } from "../elements/support/wait-for.js";
import { restoreStubs, stub } from "../support/stub.js";

const BEFORE = {
  deviceId: "DEVICE",
  userId: "@alice:hs.example",
  sessionKey: "alice",
  persist: "session",
  returnTo: "/alice",
  id: "alice",
  accounts: "one",
} as const;

const AFTER: Readonly<Record<string, unknown>> = {
  deviceId: "OTHERDEVICE",
  userId: "@bob:hs.example",
  sessionKey: "bob",
  persist: "local",
  returnTo: "/bob",
  redirectUri: "/bob.html",
  additionalScopes: "urn:bob",
  prompt: "login",
  responseMode: "query",
  loginHint: "bob",
  clientName: "Bob's app",
  clientId: "bobs-client",
  identityServer: "https://identity.example",
  accounts: "many",
  id: "bob",
};

describe("Rule 15: a sign-in that leaves the page", () => {
  let servers: TestServers;
  beforeEach(() => sessionStorage.clear());
  afterEach(() => {
    restoreStubs();
    sessionStorage.clear();
    localStorage.clear();
  });

  /** What a sign-in has sent and stored, without what is random. */
  const traces = (url: string): unknown => {
    const { pathname, searchParams } = new URL(url);
    const random =
      /"(?:state|nonce|codeVerifier|code_verifier|createdAt|expiresAt|startedAt|client_id|clientId|foundAt)":(?:"[^"]*"|\d+)/g;
    for (const name of ["state", "nonce", "code_challenge", "client_id"]) searchParams.delete(name);
    const redirect = new URL(searchParams.get("redirectUrl") ?? location.href);
    redirect.searchParams.delete("matrix-auth-elements-state");
    const registration = servers.requests.find((one) => one.url.endsWith("/register"))?.body;
    const records = Object.entries({ ...sessionStorage }).map(([, value]) =>
      String(value).replace(random, ""),
    );
    searchParams.delete("redirectUrl");
    return [pathname, searchParams.toString(), redirect.pathname, registration, records];
  };

  /** A sign-in, and what it waits for. */
  const POINTS = {
    "<oidc-login>, while it looks up the provider": "/auth_metadata",
    "<oidc-login>, while it registers the app": "/register",
    "<matrix-login>, while it registers the app": "/register",
  } as const;

  for (const [what, endpoint] of Object.entries(POINTS)) {
    /** @param later What the page sets once the sign-in has begun. */
    const run = async (settings: object, later: object = {}): Promise<unknown> => {
      sessionStorage.clear();
      servers = await useTestServers();
      const { asked, release } = hold(servers, endpoint);
      const isLogin = what.startsWith("<matrix-login>");
      const element = await fixture<HTMLElement>(
        isLogin
          ? html`<matrix-login homeserver=${HOMESERVER}></matrix-login>`
          : html`<oidc-login homeserver=${HOMESERVER}></oidc-login>`,
      );
      Object.assign(element, settings);
      const type = isLogin ? "matrix-login-redirect" : "oidc-redirect";
      element.addEventListener(type, (event) => event.preventDefault(), { once: true });
      const redirect = nextEvent(element, type);
      const root = (): ShadowRoot | null | undefined =>
        isLogin ? element.shadowRoot?.querySelector("oidc-login")?.shadowRoot : element.shadowRoot;
      const button = await waitFor(() => root()?.querySelector<HTMLElement>("[part=button]"));
      button?.click();
      await asked;
      Object.assign(element, later);
      await untilQuiet();
      release();
      const left = traces((await redirect).detail.url);
      element.remove();
      restoreStubs();
      return left;
    };

    for (const [name, value] of Object.entries(AFTER)) {
      it(`${what}: continues with its own ${name} if the page then sets another one`, async () => {
        const own = await run(BEFORE);
        expect(await run(BEFORE, { [name]: value })).to.deep.equal(own);
      });
    }

    it(`${what}, control: uses what the page has set before`, async () => {
      const own = await run(BEFORE);
      expect(await run({ ...BEFORE, deviceId: "OTHERDEVICE" })).not.to.deep.equal(own);
    });
  }
});

const storeOf = (): SessionStore & { readonly items: Map<string, string> } => {
  const items = new Map<string, string>();
  return {
    items,
    keys: () => items.keys(),
    getItem: (key) => items.get(key),
    setItem: (key, value) => items.set(key, value),
    removeItem: (key) => items.delete(key),
  };
};

describe("Rule 15: a sign-in in a popup", () => {
  afterEach(() => {
    restoreStubs();
    localStorage.clear();
  });

  /** The page sets something while the user is at the provider. */
  const signIn = async (settings: object, later: object): Promise<OidcLoginElement> => {
    const servers = await useTestServers();
    stub(window, "open", { value: () => null });
    const element = await fixture<OidcLoginElement>(
      html`<oidc-login mode="popup" homeserver=${HOMESERVER}></oidc-login>`,
    );
    Object.assign(element, settings);
    await element.login();
    await inState(element, "waiting");
    const { href } = part<HTMLAnchorElement>(element, "link");
    const state = new URL(href).searchParams.get("state") ?? "";
    Object.assign(element, later);
    await element.updateComplete;
    const success = nextEvent(element, "oidc-success");
    const channel = new BroadcastChannel(`matrix-auth-elements:${state}`);
    channel.postMessage({ state, response: servers.approve(href) });
    await success;
    channel.close();
    return element;
  };

  it("keeps the session in the store that the page had set", async () => {
    const [own, other] = [storeOf(), storeOf()];
    const { session } = await signIn({ store: own }, { store: other });
    expect([own.items.size, other.items.size]).to.deep.equal([1, 0]);
    session?.close();
  });

  it("keeps the session in memory if the page had set no store", async () => {
    const other = storeOf();
    const { session } = await signIn({}, { store: other, persist: "local" });
    expect([other.items.size, localStorage.length]).to.deep.equal([0, 0]);
    session?.close();
  });

  it("keeps the session under the key that the page had set", async () => {
    const { session } = await signIn({ persist: "local" }, { sessionKey: "other" });
    expect(localStorage.getItem("other")).to.equal(null);
    expect(localStorage.length).to.equal(1);
    session?.close();
  });
});

describe("Rule 15: a sign-in of <matrix-login> in a popup", () => {
  let servers: TestServers;
  beforeEach(async () => {
    servers = await useTestServers();
    stub(window, "open", { value: () => null });
  });
  afterEach(() => {
    restoreStubs();
    localStorage.clear();
    sessionStorage.clear();
  });

  /** The page sets something while the user is at the provider, who then approves. */
  const approve = async (settings: object, later: object = {}): Promise<MatrixLoginElement> => {
    const element = await ready(
      html`<matrix-login mode="popup" homeserver=${HOMESERVER}></matrix-login>`,
    );
    Object.assign(element, settings);
    await element.updateComplete;
    const button = element.shadowRoot?.querySelector("oidc-login");
    if (!button) throw new Error("no button");
    void button.login();
    await inState(button, "waiting");
    const { href } = part<HTMLAnchorElement>(button, "link");
    const state = new URL(href).searchParams.get("state") ?? "";
    Object.assign(element, later);
    await element.updateComplete;
    const channel = new BroadcastChannel(`matrix-auth-elements:${state}`);
    channel.postMessage({ state, response: servers.approve(href) });
    await inState(element, "completing");
    channel.close();
    return element;
  };

  it("does not look for other sessions if the page starts to keep several accounts only later", async () => {
    const before = await approve({ persist: "local", accounts: "many" });
    await inState(before, "success");
    const own = await approve({ persist: "session" }, { accounts: "many", persist: "local" });
    await inState(own, "success");
    expect(before.session?.state).to.equal("signed-in");
    for (const { session } of [before, own]) session?.close();
  });

  it("replaces the user's session even if the page then keeps only one account", async () => {
    const settings = { persist: "local", accounts: "many" };
    const before = await approve(settings);
    await inState(before, "success");
    const own = await approve(settings, { accounts: "one" });
    await inState(own, "success");
    expect(before.session === undefined).to.equal(true);
    own.session?.close();
  });

  for (const [what, deviceId, later, isRevoked] of [
    ["signs out a new device", undefined, "LATER", true],
    ["does not sign out the device that the page had named", "NAMED", undefined, false],
  ] as const) {
    it(`${what} after a cancellation, whatever the page sets later`, async () => {
      const whoami = hold(servers, "GET /account/whoami");
      const element = await approve({ deviceId }, { deviceId: later });
      await whoami.asked;
      element.cancel();
      whoami.release();
      await untilQuiet();
      const revocations = logOf(servers).filter((line) => line === REVOCATION);
      expect(revocations.length > 0).to.equal(isRevoked);
    });
  }
});

describe("Rule 15: a sign-in with a password", () => {
  let servers: TestServers;
  beforeEach(async () => {
    servers = await useTestServers({
      login: ["password"],
      accounts: { alice: "secret-password", bob: "secret-password" },
    });
  });
  afterEach(() => {
    restoreStubs();
    localStorage.clear();
    sessionStorage.clear();
  });

  const signIn = async (settings: object, later?: object): Promise<MatrixLoginElement> => {
    const element = await ready(html`<matrix-login homeserver=${HOMESERVER}></matrix-login>`);
    Object.assign(element, settings);
    await element.updateComplete;
    fill(element, { username: "alice", password: "secret-password" });
    const { asked, release } = hold(servers, "POST /login");
    part(element, "submit").click();
    await asked;
    Object.assign(element, later);
    await element.updateComplete;
    release();
    await inState(element, "success");
    return element;
  };

  it("keeps the session in the store that the page had set", async () => {
    const [own, other] = [storeOf(), storeOf()];
    const { session } = await signIn({ store: own }, { store: other });
    expect([own.items.size, other.items.size]).to.deep.equal([1, 0]);
    session?.close();
  });

  it("replaces only sessions of the store and the key that the page had set", async () => {
    const store = "localStorage";
    const before = await signIn({ persist: "local", accounts: "many", sessionKey: "other" });
    const settings = { persist: "local", accounts: "many", sessionKey: "own" };
    const own = await signIn(settings, { sessionKey: "other" });
    expect(logOf(servers).filter((line) => line.endsWith("/logout"))).to.deep.equal([]);
    expect(await listSessions({ store })).to.have.length(2);
    for (const { session } of [before, own]) session?.close();
  });

  it("replaces the user's session even if the page then keeps only one account", async () => {
    const settings = { persist: "local", accounts: "many" };
    const before = await signIn(settings);
    const own = await signIn(settings, { accounts: "one" });
    // The older session gets a message.
    await waitFor(() => before.session === undefined);
    own.session?.close();
  });

  it("does not look for other sessions if the page starts to keep several accounts only later", async () => {
    const before = await signIn({ persist: "local", accounts: "many" });
    const own = await signIn({ persist: "session" }, { accounts: "many", persist: "local" });
    expect(before.session?.state).to.equal("signed-in");
    for (const { session } of [before, own]) session?.close();
  });
});
