import { expect, html } from "@open-wc/testing";
import { sendKeys } from "@web/test-runner-commands";
import { protectedRequest } from "../support/protected-request.js";
import { Password, PASSWORD_JUDGE, element, endDialog, gate, outcome, ui } from "./fixture.js";
import { waitFor } from "../support/wait-for.js";

describe("<uia-dialog> at m.login.password", () => {
  afterEach(endDialog);

  it("submits the password for the user when Enter is pressed", async () => {
    const request = await ui.open([Password], {}, PASSWORD_JUDGE);
    await sendKeys({ type: "right" });
    await sendKeys({ press: "Enter" });
    await outcome;
    expect(request.sent[1]).to.deep.equal({
      session: "the-session",
      type: Password,
      identifier: { type: "m.id.user", user: "@alice:hs.example" },
      password: "right",
    });
  });

  it("empties and focuses the field of a wrong password, with the error described", async () => {
    await ui.open([Password], {}, PASSWORD_JUDGE);
    await ui.submit({ password: "wrong" });
    const { value, ariaInvalid } = ui.field("password");
    expect([value, ariaInvalid]).to.deep.equal(["", "true"]);
    const error = document.getElementById(
      ui.field("password").getAttribute("aria-describedby") ?? "",
    );
    expect(error?.textContent?.trim()).to.equal("Incorrect password.");
    expect(error?.getAttribute("role")).to.equal("alert");
    expect(document.activeElement).to.equal(ui.field("password"));
    await ui.submit({ password: "right" });
    expect(await outcome).to.deep.equal({ done: true });
  });

  it("asks for the username when it is not known", async () => {
    await ui.make(html`<uia-dialog></uia-dialog>`);
    const request = protectedRequest([Password]);
    await ui.begin(request);
    expect(ui.field("username").readOnly).to.be.false;
    await ui.submit({ username: "bob", password: "right" });
    expect(request.sent[1]).to.have.nested.property("identifier.user", "bob");
  });

  it("asks for the username when user-id is empty", async () => {
    await ui.make(html`<uia-dialog user-id=""></uia-dialog>`);
    await ui.begin(protectedRequest([Password]));
    expect(ui.field("username").readOnly).to.be.false;
  });

  it("gets the username from whoami() or getUserId() of the client", async () => {
    await ui.make(html`<uia-dialog></uia-dialog>`);
    element.client = { whoami: () => Promise.resolve({ user_id: "@carol:hs.example" }) };
    await ui.begin(protectedRequest([Password]));
    await waitFor(() => ui.field("username").value === "@carol:hs.example");
    await ui.press("cancel");
    element.client = { getUserId: () => "@dave:hs.example" };
    await ui.begin(protectedRequest([Password]));
    expect(ui.field("username").value).to.equal("@dave:hs.example");
  });

  it("submits the username that is shown when the client responds late", async () => {
    await ui.make(html`<uia-dialog></uia-dialog>`);
    const { passed, open } = gate();
    element.client = {
      async whoami() {
        await passed;
        return { user_id: "@carol:hs.example" };
      },
    };
    const request = protectedRequest([Password]);
    await ui.begin(request);
    ui.fill({ username: "bob" });
    open();
    await waitFor(() => element.session?.userId);
    await element.updateComplete;
    const shown = ui.field("username").value;
    await ui.submit({ password: "right" });
    expect(request.sent[1]).to.have.nested.property("identifier.user", shown);
  });

  it("puts the password into no attribute and not into the session", async () => {
    await ui.open([Password], {}, PASSWORD_JUDGE);
    await ui.submit({ password: "a-secret" });
    expect(element.outerHTML + (element.shadowRoot?.innerHTML ?? "")).not.to.contain("a-secret");
    expect(JSON.stringify(element.session)).not.to.contain("a-secret");
  });
});
