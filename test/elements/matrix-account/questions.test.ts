import { expect } from "@open-wc/testing";
import { sendKeys, sendMouse } from "@web/test-runner-commands";
import type { MatrixAccountElement } from "matrix-auth-elements";
import type { LegacySession } from "matrix-auth-elements/core";
import type { TestServers } from "matrix-auth-elements/testing";
import { Clock } from "../../support/clock.js";
import { restoreStubs } from "../../support/stub.js";
import { recordEvents, textIn } from "../support/element.js";
import { bodiesTo, hold, useTestServers } from "../support/test-servers.js";
import { untilQuiet, waitFor } from "../support/wait-for.js";
import {
  accessibleName,
  answer,
  confirm,
  control,
  dialogField,
  focusedName,
  make,
  openDetails,
  PASSWORD,
  questionOf,
  settled,
  shownDevices,
  signIn,
} from "./fixture.js";

let servers: TestServers;
let session: LegacySession;
let element: MatrixAccountElement;

const DEVICES = ["Phone", "Tablet", "Laptop"].map((display_name, nth) => ({
  device_id: `D${nth}`,
  display_name,
  last_seen_ts: Date.now() - nth * 86_400_000,
}));
const EMAILS = ["alice@mail.example", "bob@mail.example", "carol@mail.example"];

async function show(sections = "devices", devices = DEVICES): Promise<void> {
  servers = await useTestServers({
    login: ["password"],
    accounts: { alice: { password: PASSWORD, devices, emails: EMAILS } },
  });
  session = signIn(servers);
  element = await make({ session, sections });
  await settled(element);
}

/** Lets the homeserver ask for nothing, as Synapse does for a while after the user has confirmed something. */
const askNothing = (body: object = {}, status = 200): unknown =>
  servers.override("POST /delete_devices", () => Response.json(body, { status }), {
    times: Infinity,
  });

/** The requests that name a device. */
const signOuts = (): readonly unknown[] =>
  bodiesTo(servers, "POST /delete_devices").filter(({ devices }) => String(devices) !== "");

const openQuestion = (): HTMLDialogElement | null | undefined =>
  element.shadowRoot?.querySelector<HTMLDialogElement>("[part=question][open]");

/** The middle of a control. */
function middleOf(name: string): [number, number] {
  const button = control(element, name);
  button.scrollIntoView({ block: "center" });
  const { left, top, width, height } = button.getBoundingClientRect();
  return [Math.round(left + width / 2), Math.round(top + height / 2)];
}

afterEach(restoreStubs);

