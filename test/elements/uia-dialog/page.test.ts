import { expect, fixture, html } from "@open-wc/testing";
import { executeServerCommand } from "@web/test-runner-commands";
import type { UiaDialogElement } from "matrix-auth-elements";
import { stub, untilRestored } from "../../support/stub.js";
import { protectedRequest, refusal } from "../support/protected-request.js";
import { waitFor } from "../support/wait-for.js";
import {
  Dummy,
  Email,
  PASSWORD_VALIDATOR,
  POLICIES,
  Password,
  RegistrationToken,
  Sso,
  Terms,
  element,
  endDialog,
  outcome,
  ui,
} from "./fixture.js";

describe("<uia-dialog> in a page", () => {
  afterEach(endDialog);

  it("shows the page's heading, description, buttons and text for an error's code, and the step", async () => {
    const odd = { errcode: "X_ODD", error: "odd" };
    await ui.open([Terms, Password, Dummy], {
      params: POLICIES,
      validators: { [Terms]: () => odd },
      template: html`
        <uia-dialog user-id="@a:b" heading="Really?">
          <p slot="description">This deletes everything.</p>
          <button slot="actions">Help</button>
          <span slot="error-X_ODD">As odd as can be.</span>
        </uia-dialog>
      `,
    });
    expect(ui.text()).to.match(/^Step 1 of 2 Really\? .*/);
    ui.checkAll();
    await ui.submit();
    const assigned = [...(element.shadowRoot?.querySelectorAll("slot") ?? [])]
      .flatMap((slot) => slot.assignedElements())
      .map(({ textContent }) => textContent);
    expect(assigned).to.include.members(["This deletes everything.", "Help", "As odd as can be."]);
  });

  for (const [who, template, options] of [
    [
      "the page",
      html`<uia-dialog user-id="@a:b" submit-label="Delete key" destructive></uia-dialog>`,
      {},
    ],
    [
      "the call, instead of the page,",
      html`<uia-dialog user-id="@a:b" submit-label="Save"></uia-dialog>`,
      { submitLabel: "Delete key", destructive: true },
    ],
  ] as const) {
    it(`shows the action from ${who} on the last step's button, in red if it is destructive`, async () => {
      await ui.make(template);
      const { doRequest } = protectedRequest([Terms, RegistrationToken, Password], POLICIES);
      ui.follow(element.authenticate(doRequest, options).catch((error: unknown) => error));
      const buttons: unknown[] = [];
      const look = async (): Promise<void> => {
        await ui.asked();
        const button = ui.part("submit") as HTMLElement;
        const { backgroundColor } = getComputedStyle(button);
        const isRed = backgroundColor === "rgb(163, 18, 10)";
        buttons.push([button.innerText, isRed]);
      };
      await look();
      ui.checkAll();
      await ui.submit();
      await look();
      await ui.submit({ token: "abc" });
      await look();
      expect(buttons).to.deep.equal([
        ["Accept", false],
        ["Continue", false],
        ["Delete key", true],
      ]);
    });
  }

  it("does not show a call as destructive if it sets destructive to false", async () => {
    await ui.make(html`<uia-dialog user-id="@a:b" destructive></uia-dialog>`);
    const { doRequest } = protectedRequest([Password]);
    const call = element.authenticate(doRequest, { destructive: false });
    ui.follow(call.catch((error: unknown) => error));
    await ui.asked();
    expect(ui.part("submit")?.matches(".destructive")).to.be.false;
  });

  it("receives clicks if a modal of the page has disabled them for the body", async () => {
    document.body.style.cssText = "pointer-events: none; visibility: hidden; user-select: none";
    await ui.open([Password]);
    const button = ui.part("submit");
    const { left = 0, top = 0 } = button?.getBoundingClientRect() ?? {};
    const hit = document.elementFromPoint(left + 5, top + 5);
    const field = getComputedStyle(ui.field("password"));
    document.body.style.cssText = "";
    expect(hit === element).to.be.true;
    expect([field.pointerEvents, field.visibility]).to.deep.equal(["auto", "visible"]);
  });

  it("is readable inside an unreadable container", async () => {
    const place = await fixture<HTMLElement>(
      html`<div><uia-dialog user-id="@a:b"></uia-dialog></div>`,
    );
    place.style.cssText =
      "-webkit-text-fill-color: transparent; -webkit-text-security: disc; font-size: 0";
    ui.adopt(place.querySelector("uia-dialog") as UiaDialogElement);
    await ui.begin(protectedRequest([Password]));
    const heading = element.shadowRoot?.querySelector("h2") as Element;
    const looks = getComputedStyle(heading);
    expect(looks.webkitTextFillColor).to.equal(looks.color);
    expect(looks.getPropertyValue("-webkit-text-security")).to.be.oneOf(["none", ""]);
    expect(heading.getBoundingClientRect().height).to.be.greaterThan(8);
  });

  for (const [where, change] of [
    ["behind the field", (input: Element, foreign: Element) => input.after(foreign)],
    ["before the field", (input: Element, foreign: Element) => input.before(foreign)],
    [
      "around the field",
      (input: Element, foreign: Element) => {
        input.replaceWith(foreign);
        foreign.append(input);
      },
    ],
  ] as const) {
    it(`shows and hides the password if a password manager has put an element ${where}`, async () => {
      await ui.open([Password]);
      const input = ui.field("password");
      const button = element.querySelector<HTMLElement>(".uia-password button");
      const foreign = document.createElement("span");
      change(input, foreign);
      for (const [type, pressed] of [
        ["text", "true"],
        ["password", "false"],
      ]) {
        button?.click();
        expect([input.type, button?.ariaPressed]).to.deep.equal([type, pressed]);
      }
      expect(foreign.ariaPressed).to.be.null;
      await ui.finish();
    });
  }

  for (const strength of ["", " !important"]) {
    it(`shows a checkbox although the page hides all checkboxes${strength}`, async () => {
      const style = document.createElement("style");
      style.textContent = `[type="checkbox"]:not(:checked), [type="checkbox"]:checked {
          position: absolute${strength}; opacity: 0${strength};
          pointer-events: none${strength}; appearance: none${strength} }
        [type="checkbox"] + label::before { content: "own" }`;
      document.head.append(style);
      await ui.open([Terms], { params: POLICIES });
      const box = element.querySelector("[type=checkbox]") as Element;
      const looks = getComputedStyle(box);
      const drawn = getComputedStyle(box.nextElementSibling as Element, "::before").content;
      const seen = [looks.opacity, looks.position, looks.appearance, looks.pointerEvents, drawn];
      style.remove();
      expect(seen).to.deep.equal(["1", "static", "auto", "auto", "none"]);
    });
  }

  it("shows an error although the page hides all errors", async () => {
    const style = document.createElement("style");
    style.textContent = "p.error { display: none; opacity: 0 }";
    document.head.append(style);
    await ui.open([Password]);
    await ui.submit();
    const { display, opacity } = getComputedStyle(element.querySelector(".error") as Element);
    style.remove();
    expect([display, opacity]).to.deep.equal(["block", "1"]);
  });

  /** Whether a user sees an element, and can click it. */
  const isInReach = (part: Element): boolean => {
    const { left, top, width, height } = part.getBoundingClientRect();
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    const seen = { opacityProperty: true, visibilityProperty: true };
    return part.checkVisibility(seen) && height > 8 && !!hit && part.contains(hit);
  };
  const FOR_USERS = "label, input:not([type=submit]), button, p.error, p.error > span, .choice a";
  const everywhere = (declarations: string): string =>
    `uia-dialog *, uia-dialog *::before { ${declarations} }`;
  for (const css of [
    everywhere("all: unset"),
    everywhere("all: initial"),
    everywhere("opacity: 0"),
    everywhere("visibility: hidden"),
    everywhere("pointer-events: none"),
    everywhere("position: absolute; clip-path: inset(50%)"),
    everywhere("font-size: 0; line-height: 0; transform: scale(0)"),
    "form { display: none }",
    "main form, form[method] { opacity: 0; pointer-events: none; block-size: 0; overflow: hidden }",
    "form div, form p, form span, form a, form bdi { display: none }",
    "button, input, label { display: none }",
    "label, label * , option, select { display: none; visibility: hidden }",
    "svg { display: none }",
    "form svg, svg * { visibility: hidden; opacity: 0 }",
  ]) {
    it(`can be filled in by a user although the page has ${css}`, async () => {
      const style = document.createElement("style");
      style.textContent = css;
      document.head.append(style);
      untilRestored(() => style.remove());
      await ui.open([Password, Terms], {
        params: POLICIES,
        validators: PASSWORD_VALIDATOR,
        template: html`<uia-dialog></uia-dialog>`,
      });
      await ui.submit({ username: "alice", password: "wrong" });
      const hidden = (): string[] =>
        [...element.querySelectorAll(FOR_USERS)]
          .filter((part) => !isInReach(part))
          .map(({ outerHTML }) => outerHTML);
      const areInReach = (expected: string): Promise<unknown> =>
        waitFor(
          () => element.querySelector(expected) && hidden().length === 0,
          () => `hidden: ${hidden().join("\n")}`,
        );
      await areInReach("p.error");
      await ui.submit({ password: "right" });
      await areInReach("[type=checkbox]");
    });
  }

  for (const [how, copyOf] of [
    ["a clone", (original: Element) => original.cloneNode(true) as Element],
    [
      "its markup",
      (original: Element) => {
        const place = document.createElement("div");
        place.innerHTML = original.outerHTML;
        return place.firstElementChild as Element;
      },
    ],
  ] as const) {
    it(`has one form, without the user's input, if a page cache restores ${how}`, async () => {
      await ui.open([Password]);
      ui.field("password").value = "typed";
      const copy = copyOf(element) as UiaDialogElement;
      copy.removeAttribute("open");
      element.cancel();
      await ui.expectCancelled();
      const place = await fixture<HTMLElement>(html`<div></div>`);
      place.append(copy);
      expect(copy.querySelector("form")).to.be.null;
      ui.adopt(copy);
      await ui.begin(protectedRequest([Password], {}, PASSWORD_VALIDATOR));
      expect(copy.querySelectorAll("form")).to.have.length(1);
      expect(ui.field("password").value).to.equal("");
      await ui.finish();
    });
  }

  for (const [where, template] of [
    ["[hidden]", html`<div hidden><uia-dialog user-id="@a:b"></uia-dialog></div>`],
    ["a closed <details>", html`<details><uia-dialog user-id="@a:b"></uia-dialog></details>`],
    [
      "content-visibility: hidden",
      html`<div style="content-visibility: hidden"><uia-dialog user-id="@a:b"></uia-dialog></div>`,
    ],
  ] as const) {
    it(`rejects with not_visible, and blocks nothing, in ${where}`, async () => {
      const place = await fixture<HTMLElement>(template);
      ui.adopt(place.querySelector("uia-dialog") as UiaDialogElement);
      const { doRequest } = protectedRequest([Password]);
      const error = await element.authenticate(doRequest).catch((reason: unknown) => reason);
      expect(error).to.have.property("code", "not_visible");
      expect(element.open).to.be.false;
      expect(document.elementFromPoint(1, 1)?.closest("uia-dialog")).to.be.null;
    });
  }

  /** The color that a user sees at a point. */
  const colorAt = async (x: number, y: number): Promise<string> => {
    const image = new Image();
    image.src = `data:image/png;base64,${await executeServerCommand<string, undefined>("screenshot")}`;
    await image.decode();
    const context = document.createElement("canvas").getContext("2d");
    context?.drawImage(image, -x * devicePixelRatio, -y * devicePixelRatio);
    return String(context?.getImageData(0, 0, 1, 1).data.slice(0, 3));
  };

  for (const style of [
    "opacity: 0",
    "visibility: hidden",
    "filter: opacity(0)",
    "transform: scale(0)",
    "clip-path: inset(50%)",
    "mask-image: linear-gradient(transparent, transparent)",
    "contain: strict; block-size: 0",
  ]) {
    it(`is visible inside a container with ${style}`, async () => {
      const place = await fixture<HTMLElement>(html`
        <div>
          <uia-dialog user-id="@a:b"><p slot="description">Really?</p></uia-dialog>
        </div>
      `);
      place.style.cssText = `${style}; --uia-background: rgb(0 100 200)`;
      ui.adopt(place.querySelector("uia-dialog") as UiaDialogElement);
      await ui.begin(protectedRequest([Password]));
      let color = "";
      // The dialog fades in, and the browser may show the last step a little later.
      await waitFor(
        async () => {
          const { left = 0, top = 0, width = 0 } = ui.dialog()?.getBoundingClientRect() ?? {};
          color = await colorAt(left + width / 2, top + 8);
          return color === "0,100,200";
        },
        () => `The color at the dialog's place is ${color}`,
      );
    });
  }

  it("rejects with not_visible when the page hides it later", async () => {
    const place = await fixture<HTMLElement>(
      html`<div><uia-dialog user-id="@a:b"></uia-dialog></div>`,
    );
    ui.adopt(place.querySelector("uia-dialog") as UiaDialogElement);
    await ui.begin(protectedRequest([Password]));
    place.hidden = true;
    expect(await outcome).to.have.property("code", "not_visible");
  });

  for (const [where, template] of [
    ["<body>", html`<div><uia-dialog user-id="@a:b"></uia-dialog></div>`],
    [
      "a modal dialog of the page around it",
      html`<dialog><uia-dialog user-id="@a:b"></uia-dialog></dialog>`,
    ],
  ] as const) {
    it(`lets a password manager's menu in ${where} be clicked`, async () => {
      const place = await fixture<HTMLElement>(template);
      if (place instanceof HTMLDialogElement) place.showModal();
      ui.adopt(place.querySelector("uia-dialog") as UiaDialogElement);
      await ui.begin(protectedRequest([Password]));
      const menu = document.createElement("button");
      menu.popover = "manual";
      menu.textContent = "alice";
      // Bitwarden looks for the dialog in this way.
      const modal = ui.field("password").closest("dialog:modal");
      (modal ?? document.body).append(menu);
      menu.showPopover();
      const { left, top, width, height } = menu.getBoundingClientRect();
      // A hit test ignores inert and covered elements.
      const hit = document.elementFromPoint(left + width / 2, top + height / 2);
      menu.remove();
      expect(hit === menu).to.be.true;
    });
  }

  it("offers another way if the homeserver has one, and keeps the session", async () => {
    const sent: unknown[] = [];
    const flows = [{ stages: [Password] }, { stages: [Sso] }];
    await ui.make();
    ui.follow(
      element.authenticate((auth) => {
        sent.push(auth);
        return auth?.type === Password
          ? Promise.resolve({ done: true })
          : Promise.reject(refusal(401, { session: "the-session", flows, params: {} }));
      }),
    );
    await ui.asked();
    ui.other("Try another way").click();
    await waitFor(() => element.session?.stage === Sso);
    await waitFor(() => element.shadowRoot?.querySelector("uia-fallback-frame"));
    ui.other("Try another way").click();
    await waitFor(() => element.session?.stage === Password);
    await ui.asked();
    await ui.finish();
    expect(sent).to.have.length(2);
    expect(sent[1]).to.include({ session: "the-session" });
  });

  /** The click of a mouse, or the second one of a double click. */
  const click = (button: Element | null | undefined, detail: number): unknown =>
    button?.dispatchEvent(new MouseEvent("click", { detail, bubbles: true, composed: true }));

  it("treats a double click as one click, even if the next step has its button in the same place", async () => {
    const request = await ui.open([Terms, RegistrationToken], { params: POLICIES });
    ui.checkAll();
    click(ui.part("submit"), 1);
    await waitFor(() => element.session?.stage === RegistrationToken && !element.session.busy);
    await waitFor(() => element.querySelector("[name=token]"));
    click(ui.part("submit"), 2);
    await element.updateComplete;
    expect(element.querySelector(".error")?.textContent).to.be.undefined;
    expect(request.sent).to.have.length(2);
  });

  it("treats a double click on “Try another way” as one click", async () => {
    const flows = [{ stages: [Password] }, { stages: [Sso] }];
    await ui.make();
    const challenge = refusal(401, { session: "the-session", flows, params: {} });
    ui.follow(element.authenticate(() => Promise.reject(challenge)).catch(String));
    await ui.asked();
    click(ui.other("Try another way"), 1);
    await waitFor(() => element.shadowRoot?.querySelector("uia-fallback-frame"));
    click(ui.other("Try another way"), 2);
    await element.updateComplete;
    expect(element.session?.stage).to.equal(Sso);
  });

  it("offers no other way if the homeserver has only one", async () => {
    await ui.open([Password]);
    expect(element.shadowRoot?.querySelector(".others")).to.be.null;
  });

  it("is modal if the page has its own modal elsewhere", async () => {
    const other = await fixture<HTMLDialogElement>(html`<dialog><button>Other</button></dialog>`);
    other.showModal();
    await ui.open([Password]);
    expect(ui.dialog()?.matches(":modal")).to.be.true;
    expect(document.activeElement).to.equal(ui.field("password"));
    other.close();
  });

  for (const [when, make] of [
    ["after", ui.make],
    ["before", () => ui.adopt(document.createElement("uia-dialog"))],
  ] as const) {
    it(`logs that it can't move to another document, ${when} it has rendered`, async () => {
      const warnings: unknown[] = [];
      stub(console, "warn", { value: (...words: unknown[]) => warnings.push(words.join(" ")) });
      // The styles belong to another document, so the browser reports an error.
      const { onerror } = window;
      window.onerror = () => true;
      untilRestored(() => (window.onerror = onerror));
      await make();
      const frame = await fixture<HTMLIFrameElement>(html`<iframe></iframe>`);
      frame.contentDocument?.body.append(element);
      expect(warnings).to.deep.equal([
        "matrix-auth-elements: <uia-dialog> cannot move to another document",
      ]);
    });
  }

  it("accepts null for every property", async () => {
    const set = {
      client: null,
      doRequest: null,
      requestEmailToken: null,
      requestPhoneToken: null,
      loadCaptcha: null,
      inputs: null,
      supportedStages: null,
      userId: null,
      sessionId: null,
      clientSecret: null,
      emailSid: null,
      heading: null,
      submitLabel: null,
      destructive: null,
    } as object;
    await ui.open([Email], { set });
    expect(ui.field("email").value).to.equal("");
  });

  it("ignores empty attributes", async () => {
    const secrets: string[] = [];
    const request = await ui.open([Email], {
      template: html`<uia-dialog session-id="" client-secret="" email-sid=""></uia-dialog>`,
      set: {
        requestEmailToken: async (_email, secret) => {
          secrets.push(secret);
          return { sid: "sid" };
        },
      },
    });
    expect(request.sent).to.deep.equal([null]);
    await ui.submit({ email: "a@example.org" });
    expect(secrets[0]).not.to.equal("");
  });

  it("keeps submit events from a form of the page", async () => {
    const submitted: Event[] = [];
    const form = await fixture<HTMLFormElement>(html`
      <form @submit=${(event: Event) => submitted.push(event)}>
        <uia-dialog user-id="@alice:hs.example"></uia-dialog>
      </form>
    `);
    ui.adopt(form.querySelector("uia-dialog") as UiaDialogElement);
    await ui.begin(protectedRequest([Password]));
    await ui.finish();
    expect(submitted).to.deep.equal([]);
  });

  it("styles its fields when it is moved into a shadow tree", async () => {
    await ui.open([Password]);
    const place = await fixture<HTMLElement>(html`<div></div>`);
    place.attachShadow({ mode: "open" }).append(element);
    await waitFor(() => ui.dialog()?.matches(":popover-open"));
    await element.updateComplete;
    expect(getComputedStyle(element.querySelector("form") as Element).display).to.equal("grid");
  });

  it("works in a shadow tree in a dialog, next to another <uia-dialog>", async () => {
    const place = await fixture<HTMLDialogElement>(html`<dialog><div></div></dialog>`);
    place.showModal();
    const root = place.firstElementChild?.attachShadow({ mode: "open" });
    root?.append(document.createElement("uia-dialog"), document.createElement("uia-dialog"));
    const both = [...(root?.querySelectorAll("uia-dialog") ?? [])];
    const results: Promise<unknown>[] = [];
    for (const each of both) {
      each.userId = "@a:b";
      ui.adopt(each);
      await ui.begin(protectedRequest([Password], {}, PASSWORD_VALIDATOR));
      results.push(outcome);
      // The second dialog does not take the focus from the first one's field immediately.
      await waitFor(() => root?.activeElement === ui.field("password"));
      await ui.submit({ password: "wrong" });
      expect(root?.activeElement).to.equal(ui.field("password"));
    }
    const ids = [...(root?.querySelectorAll("[id]") ?? [])].map(({ id }) => id);
    expect(new Set(ids).size).to.equal(ids.length);
    for (const each of both.reverse()) {
      ui.adopt(each);
      await ui.press("cancel");
      await waitFor(() => each.state === "idle");
    }
    await Promise.all(results);
    expect(place.open).to.be.true;
    expect(root?.querySelector("form")).to.equal(null);
  });

  it("leaves no form, style sheet or dialog behind after three attempts", async () => {
    await ui.make();
    const sheets = document.adoptedStyleSheets.length;
    for (let times = 0; times < 3; times += 1) {
      await ui.begin(protectedRequest([Password]));
      await ui.submit({ password: "right" });
      await outcome;
    }
    expect(document.adoptedStyleSheets.length).to.be.at.most(sheets + 1);
    expect(element.childElementCount).to.equal(0);
    await waitFor(() => !ui.dialog(), "the dialog is not removed");
  });
});
