// The first error on a page loads its message. The other tests have that file from the start.
import { expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import type { OidcLoginElement, UiaDialogElement } from "matrix-auth-elements";
import { GOOD_PASSWORD, protectedRequest } from "../support/protected-request.js";
import { waitFor } from "../support/wait-for.js";

const FILE = "/dist/errors/error-messages.js";
const Password = "m.login.password";

describe("The first error on a page", () => {
  let arrive: () => void;

  before(async function (this: Mocha.Context) {
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    Object.assign(globalThis, { messagesArrived: arrived });
    const late = `await globalThis.messagesArrived; export * from "${location.origin}${FILE}?late";`;
    const map = document.createElement("script");
    map.type = "importmap";
    const nothing = "data:text/javascript,";
    map.textContent = JSON.stringify({
      imports: { [FILE]: nothing + encodeURIComponent(late), "a-late-map": nothing },
    });
    document.head.append(map);
    const specifier = "a-late-map";
    // Some browsers do not support an import map that is added late.
    if (!(await import(specifier).then(Boolean, () => false))) this.skip();
  });

  it("shows its box only together with its message, and keeps the user's input in the meantime", async () => {
    const page = await fixture(html`
      <main>
        <oidc-login></oidc-login>
        <uia-dialog user-id="@alice:hs.example"></uia-dialog>
      </main>
    `);
    const login = page.querySelector("oidc-login") as OidcLoginElement;
    const codes: string[] = [];
    login.addEventListener("oidc-error", ({ detail }) => codes.push(detail.code));
    await login.login();
    await login.updateComplete;
    expect([login.state, codes]).to.deep.equal(["error", ["homeserver_missing"]]);
    const box = (): Element | null | undefined => login.shadowRoot?.querySelector("[part=error]");
    expect(box()).to.be.null;

    const dialog = page.querySelector("uia-dialog") as UiaDialogElement;
    const request = protectedRequest([Password], {}, { [Password]: GOOD_PASSWORD });
    const outcome = dialog.authenticate(request.doRequest);
    const field = (): HTMLInputElement | null =>
      dialog.querySelector<HTMLInputElement>("[name=password]");
    await waitFor(() => dialog.state === "awaiting-input" && field());
    const input = field() as HTMLInputElement;
    input.value = "wrong";
    dialog.querySelector("form")?.requestSubmit();
    await waitFor(() => request.sent.length === 2 && dialog.state === "awaiting-input");
    await dialog.updateComplete;
    expect([input.value, input.ariaInvalid]).to.deep.equal(["", null]);
    input.focus();
    input.value = "right";

    arrive();
    await waitFor(() => box()?.textContent?.includes("Enter your homeserver."));
    await waitFor(() => input.ariaInvalid === "true");
    expect(dialog.querySelector("[role=alert]")?.textContent).to.contain("Incorrect password.");
    expect([field(), document.activeElement, input.value]).to.deep.equal([input, input, "right"]);
    dialog.querySelector("form")?.requestSubmit();
    expect(await outcome).to.deep.equal({ done: true });
  });
});
