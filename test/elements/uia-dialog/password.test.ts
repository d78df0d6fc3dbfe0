import { expect, html } from "@open-wc/testing";
import { sendKeys } from "@web/test-runner-commands";
import { protectedRequest } from "../support/protected-request.js";
import {
  Password,
  PASSWORD_JUDGE,
  begin,
  element,
  endDialog,
  field,
  fill,
  gate,
  make,
  outcome,
  press,
  submit,
} from "./fixture.js";
import { waitFor } from "../support/wait-for.js";

describe("<uia-dialog> asks for a password", () => {
  afterEach(endDialog);

  it("has it in light DOM, where password managers find it with the user", async () => {
    await make();
    await begin(protectedRequest([Password]));
    expect(field("username").value).to.equal("@alice:hs.example");
    expect(field("username").autocomplete).to.equal("username");
    expect(field("password").autocomplete).to.equal("current-password");
    expect(field("password").form).to.equal(field("username").form);
    expect(field("password").getRootNode()).to.equal(document);
    expect(document.activeElement).to.equal(field("password"));
  });

  it("submits it by Enter, for the user", async () => {
    await make();
    const request = protectedRequest([Password], {}, PASSWORD_JUDGE);
    await begin(request);
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

  it("keeps the dialog on a wrong one, says so at its field, and empties it", async () => {
    await make();
    await begin(protectedRequest([Password], {}, PASSWORD_JUDGE));
    await submit({ password: "wrong" });
    const { value, ariaInvalid } = field("password");
    expect([value, ariaInvalid]).to.deep.equal(["", "true"]);
    const error = document.getElementById(field("password").getAttribute("aria-describedby") ?? "");
    expect(error?.textContent?.trim()).to.equal("Incorrect password.");
    expect(error?.getAttribute("role")).to.equal("alert");
    expect(document.activeElement).to.equal(field("password"));
    await submit({ password: "right" });
    expect(await outcome).to.deep.equal({ done: true });
  });

  it("asks whose it is where nobody knows", async () => {
    await make(html`<uia-dialog></uia-dialog>`);
    const request = protectedRequest([Password]);
    await begin(request);
    expect(field("username").readOnly).to.be.false;
    await submit({ username: "bob", password: "right" });
    expect(request.sent[1]).to.have.nested.property("identifier.user", "bob");
  });

  it("takes an empty user for none", async () => {
    await make(html`<uia-dialog user-id=""></uia-dialog>`);
    await begin(protectedRequest([Password]));
    expect(field("username").readOnly).to.be.false;
  });

  it("asks the client whose it is, by either kind of client", async () => {
    await make(html`<uia-dialog></uia-dialog>`);
    element.client = { whoami: () => Promise.resolve({ user_id: "@carol:hs.example" }) };
    await begin(protectedRequest([Password]));
    await waitFor(() => field("username").value === "@carol:hs.example");
    await press("cancel");
    element.client = { getUserId: () => "@dave:hs.example" };
    await begin(protectedRequest([Password]));
    expect(field("username").value).to.equal("@dave:hs.example");
  });

  it("shows the user whose password it submits", async () => {
    await make(html`<uia-dialog></uia-dialog>`);
    const { passed, open } = gate();
    element.client = {
      async whoami() {
        await passed;
        return { user_id: "@carol:hs.example" };
      },
    };
    const request = protectedRequest([Password]);
    await begin(request);
    fill({ username: "bob" });
    open();
    await waitFor(() => element.session?.userId);
    await element.updateComplete;
    const shown = field("username").value;
    await submit({ password: "right" });
    expect(request.sent[1]).to.have.nested.property("identifier.user", shown);
  });

  it("shows nobody the password: in no attribute, event or session", async () => {
    await make();
    await begin(protectedRequest([Password], {}, PASSWORD_JUDGE));
    await submit({ password: "a-secret" });
    expect(element.outerHTML + (element.shadowRoot?.innerHTML ?? "")).not.to.contain("a-secret");
    expect(JSON.stringify(element.session)).not.to.contain("a-secret");
  });
});
