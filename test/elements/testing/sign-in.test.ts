// An app's test whose provider is a page of the app, as in docs/guides/test-your-app.md.
import { expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import type { OidcLoginElement } from "matrix-auth-elements";
import { restoreStubs, stub } from "../../support/stub.js";
import { inState, loadFrame, nextEvent, part } from "../support/element.js";
import { useTestServers } from "../support/test-servers.js";

describe("Signing in to the test servers", () => {
  afterEach(() => {
    restoreStubs();
    sessionStorage.clear();
    localStorage.clear();
  });

  it("completes a popup whose provider is a page of this origin", async () => {
    const page = new URL("/test/elements/testing/provider.html", location.href).href;
    const { origin } = location;
    const servers = await useTestServers({
      homeserver: `${origin}/hs`,
      issuer: `${origin}/provider/`,
      authorizationPage: page,
      store: localStorage,
    });
    // A frame plays the popup. Like an isolated popup, it has no opener.
    stub(window, "open", { value: () => null });
    const body = encodeURIComponent("<oidc-callback></oidc-callback>");
    const element = await fixture<OidcLoginElement>(
      html`<oidc-login
        mode="popup"
        homeserver=${servers.homeserver}
        redirect-uri=${`${origin}/test/elements/support/page.html?body=${body}`}
      ></oidc-login>`,
    );
    part(element, "button").click();
    await inState(element, "waiting");
    const success = nextEvent(element, "oidc-success");
    const popup = await loadFrame({ src: part<HTMLAnchorElement>(element, "link").href });
    expect((await success).detail.idTokenClaims?.sub).to.equal("alice");
    popup.remove();
  });
});
