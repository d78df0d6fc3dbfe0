import { expect, html } from "@open-wc/testing";
import { sendKeys } from "@web/test-runner-commands";
import type { UiaDialogElement } from "matrix-auth-elements";
import { protectedRequest } from "../support/protected-request.js";
import {
  Email,
  Msisdn,
  NUMBER,
  PASSWORD_VALIDATOR,
  POLICIES,
  Password,
  RegistrationToken,
  Terms,
  element,
  endDialog,
  gate,
  ui,
} from "./fixture.js";
import { waitFor } from "../support/wait-for.js";

/** An incomplete input, and the dialog's error for the field. */
interface Case {
  readonly stage: string;
  readonly values?: Readonly<Record<string, string>>;
  readonly field: string;
  readonly says: string;
  readonly set?: Partial<UiaDialogElement>;
}

describe("<uia-dialog> before it submits", () => {
  afterEach(endDialog);

  const requestPhoneToken = async () => ({ sid: "sid", submit_url: "https://hs.example/submit" });
  const cases: Readonly<Record<string, Case>> = {
    "no password": { stage: Password, field: "[name=password]", says: "Fill in this field." },
    "no username, and no password": {
      stage: Password,
      set: { userId: "" },
      field: "[name=username]",
      says: "Fill in this field.",
    },
    "a username of spaces": {
      stage: Password,
      set: { userId: "" },
      values: { username: "  ", password: "right" },
      field: "[name=username]",
      says: "Fill in this field.",
    },
    "no token": { stage: RegistrationToken, field: "[name=token]", says: "Fill in this field." },
    "no address": { stage: Email, field: "[name=email]", says: "Fill in this field." },
    "an address without @": {
      stage: Email,
      values: { email: "alice" },
      field: "[name=email]",
      says: "Enter a valid email address.",
    },
    "no number": { stage: Msisdn, field: "[name=phone]", says: "Fill in this field." },
    "no code": {
      stage: Msisdn,
      set: { ...NUMBER, requestPhoneToken },
      field: "[name=code]",
      says: "Fill in this field.",
    },
    "terms that are not accepted": {
      stage: Terms,
      field: "[type=checkbox]",
      says: "Review and accept these terms.",
    },
  };
  for (const [what, { stage, values, field, says, set = {} }] of Object.entries(cases)) {
    it(`shows an error below the field, focuses it, and sends nothing, with ${what}`, async () => {
      const request = await ui.open([stage], { params: POLICIES, set });
      await waitFor(() => element.querySelector(field), "no field");
      const sent = request.sent.length;
      await ui.submit(values);
      const wrong = element.querySelectorAll("[aria-invalid=true]");
      expect(wrong).to.have.length(1);
      expect(wrong[0]).to.equal(element.querySelector(field));
      expect(document.activeElement).to.equal(wrong[0]);
      const error = document.getElementById(wrong[0]?.getAttribute("aria-describedby") ?? "");
      expect([error?.textContent?.trim(), error?.getAttribute("role")]).to.deep.equal([
        says,
        "alert",
      ]);
      expect(request.sent).to.have.length(sent);
    });
  }

  for (const email of ["ülrike@bücher.example", "a@b", "用户@例子.公司"]) {
    it(`leaves it to the homeserver whether ${email} is an address`, async () => {
      const requestEmailToken = async () => ({ sid: "sid" });
      await ui.open([Email], { set: { requestEmailToken } });
      await ui.submit({ email });
      expect(element.querySelector("[aria-invalid=true]")).to.be.null;
      await waitFor(() => element.session?.status.emailSid === "sid");
    });
  }

  it("shows the next error if a translator has replaced the text of the last", async () => {
    await ui.open([Email]);
    await ui.submit();
    const translated = document.createElement("font");
    translated.textContent = "Rellene este campo.";
    const text = document.createTreeWalker(
      element.querySelector(".error") as Element,
      NodeFilter.SHOW_TEXT,
    );
    (text.nextNode() as Text).replaceWith(translated);
    await ui.submit({ email: "alice" });
    expect(element.querySelector(".error")?.textContent).to.equal("Enter a valid email address.");
  });

  it("ignores a field that another script has put into the form", async () => {
    await ui.open([Password], { validators: PASSWORD_VALIDATOR });
    const foreign = document.createElement("input");
    foreign.required = true;
    element.querySelector("form")?.prepend(foreign);
    await ui.finish();
  });

  it("shows no validation message of the browser", async () => {
    await ui.open([Password]);
    let bubbles = 0;
    element.addEventListener("invalid", () => (bubbles += 1), { capture: true });
    await ui.submit();
    expect([element.querySelector("form")?.noValidate, bubbles]).to.deep.equal([true, 0]);
  });

  it("removes the error once the field is filled in, and submits", async () => {
    await ui.open([Password], { validators: PASSWORD_VALIDATOR });
    await ui.submit();
    expect(ui.text()).to.contain("Fill in this field.");
    await sendKeys({ type: "right" });
    await element.updateComplete;
    expect(ui.text()).not.to.contain("Fill in this field.");
    expect(ui.field("password").ariaInvalid).to.equal(null);
    await sendKeys({ press: "Enter" });
    await ui.expectDone();
  });

  it("shows no error at the emptied field when Enter is pressed during a request", async () => {
    await ui.make();
    const { passed, open } = gate();
    const { doRequest } = protectedRequest([Password]);
    ui.follow(
      element.authenticate(async (auth, background) => {
        if (auth) await passed;
        return doRequest(auth, background);
      }),
    );
    await ui.asked();
    await sendKeys({ type: "right" });
    await sendKeys({ press: "Enter" });
    await ui.inState("busy");
    await sendKeys({ press: "Enter" });
    await element.updateComplete;
    expect(element.querySelector(".error")).to.equal(null);
    open();
    await ui.expectDone();
  });

  it("shows the error in the page's language", async () => {
    await import("matrix-auth-elements/locales/de");
    document.documentElement.lang = "de";
    await ui.open([Password]);
    await ui.submit();
    expect(ui.text()).to.contain("Fülle dieses Feld aus.");
    document.documentElement.lang = "en";
    await ui.reads("Fill in this field.");
  });

  it("shows an error at the next stage's field only after a submission", async () => {
    await ui.open([Password, RegistrationToken]);
    await ui.submit();
    await ui.submit({ password: "right" });
    await waitFor(() => element.querySelector("[name=token]"), "no field");
    expect(element.querySelector(".error")).to.equal(null);
  });
});

