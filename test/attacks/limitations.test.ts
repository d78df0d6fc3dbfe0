// What SECURITY.md says no client can prevent, each with the nearest case that is prevented. If a test of the
// first kind fails, its sentence is out of date. Others are in 05 (claimed users), 07 (uploads), and 08 (openers).
import { expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import {
  completeAuthorizationCodeGrantFromUrl,
  completeSsoLogin,
  discoverHomeserver,
  fetchAuthMetadata,
  generateOidcAuthorizationUrl,
  HomeserverClient,
  LegacySession,
  OidcSession,
  restoreSession,
  startSsoLogin,
  type MatrixLoginElement,
  type SessionOptions,
} from "matrix-auth-elements";
import type { TestServers } from "matrix-auth-elements/testing";
import { inState, loadFrame, part } from "../elements/support/element.js";
import {
  bodiesTo,
  HOMESERVER,
  logOf,
  responseUrl,
  useTestServers,
} from "../elements/support/test-servers.js";
import { waitFor } from "../elements/support/wait-for.js";
import { rejectionOf } from "../support/rejection.js";
import { json, ScriptedFetch } from "../support/scripted-fetch.js";
import { restoreStubs } from "../support/stub.js";
import { storedText } from "./support.js";

const EVIL = "https://evil.example";
const HONEST = "https://idp.example/";
const HERE = location.href.replace(/#.*/, "");

const providerAt = (issuer: string, more: object = {}): object => ({
  issuer,
  authorization_endpoint: `${issuer}authorize`,
  token_endpoint: `${issuer}token`,
  revocation_endpoint: `${issuer}revoke`,
  registration_endpoint: `${issuer}register`,
  response_types_supported: ["code"],
  code_challenge_methods_supported: ["S256"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  ...more,
});

/** A homeserver with this provider, whose document is the same. */
const homeserverOf = (homeserver: string, provider: object & { issuer?: string }): ScriptedFetch =>
  new ScriptedFetch({
    [`GET ${homeserver}/_matrix/client/v1/auth_metadata`]: json(provider),
    [`GET ${String(provider.issuer)}.well-known/openid-configuration`]: json(provider),
  });

const bodiesOf = ({ requests }: ScriptedFetch, url: string): readonly string[] =>
  requests.filter((request) => request.url === url).map(({ body }) => body);

afterEach(() => {
  restoreStubs();
  sessionStorage.clear();
  localStorage.clear();
});

describe("No client can prevent", () => {
  it("that a malicious homeserver gets another one's login token: its page redirects to the honest one's", async () => {
    const server = new ScriptedFetch();
    const login = startSsoLogin({ homeserverUrl: EVIL, redirectUri: HERE });
    const back = new URL(new URL(login.url).searchParams.get("redirectUrl") ?? "");
    back.searchParams.set("loginToken", "honest-login-token");
    await rejectionOf(completeSsoLogin(back.href, server));
    expect(bodiesOf(server, `${EVIL}/_matrix/client/v3/login`).join()).to.contain(
      "honest-login-token",
    );
  });

  for (const [what, iss, isSent] of [
    [
      "that a malicious provider gets another one's code, if the response has no iss",
      undefined,
      true,
    ],
    ["it only in this case: with the honest iss, nothing is sent", HONEST, false],
  ] as const) {
    it(what, async () => {
      const issuer = `${EVIL}/`;
      const server = homeserverOf(EVIL, providerAt(issuer));
      const metadata = await fetchAuthMetadata(EVIL, server);
      // This page of the attacker redirects to the honest provider, with the same state and challenge.
      const page = await generateOidcAuthorizationUrl({
        ...{
          metadata,
          clientId: "client",
          homeserverUrl: EVIL,
          redirectUri: HERE,
          nonce: "n",
          responseMode: "fragment",
        },
      });
      const response = new URL(HERE);
      const state = new URL(page).searchParams.get("state") ?? "";
      response.hash = new URLSearchParams({
        state,
        code: "honest-code",
        ...(iss && { iss }),
      }).toString();
      const error = await rejectionOf(completeAuthorizationCodeGrantFromUrl(response.href, server));
      if (!isSent) expect(error).to.include({ code: "issuer_mismatch" });
      const [sent] = bodiesOf(server, `${issuer}token`);
      expect(!!sent).to.equal(isSent);
      if (sent)
        expect(Object.fromEntries(new URLSearchParams(sent))).to.include({ code: "honest-code" });
    });
  }

  it("that a homeserver names another operator's provider, and gets the token that the user agreed to", async () => {
    const server = homeserverOf(EVIL, providerAt(HONEST));
    const metadata = await fetchAuthMetadata(EVIL, server);
    expect(metadata.issuer).to.equal(HONEST);
    const { deviceId, scope } = { deviceId: "DEVICE", scope: "urn:matrix:client:api:*" };
    const session = new OidcSession(
      {
        ...{ deviceId, scope, metadata, homeserverUrl: EVIL, idTokenClaims: undefined },
        tokenResponse: { access_token: "honest-token", token_type: "Bearer" },
        oidcClientSettings: { clientId: "client", issuer: HONEST },
      },
      server,
    );
    await session.fetch(`${EVIL}/x`).catch(() => undefined);
    expect(server.to(`${EVIL}/x`)[0]?.headers.get("Authorization")).to.equal("Bearer honest-token");
    await session.fetch("https://other.example/x").catch(() => undefined);
    expect(server.to("https://other.example/x")[0]?.headers.has("Authorization")).to.be.false;
  });

  it("that a redirect of a public document leads to this machine, as browsers don't show the target first", async () => {
    const local = "http://localhost:631/file";
    const server = new ScriptedFetch({
      "GET https://hs.example/.well-known/matrix/client": () =>
        new Response(null, { status: 302, headers: { Location: local } }),
      [`GET ${HOMESERVER}/_matrix/client/v3/account/whoami`]: () =>
        new Response(null, { status: 302, headers: { Location: local } }),
    });
    const client = new HomeserverClient({ baseUrl: HOMESERVER, accessToken: "token", ...server });
    await rejectionOf(client.whoami());
    expect(server.log).not.to.contain(`GET ${local}`);
    await rejectionOf(discoverHomeserver("hs.example", server));
    expect(server.log).to.contain(`GET ${local}`);
    expect(server.to(local)[0]).to.include({ credentials: "omit", body: "" });
  });

  describe("that another app or a script on the origin", () => {
    const LOGIN = {
      homeserverUrl: HOMESERVER,
      userId: "@alice:hs.example",
      deviceId: "DEVICE",
      accessToken: "alices-token",
    };
    const start = async (options: SessionOptions): Promise<void> => {
      const session = new LegacySession(LOGIN, options);
      await session.stored;
      session.close();
    };

    it("has the session, unless one of them has its own key", async () => {
      await start({ store: "localStorage" });
      const other = await restoreSession({ store: "localStorage" });
      expect(other?.user.userId).to.equal(LOGIN.userId);
      other?.close();
      expect(await restoreSession({ store: "localStorage", key: "own" })).to.be.undefined;
    });

    it("reads the tokens in the storage, unless the session is kept in memory", async () => {
      await start({ store: "localStorage" });
      expect(storedText()).to.contain("alices-token");
      localStorage.clear();
      await start({ store: "memory" });
      expect(storedText()).not.to.contain("alices-token");
    });
  });

  it("that the browser keeps the callback's URL as the name of the navigation, although the address bar has no code", async () => {
    const servers = await useTestServers();
    const { hash } = new URL(
      await responseUrl(servers, undefined, { appState: { startUrl: location.href } }),
    );
    const query = new URLSearchParams({ body: "<main></main>", entry: "/dist/define/capture.js" });
    const frame = await loadFrame({
      src: `/test/elements/support/page.html?${query.toString()}${hash}`,
    });
    const page = frame.contentWindow as Window & typeof globalThis;
    await waitFor(() => page.location.hash === "");
    const [navigation] = page.performance.getEntriesByType("navigation");
    expect(navigation?.name).to.contain(new URLSearchParams(hash.slice(1)).get("code"));
    frame.remove();
  });

  describe("that unusable tokens stay valid", () => {
    const DEVICE = "MYLAPTOP12";
    /** Completes a sign-in whose tokens don't include the API. */
    const fail = async (servers: TestServers, deviceId?: string): Promise<readonly string[]> => {
      servers.override("/token", () =>
        Response.json({
          ...{ access_token: "unused", refresh_token: "unused", token_type: "Bearer" },
          scope: `urn:matrix:client:device:${DEVICE}`,
        }),
      );
      const url = await responseUrl(servers, undefined, deviceId ? { deviceId } : {});
      await rejectionOf(completeAuthorizationCodeGrantFromUrl(url));
      return logOf(servers).filter((line) => line.endsWith("/revoke"));
    };

    it("if the app has named their device, which may have another session", async () => {
      expect(await fail(await useTestServers(), DEVICE)).to.deep.equal([]);
    });

    it("but only then: those of a new device are revoked", async () => {
      const servers = await useTestServers();
      await fail(servers);
      await waitFor(() => logOf(servers).some((line) => line.endsWith("/revoke")));
    });
  });
});

describe("The name on the button of <matrix-login>", () => {
  const make = async (): Promise<MatrixLoginElement> => {
    const element = await fixture<MatrixLoginElement>(
      html`<matrix-login homeserver="hs.example"></matrix-login>`,
    );
    await inState(element, "ready");
    return element;
  };

  it("is the host that gets the password, even if the user has typed another server's name", async () => {
    const servers = await useTestServers({
      ...{ homeserver: "https://matrix.host.example", serverName: "hs.example" },
      ...{ login: ["password"], accounts: { alice: "password" } },
    });
    const element = await make();
    expect(part(element, "server-name").textContent).to.equal("hs.example");
    expect(part(element, "submit").innerText).to.contain("matrix.host.example");
    for (const [name, value] of Object.entries({ username: "alice", password: "password" })) {
      const field = element.querySelector<HTMLInputElement>(`[name=${name}]`);
      if (field) field.value = value;
      field?.dispatchEvent(new Event("input", { bubbles: true }));
    }
    part(element, "submit").click();
    await inState(element, "success");
    expect(bodiesTo(servers, "POST /_matrix/client/v3/login")).to.have.length(1);
    const logins = logOf(servers).filter((line) => /^POST .*\/login$/.test(line));
    expect(logins).to.deep.equal(["POST https://matrix.host.example/_matrix/client/v3/login"]);
    element.session?.close();
  });

  it("is the provider's, if that is on another domain, below the homeserver's name", async () => {
    await useTestServers({ issuer: "https://login.other.example/" });
    const element = await make();
    expect(part(element, "server-name").textContent).to.equal("hs.example");
    expect(element.shadowRoot?.querySelector<HTMLElement>("oidc-login")?.innerText).to.contain(
      "login.other.example",
    );
  });
});
