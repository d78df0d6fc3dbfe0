// Where what keeps a user signed in can't be loaded.
import { expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import type { OidcCallbackElement } from "matrix-auth-elements";
import { generateOidcAuthorizationUrl, validateAuthMetadata } from "matrix-auth-elements/core";
import {
  HOMESERVER,
  METADATA,
  answerJson,
  restoreNetwork,
  scriptServers,
  type Servers,
} from "../support/servers.js";
import { waitFor } from "../support/wait-for.js";

describe("<oidc-callback persist> without its session", () => {
  const { href } = location;
  let servers: Servers;

  before(async function (this: Mocha.Context) {
    const map = document.createElement("script");
    map.type = "importmap";
    const nothing = "data:text/javascript,";
    map.textContent = JSON.stringify({
      imports: { "/dist/elements/shared/lazy/session.js": "/nowhere.js", "a-late-map": nothing },
    });
    document.head.append(map);
    const specifier = "a-late-map";
    // Where a page may have no import map once it has loaded a module, nothing can be taken away so.
    if (!(await import(specifier).then(Boolean, () => false))) this.skip();
    servers = scriptServers();
    servers.answers[METADATA.token_endpoint] = answerJson({
      access_token: "secret-access",
      refresh_token: "secret-refresh",
      token_type: "Bearer",
      expires_in: 300,
      scope: "urn:matrix:client:api:* urn:matrix:client:device:DEVICE0001",
    });
  });
  after(() => {
    restoreNetwork();
    history.replaceState(null, "", href);
  });

  it("says so by code before the authorization code is used, and offers to try again", async () => {
    const url = await generateOidcAuthorizationUrl({
      metadata: validateAuthMetadata(METADATA),
      clientId: "registered",
      homeserverUrl: HOMESERVER,
      redirectUri: href,
      nonce: "nonce",
      deviceId: "DEVICE0001",
    });
    const state = new URL(url).searchParams.get("state") ?? "";
    history.replaceState(
      null,
      "",
      `?${new URLSearchParams({ code: "the-code", state }).toString()}`,
    );
    const element = await fixture<OidcCallbackElement>(
      html`<oidc-callback persist="session"></oidc-callback>`,
    );
    const retry = (): HTMLElement | null | undefined =>
      element.shadowRoot?.querySelector<HTMLElement>("[part=retry]");
    for (const time of ["first", "second"]) {
      await waitFor(() => element.state === "error" && retry(), `no error the ${time} time`);
      expect(element.error?.code).to.equal("load_failed");
      expect(element.shadowRoot?.textContent).to.contain("couldn’t be loaded");
      retry()?.click();
    }
    await waitFor(() => element.state === "error");
    expect(servers.requests).to.deep.equal([]);
  });
});