describe("The button of <uia-dialog> that shows a password", () => {
  afterEach(endDialog);

  const button = (): HTMLButtonElement => {
    const found = element.querySelector<HTMLButtonElement>(".uia-password button");
    if (!found) throw new Error("no button");
    return found;
  };
  const look = (): unknown[] => [ui.field("password").type, button().ariaPressed];

  it("shows and hides the password with the keyboard", async () => {
    await ui.open([Password], { validators: PASSWORD_VALIDATOR });
    expect(look()).to.deep.equal(["password", "false"]);
    await sendKeys({ type: "wrong" });
    await sendKeys({ press: "Tab" });
    expect(document.activeElement).to.equal(button());
    await sendKeys({ press: " " });
    expect(look()).to.deep.equal(["text", "true"]);
    expect(ui.field("password").value).to.equal("wrong");
    await sendKeys({ press: "Enter" });
    expect(look()).to.deep.equal(["password", "false"]);
    expect(element.state).to.equal("awaiting-input");
  });

  it("hides the password when it is submitted, and empties the field, before the homeserver responds", async () => {
    await ui.open([Password], { validators: PASSWORD_VALIDATOR });
    button().click();
    ui.fill({ password: "wrong" });
    let atSubmit = "";
    element.addEventListener("submit", () => (atSubmit = ui.field("password").value), {
      capture: true,
    });
    await ui.press("submit");
    expect(atSubmit).to.equal("wrong");
    expect([...look(), ui.field("password").value]).to.deep.equal(["password", "false", ""]);
    await ui.reads("Incorrect password.");
    expect(look()).to.deep.equal(["password", "false"]);
    await ui.finish();
  });

  it("is unchanged when the language changes", async () => {
    await import("matrix-auth-elements/locales/de");
    await ui.open([Password]);
    expect(button().ariaLabel).to.equal("Show password");
    button().click();
    document.documentElement.lang = "de";
    await waitFor(() => button().ariaLabel === "Passwort anzeigen", "no German");
    expect(look()).to.deep.equal(["text", "true"]);
  });

  it("doesn't move the focus when it is clicked", async () => {
    await ui.open([Password]);
    const event = new MouseEvent("mousedown", { bubbles: true, cancelable: true });
    expect(button().dispatchEvent(event)).to.be.false;
  });

  it("keeps its style although the page styles every button", async () => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`button { display: block; width: 100%; padding: 31px; background: red }`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    try {
      await ui.open([Password], {
        template: html`<uia-dialog user-id="@alice:hs.example"></uia-dialog>`,
      });
      const { width, height } = button().getBoundingClientRect();
      expect([width, height]).to.deep.equal([44, 44]);
      expect(getComputedStyle(button()).backgroundColor).to.equal("rgba(0, 0, 0, 0)");
    } finally {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
    }
  });
});
