import { expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import {
  AuthType,
  registerTranslation,
  type OidcLoginElement,
  type UiaDialogElement,
} from "matrix-auth-elements";
import { Clock } from "../../support/clock.js";
import { restoreStubs } from "../../support/stub.js";
import { part } from "../support/element.js";
import { protectedRequest, refusal } from "../support/protected-request.js";
import { useTestServers } from "../support/test-servers.js";
import { waitFor } from "../support/wait-for.js";

const { Email, Msisdn, Password, RegistrationToken } = AuthType;

registerTranslation(
  { $code: "x-frisk", signIn: "Oanmelde", confirmIdentity: "Befêstigje", password: "Wachtwurd" },
  { $code: "x-frisk-oast", signIn: "Oanmelle" },
  { $code: "zh-Hans", $aliases: ["zh", "cmn"], signIn: "登录" },
  { $code: "zh-Hant", $aliases: ["zh-TW", "zh-HK", "zh-MO"], signIn: "登入" },
  { $code: "pt-BR", $aliases: ["pt"], signIn: "Entrar" },
  {
    $code: "he",
    $aliases: ["iw"],
    signIn: "כניסה",
    password: "סיסמה",
    passwordAsk: "מה הסיסמה?",
  },
  { $code: "ar", signIn: "الدخول", confirmIdentity: "تأكيد", step: "{step} من {steps}" },
  { $code: "x-last", linkSent: "{address} ni okutta" },
);

describe("The language of an element", () => {
  let dialog: UiaDialogElement;

  beforeEach(async () => {
    await useTestServers();
    dialog = document.createElement("uia-dialog");
  });
  afterEach(() => {
    restoreStubs();
    dialog.cancel();
    document.documentElement.lang = "en";
    document.documentElement.removeAttribute("dir");
  });

  const label = (element: Element): string => part(element, "label").textContent?.trim() ?? "";
  const login = (lang: string): Promise<OidcLoginElement> =>
    fixture<OidcLoginElement>(html`<oidc-login lang=${lang}></oidc-login>`);
  const says = (element: Element, text: string): Promise<unknown> =>
    waitFor(
      () => label(element) === text,
      () => `says ${label(element)}, not ${text}`,
    );

  /** Opens a dialog at the first of some stages, and waits for a selector in it. */
  const open = async (
    stages: readonly string[],
    properties: Partial<UiaDialogElement> = {},
    selector = "input",
    request = protectedRequest(stages),
  ): Promise<HTMLElement> => {
    dialog = await fixture(html`<uia-dialog></uia-dialog>`);
    Object.assign(dialog, { requestEmailToken: async () => ({ sid: "sid" }), ...properties });
    dialog.authenticate(request.doRequest).catch(() => undefined);
    const found = (): HTMLElement | null | undefined =>
      dialog.querySelector<HTMLElement>(selector) ?? dialog.shadowRoot?.querySelector(selector);
    return (await waitFor(found, `no ${selector}`)) as HTMLElement;
  };
  const heading = (): string | undefined => dialog.shadowRoot?.querySelector("h2")?.innerText;
  const form = (): HTMLElement => dialog.querySelector("form") as HTMLElement;
  const directionOf = (element: Element | null): string =>
    element ? getComputedStyle(element).direction : "";

  describe("tags", () => {
    for (const [tags, text] of [
      ["zh-Hans-CN zh-CN zh-SG zh zh_CN cmn", "登录"],
      ["zh-Hant-HK zh-TW zh-HK zh-MO zh_TW", "登入"],
      ["pt pt-BR pt-PT pt_BR PT-br", "Entrar"],
      ["he iw he-IL", "כניסה"],
      ["x-frisk x-frisk-west X-Frisk", "Oanmelde"],
      ["x-frisk-oast x-frisk-oast-1", "Oanmelle"],
      ["en en-GB en_US.UTF-8", "Sign in"],
      // These tags are invalid, or have no texts.
      ["xx_broken! - -- zz constructor 💡", "Sign in"],
    ] as const) {
      it(`has the text ${text} for ${tags}`, async () => {
        for (const tag of tags.split(" ")) expect(label(await login(tag)), tag).to.equal(text);
      });
    }

    it("has the text of a tag with spaces around it", async () => {
      expect(label(await login(" X_frisk\n"))).to.equal("Oanmelde");
    });

    it("is the page's if a framework has written its missing value as lang, or if that is empty", async () => {
      document.documentElement.lang = "x-frisk";
      for (const value of [undefined, null, ""]) {
        const element = await login("en");
        element.lang = value as never;
        await says(element, "Oanmelde");
      }
    });

    it("is English for an invalid tag", async () => {
      expect(label(await login("no_such language!"))).to.equal("Sign in");
    });
  });

  describe("changes", () => {
    it("follows its own lang", async () => {
      const element = await login("en");
      element.lang = "x-frisk";
      await says(element, "Oanmelde");
      element.removeAttribute("lang");
      await says(element, "Sign in");
    });

    it("changes with a text that is registered later", async () => {
      registerTranslation({ $code: "x-later", signIn: "Gaan" });
      const element = await login("x-later");
      await says(element, "Gaan");
      registerTranslation({ $code: "x-later", signIn: "Kom binne" });
      await says(element, "Kom binne");
    });

    it("follows the lang around its shadow trees, and the lang of an element inside them", async () => {
      const outer = await fixture(html`<section><div></div></section>`);
      const middle = outer.querySelector("div")?.attachShadow({ mode: "closed" });
      const inner = document.createElement("div");
      middle?.append(inner);
      const element = document.createElement("oidc-login");
      inner.attachShadow({ mode: "open" }).append(element);
      await element.updateComplete;
      await says(element, "Sign in");
      outer.setAttribute("lang", "x-frisk");
      await says(element, "Oanmelde");
      inner.setAttribute("lang", "he");
      await says(element, "כניסה");
    });

    it("changes when the element moves into another lang, even after all other elements have been removed", async () => {
      const other = await login("en");
      const outer = await fixture(html`
        <section>
          <oidc-login></oidc-login>
          <div lang="x-frisk"></div>
        </section>
      `);
      const element = outer.querySelector("oidc-login") as OidcLoginElement;
      await says(element, "Sign in");
      outer.querySelector("[lang]")?.append(element);
      await says(element, "Oanmelde");
      other.remove();
      element.remove();
      const next = await login("en");
      document.documentElement.lang = "x-frisk";
      next.removeAttribute("lang");
      await says(next, "Oanmelde");
    });

    it("is observed once, until the last element is removed", async () => {
      const { MutationObserver: Real } = window;
      const calls: string[] = [];
      const { observe, disconnect } = Real.prototype;
      Real.prototype.observe = function (...given): void {
        if (given[1]?.attributeFilter?.includes("lang")) calls.push("observe");
        observe.apply(this, given);
      };
      Real.prototype.disconnect = function (): void {
        calls.push("disconnect");
        disconnect.call(this);
      };
      try {
        const elements = await Promise.all([login("en"), login("en")]);
        elements[0].remove();
        expect(calls).not.to.include("disconnect");
        elements[1].remove();
        expect(calls.at(-1)).to.equal("disconnect");
        expect(calls).to.include("observe");
      } finally {
        Object.assign(Real.prototype, { observe, disconnect });
      }
    });
  });

  describe("texts", () => {
    it("falls back from a variant to its language, then to English", async () => {
      await open([Password], { lang: "x-frisk-oast", userId: "@alice:hs.example" });
      expect(heading()).to.equal("Befêstigje");
      expect(form().innerText).to.contain("Wachtwurd");
      expect(dialog.shadowRoot?.querySelector("p")?.innerText).to.contain("Enter your password");
    });

    it("prefers the page's texts to those that the library loads later", async () => {
      // The texts are registered before the code of a dialog or a failed sign-in is loaded.
      registerTranslation({ $code: "en", confirmIdentity: "Who goes there?" });
      registerTranslation({ $code: "de", confirmIdentity: "Wer da?" });
      await open([Password]);
      expect(heading()).to.equal("Who goes there?");
      await import("matrix-auth-elements/locales/de");
      dialog.lang = "de";
      await waitFor(() => form().innerText.includes("Passwort"));
      expect(heading()).to.equal("Wer da?");
    });
  });

  describe("numbers and addresses", () => {
    const digits = new Intl.NumberFormat("ar-EG");
    for (const [lang, steps] of [
      ["ar-EG", `${digits.format(1)} من ${digits.format(2)}`],
      ...["mr", "xx_broken!", "", "en_US.UTF-8"].map((tag) => [tag, "Step 1 of 2"] as const),
    ] as const) {
      it(`counts steps as ${steps} when lang is ${JSON.stringify(lang)}`, async () => {
        const progress = await open([Msisdn, Password], { lang }, "[part=progress]");
        expect(progress.innerText).to.equal(steps);
        // The phone number's view lists the countries in that language.
        await waitFor(() => dialog.querySelector("[name=phone]"), "no field");
      });
    }

    for (const [milliseconds, text] of [
      [29_500, "in 30 seconds"],
      [1000, "in 1 second."],
      [240_000, "in 4 minutes"],
    ] as const) {
      it(`shows "${text}" for a wait of ${milliseconds} ms`, async () => {
        const request = protectedRequest([RegistrationToken]);
        await open([], {}, "input", request);
        const limit = { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: milliseconds };
        request.failNext(refusal(429, limit));
        new Clock();
        void dialog.submitAuthDict({ type: RegistrationToken, token: "x" });
        await waitFor(() => dialog.shadowRoot?.textContent?.includes(text), text);
      });
    }

    it("puts an address in its place in the text, from left to right", async () => {
      const inputs = { emailAddress: "a@example.org" };
      const address = await open([Email], { lang: "x-last", inputs }, "bdi");
      const sentence = (): string | undefined => address.parentElement?.innerText;
      await waitFor(() => sentence() === "a@example.org ni okutta");
      expect(address.dir).to.equal("ltr");
    });

    it("contains no address when the address is unknown", async () => {
      await open([Email], { emailSid: "sid", sessionId: "the-session" }, "[part=submit]");
      expect(dialog.shadowRoot?.textContent).to.contain("once you open the link");
      expect(dialog.shadowRoot?.textContent).not.to.contain("sent to");
    });

    it("has a left-to-right field for codes in Arabic", async () => {
      expect(directionOf(await open([RegistrationToken], { lang: "ar" }))).to.equal("ltr");
    });
  });

  describe("direction", () => {
    for (const [what, lang, dir, direction] of [
      ["its language's when the page sets none", "ar", "", "rtl"],
      ["its language's when the page sets none", "de", "", "ltr"],
      ["left to right when the texts are English for lack of others", "ur", "", "ltr"],
      ["the page's when that sets one", "ar", "ltr", "ltr"],
      ["the page's when that sets one", "en", "rtl", "rtl"],
    ] as const) {
      it(`is ${what}: ${lang}, ${direction}`, async () => {
        if (dir) document.documentElement.dir = dir;
        await open([Password], { lang });
        const box = dialog.shadowRoot?.querySelector("dialog") ?? null;
        expect([box, dialog.querySelector("label")].map(directionOf)).to.deep.equal([
          direction,
          direction,
        ]);
      });
    }
  });
});