describe("<matrix-account> asks before it signs out this device", () => {
  it("with a warning about encrypted messages, and Cancel focused", async () => {
    await show();
    control(element, "Sign out This browser").focus();
    await sendKeys({ press: "Enter" });
    const question = await questionOf(element);
    await waitFor(() => focusedName(element) === "Cancel");
    expect(question.textContent).to.contain("Sign out of this device?");
    expect(question.textContent).to.contain("Encrypted messages can become unreadable");
    // It is as wide as the dialog that asks for a password, and not as wide as the page.
    expect(question.offsetWidth).to.equal(26 * 16);
    await sendKeys({ press: "Enter" });
    await settled(element);
    expect(openQuestion()).to.equal(null);
    expect(session.state).to.equal("signed-in");
    expect(focusedName(element)).to.equal("Sign out This browser");
    expect(element.state).to.equal("ready");
  });

  it("with the page's own text", async () => {
    await show();
    element.innerHTML = '<p slot="sign-out-note">Export your keys first.</p>';
    control(element, "Sign out This browser").click();
    await questionOf(element);
    const note = element.querySelector("p");
    expect(note?.checkVisibility()).to.equal(true);
    await answer(element, "Sign out");
    await waitFor(() => session.state === "signed-out");
  });

  for (const when of ["before the question opens", "while it is open"]) {
    it(`and takes it as Cancel if the page hides the element ${when}, because the whole page would be inert`, async () => {
      await show();
      const place = element.parentElement as HTMLElement;
      place.hidden = when.startsWith("before");
      control(element, "Sign out This browser").click();
      if (!place.hidden) await questionOf(element);
      place.hidden = true;
      await settled(element);
      expect(openQuestion()).to.equal(null);
      place.hidden = false;
      expect(session.state).to.equal("signed-in");
    });
  }

  it("and leaves keys and cancelled pickers in the page's own text to the page", async () => {
    await show();
    element.innerHTML = '<p slot="sign-out-note"><input type="file"></p>';
    control(element, "Sign out This browser").click();
    await questionOf(element);
    const escape = new KeyboardEvent("keydown", {
      key: "Escape",
      bubbles: true,
      composed: true,
      cancelable: true,
    });
    for (const event of [escape, new Event("cancel", { bubbles: true })]) {
      element.querySelector("input")?.dispatchEvent(event);
      expect(event.defaultPrevented, event.type).to.equal(false);
    }
    expect(openQuestion()).not.to.equal(null);
    await answer(element, "Cancel");
  });

  it("even with a provider", async () => {
    servers = await useTestServers({ login: ["oauth"] });
    session = signIn(servers);
    element = await make({ session });
    await settled(element);
    control(element, "Sign out This browser").click();
    await answer(element, "Sign out");
    await waitFor(() => session.state === "signed-out");
  });

  it("unless the page has answered", async () => {
    await show();
    element.addEventListener("matrix-account-sign-out", (event) => event.preventDefault());
    control(element, "Sign out This browser").click();
    await settled(element);
    await untilQuiet();
    expect(openQuestion()).to.equal(null);
  });
});

describe("<matrix-account> asks before it signs out other devices", () => {
  for (const [what, body, status] of [
    ["nothing", {}, 200],
    ["nothing that a user does", { session: "S", flows: [{ stages: ["m.login.dummy"] }] }, 401],
    ["nothing, in a list without flows", { session: "S", flows: [] }, 401],
  ] as const) {
    it(`if the homeserver asks for ${what}`, async () => {
      await show();
      askNothing(body, status);
      const events = recordEvents(element, "matrix-account-change");
      control(element, "Sign out Phone").click();
      expect((await questionOf(element)).textContent).to.match(/Sign out .?Phone.?\?/);
      expect(focusedName(element)).to.equal("Cancel");
      expect(signOuts()).to.deep.equal([]);
      await answer(element, "Cancel");
      await settled(element);
      expect(signOuts()).to.deep.equal([]);
      expect(events).to.deep.equal([]);
      if (status !== 200) return;
      control(element, "Sign out all other devices (3)").click();
      expect((await questionOf(element)).textContent).to.match(/Phone.*Tablet.*Laptop/);
      await answer(element, "Sign out all other devices");
      await waitFor(() => shownDevices(element).length === 1);
      expect(signOuts()).to.have.length(1);
    });
  }

  it("only in the dialog, if the homeserver asks for the password", async () => {
    await show();
    control(element, "Sign out Phone").click();
    await dialogField(element, "password");
    expect(openQuestion()).to.equal(null);
    await confirm(element);
    await waitFor(() => shownDevices(element).length === 3);
  });

  it("without a spinner before the user agrees", async () => {
    await show("contacts");
    const button = control(element, "Remove alice@mail.example");
    button.click();
    await questionOf(element);
    await element.updateComplete;
    expect([button.ariaBusy, button.querySelector("[part=spinner]")]).to.deep.equal([null, null]);
    const { asked, release } = hold(servers, "POST /delete");
    await answer(element, "Remove");
    await asked;
    expect(button.ariaBusy).to.equal("true");
    expect(button.querySelector("[part=spinner]")).to.not.equal(null);
    release();
    await settled(element);
  });

  for (const [what, path, sections, label, agree] of [
    ["device", "POST /delete_devices", "devices", "Sign out Phone", "Sign out"],
    ["email address", "POST /delete", "contacts", `Remove ${EMAILS[0] ?? ""}`, "Remove"],
  ] as const) {
    it(`and reports an object as removed if it disappears while its question is open: ${what}`, async () => {
      await show(sections);
      askNothing();
      const events = recordEvents(element, "matrix-account-change");
      control(element, label).click();
      await questionOf(element);
      servers.refuse(path, 404, { errcode: "M_NOT_FOUND" });
      await answer(element, agree);
      await settled(element);
      await waitFor(() => events.length === 1);
      expect(element.state).to.equal("ready");
      expect(textIn(element)).not.to.contain(label);
      expect(openQuestion()).to.equal(null);
    });
  }

  it("and closes the question if the operation is cancelled, or the session ends", async () => {
    await show();
    askNothing();
    control(element, "Sign out Phone").click();
    await questionOf(element);
    element.cancel();
    await settled(element);
    expect(openQuestion()).to.equal(null);
    control(element, "Sign out Phone").click();
    await questionOf(element);
    await session.signOut();
    await waitFor(() => textIn(element) === "You’re signed out.");
    expect(openQuestion()).to.equal(null);
    expect(signOuts()).to.deep.equal([]);
  });

  it("and treats a removal from the page as Cancel", async () => {
    await show();
    askNothing();
    control(element, "Sign out Phone").click();
    await questionOf(element);
    const { parentElement } = element;
    element.remove();
    await untilQuiet();
    parentElement?.append(element);
    await settled(element);
    await untilQuiet();
    expect(openQuestion()).to.not.be.ok;
    expect(signOuts()).to.deep.equal([]);
  });

  for (const [how, move] of [
    ["by inserting it elsewhere", (place: HTMLElement): void => place.append(element)],
    [
      "by removing and adding it",
      (place: HTMLElement): void => {
        element.remove();
        place.append(element);
      },
    ],
  ] as const) {
    it(`and still asks if the page moves the element, ${how}`, async () => {
      await show();
      askNothing();
      control(element, "Sign out Phone").click();
      await questionOf(element);
      const place = document.createElement("div");
      element.after(place);
      move(place);
      await waitFor(() => openQuestion()?.matches(":modal"));
      await waitFor(() => focusedName(element) === "Cancel");
      await answer(element, "Sign out");
      await waitFor(() => signOuts().length === 1);
    });
  }
});

