// The elements sign in with the servers of matrix-auth-elements/testing, as in an app's tests.
import { expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import type {
  MatrixLoginElement,
  OidcCallbackElement,
  OidcLoginElement,
} from "matrix-auth-elements";
import type { TestServers } from "matrix-auth-elements/testing";
import { restoreStubs, stub } from "../../support/stub.js";
import { inState, loadFrame, nextEvent, part } from "../support/element.js";
import { HOMESERVER, useTestServers } from "../support/test-servers.js";
import { waitFor } from "../support/wait-for.js";

describe("Signing in to the test servers", () => {
  const { href } = location;
  const alice = "@alice:hs.example";
  let servers: TestServers;

  beforeEach(() => {
    sessionStorage.clear();
    localStorage.clear();
  });
  afterEach(() => {
    restoreStubs();
    history.replaceState(null, "", href);
    localStorage.clear();
  });

  /** The URL that the page would navigate to; the page stays open. */
  const nextUrl = async (type: "oidc-redirect" | "matrix-login-redirect"): Promise<string> => {
    // The event of <oidc-login> does not bubble, so the listener captures it.
    const event = await new Promise<Event>((resolve) =>
      document.addEventListener(
        type,
        (redirect) => {
          redirect.preventDefault();
          resolve(redirect);
        },
        { capture: true, once: true },
      ),
    );
    return (event as HTMLElementEventMap[typeof type]).detail.url;
  };

  const login = (): Promise<OidcLoginElement> =>
    fixture(html`<oidc-login homeserver=${HOMESERVER}></oidc-login>`);
  const callback = (): Promise<OidcCallbackElement> =>
    fixture(html`<oidc-callback persist="local"></oidc-callback>`);

  it("completes a redirect to the provider", async () => {
    servers = await useTestServers();
    const url = nextUrl("oidc-redirect");
    part(await login(), "button").click();
    history.replaceState(null, "", servers.approve(await url));
    const success = nextEvent(document, "matrix-login-success");
    const element = await callback();
    expect((await success).detail.userId).to.equal(alice);
    expect(element.result?.idTokenClaims?.sub).to.equal("alice");
    servers.expireTokens();
    expect(await element.client?.whoami()).to.include({ user_id: alice });
    element.session?.close();
  });

  it("reports a rejection at the provider", async () => {
    servers = await useTestServers();
    const url = nextUrl("oidc-redirect");
    part(await login(), "button").click();
    history.replaceState(null, "", servers.decline(await url));
    const cancelled = nextEvent(document, "oidc-cancel");
    await callback();
    expect((await cancelled).detail).to.deep.equal({ reason: "refused" });
  });

  it("completes a popup whose provider is a page of this origin", async () => {
    const page = new URL("/test/elements/testing/provider.html", href).href;
    const { origin } = location;
    servers = await useTestServers({
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

  const fill = (element: Element, values: Readonly<Record<string, string>>): void => {
    for (const [name, value] of Object.entries(values)) {
      const field = element.querySelector<HTMLInputElement>(`[name=${name}]`);
      if (field) field.value = value;
      field?.dispatchEvent(new Event("input", { bubbles: true }));
    }
  };
  const ready = async (): Promise<MatrixLoginElement> => {
    const element = await fixture<MatrixLoginElement>(
      html`<matrix-login homeserver=${HOMESERVER} persist="local"></matrix-login>`,
    );
    await inState(element, "ready");
    return element;
  };

  it("signs in with a password, after a wrong one and a 429", async () => {
    servers = await useTestServers({ login: ["password"] });
    servers.rateLimit("POST /login", { retryAfterMs: 60_000 });
    const element = await ready();
    const codes: (string | undefined)[] = [];
    element.addEventListener("matrix-login-error", ({ detail }) => codes.push(detail.code));
    for (const [password, state] of [
      ["password", "error"],
      ["wrong", "error"],
      ["password", "success"],
    ] as const) {
      fill(element, { username: "alice", password });
      part(element, "submit").click();
      await waitFor(() => element.state === "submitting" || element.state === state);
      await inState(element, state);
    }
    expect(codes).to.deep.equal(["rate_limited", "credentials_invalid"]);
    expect(element.session?.user.userId).to.equal(alice);
    element.session?.close();
  });

  it("signs in with single sign-on", async () => {
    servers = await useTestServers({
      login: ["sso"],
      identityProviders: [{ id: "oidc-work", name: "Work" }],
    });
    const url = nextUrl("matrix-login-redirect");
    const button = part(await ready(), "provider");
    expect(button.textContent).to.contain("Work");
    button.click();
    history.replaceState(null, "", servers.approve(await url));
    const success = nextEvent(document, "matrix-login-success");
    await fixture(html`<matrix-login homeserver=${HOMESERVER}></matrix-login>`);
    expect((await success).detail).to.include({ method: "sso", userId: alice });
  });

  it("creates an account, and then signs in again after a soft logout", async () => {
    servers = await useTestServers({ login: ["password"], accounts: {} });
    const element = await ready();
    part(element, "register").click();
    await waitFor(() => element.shadowRoot?.querySelector("[part=back]"));
    fill(element, { username: "bob", password: "secret-new", repeat: "secret-new" });
    part(element, "submit").click();
    await inState(element, "success");
    const { session } = element;
    const ended = new Promise<Event>((resolve) =>
      session?.addEventListener("session-ended", resolve),
    );
    servers.endSessions({ softLogout: true });
    await element.client?.whoami().catch(() => undefined);
    expect(await ended).to.have.nested.property("detail.softLogout", true);
    element.remove();
    const again = await fixture<MatrixLoginElement>(
      html`<matrix-login
        homeserver=${HOMESERVER}
        user-id="@bob:hs.example"
        device-id=${session?.user.deviceId ?? ""}
      ></matrix-login>`,
    );
    await inState(again, "ready");
    fill(again, { password: "secret-new" });
    part(again, "submit").click();
    await inState(again, "success");
    expect(again.session?.user.deviceId).to.equal(session?.user.deviceId);
    again.session?.close();
  });
});
