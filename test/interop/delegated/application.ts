import type { Profile, Tab } from "../../e2e/driver/driver.js";
import { atProvider, waitForState } from "../../e2e/user-actions.js";
import { Application } from "../application/application.js";
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

type Attributes = Readonly<Record<string, string>>;

/** Opens the page with the button, and waits until it may be clicked. */
export async function openLogin(
  { pages, synapse }: DelegatedTestbed,
  tab: Tab,
  attributes: Attributes = {},
): Promise<void> {
  const query = new URLSearchParams({ homeserver: synapse.baseUrl, ...attributes });
  await tab.goto(`${pages.origin}/?${query.toString()}`);
  await waitForState(tab, "oidc-login", "ready");
}

/** Signs in by the button, in the same tab. */
export async function signIn(
  bed: DelegatedTestbed,
  tab: Tab,
  user: string,
  attributes?: Attributes,
): Promise<void> {
  await openLogin(bed, tab, attributes);
  await tab.click("oidc-login", "[part=button]");
  await atProvider.signIn(tab, user);
  await waitForSignedIn(tab);
}

export async function waitForSignedIn(tab: Tab): Promise<void> {
  await tab.waitForUrl("/callback.html");
  await waitForState(tab, "oidc-callback", "success");
  await tab.waitForTrue("window.result !== undefined");
}

/** The application with the session of the user who is signed in in this browser. */
export class SessionApplication extends Application {
  /** Opens it in a separate tab. */
  static async openTab(bed: DelegatedTestbed, profile: Profile): Promise<SessionApplication> {
    return new SessionApplication((await Application.open(bed.pages, profile)).tab);
  }

  /** Signs a user in, and opens it. */
  static async signIn(
    bed: DelegatedTestbed,
    profile: Profile,
    user: string,
    deviceId: string,
  ): Promise<SessionApplication> {
    const tab = await profile.newTab();
    await signIn(bed, tab, user, { "device-id": deviceId });
    await tab.goto(`${bed.pages.origin}/application.html`);
    await tab.waitForTrue("window.session !== undefined");
    return new SessionApplication(tab);
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
}