describe("<matrix-account> does nothing unintended", () => {
  const removals = (): number => bodiesTo(servers, "POST /account/3pid/delete").length;
  const remove = `Remove ${EMAILS[0] ?? ""}`;

  /** Shows addresses, and loads the code of the question. */
  async function showContacts(): Promise<void> {
    await show("contacts");
    control(element, remove).click();
    await answer(element, "Cancel");
    await settled(element);
  }

  it("on a double click", async () => {
    await showContacts();
    const clock = new Clock();
    const position = middleOf(remove);
    await sendMouse({ type: "click", position });
    await sendMouse({ type: "click", position });
    await clock.pass(600);
    await sendMouse({ type: "click", position });
    await untilQuiet();
    expect(removals()).to.equal(0);
  });

  it("on several clicks in one place, wherever the question's buttons are", async () => {
    await showContacts();
    control(element, remove).click();
    const { right, bottom } = (await questionOf(element))
      .querySelector("[part=danger]")
      ?.getBoundingClientRect() ?? { right: 0, bottom: 0 };
    await answer(element, "Cancel");
    await settled(element);
    // The pointer rests where the destructive button would be.
    const position: [number, number] = [Math.round(right - 20), Math.round(bottom - 15)];
    await sendMouse({ type: "move", position });
    const clock = new Clock();
    control(element, remove).click();
    const question = await questionOf(element);
    await element.updateComplete;
    const [x, y] = position;
    const hit = element.shadowRoot?.elementFromPoint(x, y)?.closest("button");
    expect(hit && accessibleName(hit)).to.equal("Cancel");
    expect(question.contains(element.shadowRoot?.activeElement ?? null)).to.equal(true);
    expect(focusedName(element)).to.equal("Cancel");
    await clock.pass(600);
    await sendMouse({ type: "click", position });
    await settled(element);
    expect(removals()).to.equal(0);
  });

  it("while Enter is held down", async () => {
    await showContacts();
    control(element, remove).focus();
    for (let held = 0; held < 5; held += 1) {
      await sendKeys({ down: "Enter" });
      await untilQuiet();
    }
    await sendKeys({ up: "Enter" });
    expect(removals()).to.equal(0);
    expect(openQuestion()).to.not.equal(null);
  });

  it("more than once for a question", async () => {
    await showContacts();
    control(element, remove).click();
    const danger = (await questionOf(element)).querySelector<HTMLElement>("[part=danger]");
    for (const detail of [1, 2, 1]) {
      danger?.dispatchEvent(new MouseEvent("click", { detail, bubbles: true, composed: true }));
    }
    await waitFor(() => removals() === 1);
    await settled(element);
    await untilQuiet();
    expect(removals()).to.equal(1);
    expect(focusedName(element)).to.equal(`Remove ${EMAILS[1] ?? ""}`);
  });

  it("because of a question that arrives while another one is open", async () => {
    await show("devices contacts");
    let respond = (): void => undefined;
    const late = new Promise<void>((resolve) => (respond = resolve));
    const answerLate = async (): Promise<Response> => {
      await late;
      return Response.json({});
    };
    servers.override("POST /delete_devices", answerLate, { times: Infinity });
    control(element, "Sign out Phone").click();
    control(element, remove).click();
    const question = await questionOf(element);
    const asked = question.textContent;
    respond();
    await waitFor(() => control(element, "Sign out Phone").ariaDisabled !== "true");
    expect(question.open).to.equal(true);
    expect(question.textContent).to.equal(asked);
    await answer(element, "Cancel");
    await settled(element);
    await untilQuiet();
    expect(openQuestion()).to.not.be.ok;
    expect(signOuts()).to.deep.equal([]);
    expect(removals()).to.equal(0);
  });

  it("with Escape, which closes only the question", async () => {
    await showContacts();
    control(element, remove).click();
    await questionOf(element);
    const keys = recordEvents(document, "keydown");
    await sendKeys({ press: "Escape" });
    await settled(element);
    expect(openQuestion()).to.equal(null);
    expect(keys).to.deep.equal([]);
    expect(removals()).to.equal(0);
  });
});

