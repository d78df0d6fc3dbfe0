import assert from "node:assert/strict";
import type { Profile, Tab } from "../../e2e/driver/driver.js";
import { waitForState, atProvider } from "../../e2e/user-actions.js";
import { SHOWN } from "../synapse/application.js";
import type { DelegatedTestbed } from "./testbed.js";

export interface RecordedEvent {
  readonly type: string;
  readonly code?: string;
  readonly reason?: string;
  readonly softLogout?: boolean;
}

export interface Whoami {
  readonly user_id: string;
  readonly device_id: string;
}

interface Stored {
  readonly tokenResponse: { readonly refresh_token: string };
  readonly oidcClientSettings: { readonly clientId: string };
}

/** How something ended that the application began. */
interface Outcome {
  readonly result?: unknown;
  readonly error?: string;
  readonly name?: string;
  readonly code?: string;
  readonly httpStatus?: number;
}

/** An answer of Synapse's to a request that nothing of the library makes. */
export interface Answer {
  readonly status: number;
  readonly errcode: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Asks Synapse by itself, as somebody would who has but a token. */
export async function ask(
  { synapse }: DelegatedTestbed,
  token: string | undefined,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const response = await fetch(`${synapse.baseUrl}/_matrix/client/${path}`, {
    method,
    headers: token ? { Authorization: `Bearer ${token}` } : {},
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as Answer["body"];
  const { errcode } = answer;
  return {
    status: response.status,
    errcode: typeof errcode === "string" ? errcode : undefined,
    body: answer,
  };
}

/** Opens the page with the button, and waits until it may be clicked. */
export async function openLogin(
  { pages, synapse }: DelegatedTestbed,
  tab: Tab,
  attributes: Readonly<Record<string, string>> = {},
): Promise<void> {
  const query = new URLSearchParams({ homeserver: synapse.baseUrl, ...attributes });
  await tab.goto(`${pages}/?${query.toString()}`);
  await waitForState(tab, "oidc-login", "ready");
}

/** The person signs in by the button, in the same tab. */
export async function signIn(
  bed: DelegatedTestbed,
  tab: Tab,
  user: string,
  attributes?: Readonly<Record<string, string>>,
): Promise<void> {
  await openLogin(bed, tab, attributes);
  await tab.click("oidc-login", "[part=button]");
  await atProvider.signIn(tab, user);
  await isSignedIn(tab);
}

export async function isSignedIn(tab: Tab): Promise<void> {
  await tab.waitForUrl("/callback.html");
  await waitForState(tab, "oidc-callback", "success");
  await tab.waitForTrue("window.result !== undefined");
}

/** The application of somebody who is signed in in this browser. */
export class Application {
  readonly tab: Tab;

  constructor(tab: Tab) {
    this.tab = tab;
  }

  /** In a separate tab; for the person who is signed in in this browser. */
  static async open({ pages }: DelegatedTestbed, profile: Profile): Promise<Application> {
    const app = new Application(await profile.newTab());
    await app.tab.goto(`${pages}/application.html`);
    await app.tab.waitForTrue("window.isReady");
    return app;
  }

  /** Signs somebody in, and opens it. */
  static async ofPerson(
    bed: DelegatedTestbed,
    profile: Profile,
    user: string,
    deviceId: string,
  ): Promise<Application> {
    const tab = await profile.newTab();
    await signIn(bed, tab, user, { "device-id": deviceId });
    await tab.goto(`${bed.pages}/application.html`);
    await tab.waitForTrue("window.session !== undefined");
    return new Application(tab);
  }

  whoami(): Promise<Whoami> {
    return this.tab.run("window.client.whoami()");
  }

  token(): Promise<string> {
    return this.tab.run("window.session.accessToken()");
  }

  refresh(): Promise<unknown> {
    return this.tab.run("window.session.refresh().then(() => null)");
  }

  /** What is stored, with its tokens. */
  stored(): Promise<Stored> {
    return this.tab.run("JSON.parse(localStorage.getItem(Object.keys(localStorage)[0]))");
  }

  state(): Promise<string> {
    return this.tab.run("window.session.state");
  }

  events(): Promise<readonly RecordedEvent[]> {
    return this.tab.run("window.events");
  }

  /** Waits until the session has ended. @returns all its events. */
  async waitForEnd(): Promise<readonly RecordedEvent[]> {
    await this.tab.waitForTrue("window.events.some(({ type }) => type === 'session-ended')");
    return this.events();
  }

  /** The code with which a call in the page fails. */
  failure(call: string): Promise<string | undefined> {
    return this.tab.run(`${call}.then(() => null, ({ code, errcode }) => code ?? errcode)`);
  }

  /** Begins what `pages/application.js` has by that name. */
  async begin(name: string, ...values: readonly string[]): Promise<void> {
    await this.tab.run(
      `window.page.begin(${[name, ...values].map((it) => JSON.stringify(it)).join()})`,
    );
  }

  async makeKeys(): Promise<void> {
    await this.tab.run("window.page.makeKeys()");
  }

  async outcome(): Promise<Outcome> {
    await this.tab.waitForTrue("window.outcome !== undefined");
    return this.tab.run("window.outcome");
  }

  /** Waits until the dialog says a text. */
  async says(text: string): Promise<void> {
    await this.tab.waitForTrue(`${SHOWN}.includes(${JSON.stringify(text)})`);
  }

  async succeeds(): Promise<unknown> {
    const { result, error } = await this.outcome();
    assert.equal(error, undefined);
    await this.tab.waitForTrue("!document.querySelector('uia-dialog').open");
    return result;
  }

  /** Opens the page that the dialog asks the person to go to. */
  openPage(): Promise<Tab> {
    return this.tab.clickOpening("uia-fallback-frame", "[part=open]");
  }
}
