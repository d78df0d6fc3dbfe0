// The forms of <uia-dialog>, as password managers, phone keyboards and the browser's autofill see them.
import { expect } from "@open-wc/testing";
import { sendKeys } from "@web/test-runner-commands";
import "matrix-auth-elements/define";
import { AuthType, type UiaDialogElement } from "matrix-auth-elements";
import { begin, dialog, end, found } from "../matrix/states.js";
import { waitFor } from "../support/wait-for.js";

const { Password, Email, Msisdn, Terms, RegistrationToken } = AuthType;
const CODE = { set: { inputs: { phoneCountry: "GB", phoneNumber: "07700900123" } } };

describe("The form of <uia-dialog>", () => {
  beforeEach(begin);
  afterEach(end);

  const formOf = async (
    element: UiaDialogElement,
    field: string,
  ): Promise<[HTMLInputElement, HTMLFormElement]> => {
    const [input] = await found<HTMLInputElement>(element, `[name=${field}]`);
    if (!input.form) throw new Error("The field is in no form");
    return [input, input.form];
  };

  const fields: readonly (readonly [string, string, string, string, string, object?])[] = [
    [Password, "username", "text", "username", ""],
    [Password, "password", "password", "current-password", ""],
    [Email, "email", "email", "email", ""],
    [Msisdn, "phone", "tel", "tel", ""],
    [Msisdn, "country", "select-one", "country", ""],
    [Msisdn, "code", "text", "one-time-code", "numeric", CODE],
    [RegistrationToken, "token", "text", "off", ""],
  ];
  for (const [stage, name, type, autocomplete, keyboard, options] of fields) {
    it(`has a field ${name} of type ${type} with autocomplete ${autocomplete}`, async () => {
      const element = await dialog([stage], options);
      const [input, form] = await formOf(element, name);
      const { labels, autocapitalize, spellcheck } = input;
      // The property is empty for values that the browser does not support.
      const given = input.getAttribute("autocomplete");
      expect([input.type, given, input.inputMode ?? ""]).to.deep.equal([
        type,
        autocomplete,
        keyboard,
      ]);
      expect(labels?.[0]?.innerText).to.be.a("string").and.not.equal("");
      if (type !== "select-one")
        expect([autocapitalize, spellcheck]).to.deep.equal(["none", false]);
      // Password managers look in the document itself.
      expect([form.getRootNode(), form.checkVisibility()]).to.deep.equal([document, true]);
    });
  }

  it("has the username, visible and read-only, before the password in one form", async () => {
    const [password, form] = await formOf(await dialog([Password]), "password");
    const [user] = form.elements as unknown as HTMLInputElement[];
    expect([user?.name, user?.value, user?.readOnly, user?.checkVisibility()]).to.deep.equal([
      "username",
      "@alice:hs.example",
      true,
      true,
    ]);
    expect(user?.compareDocumentPosition(password)).to.equal(Node.DOCUMENT_POSITION_FOLLOWING);
  });

  for (const how of ["Enter", "the button"]) {
    it(`fires submit on ${how}, and has a submit button`, async () => {
      const element = await dialog([Password]);
      const [password, form] = await formOf(element, "password");
      expect(form.querySelectorAll("[type=submit]")).to.have.length(1);
      const filled: string[] = [];
      // A password manager receives it before the dialog does.
      form.addEventListener("submit", () => filled.push(password.value), { capture: true });
      await sendKeys({ type: "right" });
      if (how === "Enter") await sendKeys({ press: "Enter" });
      else (await found(element, "[part=submit]"))[0].click();
      await waitFor(() => filled.length > 0);
      expect(filled).to.deep.equal(["right"]);
    });
  }

  it("submits values that a script has filled in, as password managers do", async () => {
    const element = await dialog([Password]);
    const [password, form] = await formOf(element, "password");
    password.value = "right";
    password.dispatchEvent(new Event("input", { bubbles: true }));
    password.dispatchEvent(new Event("change", { bubbles: true }));
    form.requestSubmit();
    await waitFor(() => !element.open);
    expect(element.result).to.deep.equal({ done: true });
  });

  it("marks the language of a policy in another language", async () => {
    const element = await dialog([Terms]);
    const [link] = await found(element, ".choice:nth-of-type(2) a");
    expect(link.textContent).to.contain("Nutzungsbedingungen");
    expect(link.querySelector(":lang(de)")).to.exist;
  });
});
