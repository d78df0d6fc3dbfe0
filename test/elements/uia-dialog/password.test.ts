import { expect, html } from "@open-wc/testing";
import { sendKeys } from "@web/test-runner-commands";
import { Clock } from "../../support/clock.js";
import { protectedRequest, refusal } from "../support/protected-request.js";
import { waitFor } from "../support/wait-for.js";
import {
  OFFLINE,
  PASSWORD_VALIDATOR,
  Password,
  element,
  endDialog,
  gate,
  outcome,
  refusing,
  ui,
} from "./fixture.js";

describe("<uia-dialog> at m.login.password", () => {
  afterEach(endDialog);

  const carol = { user_id: "@carol:hs.example" };
  const template = html`<uia-dialog user-id=""></uia-dialog>`;

  it("submits the password for the user when Enter is pressed", async () => {
    const request = await ui.open([Password], { validators: PASSWORD_VALIDATOR });
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

  it("empties and focuses the field of a wrong password, and describes it with the error", async () => {
    await ui.open([Password], { validators: PASSWORD_VALIDATOR });
    await ui.submit({ password: "wrong" });
    const { value, ariaInvalid } = ui.field("password");
    expect([value, ariaInvalid]).to.deep.equal(["", "true"]);
    const describedBy = ui.field("password").getAttribute("aria-describedby") ?? "";
    const error = document.getElementById(describedBy);
    expect(error?.textContent?.trim()).to.equal("Incorrect password.");
    expect(error?.getAttribute("role")).to.equal("alert");
    expect(document.activeElement).to.equal(ui.field("password"));
    await ui.finish();
  });

  it("is submitted only once if a password manager submits the form and also presses the button", async () => {
    const request = await ui.open([Password], { validators: PASSWORD_VALIDATOR });
    ui.fill({ password: "wrong" });
    element.querySelector("form")?.requestSubmit();
    ui.part("submit")?.click();
    await ui.asked();
    expect(request.sent).to.have.length(2);
    expect(element.querySelector("[role=alert]")?.textContent).to.contain("Incorrect password.");
  });

  it("shows that a password is wrong if the homeserver sends no reason", async () => {
    const request = await ui.open([Password]);
    request.failNext(
      refusal(401, { session: "the-session", flows: [{ stages: [Password] }], params: {} }),
    );
    await ui.submit({ password: "wrong" });
    await ui.reads("Incorrect password.");
    expect(ui.field("password").ariaInvalid).to.equal("true");
  });

  for (const [what, empty, client] of [
    ["not set", html`<uia-dialog></uia-dialog>`],
    ["empty", template],
    [
      "not set, and whoami() responds with no text",
      template,
      { whoami: async () => ({ user_id: 42 }) },
    ],
    ["not set, and getUserId() returns no text", template, { getUserId: () => 42 }],
  ] as const) {
    it(`requests the username when user-id is ${what}`, async () => {
      const request = await ui.open([Password], {
        template: empty,
        set: { client: client as never },
      });
      expect(ui.field("username").readOnly).to.be.false;
      await ui.submit({ username: "bob", password: "right" });
      expect(request.sent[1]).to.have.nested.property("identifier.user", "bob");
    });
  }

  for (const [typed, user] of [
    [" ＠bob ", "bob"],
    ["@bob:HS.example", "@bob:hs.example"],
    ["bob", "bob"],
    ["https://matrix.to/#/@bob:hs.example", "@bob:hs.example"],
    ["bob@hs.example:8448", "@bob:hs.example:8448"],
    ["bob@hs.example", "bob@hs.example"],
  ] as const) {
    it(`sends the typed username "${typed}" as "${user}"`, async () => {
      const request = await ui.open([Password], { template: html`<uia-dialog></uia-dialog>` });
      await ui.submit({ username: typed, password: "right" });
      await waitFor(() => request.sent[1]);
      expect(request.sent[1]).to.have.nested.property("identifier.user", user);
    });
  }

  for (const [method, client] of Object.entries({
    whoami: { whoami: async () => carol },
    getUserId: { getUserId: () => carol.user_id },
  })) {
    it(`gets the username from ${method}() of the client`, async () => {
      await ui.open([Password], { template, set: { client } });
      await waitFor(() => ui.field("username").value === carol.user_id);
    });
  }

  it("shows no field before the client has returned the user ID, then focuses the password", async () => {
    await ui.make(template);
    const { passed, open } = gate();
    element.client = { whoami: () => passed.then(() => carol) };
    const request = protectedRequest([Password]);
    ui.follow(element.authenticate(request.doRequest));
    await waitFor(() => ui.dialog()?.open);
    await element.updateComplete;
    expect(element.querySelector("input")).to.equal(null);
    expect(element.state).to.equal("busy");
    await sendKeys({ type: "secret" });
    open();
    await ui.asked();
    expect(ui.field("username")).to.include({ value: carol.user_id, readOnly: true });
    expect(ui.field("password").value).to.equal("");
    // The field gets the focus once keys have stopped coming.
    await waitFor(() => document.activeElement === ui.field("password"));
    await sendKeys({ type: "right" });
    await ui.press("submit");
    await outcome;
    expect(request.sent[1]).to.have.nested.property("identifier.user", carol.user_id);
  });

  for (const [what, whoami] of Object.entries({
    fails: () => refusing(OFFLINE),
    throws() {
      throw new TypeError("No access token");
    },
    "has no user ID": async () => ({ user_id: "" }),
    "never responds": () => new Promise<never>(() => undefined),
  })) {
    it(`requests the username when the client's whoami() ${what}`, async () => {
      const clock = new Clock();
      await clock.passUntil(ui.open([Password], { template, set: { client: { whoami } } }));
      expect(document.activeElement).to.equal(ui.field("username"));
      expect(ui.field("username").readOnly).to.be.false;
    });
  }

  it("keeps a typed username when the client's user ID arrives later", async () => {
    const client = { userId: "" };
    const request = await ui.open([Password], {
      template,
      set: { client },
      validators: PASSWORD_VALIDATOR,
    });
    client.userId = "@carol:hs.example";
    await ui.submit({ username: "bob", password: "wrong" });
    expect(ui.field("username")).to.include({ value: "bob", readOnly: false });
    await ui.submit({ password: "right" });
    expect(request.sent[2]).to.have.nested.property("identifier.user", "bob");
  });

  it("has a form that sends nothing even if its submission isn't prevented", async () => {
    await ui.open([Password]);
    expect(element.querySelector("form")?.method).to.equal("dialog");
  });

  it("puts the password neither into an attribute nor into the session", async () => {
    await ui.open([Password], { validators: PASSWORD_VALIDATOR });
    await ui.submit({ password: "a-secret" });
    expect(element.outerHTML + (element.shadowRoot?.innerHTML ?? "")).not.to.contain("a-secret");
    expect(JSON.stringify(element.session)).not.to.contain("a-secret");
  });
});