describe("<matrix-account> shows progress and errors where they happen", () => {
  it("in the pressed button, and in the row, in view", async () => {
    await show(
      "devices",
      Array.from({ length: 40 }, (_, nth) => ({
        device_id: `D${nth}`,
        display_name: `Device ${nth}`,
        last_seen_ts: Date.now() - nth * 86_400_000,
      })),
    );
    await openDetails(element, "Device 15");
    control(element, "Rename Device 15").click();
    await waitFor(() => element.shadowRoot?.activeElement?.id === "new-name");
    let respond!: (response: Response) => void;
    const response = new Promise<Response>((resolve) => (respond = resolve));
    servers.override("PUT /devices/D15", () => response);
    const save = control(element, "Save");
    save.click();
    await element.updateComplete;
    expect(save.querySelector("[part=spinner]")).to.not.equal(null);
    expect(save.ariaBusy).to.equal("true");
    respond(Response.json({ errcode: "M_UNKNOWN" }, { status: 500 }));
    await waitFor(() => element.state === "error");
    await element.updateComplete;
    const row = save.closest("li");
    const error = row?.querySelector("[part=error]");
    expect(error?.textContent).to.contain("Something went wrong on the server.");
    expect(element.shadowRoot?.querySelectorAll("[part=error]")).to.have.length(1);
    await untilQuiet();
    const { top, bottom } = error?.getBoundingClientRect() ?? { top: -1, bottom: -1 };
    expect(top).to.be.at.least(0);
    expect(bottom).to.be.at.most(innerHeight);
    const described = element.shadowRoot?.activeElement?.getAttribute("aria-describedby") ?? "";
    expect(row?.querySelector(`#${described}`)?.contains(error ?? null)).to.equal(true);
  });
});
