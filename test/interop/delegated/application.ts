import type { Profile } from "../../e2e/driver/driver.js";
import { Login, waitForStoredUser, type Whoami } from "../../e2e/login.js";
import { Application } from "../application/application.js";
import type { DelegatedTestbed } from "./testbed.js";

/** A provider whose users sign in to the app. */
type Bed = Pick<DelegatedTestbed, "pages" | "loginAs">;

/** The app with the session of the browser's user. */
export class SessionApplication extends Application {
  /** Opens the app in a separate tab. */
  static async openTab(bed: Bed, profile: Profile): Promise<SessionApplication> {
    return new SessionApplication((await Application.open(bed.pages, profile)).tab);
  }

  /** Signs a user in, and opens the app. */
  static async signIn(
    bed: Bed,
    profile: Profile,
    user: string,
    deviceId: string,
  ): Promise<SessionApplication> {
    const login = new Login(bed.loginAs(user), await profile.newTab());
    await login.signIn({ "redirect-uri": "/kept.html", "device-id": deviceId });
    await waitForStoredUser(login.tab);
    await login.tab.goto(`${bed.pages.origin}/application/application.html`);
    await login.tab.waitForTrue("window.session !== undefined");
    return new SessionApplication(login.tab);
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

  state(): Promise<string> {
    return this.tab.run("window.session.state");
  }
}
