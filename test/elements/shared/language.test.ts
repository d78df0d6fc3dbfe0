import { aTimeout, expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import {
  AuthType,
  registerTranslation,
  type OidcLoginElement,
  type UiaDialogElement,
} from "matrix-auth-elements";
import { protectedRequest, refusal } from "../support/protected-request.js";
import { restoreNetwork, scriptServers } from "../support/servers.js";
import { waitFor } from "../support/wait-for.js";

const { Email, Msisdn, Password, RegistrationToken } = AuthType;

registerTranslation(
  { $code: "x-frisk", signIn: "Oanmelde", uiaHeading: "Befêstigje", uiaPassword: "Wachtwurd" },
  { $code: "x-frisk-oast", signIn: "Oanmelle" },
  { $code: "zh-Hans", $aliases: ["zh", "cmn"], signIn: "登录" },
  { $code: "zh-Hant", $aliases: ["zh-TW", "zh-HK", "zh-MO"], signIn: "登入" },
  { $code: "pt-BR", $aliases: ["pt"], signIn: "Entrar" },
  {
    $code: "he",
    $aliases: ["iw"],
    signIn: "כניסה",
    uiaPassword: "סיסמה",
    uiaPasswordAsk: "מה הסיסמה?",
  },
  { $code: "ar", signIn: "الدخول", uiaHeading: "تأكيد", uiaStep: "{step} من {steps}" },
);

describe("The language of an element", () => {
  before(() => void scriptServers());
  after(restoreNetwork);
  afterEach(() => {
    document.documentElement.lang = "en";
    document.documentElement.removeAttribute("dir");
  });

  const label = (element: Element | null): string =>
    element?.shadowRoot?.querySelector("[part=label]")?.textContent?.trim() ?? "";
  const login = (lang: string): Promise<OidcLoginElement> =>
    fixture<OidcLoginElement>(html`<oidc-login lang=${lang}></oidc-login>`);
  const labelIn = async (lang: string): Promise<string> => label(await login(lang));
  const says = (element: Element, text: string): Promise<unknown> =>
    waitFor(
      () => label(element) === text,
      () => `says ${label(element)}, not ${text}`,
    );

  describe("tags", () => {
    for (const [tags, text] of [
      ["zh-Hans-CN zh-CN zh-SG zh zh_CN cmn", "登录"],
      ["zh-Hant-HK zh-TW zh-HK zh-MO zh_TW", "登入"],
      ["pt pt-BR pt-PT pt_BR PT-br", "Entrar"],
      ["he iw he-IL", "כניסה"],
      ["x-frisk x-frisk-west X-Frisk", "Oanmelde"],
      ["x-frisk-oast x-frisk-oast-1", "Oanmelle"],
      ["en en-GB en_US.UTF-8", "Sign in"],
    ] as const) {
      it(`has the text ${text} for ${tags}`, async () => {
        for (const tag of tags.split(" ")) expect(await labelIn(tag), tag).to.equal(text);
      });
    }

    for (const tag of [
      "xx_broken!",
      "no_such language!",
      "-",
      "--",
      "",
      "zz",
      "constructor",
      "💡",
    ]) {
      it(`is English for the tag ${JSON.stringify(tag)}`, async () => {
        expect(await labelIn(tag)).to.equal("Sign in");
      });
    }
  });

  describe("changes", () => {
    it("follows its own lang", async () => {
      const element = await login("en");
      element.lang = "x-frisk";
      await says(element, "Oanmelde");
      element.removeAttribute("lang");
      await says(element, "Sign in");
    });

    it("follows the lang of the elements around it", async () => {
      const outer = await fixture(html`
        <section>
          <div><oidc-login></oidc-login></div>
        </section>
      `);
      const element = outer.querySelector("oidc-login") as OidcLoginElement;
      outer.setAttribute("lang", "x-frisk");
      await says(element, "Oanmelde");
      outer.firstElementChild?.setAttribute("lang", "he");
      await says(element, "כניסה");
    });

    it("follows the lang around the shadow trees that it is in", async () => {
      const outer = await fixture(html`<section><div></div></section>`);
      const middle = outer.querySelector("div")?.attachShadow({ mode: "closed" });
      const inner = document.createElement("div");
      middle?.append(inner);
      const element = document.createElement("oidc-login");
      inner.attachShadow({ mode: "open" }).append(element);
      await says(element, "Sign in");
      outer.setAttribute("lang", "x-frisk");
      await says(element, "Oanmelde");
      inner.setAttribute("lang", "he");
      await says(element, "כניסה");
    });

    it("changes when the element is moved below another lang", async () => {
      registerTranslation({ $code: "x-frisk", uiaFallbackOpen: "Iepenje" });
      const outer = await fixture(html`
        <section>
          <uia-fallback-frame url="https://hs.example/page"></uia-fallback-frame>
          <div lang="x-frisk"></div>
        </section>
      `);
      const element = outer.querySelector("uia-fallback-frame");
      const shown = (): string => element?.shadowRoot?.textContent ?? "";
      await waitFor(() => shown().includes("Open the page"));
      outer.querySelector("[lang]")?.append(element ?? "");
      await waitFor(() => shown().includes("Iepenje"));
    });

    it("changes when every other element has been removed before", async () => {
      const first = await login("en");
      first.remove();
      const element = await login("en");
      document.documentElement.lang = "x-frisk";
      element.removeAttribute("lang");
      await says(element, "Oanmelde");
    });
  });

  describe("texts", () => {
    it("falls back to the language that it is a variant of, then to English", async () => {
      const element = await fixture<UiaDialogElement>(html`
        <uia-dialog lang="x-frisk-oast" user-id="@alice:hs.example"></uia-dialog>
      `);
      element.authenticate(protectedRequest([Password]).doRequest).catch(() => undefined);
      await waitFor(() => element.querySelector("[name=password]"));
      expect(element.shadowRoot?.querySelector("h2")?.innerText).to.equal("Befêstigje");
      expect(element.querySelector("form")?.innerText).to.contain("Wachtwurd");
      expect(element.shadowRoot?.querySelector("p")?.innerText).to.contain("Enter your password");
      element.cancel();
    });

    it("prefers the page's texts to those that the library loads later", async () => {
      // Before anything of the dialog is loaded, or of a login that fails.
      registerTranslation({ $code: "en", uiaHeading: "Who goes there?" });
      registerTranslation({ $code: "de", uiaHeading: "Wer da?" });
      const element = await fixture<UiaDialogElement>(html`
        <uia-dialog user-id="@alice:hs.example"></uia-dialog>
      `);
      element.authenticate(protectedRequest([Password]).doRequest).catch(() => undefined);
      await waitFor(() => element.querySelector("[name=password]"));
      const heading = (): string | undefined => element.shadowRoot?.querySelector("h2")?.innerText;
      expect(heading()).to.equal("Who goes there?");
      await import("matrix-auth-elements/locales/de");
      element.lang = "de";
      await waitFor(() => element.querySelector("form")?.innerText.includes("Passwort"));
      expect(heading()).to.equal("Wer da?");
      element.cancel();
    });
  });

  describe("numbers and addresses", () => {
    const open = async (
      stages: readonly string[],
      template = html`<uia-dialog lang="ar" user-id="@alice:hs.example"></uia-dialog>`,
    ): Promise<{ element: UiaDialogElement; dialog: HTMLDialogElement }> => {
      const element = await fixture<UiaDialogElement>(template);
      element.requestEmailToken = () => Promise.resolve({ sid: "sid" });
      element.requestPhoneToken = () => Promise.resolve({ sid: "sid", submit_url: "/x" });
      element.authenticate(protectedRequest(stages).doRequest).catch(() => undefined);
      await waitFor(() => element.shadowRoot?.querySelector("dialog")?.open, "not open");
      const dialog = element.shadowRoot?.querySelector("dialog");
      if (!dialog) throw new Error("no dialog");
      return { element, dialog };
    };
    const progress = (dialog: HTMLElement): string =>
      dialog.querySelector<HTMLElement>("[part=progress]")?.innerText ?? "";

    it("counts steps in the language's digits", async () => {
      const digits = new Intl.NumberFormat("ar-EG");
      const { element, dialog } = await open(
        [Password, RegistrationToken],
        html`<uia-dialog lang="ar-EG"></uia-dialog>`,
      );
      expect(progress(dialog)).to.equal(`${digits.format(1)} من ${digits.format(2)}`);
      expect(progress(dialog)).to.contain("٢");
      element.cancel();
    });

    it("counts steps in English digits when the texts are English", async () => {
      const { element, dialog } = await open(
        [Password, RegistrationToken],
        html`<uia-dialog lang="mr"></uia-dialog>`,
      );
      expect(progress(dialog)).to.equal("Step 1 of 2");
      element.cancel();
    });

    for (const tag of ["xx_broken!", "", "en_US.UTF-8"]) {
      it(`shows the dialog in English when lang is ${JSON.stringify(tag)}`, async () => {
        const { element, dialog } = await open(
          [Msisdn, RegistrationToken],
          html`<uia-dialog lang=${tag}></uia-dialog>`,
        );
        expect(progress(dialog)).to.equal("Step 1 of 2");
        await waitFor(() => element.querySelector("[name=phone]"), "no field");
        element.cancel();
      });
    }

    for (const [milliseconds, text] of [
      [29_500, "in 30 seconds"],
      [1000, "in 1 second."],
      [240_000, "in 4 minutes"],
    ] as const) {
      it(`shows "${text}" for a wait of ${milliseconds} ms`, async () => {
        const request = protectedRequest([RegistrationToken]);
        const element = await fixture<UiaDialogElement>(html`<uia-dialog></uia-dialog>`);
        element.authenticate(request.doRequest).catch(() => undefined);
        await waitFor(() => element.querySelector("[name=token]"));
        const answer = { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: milliseconds };
        request.failNext(refusal(429, answer));
        void element.submitAuthDict({ type: RegistrationToken, token: "x" });
        await waitFor(() => element.shadowRoot?.textContent?.includes(text), text);
        element.cancel();
      });
    }

    it("puts an address where the text has it, from left to right", async () => {
      registerTranslation({ $code: "x-last", uiaLinkSent: "{address} ni okutta" });
      const element = await fixture<UiaDialogElement>(
        html`<uia-dialog lang="x-last"></uia-dialog>`,
      );
      element.inputs = { emailAddress: "a@example.org" };
      element.requestEmailToken = () => Promise.resolve({ sid: "sid" });
      element.authenticate(protectedRequest([Email]).doRequest).catch(() => undefined);
      const said = (): HTMLElement | null | undefined =>
        element.shadowRoot?.querySelector("bdi")?.parentElement;
      await waitFor(() => said()?.innerText === "a@example.org ni okutta");
      expect(said()?.querySelector("bdi")?.dir).to.equal("ltr");
      element.cancel();
    });

    it("names no address when it is not known", async () => {
      const element = await fixture<UiaDialogElement>(html`
        <uia-dialog email-sid="sid" client-secret="secret" session-id="the-session"></uia-dialog>
      `);
      element.authenticate(protectedRequest([Email]).doRequest).catch(() => undefined);
      await waitFor(() => element.shadowRoot?.textContent?.includes("once you open the link"));
      expect(element.shadowRoot?.textContent).not.to.contain("sent to");
      element.cancel();
    });

    it("has a field for codes from left to right in Arabic", async () => {
      const { element } = await open([RegistrationToken]);
      await waitFor(() => element.querySelector("[name=token]"));
      const field = element.querySelector("[name=token]") as HTMLInputElement;
      expect(getComputedStyle(field).direction).to.equal("ltr");
      element.cancel();
    });
  });

  describe("direction", () => {
    const directionIn = async (template: ReturnType<typeof html>): Promise<string> => {
      const around = await fixture(template);
      const element = (around.querySelector("uia-dialog") ?? around) as UiaDialogElement;
      element.authenticate(protectedRequest([Password]).doRequest).catch(() => undefined);
      await waitFor(() => element.querySelector("[name=password]"));
      const dialog = element.shadowRoot?.querySelector("dialog");
      const label = element.querySelector("label");
      if (!dialog || !label) throw new Error("no dialog");
      expect(getComputedStyle(label).direction).to.equal(getComputedStyle(dialog).direction);
      const { direction } = getComputedStyle(dialog);
      element.cancel();
      return direction;
    };

    it("is the direction of the dialog when the page sets none", async () => {
      expect(await directionIn(html`<uia-dialog lang="ar"></uia-dialog>`)).to.equal("rtl");
      expect(await directionIn(html`<uia-dialog lang="de"></uia-dialog>`)).to.equal("ltr");
    });

    it("is left to right when the texts are English for lack of others", async () => {
      expect(await directionIn(html`<uia-dialog lang="ur"></uia-dialog>`)).to.equal("ltr");
    });

    it("is the page's direction when that sets one", async () => {
      expect(
        await directionIn(html`<div dir="ltr"><uia-dialog lang="ar"></uia-dialog></div>`),
      ).to.equal("ltr");
      document.documentElement.dir = "rtl";
      expect(await directionIn(html`<uia-dialog></uia-dialog>`)).to.equal("rtl");
    });
  });

  it("changes in an open dialog without losing what was typed or the focus", async () => {
    const element = await fixture<UiaDialogElement>(html`<uia-dialog></uia-dialog>`);
    element.authenticate(protectedRequest([Password]).doRequest).catch(() => undefined);
    await waitFor(() => element.querySelector("[name=password]"));
    const [user, password] = element.querySelectorAll<HTMLInputElement>("form input");
    if (!user || !password) throw new Error("no fields");
    user.value = "alice";
    password.value = "secr";
    password.focus();
    document.documentElement.lang = "he";
    await waitFor(() => element.querySelector("form")?.innerText.includes("סיסמה"));
    expect([user.value, password.value]).to.deep.equal(["alice", "secr"]);
    expect(document.activeElement).to.equal(password);
    expect(element.contains(password)).to.be.true;
    element.cancel();
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
    await aTimeout(0);
  });
});
