import { expect, fixture, html, oneEvent, waitUntil } from "@open-wc/testing";
import "matrix-auth-elements/define";
import type { OidcLoginElement, OidcSuccessEvent } from "matrix-auth-elements";
import { restoreStubs, stub } from "../support/stub.js";
import {
  HOMESERVER,
  METADATA,
  answerJson,
  restoreNetwork,
  scriptServers,
  type Servers,
} from "./servers.js";

const TOKENS = {
  access_token: "secret-access",
  refresh_token: "secret-refresh",
  token_type: "Bearer",
  expires_in: 300,
};

/** The window is another page, which end-to-end tests open; here the test speaks in its place. */
describe('<oidc-login mode="popup">', () => {
  let servers: Servers;

  beforeEach(() => {
    servers = scriptServers();
    sessionStorage.clear();
    localStorage.clear();
    stub(window, "open", { value: () => null });
  });
  afterEach(() => {
    restoreStubs();
    restoreNetwork();
  });

  const inState = (element: OidcLoginElement, state: string): Promise<void> =>
    waitUntil(() => element.state === state, `state ${element.state}, not ${state}`);

  /** A login that waits for its window, and where the provider was asked. */
  const waiting = async (): Promise<{ element: OidcLoginElement; asked: URLSearchParams }> => {
    const element = await fixture<OidcLoginElement>(
      html`<oidc-login mode="popup" homeserver=${HOMESERVER}></oidc-login>`,
    );
    await element.login();
    await inState(element, "waiting");
    await element.updateComplete;
    const link = element.shadowRoot?.querySelector<HTMLAnchorElement>("[part=link]");
    const asked = new URL(link?.href ?? "").searchParams;
    servers.answers[METADATA.token_endpoint] = answerJson({ ...TOKENS, scope: asked.get("scope") });
    return { element, asked };
  };

  /** What the window tells of the provider's answer. */
  const answerTo = (asked: URLSearchParams): { state: string; answer: string } => {
    const state = asked.get("state") ?? "";
    const answer = new URLSearchParams({ state, code: "the-code" }).toString();
    return { state, answer: `${asked.get("redirect_uri") ?? ""}#${answer}` };
  };

  it("does without a channel where the browser allows none", async () => {
    stub(window, "BroadcastChannel", {
      value: function BroadcastChannel() {
        throw new DOMException("The operation is insecure.", "SecurityError");
      },
    });
    const { element, asked } = await waiting();
    const success = oneEvent(element, "oidc-success") as Promise<OidcSuccessEvent>;
    const { port1: source, port2: opened } = new MessageChannel();
    const outcome = new Promise((resolve) => {
      opened.onmessage = ({ data }: MessageEvent<{ outcome?: unknown }>) => {
        if (data.outcome) resolve(data.outcome);
      };
    });
    const { origin } = location;
    window.dispatchEvent(new MessageEvent("message", { data: answerTo(asked), origin, source }));
    expect((await success).detail.tokenResponse.access_token).to.equal("secret-access");
    expect(await outcome).to.equal("success");
    opened.close();
  });
});
