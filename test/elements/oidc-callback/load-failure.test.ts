// The code that keeps a user signed in can't be loaded.
import { expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import type { OidcCallbackElement } from "matrix-auth-elements";
import type { TestServers } from "matrix-auth-elements/testing";
import { restoreStubs } from "../../support/stub.js";
import { inState, part, textIn } from "../support/element.js";
import { logOf, responseUrl, useTestServers } from "../support/test-servers.js";

describe("<oidc-callback persist> without its session", () => {
  const { href } = location;
  let servers: TestServers;

  before(async function (this: Mocha.Context) {
    const map = document.createElement("script");
    map.type = "importmap";
    const nothing = "data:text/javascript,";
    map.textContent = JSON.stringify({
      imports: { "/dist/sign-in/session.js": "/nowhere.js", "a-late-map": nothing },
    });
    document.head.append(map);
    const specifier = "a-late-map";
    // This test requires an import map that is added late, which some browsers do not support.
    if (!(await import(specifier).then(Boolean, () => false))) this.skip();
    servers = await useTestServers();
  });
  after(() => {
    restoreStubs();
    history.replaceState(null, "", href);
  });

  it("reports load_failed before the authorization code is used, and offers to try again", async () => {
    history.replaceState(null, "", await responseUrl(servers));
    const element = await fixture<OidcCallbackElement>(
      html`<oidc-callback persist="session"></oidc-callback>`,
    );
    await inState(element, "error");
    expect(element.error?.code).to.equal("load_failed");
    expect(textIn(element)).to.contain("couldn’t be loaded");
    part(element, "retry").click();
    await inState(element, "error");
    expect(logOf(servers)).to.deep.equal([]);
  });
});
