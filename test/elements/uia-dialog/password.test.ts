import { expect, html } from "@open-wc/testing";
import { sendKeys } from "@web/test-runner-commands";
import { protectedRequest } from "../support/protected-request.js";
import { Password, PASSWORD_JUDGE, element, endDialog, gate, outcome, ui } from "./fixture.js";
import { stub } from "../../support/stub.js";
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

  it("shows no field before the client has said who is signed in, then focuses the password", async () => {
    await ui.make(html`<uia-dialog></uia-dialog>`);
    const { passed, open } = gate();
    element.client = {
      async whoami() {
        await passed;
        return { user_id: "@carol:hs.example" };
      },
    };
    const request = protectedRequest([Password]);
    ui.follow(element.authenticate(request.doRequest));
    await waitFor(() => ui.dialog()?.open);
    await element.updateComplete;
    expect(element.querySelector("input")).to.equal(null);
    expect(element.state).to.equal("busy");
    await sendKeys({ type: "secret" });
    open();
    await ui.asked();
    expect(ui.field("username").value).to.equal("@carol:hs.example");
    expect(ui.field("username").readOnly).to.be.true;
    expect(ui.field("password").value).to.equal("");
    expect(document.activeElement).to.equal(ui.field("password"));
    await sendKeys({ type: "right" });
    await ui.press("submit");
    await outcome;
    expect(request.sent[1]).to.have.nested.property("identifier.user", "@carol:hs.example");
  });

  for (const [what, whoami] of [
    ["fails", () => Promise.reject(new TypeError("Failed to fetch"))],
    [
      "throws",
      () => {
        throw new TypeError("No access token");
      },
    ],
    ["names nobody", () => Promise.resolve({ user_id: "" })],
    ["never responds", () => new Promise<never>(() => undefined)],
  ] as const) {
    it(`asks for the username when the client's whoami() ${what}`, async () => {
      await ui.make(html`<uia-dialog></uia-dialog>`);
      const { setTimeout: later } = window;
      stub(window, "setTimeout", {
        value: (run: () => void, ms?: number) => later(run, ms === 10_000 ? 1 : ms),
      });
      element.client = { whoami };
      await ui.begin(protectedRequest([Password]));
      expect(document.activeElement).to.equal(ui.field("username"));
      expect(ui.field("username").readOnly).to.be.false;
    });
  }

  it("keeps a username that was typed when the client's user ID is known only later", async () => {
    await ui.make(html`<uia-dialog></uia-dialog>`);
    const client = { userId: "" };
    element.client = client;
    const request = protectedRequest([Password], {}, PASSWORD_JUDGE);
    await ui.begin(request);
    client.userId = "@carol:hs.example";
    await ui.submit({ username: "bob", password: "wrong" });
    expect(ui.field("username").value).to.equal("bob");
    expect(ui.field("username").readOnly).to.be.false;
    await ui.submit({ password: "right" });
    expect(request.sent[2]).to.have.nested.property("identifier.user", "bob");
  });

  it("puts the password into no attribute and not into the session", async () => {
    await ui.open([Password], {}, PASSWORD_JUDGE);
    await ui.submit({ password: "a-secret" });
    expect(element.outerHTML + (element.shadowRoot?.innerHTML ?? "")).not.to.contain("a-secret");
    expect(JSON.stringify(element.session)).not.to.contain("a-secret");
  });
});
