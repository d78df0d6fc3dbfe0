import { expect, fixture, html, waitUntil } from "@open-wc/testing";
import { sendKeys } from "@web/test-runner-commands";
import "matrix-auth-elements/define";
import {
  AuthType,
  type OidcLoginElement,
  type Translation,
  type UiaDialogElement,
} from "matrix-auth-elements";
import { protectedRequest } from "./protected-request.js";

const { RegistrationToken } = AuthType;

// Apart from the tests that bring texts of their own: those would win.
describe("The library's languages", () => {
  afterEach(() => {
    document.documentElement.lang = "en";
  });

  it("goes from German to Arabic to Chinese, in a button and in an open dialog", async () => {
    const languages: { default: Required<Translation> }[] = await Promise.all([
      import("matrix-auth-elements/locales/de"),
      import("matrix-auth-elements/locales/ar"),
      import("matrix-auth-elements/locales/zh-Hant"),
    ]);
    const button = await fixture<OidcLoginElement>(html`<oidc-login></oidc-login>`);
    const element = await fixture<UiaDialogElement>(html`<uia-dialog></uia-dialog>`);
    element.authenticate(protectedRequest([RegistrationToken]).doRequest).catch(() => undefined);
    await waitUntil(() => element.querySelector("[name=token]"));
    const token = element.querySelector<HTMLInputElement>("[name=token]");
    token?.focus();
    await sendKeys({ type: "typed" });
    for (const { default: texts } of languages) {
      document.documentElement.lang = texts.$code;
      const label = button.shadowRoot?.querySelector("[part=label]");
      await waitUntil(() => label?.textContent?.trim() === texts.signIn, texts.signIn);
      const shown = (): string =>
        `${element.shadowRoot?.textContent ?? ""} ${element.querySelector("form")?.innerText ?? ""}`;
      for (const key of ["uiaHeading", "uiaTokenAsk", "uiaToken", "uiaContinue"] as const) {
        await waitUntil(() => shown().includes(texts[key]), texts[key]);
      }
      expect(element.querySelector("[name=token]")).to.equal(token);
      expect(document.activeElement).to.equal(token);
    }
    expect(token?.value).to.equal("typed");
    element.cancel();
  });
});
