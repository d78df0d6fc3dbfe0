import { aTimeout, expect, fixture, html } from "@open-wc/testing";
import { sendKeys } from "@web/test-runner-commands";
import "matrix-auth-elements/define";
import {
  AuthType,
  type OidcCallbackElement,
  type OidcLoginElement,
  type Translation,
  type UiaDialogElement,
} from "matrix-auth-elements";
import { ACCOUNT_STATES, begin, end } from "../matrix/states.js";
import { protectedRequest } from "../support/protected-request.js";
import { resize, resizeBack } from "../support/viewport.js";
import { waitFor } from "../support/wait-for.js";

const { Password, RegistrationToken } = AuthType;

const LANGUAGES = {
  ar: () => import("matrix-auth-elements/locales/ar"),
  de: () => import("matrix-auth-elements/locales/de"),
  es: () => import("matrix-auth-elements/locales/es"),
  fa: () => import("matrix-auth-elements/locales/fa"),
  fr: () => import("matrix-auth-elements/locales/fr"),
  he: () => import("matrix-auth-elements/locales/he"),
  hi: () => import("matrix-auth-elements/locales/hi"),
  it: () => import("matrix-auth-elements/locales/it"),
  ja: () => import("matrix-auth-elements/locales/ja"),
  ko: () => import("matrix-auth-elements/locales/ko"),
  nl: () => import("matrix-auth-elements/locales/nl"),
  pl: () => import("matrix-auth-elements/locales/pl"),
  "pt-BR": () => import("matrix-auth-elements/locales/pt-BR"),
  ru: () => import("matrix-auth-elements/locales/ru"),
  tr: () => import("matrix-auth-elements/locales/tr"),
  uk: () => import("matrix-auth-elements/locales/uk"),
  "zh-Hans": () => import("matrix-auth-elements/locales/zh-Hans"),
  "zh-Hant": () => import("matrix-auth-elements/locales/zh-Hant"),
};

