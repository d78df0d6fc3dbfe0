// Rule 8: URLs from servers are HTTPS (HTTP on loopback), without a user name, a backslash, or control and
// bidi characters. One parser for all.
import { expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import type {
  MatrixLoginElement,
  OidcLoginElement,
  UiaFallbackFrameElement,
} from "matrix-auth-elements";
import {
  accountManagementUrl,
  discoverHomeserver,
  discoverIssuer,
  fetchAuthMetadata,
  generateAuthorizationParams,
  generateAuthorizationUrl,
  HomeserverClient,
  startDeviceAuthorization,
  validateAuthMetadata,
} from "matrix-auth-elements/core";
import { fill, ready } from "../elements/matrix-login/fixture.js";
import { part, inState } from "../elements/support/element.js";
import { element, endDialog, OAuth, Terms, ui } from "../elements/uia-dialog/fixture.js";
import { HOMESERVER, useTestServers } from "../elements/support/test-servers.js";
import { waitFor } from "../elements/support/wait-for.js";
import { rejectionOf } from "../support/rejection.js";
import { json, ScriptedFetch, type Responder } from "../support/scripted-fetch.js";
import { ISSUER, ScriptedProvider } from "../support/scripted-provider.js";
import { restoreStubs } from "../support/stub.js";

afterEach(restoreStubs);

const RLO = "\u202E";
/** Each would open or request another host than a reader or another parser sees, or no safe one. */
const HOSTILE_URLS: readonly string[] = [
  "http://evil.example/x",
  "https://good.example@evil.example/x",
  "https://good.example:pass@evil.example/x",
  "https://@evil.example/x",
  "https://:@evil.example/x",
  "https://evil.example\\@good.example/x",
  "https:\\\\evil.example/x",
  "https://good.example\\x",
  "https:/evil.example/x",
  "https:evil.example/x",
  "https:///evil.example/x",
  " https://evil.example/x",
  "https://evil.example/x ",
  "ht\ntps://evil.example/x",
  "https://evil.exa\tmple/x",
  `https://evil.example/${RLO}x`,
  `https://good${RLO}.example/x`,
  "https://evil.example/\u2066x",
  "https://go\u200Bod.example/x",
  "https://go\u00ADod.example/x",
  "https://evil.example/\u0000x",
  "https://evil.example/\u0085x",
  "https://evil.example/\u2028x",
  "javascript:alert(1)//https://good.example/",
  "data:text/html,x",
  "blob:https://good.example/x",
  "//evil.example/x",
  "/x",
];

/** Of these, the base URL of a server is what browsers read, and only that is used: a host, and never this page. */
const READ_AS_BASE: readonly string[] = [
  "https:/evil.example/x",
  "https:evil.example/x",
  "https:///evil.example/x",
  " https://evil.example/x",
  "https://evil.example/x ",
];
const BASES = ["a homeserver's base URL", "an identity server"];

const HONEST_URLS: readonly string[] = [
  "https://good.example/x",
  "HTTPS://good.example/x",
  "https://good.example:8448/x?y=%E2%80%AE@",
  "https://gööd.example/ü",
  "http://localhost:8080/x",
  "http://127.0.0.1/x",
];

const METADATA = `GET ${HOMESERVER}/_matrix/client/v1/auth_metadata`;

/** Every use of a URL from a server. @returns Whether the URL is used. */
const USES: Readonly<Record<string, (url: string) => Promise<boolean>>> = {
  "a homeserver's base URL": async (base_url) => {
    const file = { "m.homeserver": { base_url } };
    const { fetch } = new ScriptedFetch({
      "GET https://hs.example/.well-known/matrix/client": json(file),
    });
    return discoverHomeserver("hs.example", { fetch }).then(
      () => true,
      () => false,
    );
  },
  "an identity server": async (base_url) => {
    const file = { "m.homeserver": { base_url: HOMESERVER }, "m.identity_server": { base_url } };
    const { fetch } = new ScriptedFetch({
      "GET https://hs.example/.well-known/matrix/client": json(file),
    });
    return (await discoverHomeserver("hs.example", { fetch })).identityServerUrl !== undefined;
  },
  "a well-known file's issuer": async (issuer) => {
    const file = { "m.homeserver": { base_url: HOMESERVER }, "m.authentication": { issuer } };
    const { fetch } = new ScriptedFetch({
      "GET https://hs.example/.well-known/matrix/client": json(file),
    });
    return (await discoverHomeserver("hs.example", { fetch })).issuer !== undefined;
  },
  "an issuer": async (issuer) => {
    const { fetch } = new ScriptedFetch();
    const error = await rejectionOf(discoverIssuer(issuer, { fetch }));
    return (error as { code?: string }).code !== "issuer_invalid" || issuer.includes("?");
  },
  "an authorization endpoint": (url) =>
    generateAuthorizationUrl(
      url,
      "client",
      generateAuthorizationParams({ redirectUri: HOMESERVER }),
    ).then(
      () => true,
      () => false,
    ),
  "a key set": async (jwks_uri) => {
    const { metadata } = await ScriptedProvider.create();
    try {
      return validateAuthMetadata({ ...metadata, jwks_uri }).jwks_uri === jwks_uri;
    } catch {
      return false;
    }
  },
  "an account page": async (account_management_uri) =>
    Promise.resolve(accountManagementUrl({ account_management_uri }) !== undefined),
  "a device's verification page": async (verification_uri) => {
    const provider = await ScriptedProvider.create();
    const device_authorization_endpoint = `${ISSUER}device`;
    const codes = { device_code: "d", user_code: "u", verification_uri, expires_in: 60 };
    provider.server.routes[`POST ${device_authorization_endpoint}`] = json(codes);
    const metadata = validateAuthMetadata({ ...provider.metadata, device_authorization_endpoint });
    const { fetch } = provider.server;
    return startDeviceAuthorization({ metadata, clientId: "client" }, { fetch }).then(
      () => true,
      () => false,
    );
  },
  "a device's verification page with its code": async (verification_uri_complete) => {
    const provider = await ScriptedProvider.create();
    const device_authorization_endpoint = `${ISSUER}device`;
    const verification_uri = "https://good.example/x";
    provider.server.routes[`POST ${device_authorization_endpoint}`] = json({
      ...{ device_code: "d", user_code: "u", expires_in: 60 },
      ...{ verification_uri, verification_uri_complete },
    });
    const metadata = validateAuthMetadata({ ...provider.metadata, device_authorization_endpoint });
    const { fetch } = provider.server;
    return startDeviceAuthorization({ metadata, clientId: "client" }, { fetch }).then(
      (started) => JSON.stringify(started).includes(JSON.stringify(verification_uri_complete)),
      () => false,
    );
  },
  "the page of m.oauth": async (url) => {
    await ui.open([OAuth], { params: { [OAuth]: { url } } });
    const frame = await waitFor(() => element.shadowRoot?.querySelector("uia-fallback-frame"));
    await waitFor(() => frame?.shadowRoot?.querySelector("[part=text], [part=host]"));
    const isShown = frame?.shadowRoot?.querySelector("[part=host]") !== null;
    await endDialog();
    return isShown;
  },
  "an administrator's contact": async (admin_contact) => {
    const servers = await useTestServers({ login: ["password"], accounts: { alice: "secret" } });
    servers.refuse("POST /login", 403, { errcode: "M_RESOURCE_LIMIT_EXCEEDED", admin_contact });
    const login = await ready(html`<matrix-login homeserver=${HOMESERVER}></matrix-login>`);
    fill(login, { username: "alice", password: "secret" });
    part(login, "submit").click();
    await inState(login, "error");
    await waitFor(() => login.shadowRoot?.querySelector("[part=error]"));
    const isLinked = login.shadowRoot?.querySelector("[part=error] a") !== null;
    login.remove();
    restoreStubs();
    return isLinked;
  },
  "the URL for a phone's code": async (submit_url) => {
    const routes = new Proxy<Record<string, Responder>>({}, { get: () => json({}) });
    const { fetch } = new ScriptedFetch(routes);
    const client = new HomeserverClient({ baseUrl: HOMESERVER, fetch });
    return client.submitMsisdnTokenOtherUrl(submit_url, "s", "c", "t").then(
      () => true,
      () => false,
    );
  },
  "a fallback page": async (url) => {
    const frame = await fixture<UiaFallbackFrameElement>(
      html`<uia-fallback-frame stage="m.login.sso" .url=${url}></uia-fallback-frame>`,
    );
    await waitFor(() => frame.shadowRoot?.querySelector("[part=text], [part=host]"));
    return frame.shadowRoot?.querySelector("[part=host]") !== null;
  },
  "a policy": async (url) => {
    await ui.open([Terms], {
      params: { [Terms]: { policies: { p: { en: { name: "P", url } } } } },
    });
    const isLinked = element.querySelector("form a") !== null;
    await endDialog();
    return isLinked;
  },
};

describe("A URL from a server", () => {
  for (const [what, isUsed] of Object.entries(USES)) {
    it(`is not used as ${what} if it is ambiguous or unsafe`, async () => {
      const used: string[] = [];
      for (const url of HOSTILE_URLS) if (await isUsed(url)) used.push(url);
      expect(used).to.deep.equal(BASES.includes(what) ? READ_AS_BASE : []);
    });

    it(`is used as ${what} otherwise`, async () => {
      const unused: string[] = [];
      for (const url of HONEST_URLS) if (!(await isUsed(url))) unused.push(url);
      // Base URLs and issuers have no query.
      expect(unused.filter((url) => !url.includes("?"))).to.deep.equal([]);
    });
  }
});

describe("A server's base URL that has no slashes, or contains white space", () => {
  for (const base_url of READ_AS_BASE) {
    it(`is read as browsers read ${JSON.stringify(base_url)}`, async () => {
      const file = { "m.homeserver": { base_url }, "m.identity_server": { base_url } };
      const { fetch } = new ScriptedFetch({
        "GET https://hs.example/.well-known/matrix/client": json(file),
      });
      const read = "https://evil.example/x";

      expect(await discoverHomeserver("hs.example", { fetch })).to.deep.equal({
        baseUrl: read,
        identityServerUrl: read,
      });
    });
  }
});

describe("A page with an injected <base>", () => {
  let base: HTMLBaseElement;
  const inject = (): void => {
    base = Object.assign(document.createElement("base"), { href: "https://evil.example/" });
    document.head.prepend(base);
  };
  const stay = (event: Event): void => event.preventDefault();
  before(() => document.addEventListener("oidc-redirect", stay, true));
  after(() => document.removeEventListener("oidc-redirect", stay, true));
  afterEach(() => base.remove());

  const signIn = async (returnTo?: string): Promise<string> => {
    const servers = await useTestServers();
    sessionStorage.clear();
    const login = await fixture<OidcLoginElement>(
      html`<oidc-login
        homeserver=${HOMESERVER}
        redirect-uri="/"
        .returnTo=${returnTo}
        client-uri="/"
        logo-uri="/logo.png"
        tos-uri="terms"
        policy-uri="./policy"
      ></oidc-login>`,
    );
    await login.login();
    const registration = servers.requests.find(({ url }) => url.endsWith("/register"));
    return [registration?.body, ...Object.values({ ...sessionStorage })].join();
  };

  it("does not move the redirect URI or the app's pages to another origin", async () => {
    inject();
    const sent = await signIn();
    expect(sent).to.contain(`${location.origin}/`);
    expect(sent).not.to.contain("evil.example");
  });

  it("does not affect a return to this page's origin", async () => {
    inject();
    expect(await signIn("/home")).to.contain(`${location.origin}/home`);
  });

  it("does not move the logo of <matrix-login>", async () => {
    await useTestServers();
    inject();
    const matrixLogin = await fixture<MatrixLoginElement>(
      html`<matrix-login homeserver=${HOMESERVER} logo-uri="/logo.png"></matrix-login>`,
    );
    await inState(matrixLogin, "ready");
    expect(part<HTMLImageElement>(matrixLogin, "logo").src).to.equal(`${location.origin}/logo.png`);
  });

  it("has no effect when it names the page's own origin", async () => {
    inject();
    base.href = `${location.origin}/folder/`;
    expect(await signIn()).not.to.contain("/folder/");
  });
});

describe("Metadata over several origins", () => {
  it("is rejected immediately if any member has an unsafe URL", async () => {
    const { metadata, server } = await ScriptedProvider.create();
    for (const member of ["authorization_endpoint", "token_endpoint", "revocation_endpoint"]) {
      for (const url of HOSTILE_URLS) {
        server.routes[METADATA] = json({ ...metadata, [member]: url });
        const error = await rejectionOf(fetchAuthMetadata(HOMESERVER, { fetch: server.fetch }));
        expect(error).to.have.property("code", "metadata_invalid");
      }
    }
  });
});
