import { expect, html } from "@open-wc/testing";
import { executeServerCommand } from "@web/test-runner-commands";
import { AuthType } from "matrix-auth-elements";
import { Clock } from "../../support/clock.js";
import { stub, untilRestored } from "../../support/stub.js";
import { resize, resizeBack } from "../support/viewport.js";
import { waitFor } from "../support/wait-for.js";
import {
  Email,
  Msisdn,
  PASSWORD_VALIDATOR,
  POLICIES,
  Password,
  Recaptcha,
  RegistrationToken,
  Sso,
  Terms,
  element,
  endDialog,
  limit,
  outcome,
  ui,
} from "./fixture.js";

/** The buttons of an element, in the order of the Tab key. */
function buttonsIn(place: Element): readonly Element[] {
  if (place instanceof HTMLButtonElement) return [place];
  const children = place instanceof HTMLSlotElement ? place.assignedElements() : [];
  return [...(children.length > 0 ? children : (place.shadowRoot ?? place).children)].flatMap(
    buttonsIn,
  );
}

describe("The appearance of <uia-dialog>", () => {
  afterEach(endDialog);
  afterEach(resizeBack);

  const user = (): string | undefined => {
    const initial = ui.part("initial")?.dataset["initial"];
    return initial && `${initial} ${ui.part("user")?.innerText.trim() ?? ""}`;
  };

  for (const [what, set, expected] of [
    ["user-id is set", { userId: "@bob:hs.example" }, "B @bob:hs.example"],
    [
      "the client has it",
      { userId: "", client: { userId: "@eve:hs.example" } },
      "E @eve:hs.example",
    ],
    ["it is unknown", { userId: "" }, undefined],
  ] as const) {
    it(`shows the user in its header at every stage, when ${what}`, async () => {
      await ui.open([Terms, RegistrationToken], { params: POLICIES, set });
      expect(user()).to.equal(expected);
      ui.checkAll();
      await ui.submit();
      await waitFor(() => element.querySelector("[name=token]"), "no token");
      expect(user()).to.equal(expected);
    });
  }

  it("shows the user that whoami() returns, and then has the username only for password managers", async () => {
    const client = { whoami: async () => ({ user_id: "@carol:hs.example" }) };
    await ui.open([Password], { set: { userId: "", client } });
    await waitFor(() => user() === "C @carol:hs.example", "no user");
    const name = ui.field("username");
    expect([name.value, name.tabIndex, name.offsetHeight]).to.deep.equal([
      "@carol:hs.example",
      -1,
      1,
    ]);
  });

  for (const [stage, heading] of [
    [Password, "Confirm it’s you"],
    [Sso, "Confirm it’s you"],
    ["org.example.unknown", "Confirm it’s you"],
    [Terms, "Accept the terms"],
    [Recaptcha, "Confirm you’re human"],
    [RegistrationToken, "Registration token"],
    [AuthType.UnstableRegistrationToken, "Registration token"],
    [Email, "Verify your email address"],
    [Msisdn, "Verify your phone number"],
  ] as const) {
    for (const [where, set] of [
      ["", {}],
      [", on the homeserver's page", { supportedStages: [] }],
    ] as const) {
      it(`has the heading “${heading}” at ${stage}${where}`, async () => {
        await ui.open([stage, Password], { params: POLICIES, set });
        expect(ui.part("heading")?.innerText).to.equal(heading);
      });
    }
  }

  it("has a thick border and distinguishable buttons in forced colors", async function () {
    const emulate = executeServerCommand("emulate-features", { "forced-colors": "active" });
    // Only Chromium has the command.
    if (!(await emulate.catch(() => false))) this.skip();
    untilRestored(() => executeServerCommand("emulate-features", {}));
    const lookOf = (name: string): string => {
      const { backgroundColor, color, border } = getComputedStyle(ui.part(name) as HTMLElement);
      return [backgroundColor, color, border].join();
    };
    await ui.open([Password]);
    const looks = ["submit", "cancel"].map(lookOf);
    expect(getComputedStyle(ui.dialog() as Element).borderWidth).to.equal("3px");
    element.cancel();
    await outcome;
    await ui.open([Password], { set: { destructive: true } });
    expect(new Set([...looks, lookOf("submit")])).to.have.length(3);
  });

  it("keeps the page's heading at every stage", async () => {
    await ui.open([Terms], { params: POLICIES, set: { heading: "Join us" } });
    expect(ui.part("heading")?.innerText).to.equal("Join us");
  });

  it("places the instructions closer to the text above than to the field's label", async () => {
    await ui.open([Password]);
    const [user, instruction, label] = [
      ui.part("user"),
      ui.part("instruction")?.querySelector("p"),
      element.querySelector("label:not(.uia-visually-hidden)"),
    ].map((each) => each?.getBoundingClientRect() ?? new DOMRect());
    if (!user || !instruction || !label) throw new Error("nothing is shown");
    expect(label.top - instruction.bottom).to.be.at.least(instruction.top - user.bottom);
    expect(label.top - instruction.bottom).to.be.at.least(16);
  });

  for (const width of [320, 768]) {
    for (const [stage, submitLabel] of [
      [Password, "OK"],
      [Password, "Alle anderen Geräte vom Konto abmelden"],
      [Sso, ""],
    ] as const) {
      it(`has its buttons in the order of the Tab key at ${width} pixels: ${stage} ${submitLabel}`, async function () {
        if (!(await resize({ width, height: 800 }))) this.skip();
        await ui.open([stage], {
          set: { submitLabel, client: { baseUrl: "https://hs.example" } },
          template: html`<uia-dialog user-id="@alice:hs.example"
            ><button slot="actions" style="inline-size: 6em">Help</button></uia-dialog
          >`,
        });
        const frame = () => element.shadowRoot?.querySelector("uia-fallback-frame")?.shadowRoot;
        if (stage === Sso) await waitFor(() => frame()?.querySelector("[part=open]"), "no button");
        const buttons = buttonsIn(element).filter((each) => !each.closest(".uia-fields"));
        const places = buttons
          .map((button) => button.getBoundingClientRect())
          .map(({ left, top, bottom }) => ({ left, top, bottom }));
        expect(places.length).to.be.at.least(3);
        const looks = [...places].sort((a, b) =>
          a.bottom <= b.top ? -1 : b.bottom <= a.top ? 1 : a.left - b.left,
        );
        expect(places).to.deep.equal(looks);
      });
    }
  }

  for (const [stage, text] of [
    [Password, "Enter your password to continue."],
    [Terms, "Review and accept these terms."],
  ] as const) {
    it(`shows “${text}” only if the page has no description`, async () => {
      await ui.open([stage], { params: POLICIES });
      expect(ui.text()).to.contain(text);
      element.cancel();
      await outcome;
      await ui.open([stage], {
        params: POLICIES,
        template: html`<uia-dialog><p slot="description">This signs out a device.</p></uia-dialog>`,
      });
      expect(ui.text()).not.to.contain(text);
    });
  }

  it("shows the instruction for the homeserver's page together with the page's description", async () => {
    await ui.open([Sso], {
      template: html`<uia-dialog><p slot="description">This signs out a device.</p></uia-dialog>`,
    });
    await ui.reads("Sign in again with your identity provider.");
  });

  it("has the buttons for the homeserver's page in a row with Cancel, which is not larger", async function () {
    if (!(await resize({ width: 320, height: 600 }))) this.skip();
    await ui.open([Sso], { set: { client: { baseUrl: "https://hs.example" } } });
    const frame = () => element.shadowRoot?.querySelector("uia-fallback-frame");
    const open = () => frame()?.shadowRoot?.querySelector<HTMLElement>("[part=open]");
    await waitFor(open, "no button");
    expect(frame()?.shadowRoot?.querySelector("[part=host]")?.textContent).to.equal(
      "Opens hs.example",
    );
    const [cancel, primary] = [ui.part("cancel"), open()].map((each) =>
      each?.getBoundingClientRect(),
    );
    expect(cancel?.width).to.be.at.most(primary?.width ?? 0);
    expect(primary?.top).to.be.at.most(cancel?.top ?? 0);
  });

  for (const [where, width, isInLine] of [
    ["next to Cancel, with wrapped text,", 768, true],
    ["above Cancel,", 360, false],
  ] as const) {
    it(`has a button with a long label ${where} at ${width} pixels`, async function () {
      if (!(await resize({ width, height: 800 }))) this.skip();
      await ui.open([Password], { set: { submitLabel: "Alle anderen Geräte vom Konto abmelden" } });
      const [cancel, submit] = [ui.part("cancel"), ui.part("submit")].map(
        (each) => each?.getBoundingClientRect() ?? new DOMRect(),
      );
      if (!cancel || !submit) throw new Error("no buttons");
      expect(submit.top < cancel.bottom && cancel.top < submit.bottom).to.equal(isInLine);
      expect(submit.top).to.be.at.most(cancel.top);
    });
  }

  it("has the link for a blocked window on the other side in right-to-left text", async () => {
    stub(window, "open", { value: () => null });
    await ui.open([Sso], { set: { dir: "rtl", client: { baseUrl: "https://hs.example" } } });
    const root = (): ShadowRoot | null | undefined =>
      element.shadowRoot?.querySelector("uia-fallback-frame")?.shadowRoot;
    const find = (name: string): Promise<HTMLElement | null | undefined> =>
      waitFor(() => root()?.querySelector<HTMLElement>(`[part=${name}]`), `no ${name}`);
    (await find("open"))?.click();
    const [link, host] = [await find("link"), await find("host")];
    const right = host?.getBoundingClientRect().right;
    expect(link?.getBoundingClientRect().right).to.be.closeTo(right ?? 0, 1);
  });

  for (const [what, size, fontSize] of [
    ["in 320 × 256 pixels", { width: 320, height: 256 }, ""],
    ["with text at 200 %", { width: 640, height: 400 }, "200%"],
  ] as const) {
    it(`scrolls the error into view ${what}, and the buttons with Tab`, async function () {
      if (!(await resize(size))) this.skip();
      document.documentElement.style.fontSize = fontSize;
      try {
        await ui.open([Password], { validators: PASSWORD_VALIDATOR });
        await ui.submit({ password: "wrong" });
        await ui.reads("Incorrect password.");
        const isInView = (each: Element | null | undefined): boolean => {
          const { top = 0, bottom = 0 } = each?.getBoundingClientRect() ?? {};
          const { top: least, bottom: most } = ui.dialog()?.getBoundingClientRect() ?? {
            top: 0,
            bottom: 0,
          };
          return top >= least && bottom <= most && bottom <= innerHeight;
        };
        expect(isInView(element.querySelector(".error"))).to.be.true;
        const submit = ui.part("submit");
        submit?.focus();
        // Firefox scrolls only to a button of which nothing is in view.
        const { top = 0, bottom = 0 } = submit?.getBoundingClientRect() ?? {};
        const { top: least = 0, bottom: most = 0 } = ui.dialog()?.getBoundingClientRect() ?? {};
        expect(bottom > least && top < Math.min(most, innerHeight)).to.be.true;
      } finally {
        document.documentElement.style.fontSize = "";
      }
    });
  }

  it("counts down to the end of a rate limit, and announces it once", async () => {
    const request = await ui.open([RegistrationToken]);
    request.failNext(limit(60_000));
    ui.fill({ token: "abc" });
    const clock = new Clock();
    await ui.press("submit");
    const shown = await waitFor(() => ui.part("notice"), "no notice");
    expect(shown?.getAttribute("aria-hidden")).to.equal("true");
    const said = (): string =>
      element.shadowRoot?.querySelector(".visually-hidden")?.textContent?.trim() ?? "";
    const first = said();
    expect(first).to.equal("Too many attempts. Trying again in 60 seconds.");
    await clock.pass(2000);
    expect(ui.part("notice")?.textContent).to.include("in 58 seconds");
    expect(said()).to.equal(first);
  });

  for (const [languages, country] of [
    [["de-AT", "en-US"], "AT"],
    [["fr", "en-GB"], "GB"],
    [["ja"], "JP"],
  ] as const) {
    it(`focuses the number first, with ${country} selected, when the browser's languages are ${languages.join(", ")}`, async () => {
      stub(navigator, "languages", { value: languages });
      await ui.open([Msisdn]);
      await ui.numberAsked();
      expect(ui.field("country").value).to.equal(country);
      await waitFor(() => document.activeElement === ui.field("phone"), "no focus");
    });
  }

  it("shows the country's calling code next to the number, at every width", async () => {
    stub(navigator, "languages", { value: ["de-AT"] });
    await ui.open([Msisdn]);
    await ui.numberAsked();
    const label = (): string | undefined =>
      ui.field("phone").labels?.[0]?.textContent?.replace(/\s+/g, " ").trim();
    expect(label()).to.contain("(\u200E+43)");
    ui.fill({ country: "GB" });
    ui.field("country").dispatchEvent(new Event("change"));
    await element.updateComplete;
    expect(label()).to.contain("(\u200E+44)");
  });

  it("aligns all texts, regardless of their direction", async () => {
    await ui.open([RegistrationToken], {
      template: html`<uia-dialog dir="rtl"
        ><span slot="heading">Confirm it’s you</span>
        <p slot="description">This signs out a device.</p></uia-dialog
      >`,
    });
    for (const part of ["heading", "description"]) {
      const range = document.createRange();
      range.selectNodeContents(element.querySelector(`[slot=${part}]`) as Node);
      const right = ui.part(part)?.getBoundingClientRect().right ?? 0;
      expect(range.getBoundingClientRect().right, part).to.be.closeTo(right, 1);
      // The full stop is on the side where its language has it.
      const end = element.querySelector(`[slot=${part}]`)?.lastChild as Text;
      range.setStart(end, end.length - 1);
      expect(range.getBoundingClientRect().right, part).to.be.closeTo(right, 1);
    }
  });

  it("closes immediately for the page, and with a transition for the user", async () => {
    await ui.open([Password], { validators: PASSWORD_VALIDATOR });
    const dialog = ui.dialog();
    await ui.finish();
    expect([dialog?.open, element.open, element.state]).to.deep.equal([false, false, "idle"]);
    expect(element.querySelector("form") === null).to.be.true;
    await waitFor(() => !ui.dialog(), "the dialog is not removed");
  });

  it("can open again before it has disappeared", async () => {
    const request = await ui.open([Password]);
    const clock = new Clock();
    element.cancel();
    await outcome;
    request.sent.length = 0;
    await ui.begin(request);
    expect([ui.dialog()?.open, ui.dialog()?.style.blockSize]).to.deep.equal([true, ""]);
    // Longer than the last dialog takes to close.
    await clock.pass(300);
    expect(ui.dialog()?.open).to.be.true;
    await ui.finish();
  });
});