// Tests that register custom texts are in another file, because those texts replace the library's.
describe("The library's languages", () => {
  afterEach(() => {
    document.documentElement.lang = "en";
  });

  it("change from German to Arabic to Chinese in a button and in an open dialog", async () => {
    const languages = (await Promise.all([
      import("matrix-auth-elements/locales/de"),
      import("matrix-auth-elements/locales/ar"),
      import("matrix-auth-elements/locales/zh-Hant"),
    ])) as { default: Required<Translation> }[];
    const button = await fixture<OidcLoginElement>(html`<oidc-login></oidc-login>`);
    const element = await fixture<UiaDialogElement>(html`<uia-dialog></uia-dialog>`);
    element.authenticate(protectedRequest([RegistrationToken]).doRequest).catch(() => undefined);
    await waitFor(() => element.querySelector("[name=token]"));
    const token = element.querySelector<HTMLInputElement>("[name=token]");
    token?.focus();
    await sendKeys({ type: "typed" });
    for (const { default: texts } of languages) {
      document.documentElement.lang = texts.$code;
      const label = button.shadowRoot?.querySelector("[part=label]");
      await waitFor(() => label?.textContent?.trim() === texts.signIn, texts.signIn);
      const text = (): string =>
        `${element.shadowRoot?.textContent ?? ""} ${element.querySelector("form")?.innerText ?? ""}`;
      for (const key of ["tokenAsk", "token", "continue", "cancel"] as const) {
        await waitFor(() => text().includes(texts[key]), texts[key]);
      }
      expect(element.querySelector("[name=token]")).to.equal(token);
      expect(document.activeElement).to.equal(token);
    }
    expect(token?.value).to.equal("typed");
    element.cancel();
  });

  it("fit into 320 pixels, each under its own tag", async function () {
    if (!(await resize({ width: 320, height: 640 }))) this.skip();
    const element = await fixture<UiaDialogElement>(html`
      <uia-dialog user-id="@alice:hs.example"></uia-dialog>
    `);
    const refused = { errcode: "M_FORBIDDEN", error: "no" };
    const stages = [Password, RegistrationToken];
    const request = protectedRequest(stages, {}, { [Password]: () => refused });
    element.authenticate(request.doRequest).catch(() => undefined);
    await waitFor(() => element.querySelector("[name=password]"));
    await element.submitAuthDict({ type: Password, password: "wrong" });
    const dialog = element.shadowRoot?.querySelector("dialog");
    const form = element.querySelector("form");
    if (!dialog || !form) throw new Error("no dialog");
    for (const [tag, load] of Object.entries(LANGUAGES)) {
      const { default: texts } = await load();
      expect(texts.$code).to.equal(tag);
      document.documentElement.lang = tag;
      await waitFor(() => form.innerText.includes(texts.passwordWrong ?? "none"), tag);
      expect(dialog.scrollWidth, tag).to.be.at.most(dialog.clientWidth);
      for (const inside of [...dialog.querySelectorAll("button, p, h2"), ...form.children]) {
        const { left, right } = inside.getBoundingClientRect();
        expect(left >= 0 && right <= 320, `${tag}: ${inside.textContent}`).to.be.true;
      }
    }
    element.cancel();
    await resizeBack();
  });

  it("end a Hebrew sentence on its left on a left-to-right page", async () => {
    await import("matrix-auth-elements/locales/he");
    const element = await fixture<OidcCallbackElement>(html`
      <oidc-callback
        lang="he"
        manual
        style="--oidc-callback-inline-size: 780px; font-size: 10px"
      ></oidc-callback>
    `);
    await element.complete("/?code=x&state=y");
    await element.updateComplete;
    const error = element.shadowRoot?.querySelector("slot[name=error]");
    const texts = document.createTreeWalker(error ?? element, NodeFilter.SHOW_TEXT);
    const text = texts.nextNode() as Text;
    const placeOf = (index: number): DOMRect => {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + 1);
      return range.getBoundingClientRect();
    };
    const sentence = text.data.trimEnd();
    expect(sentence).to.match(/^[א-ת].*\.$/);
    const lines = new Set(Array.from(sentence, (_, index) => Math.round(placeOf(index).top)));
    expect(lines.size, "one line").to.equal(1);
    expect(placeOf(sentence.length - 1).right).to.be.at.most(placeOf(0).left);
  });
});

describe("The library's languages, in every state of <matrix-account>", () => {
  beforeEach(begin);
  afterEach(async () => {
    document.documentElement.lang = "en";
    await end();
  });

  for (const { name, show } of ACCOUNT_STATES) {
    it(`have a translation for every string, and none is the key itself: ${name}`, async () => {
      await show();
      const element = document.querySelector("matrix-account");
      const dialog = element?.shadowRoot?.querySelector("uia-dialog");
      const { default: keys } = await LANGUAGES.de();
      await Promise.all(Object.values(LANGUAGES).map((load) => load()));
      for (const tag of ["en", ...Object.keys(LANGUAGES)]) {
        document.documentElement.lang = tag;
        // The element's observer runs before the next task.
        await aTimeout(0);
        await element?.updateComplete;
        await dialog?.updateComplete;
        const said = [element, dialog].flatMap((each) => (each ? whatIsSaid(each) : []));
        const isWrong = (text: string): boolean =>
          text.startsWith("<") || Object.hasOwn(keys, text);
        expect(said.filter(isWrong), tag).to.deep.equal([]);
      }
    });
  }
});

/** The texts of an element's shadow tree and forms, or the HTML of a control or heading that has no text. */
const whatIsSaid = (host: Element): readonly string[] =>
  [host.shadowRoot, host].flatMap((place) =>
    [...(place?.querySelectorAll("*") ?? [])].flatMap((each) => {
      const text = each.getAttribute("aria-label") ?? each.textContent.trim();
      if (text) return each.childElementCount === 0 ? text : [];
      return each.matches("button, a, summary, label, h2, h3") ? each.outerHTML : [];
    }),
  );
