import type { AuthorizationCodeGrantResult } from "matrix-auth-elements/core";
import type { Tab } from "./driver/driver.js";
import { inPage } from "./driver/page.js";
import { assertNoViolations, textOf, waitForState } from "./user-actions.js";

/** A user's actions on a provider's pages. */
export interface ProviderPages {
  signIn(tab: Tab): Promise<void>;
  /** Allows the app's request, when the user is signed in with the provider. */
  allow(tab: Tab): Promise<void>;
  /** Signs in, up to the page that asks for consent, and declines. */
  refuse?(tab: Tab): Promise<void>;
  createAccount?(tab: Tab, name: string): Promise<void>;
  /** Enters the code that another device shows. */
  enterCode?(tab: Tab, code: string): Promise<void>;
}

/** A homeserver with its provider, and the pages of test/e2e/pages. */
export interface LoginServers {
  readonly homeserver: string;
  readonly issuer: string;
  readonly pages: string;
  readonly provider: ProviderPages;
  /** The localpart of the user who signs in. */
  readonly user: string;
  /** The path of the provider's token endpoint. */
  readonly tokenPath: string;
  /** After the second use of a refresh token, only that use is rejected. */
  readonly keepsSession?: true;
  /** The app's home page, if the provider rejects one on a loopback host. Default: the page's origin. */
  readonly clientUri?: string;
  /** The requests since the last call, without preflights: method and path. */
  takeRequests(): readonly string[];
}

export interface RecordedEvent {
  readonly type: string;
  readonly code?: string;
  readonly reason?: string;
  readonly softLogout?: boolean;
}

export interface Whoami {
  readonly user_id: string;
  readonly device_id?: string;
}

export type Attributes = Readonly<Record<string, string>>;

export const CHANGED = { type: "session-changed" };
export const ENDED = { type: "session-ended", softLogout: false, reason: "signed-out" };
export const REFUSED = { ...ENDED, reason: "refused" };

/** The code with which a call in a page fails. */
export const failureOf = (tab: Tab, call: string): Promise<string | null> =>
  tab.run(`${call}.then(() => null, ({ code, errcode }) => code ?? errcode)`);

export const eventsOf = (tab: Tab): Promise<readonly RecordedEvent[]> => tab.run("window.events");

const STORED = "JSON.parse(localStorage.getItem(Object.keys(localStorage)[0]))";

/** The stored record of the only session, with its tokens. */
export const storedSession = (
  tab: Tab,
): Promise<AuthorizationCodeGrantResult & { readonly userId?: string }> => tab.run(STORED);

/** Waits until the stored session has its user ID. Otherwise the next page requests it and gets another event. */
export const waitForStoredUser = (tab: Tab): Promise<void> =>
  tab.waitForTrue(`${STORED}.userId !== undefined`);

/** Waits until a session has ended in a tab. @returns all its events. */
export async function waitForEnd(tab: Tab): Promise<readonly RecordedEvent[]> {
  await tab.waitForTrue("window.events.some(({ type }) => type === 'session-ended')");
  return eventsOf(tab);
}

/** Advances a page's clock, so that its tokens expire. */
export const moveClock = (tab: Tab, ms: number): Promise<unknown> =>
  inPage(
    tab,
    (by) => {
      const { now } = Date;
      Date.now = () => now() + by;
    },
    ms,
  );

/** Opens the page that continues with the stored session. */
export async function openSession(
  { pages }: LoginServers,
  tab: Tab,
  store = "localStorage",
): Promise<Tab> {
  await tab.goto(`${pages}/session.html?store=${store}`);
  await tab.waitForTrue("window.isReady");
  return tab;
}

/** The page with the button in a tab, and the page to which the user returns. */
export class Login {
  readonly tab: Tab;
  readonly #servers: LoginServers;
  readonly #always: Attributes;

  /** @param always Attributes of the button. */
  constructor(servers: LoginServers, tab: Tab, always: Attributes = {}) {
    this.tab = tab;
    this.#servers = servers;
    this.#always = always;
  }

  /** @param attributes These override the button's attributes. With an issuer, the homeserver is omitted. */
  url(attributes: Attributes = {}, page = "login.html"): string {
    const { homeserver, pages, clientUri } = this.#servers;
    const query = new URLSearchParams({
      ...(!attributes["issuer"] && { homeserver }),
      ...(clientUri !== undefined && { "client-uri": clientUri }),
      ...this.#always,
      ...attributes,
    });
    return `${pages}/${page}?${query.toString()}`;
  }

  /** Opens the page with the button, and waits until the button can be clicked. */
  async open(attributes?: Attributes): Promise<void> {
    await this.tab.goto(this.url(attributes));
    await waitForState(this.tab, "oidc-login", "ready");
    await assertNoViolations(this.tab);
  }

  click(): Promise<void> {
    return this.tab.click("oidc-login", "[part=button]");
  }

  clickOpening(): Promise<Tab> {
    return this.tab.clickOpening("oidc-login", "[part=button]");
  }

  /** Opens the page with the button, and clicks it. */
  async start(attributes?: Attributes): Promise<void> {
    await this.open(attributes);
    await this.click();
  }

  async signIn(attributes?: Attributes): Promise<AuthorizationCodeGrantResult> {
    await this.start(attributes);
    await this.#servers.provider.signIn(this.tab);
    return this.waitForSuccess();
  }

  async waitForSuccess(): Promise<AuthorizationCodeGrantResult> {
    await waitForState(this.tab, "oidc-callback", "success");
    await this.tab.waitForTrue("window.result !== undefined");
    await assertNoViolations(this.tab);
    return this.tab.run("window.result");
  }

  /** Waits for the error on the page to which the user returned. @returns its message. */
  async waitForError(): Promise<string> {
    await waitForState(this.tab, "oidc-callback", "error");
    const box = `document.querySelector("oidc-callback").shadowRoot.querySelector("[part=error]")`;
    await this.tab.waitForTrue(`${box} !== null`);
    await this.tab.waitForTrue("window.events.length > 0");
    await assertNoViolations(this.tab);
    return textOf(this.tab, "oidc-callback");
  }

  /** The outcomes of the sign-ins on a page, of which there are at least `count`. */
  async outcomes(count = 1): Promise<readonly RecordedEvent[]> {
    const found = `window.events?.filter(({ type }) => !/start|redirect/.test(type))`;
    await this.tab.waitForTrue(`${found}?.length >= ${count}`);
    return this.tab.run(found);
  }

  whoami(element = "oidc-callback"): Promise<Whoami> {
    return this.tab.run(`document.querySelector("${element}").client.whoami()`);
  }

  /** Signs in, and opens the page that continues with the session. */
  async signInForSession(attributes: Attributes = {}): Promise<void> {
    await this.signIn({ "redirect-uri": "/kept.html", ...attributes });
    await waitForStoredUser(this.tab);
    await openSession(this.#servers, this.tab);
    this.#servers.takeRequests();
  }
}
