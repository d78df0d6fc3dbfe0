// Links to the app with a response to a sign-in that this tab did not start.
import { expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import type { OidcCallbackElement } from "matrix-auth-elements";
import type { TestServers } from "matrix-auth-elements/testing";
import { textIn } from "../elements/support/element.js";
import { logOf, responseUrl, useTestServers } from "../elements/support/test-servers.js";
import { untilQuiet, waitFor } from "../elements/support/wait-for.js";
import { restoreStubs } from "../support/stub.js";
import { storedText } from "./support.js";

const WORDS = "Call us at once";

describe("Rule 14: a link with a response", () => {
  const { href } = location;
  let servers: TestServers;

  const open = async (url: string): Promise<OidcCallbackElement> => {
    history.replaceState(null, "", url);
    const element = await fixture<OidcCallbackElement>(
      html`<oidc-callback persist="local"></oidc-callback>`,
    );
    await untilQuiet();
    return element;
  };

  beforeEach(async () => {
    servers = await useTestServers();
    sessionStorage.clear();
    localStorage.clear();
  });
  afterEach(() => {
    restoreStubs();
    history.replaceState(null, "", href);
    sessionStorage.clear();
    localStorage.clear();
  });

  const ERROR = { error: "temporarily_unavailable", error_description: WORDS };
  for (const [what, response] of Object.entries({
    "a code": { state: "mae-unknown", code: "attackers-code", iss: "https://idp.example/" },
    "an error with words": { state: "mae-unknown", ...ERROR },
    "an error with words, of another library": { state: "unknown", ...ERROR },
    "a code for a popup": { state: "mae-unknown;popup", code: "attackers-code" },
    "a login token": { state: "mae-unknown", loginToken: "attackers-token" },
  })) {
    it(`of a sign-in that this tab did not start sends and shows nothing of it: ${what}`, async () => {
      const parameters = new URLSearchParams(response).toString();
      const isSso = "loginToken" in response;
      const element = await open(href.replace(/[?#].*/, "") + (isSso ? "?" : "#") + parameters);
      expect(element.state).not.to.equal("success");
      expect(textIn(element)).not.to.contain(WORDS);
      expect(logOf(servers)).to.deep.equal([]);
      expect(storedText()).not.to.contain("attackers");
    });
  }

  it("twin: of this tab's sign-in shows the provider's words", async () => {
    const element = await open(await responseUrl(servers, ERROR));
    await waitFor(() => element.error);
    await waitFor(() => textIn(element).includes(WORDS));
  });
});
