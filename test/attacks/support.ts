// The user's way through a sign-in, with servers that a test changes.
import { fixture, html } from "@open-wc/testing";
import type { TemplateResult } from "lit";
import type { TestServers } from "matrix-auth-elements/testing";
import { nextEvent, part } from "../elements/support/element.js";
import { waitFor } from "../elements/support/wait-for.js";

/** Text in any of the stores that a page can read synchronously. */
export const storedText = (): string =>
  [localStorage, sessionStorage]
    .flatMap((storage) => Object.entries(storage) as [string, string][])
    .filter(([key]) => !key.includes(":flow:") && !key.includes(":sso:"))
    .map((entry) => entry.join("="))
    .join("\n");

/** The session that a store has under a key, as its JSON. */
export const recordAt = (
  storage: Storage,
  key = "matrix-auth-elements:session",
): Readonly<Record<string, unknown>> | undefined => {
  const text = storage.getItem(key);
  return text === null ? undefined : (JSON.parse(text) as Record<string, unknown>);
};

/** Puts the record of a soft logout into a store, as a session leaves it. */
export function storeSoftLogout(
  record: {
    readonly userId: string;
    readonly deviceId: string;
    readonly homeserverUrl?: string;
  },
  storage: Storage = localStorage,
  key = "matrix-auth-elements:session",
): void {
  const left = {
    kind: "legacy",
    id: "soft-logout",
    version: 3,
    signedInAt: Date.now() - 1000,
    state: "soft-logout",
    homeserverUrl: "https://hs.example",
    tokenResponse: { access_token: "", token_type: "Bearer" },
    ...record,
  };
  storage.setItem(key, JSON.stringify(left));
}

/** Clicks the way to a provider or to single sign-on. @returns The URL that the page would open. */
export async function leaveFor(element: HTMLElement): Promise<string> {
  const isLogin = element.localName === "oidc-login";
  const type = isLogin ? "oidc-redirect" : "matrix-login-redirect";
  const redirect = nextEvent(element, type);
  element.addEventListener(type, (event) => event.preventDefault(), { once: true });
  await waitFor(() => (isLogin ? true : loginButton(element)));
  (isLogin ? part(element, "button") : loginButton(element))?.click();
  return (await redirect).detail.url;
}

function loginButton(element: HTMLElement): HTMLElement | undefined {
  const root = element.shadowRoot;
  const inner = root?.querySelector("oidc-login")?.shadowRoot?.querySelector("[part=button]");
  const found = inner ?? root?.querySelector("[part=provider]");
  return found instanceof HTMLElement ? found : undefined;
}

/**
 * A redirect: the page starts a sign-in, is left, and is opened again with the response. An element
 * of the same document plays each page, with the flow in the same `sessionStorage`.
 *
 * @param page The page that starts it.
 * @param starter The selector of the element that the user clicks.
 * @returns The URL that the browser is redirected to.
 */
export async function goAway(
  servers: TestServers,
  page: TemplateResult,
  starter: string,
  user?: string,
): Promise<string> {
  const left = await fixture<HTMLElement>(html`<div>${page}</div>`);
  const element = left.querySelector<HTMLElement>(starter);
  if (!element) throw new Error(`no ${starter}`);
  const url = await leaveFor(element);
  left.remove();
  return servers.approve(url, { ...(user && { user }) });
}

/** Opens the page at the redirect URI. */
export async function comeBack(url: string, page: TemplateResult): Promise<HTMLElement> {
  history.replaceState(null, "", url);
  return fixture<HTMLElement>(html`<div>${page}</div>`);
}
