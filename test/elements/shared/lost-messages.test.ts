// What an element shows if the messages of errors can't be loaded, for example because the network is gone.
import { expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import type { OidcCallbackElement, OidcLoginElement, UiaDialogElement } from "matrix-auth-elements";
import { restoreStubs, stub } from "../../support/stub.js";
import { GOOD_PASSWORD, protectedRequest } from "../support/protected-request.js";
import { waitFor } from "../support/wait-for.js";

const Password = "m.login.password";

const alertOf = ({ shadowRoot }: Element): string =>
  shadowRoot?.querySelector("[role=alert]")?.textContent?.replace(/\s+/g, " ").trim() ?? "";

describe("Without the messages of errors", () => {
  before(async function (this: Mocha.Context) {
    const map = document.createElement("script");
    map.type = "importmap";
    const lost = ["errors/error-messages", "elements/oidc-callback/outcome-view"];
    map.textContent = JSON.stringify({
      imports: {
        ...Object.fromEntries(lost.map((file) => [`/dist/${file}.js`, "/nowhere.js"])),
        "a-late-map": "data:text/javascript,",
      },
    });
    document.head.append(map);
    const specifier = "a-late-map";
    // Some browsers do not support an import map that is added late.
    if (!(await import(specifier).then(Boolean, () => false))) this.skip();
  });
  afterEach(restoreStubs);

  it("<oidc-login> shows that the server can't be reached", async () => {
    stub(globalThis, "fetch", { value: () => Promise.reject(new TypeError("Failed to fetch")) });
    const element = await fixture<OidcLoginElement>(
      html`<oidc-login homeserver="hs.example"></oidc-login>`,
    );
    await element.login();
    await waitFor(() => alertOf(element));
    expect(alertOf(element)).to.contain("Can’t reach the server.");
  });

  it("<oidc-login> shows for any other error that a part of the page can't be loaded", async () => {
    const element = await fixture<OidcLoginElement>(html`<oidc-login></oidc-login>`);
    await element.login();
    await waitFor(() => alertOf(element));
    expect(alertOf(element)).to.contain("couldn’t be loaded");
  });

  it("<oidc-callback> shows an error without the view of its outcome", async () => {
    const element = await fixture<OidcCallbackElement>(html`<oidc-callback></oidc-callback>`);
    await waitFor(() => alertOf(element));
    expect(element.error?.code).to.equal("flow_unknown");
    expect(alertOf(element)).to.contain("couldn’t be loaded");
    expect(element.shadowRoot?.querySelector("[part=pending]")).to.be.null;
  });

  it("<uia-dialog> shows the error at its field, which has the focus", async () => {
    const element = await fixture<UiaDialogElement>(
      html`<uia-dialog user-id="@alice:hs.example"></uia-dialog>`,
    );
    const request = protectedRequest([Password], {}, { [Password]: GOOD_PASSWORD });
    const outcome = element.authenticate(request.doRequest);
    const field = (): HTMLInputElement | null =>
      element.querySelector<HTMLInputElement>("[name=password]");
    await waitFor(() => element.state === "awaiting-input" && field());
    const input = field() as HTMLInputElement;
    input.value = "wrong";
    element.querySelector("form")?.requestSubmit();
    await waitFor(() => input.ariaInvalid === "true");
    const error = document.getElementById(input.getAttribute("aria-describedby") ?? "");
    expect(error?.textContent).to.contain("couldn’t be loaded");
    await waitFor(() => document.activeElement === input);
    input.value = "right";
    element.querySelector("form")?.requestSubmit();
    expect(await outcome).to.deep.equal({ done: true });
  });
});
