import { expect, fixture, html, oneEvent } from "@open-wc/testing";
import "matrix-auth-elements/define";
import type { OidcLoginElement, OidcSuccessEvent } from "matrix-auth-elements";
import { restoreStubs, stub } from "../../support/stub.js";
import {
  HOMESERVER,
  METADATA,
  answerJson,
  answerLater,
  restoreNetwork,
  scriptServers,
  type Servers,
} from "../support/servers.js";
import { timeForMore, waitFor } from "../support/wait-for.js";

const TOKENS = {
  access_token: "secret-access",
  refresh_token: "secret-refresh",
  token_type: "Bearer",
  expires_in: 300,
};
const TOKEN_REQUEST = `POST ${METADATA.token_endpoint}`;

/** The window is another page, which end-to-end tests open; here the test speaks in its place. */
describe('<oidc-login mode="popup">', () => {
  let servers: Servers;
  let channel: BroadcastChannel | undefined;

  beforeEach(() => {
    servers = scriptServers();
    sessionStorage.clear();
    localStorage.clear();
    stub(window, "open", { value: () => null });
  });
  afterEach(() => {
    channel?.close();
    channel = undefined;
    restoreStubs();
    restoreNetwork();
  });

  const inState = (element: OidcLoginElement, state: string): Promise<unknown> =>
    waitFor(
      () => element.state === state,
      () => `state ${element.state}, not ${state}`,
    );

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
  const answerTo = (asked: URLSearchParams): { state: string; response: string } => {
    const state = asked.get("state") ?? "";
    const answer = new URLSearchParams({ state, code: "the-code" }).toString();
    return { state, response: `${asked.get("redirect_uri") ?? ""}#${answer}` };
  };

  /** Tells the answer as a window does that is cut off, and gives what it hears. */
  const tell = (asked: URLSearchParams): unknown[] => {
    const message = answerTo(asked);
    const heard: unknown[] = [];
    channel = new BroadcastChannel(`matrix-auth-elements:${message.state}`);
    channel.addEventListener("message", ({ data }) => heard.push(data));
    channel.postMessage(message);
    return heard;
  };

  it("completes by postMessage when the browser allows no BroadcastChannel", async () => {
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

  it("acknowledges the response to the popup at once, and then reports the outcome", async () => {
    const { asked } = await waiting();
    const later = answerLater({ ...TOKENS, scope: asked.get("scope") });
    servers.answers[METADATA.token_endpoint] = later.answer;
    const state = asked.get("state");
    const heard = tell(asked);
    await waitFor(() => servers.requests.includes(TOKEN_REQUEST));
    await waitFor(() => heard.length > 0, "nothing is told");
    expect(heard).to.deep.equal([{ state, acknowledged: true }]);
    later.send();
    await waitFor(() => heard.length > 1, "the outcome is not told");
    expect(heard[1]).to.deep.equal({ state, outcome: "success" });
  });

  describe("cancellation during the token request", () => {
    const REVOCATION = `POST ${METADATA.revocation_endpoint}`;
    const given: (string | null)[] = [];

    beforeEach(() => {
      given.length = 0;
      servers.answers[METADATA.revocation_endpoint] = async (request) => {
        given.push(new URLSearchParams(await request.text()).get("token"));
        return new Response();
      };
    });

    for (const way of ["cancel", "remove"] as const) {
      it(`revokes the tokens and reports no success after ${way}()`, async () => {
        const { element, asked } = await waiting();
        const later = answerLater({ ...TOKENS, scope: asked.get("scope") });
        servers.answers[METADATA.token_endpoint] = later.answer;
        let successes = 0;
        element.addEventListener("oidc-success", () => (successes += 1));
        tell(asked);
        await waitFor(() => servers.requests.includes(TOKEN_REQUEST));
        element[way]();
        later.send();
        await waitFor(() => given.length === 2, "nothing is given back");
        expect(given).to.deep.equal(["secret-refresh", "secret-access"]);
        expect(successes).to.equal(0);
        expect(element.result).to.be.undefined;
      });
    }

    it("reports cancelled to a popup that is cut off", async () => {
      const { element, asked } = await waiting();
      const heard = tell(asked);
      servers.answers[METADATA.token_endpoint] = answerLater({}).answer;
      await waitFor(() => servers.requests.includes(TOKEN_REQUEST));
      element.cancel();
      const state = asked.get("state");
      await waitFor(() => heard.length > 1, "the outcome is not told");
      expect(heard.at(-1)).to.deep.equal({ state, outcome: "cancelled" });
    });

    it("does not use the code again when a retry is cancelled at once", async () => {
      const { element, asked } = await waiting();
      servers.answers[METADATA.token_endpoint] = answerJson({}, 503);
      tell(asked);
      await inState(element, "error");
      void element.login();
      element.cancel();
      await timeForMore();
      expect(servers.requests.filter((request) => request === TOKEN_REQUEST).length).to.equal(1);
    });

    it("reports no error when the tokens cannot be revoked", async () => {
      const { element, asked } = await waiting();
      const later = answerLater({ ...TOKENS, scope: asked.get("scope") });
      servers.answers[METADATA.token_endpoint] = later.answer;
      servers.answers[METADATA.revocation_endpoint] = answerJson({}, 503);
      let rejected = 0;
      const count = (): number => (rejected += 1);
      window.addEventListener("unhandledrejection", count);
      tell(asked);
      await waitFor(() => servers.requests.includes(TOKEN_REQUEST));
      element.cancel();
      later.send();
      await waitFor(() => servers.requests.includes(REVOCATION));
      await timeForMore();
      window.removeEventListener("unhandledrejection", count);
      expect(rejected).to.equal(0);
      expect(element.error).to.be.undefined;
    });
  });
});
