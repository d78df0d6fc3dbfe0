import { expect } from "@open-wc/testing";
import { sendKeys } from "@web/test-runner-commands";
import type { MatrixAccountElement } from "matrix-auth-elements";
import type { LegacySession } from "matrix-auth-elements/core";
import type { TestServers, TestServersOptions } from "matrix-auth-elements/testing";
import { Clock } from "../../support/clock.js";
import { restoreStubs } from "../../support/stub.js";
import { nextEvent, part, recordEvents, textIn } from "../support/element.js";
import { bodiesTo, goOffline, useTestServers } from "../support/test-servers.js";
import { untilQuiet, waitFor } from "../support/wait-for.js";
import {
  answer,
  clientOf,
  confirm,
  control,
  dialogField,
  dialogOf,
  focusedName,
  make,
  PASSWORD,
  questionOf,
  settled,
  signIn,
  submitInDialog,
} from "./fixture.js";

let servers: TestServers;
let session: LegacySession;
let element: MatrixAccountElement;

async function show(
  sections: string,
  account: Exclude<NonNullable<TestServersOptions["accounts"]>[string], string> = {},
  arrange?: (servers: TestServers) => void,
): Promise<void> {
  servers = await useTestServers({
    login: ["password"],
    accounts: { alice: { password: PASSWORD, ...account } },
  });
  arrange?.(servers);
  session = signIn(servers);
  element = await make({ session, sections });
  await settled(element);
  // The rules for the format of phone numbers are loaded later.
  await waitFor(() => !textIn(element).includes("+447700900123"));
}
afterEach(restoreStubs);

/** The phone number 447700900123 in its international format. */
const PHONE = "+44 7700 900123";

function field(name: string): HTMLInputElement {
  const found = element.querySelector<HTMLInputElement>(`[name="${name}"]`);
  if (!found) throw new Error(`no field ${name}`);
  return found;
}

function type(name: string, value: string): void {
  const input = field(name);
  input.value = value;
  input.dispatchEvent(new Event("input", { bubbles: true }));
}

/** A field's hint or error, as a screen reader reads it. */
const descriptionOf = (name: string): string =>
  document.getElementById(field(name).getAttribute("aria-describedby") ?? "")?.textContent ?? "";

describe("<matrix-account>: its password", () => {
  it("is changed in a form in the light DOM, for password managers, and confirmed in the dialog", async () => {
    await show("password");
    expect(field("username").value).to.equal("@alice:hs.example");
    expect(field("username").autocomplete).to.equal("username");
    expect(field("password").autocomplete).to.equal("new-password");
    field("password").focus();
    await sendKeys({ type: "secret-new" });
    const changed = nextEvent(element, "matrix-account-change");
    await sendKeys({ press: "Enter" });
    await confirm(element);
    expect((await changed).detail).to.deep.equal({ section: "password", action: "changed" });
    expect(servers.account("alice")?.password).to.equal("secret-new");
    expect(bodiesTo(servers, "POST /account/password").at(-1)).to.include({
      logout_devices: false,
    });
    await element.updateComplete;
    expect(part(element, "notice").textContent).to.equal("Your password has been changed.");
    expect(field("password").value).to.equal("");
    expect(focusedName(element)).to.equal("Password");
  });

  it("copies no form, and so none of the user's input, when a library clones the element", async () => {
    await show("password");
    field("password").value = "typed";
    const copy = element.cloneNode(true) as Element;
    element.before(copy);
    expect(copy.querySelector("form")).to.be.null;
    expect(field("password").labels).to.have.length(1);
    copy.remove();
  });

  it("keeps the user's input and the focus if the dialog is cancelled", async () => {
    await show("password");
    field("password").focus();
    await sendKeys({ type: "secret-new" });
    await sendKeys({ press: "Enter" });
    await dialogField(element, "password");
    await sendKeys({ press: "Escape" });
    await settled(element);
    expect(document.activeElement?.getAttribute("name")).to.equal("password");
    expect(field("password").value).to.equal("secret-new");
    expect(element.state).to.equal("ready");
  });

  it("shows the homeserver's rules, and its message instead after a rejection", async () => {
    const policy = { "m.minimum_length": 12, "m.require_symbol": true, "m.require_digit": 1 };
    await show("password", {}, (servers) => {
      servers.override("GET /password_policy", () => Response.json(policy));
    });
    const rules = /^At least 12 characters,? at least one symbol$/;
    await waitFor(() => rules.test(descriptionOf("password")));
    type("password", "short");
    control(element, "Change password").click();
    await waitFor(() => field("password").ariaInvalid === "true");
    expect(descriptionOf("password")).to.match(/^Choose another password\./);
  });

  it("shows a rejection at its field, with the homeserver's message, and must be typed again", async () => {
    await show("password");
    type("password", "short");
    control(element, "Change password").click();
    await waitFor(() => field("password").ariaInvalid === "true");
    expect(descriptionOf("password")).to.contain("Choose another password.");
    expect(descriptionOf("password")).to.contain("Password must be at least 8 characters");
    expect(field("password").value).to.equal("");
    expect(document.activeElement).to.equal(field("password"));
    expect(element.state).to.equal("ready");
  });

  it("signs out the other devices, after a warning, if the user chooses that", async () => {
    await show("devices password", { devices: [{ device_id: "OTHER", display_name: "Phone" }] });
    expect(textIn(element)).to.not.contain("encrypted messages");
    field("others").click();
    await element.updateComplete;
    expect(textIn(element)).to.contain("encrypted messages may no longer be readable");
    type("password", "secret-new");
    control(element, "Change password").click();
    await confirm(element);
    await waitFor(() => element.devices.length === 1);
  });

  it("stays in its field if the network is down, and is sent on the next try", async () => {
    await show("password");
    type("password", "secret-new");
    const online = goOffline(servers);
    control(element, "Change password").click();
    await waitFor(() => element.state === "error");
    await element.updateComplete;
    expect(part(element, "error").textContent).to.contain("Can’t reach the server");
    expect(field("password").value).to.equal("secret-new");
    online();
    control(element, "Change password").click();
    await confirm(element);
    await waitFor(() => servers.account("alice")?.password === "secret-new");
  });
});

describe("<matrix-account>: its email addresses and phone numbers", () => {
  const contacts = (): readonly string[] =>
    [...(element.shadowRoot?.querySelectorAll("[part=item] bdi") ?? [])].map(
      ({ textContent }) => textContent,
    );

  it("come from the homeserver, and are removed once the user has agreed", async () => {
    await show("contacts", { emails: ["alice@mail.example"], phones: ["447700900123"] });
    expect(contacts()).to.deep.equal(["alice@mail.example", PHONE]);
    control(element, "Remove alice@mail.example").click();
    await questionOf(element);
    expect(servers.account("alice")?.emails).to.have.length(1);
    const changed = nextEvent(element, "matrix-account-change");
    await answer(element, "Remove");
    expect((await changed).detail).to.deep.equal({
      section: "contacts",
      action: "removed",
      medium: "email",
      address: "alice@mail.example",
    });
    expect(servers.account("alice")?.emails).to.deep.equal([]);
    await element.updateComplete;
    expect(contacts()).to.deep.equal([PHONE]);
  });

  for (const address of ["alice@mail.example", PHONE]) {
    it(`are read from left to right in an Arabic question and notice: ${address}`, async () => {
      await show("contacts", { emails: ["alice@mail.example"], phones: ["447700900123"] });
      document.documentElement.lang = "ar";
      await element.updateComplete;
      const isolated = (within: Element): string | undefined =>
        within.querySelector("bdi[dir=ltr]")?.textContent;
      const item = [...(element.shadowRoot?.querySelectorAll("[part=item]") ?? [])].find(
        ({ textContent }) => textContent.includes(address),
      );
      item?.querySelector("button")?.click();
      const question = await questionOf(element);
      expect(isolated(part(element, "question"))).to.equal(address);
      question.querySelector<HTMLElement>("[part=danger]")?.click();
      await waitFor(() => element.shadowRoot?.querySelector("[part=notice]"));
      expect(isolated(part(element, "notice"))).to.equal(address);
    });
  }

  it("are empty if the client returns the homeserver's null", async () => {
    await show("contacts");
    const getThreePids = async (): Promise<never> => ({ threepids: null }) as never;
    element.client = Object.assign(clientOf(session), { getThreePids });
    await element.updateComplete;
    await settled(element);
    expect(element.error).to.equal(undefined);
    expect(part(element, "actions").innerText).to.include("Add email address");
  });

  it("move the focus to the next one, or to the heading, when they are removed with only the keyboard", async () => {
    await show("contacts", { emails: ["alice@mail.example"], phones: ["447700900123"] });
    /** Presses a button of the list, and then a key or more in the question. */
    const remove = async (name: string, ...keys: string[]): Promise<void> => {
      control(element, `Remove ${name}`).focus();
      await sendKeys({ press: "Enter" });
      const question = await questionOf(element);
      await waitFor(() => question.contains(element.shadowRoot?.activeElement ?? null));
      expect(focusedName(element)).to.equal("Cancel");
      for (const press of keys) await sendKeys({ press });
    };
    await remove("alice@mail.example", "Tab", "Enter");
    await waitFor(
      () => focusedName(element) === `Remove ${PHONE}`,
      () => focusedName(element),
    );
    await remove(PHONE, "Enter");
    await waitFor(
      () => focusedName(element) === `Remove ${PHONE}`,
      () => focusedName(element),
    );
    await remove(PHONE, "Tab", "Enter");
    await waitFor(
      () => focusedName(element) === "Email addresses and phone numbers",
      () => focusedName(element),
    );
  });

  /** Requests an email to an address. */
  async function add(address: string): Promise<void> {
    const button = control(element, "Add email address");
    button.focus();
    button.click();
    await submitInDialog(element, "email", address);
  }

  /** Requests a code for a British number. */
  async function addPhone(number: string): Promise<void> {
    control(element, "Add phone number").click();
    await dialogField(element, "phone");
    const country = (await dialogOf(element)).querySelector("select");
    if (country) country.value = "GB";
    await submitInDialog(element, "phone", number);
  }

  /** The dialog's text. */
  const dialogText = async (): Promise<string> => textIn(await dialogOf(element));

  /** The error of a field in the dialog, as a screen reader reads it. */
  async function errorInDialog(name: string): Promise<string> {
    const dialog = await dialogOf(element);
    const id = (await dialogField(element, name)).getAttribute("aria-describedby");
    return (id && dialog.querySelector(`[id="${id}"]`)?.textContent) || "";
  }

  for (const [label, name] of [
    ["Add email address", "email"],
    ["Add phone number", "phone"],
  ] as const) {
    it(`are typed immediately after "${label}"`, async () => {
      await show("contacts");
      control(element, label).focus();
      await sendKeys({ press: "Enter" });
      const input = await dialogField(element, name);
      await waitFor(() => element.shadowRoot?.activeElement === input);
      await sendKeys({ type: "1@2" });
      expect(input.value).to.equal("1@2");
      await sendKeys({ press: "Escape" });
      await settled(element);
      expect(element.state).to.equal("ready");
      await waitFor(
        () => focusedName(element) === label,
        () => focusedName(element),
      );
    });
  }

  it("include an email address after the password, once its link has been followed", async () => {
    await show("contacts");
    await add("björn@münchen.example");
    await confirm(element);
    await waitFor(async () =>
      (await dialogText()).includes("Open the link in the message sent to"),
    );
    expect(await dialogText()).to.contain("björn@münchen.example");
    servers.approve(servers.messages.at(-1)?.link ?? "");
    const changed = nextEvent(element, "matrix-account-change");
    window.dispatchEvent(new Event("focus"));
    expect((await changed).detail).to.deep.equal({
      section: "contacts",
      action: "added",
      medium: "email",
      address: "björn@münchen.example",
    });
    expect(contacts()).to.deep.equal(["björn@münchen.example"]);
    await element.updateComplete;
    expect(part(element, "notice").textContent).to.equal("Added: björn@münchen.example");
    expect(focusedName(element)).to.equal("Add email address");
  });

  it("include an email address whose link was followed before the password was typed", async () => {
    await show("contacts");
    await add("a@mail.example");
    await dialogField(element, "password");
    servers.approve(servers.messages.at(-1)?.link ?? "");
    await confirm(element);
    await waitFor(() => contacts().length === 1);
    expect(servers.messages).to.have.length(1);
  });

  it("show that the link has not been opened yet, and then don't require the password again", async () => {
    await show("contacts");
    await add("a@mail.example");
    await confirm(element);
    const dialog = await dialogOf(element);
    await waitFor(() => textIn(dialog).includes("Open the link"));
    part(dialog, "submit").click();
    await waitFor(() => textIn(dialog).includes("This step isn’t complete yet."));
    servers.approve(servers.messages.at(-1)?.link ?? "");
    part(dialog, "submit").click();
    await waitFor(() => contacts().length === 1);
  });

  for (const [status, errcode, sentence] of [
    [400, "M_THREEPID_IN_USE", "Already in use."],
    [400, "M_THREEPID_DENIED", "Not allowed by this homeserver."],
    [401, "M_USER_LOCKED", "This account is locked."],
    [403, "M_USER_DEACTIVATED", "This account has been deactivated."],
    [403, "M_FORBIDDEN", "The homeserver rejected this request."],
  ] as const) {
    it(`show at the field why no message was sent, as with ${errcode}`, async () => {
      await show("contacts");
      servers.refuse("/requestToken", status, { errcode });
      await add("a@mail.example");
      await waitFor(async () => (await errorInDialog("email")).includes(sentence));
      expect((await dialogField(element, "email")).value).to.equal("a@mail.example");
    });
  }

  it("show at the field that the network is down, and keep the user's input", async () => {
    await show("contacts");
    const online = goOffline(servers);
    await add("a@mail.example");
    await waitFor(async () => (await errorInDialog("email")).includes("Can’t reach the server"));
    expect((await dialogField(element, "email")).value).to.equal("a@mail.example");
    online();
    part(await dialogOf(element), "submit").click();
    await confirm(element);
    await waitFor(async () => (await dialogText()).includes("Open the link"));
  });

  it("stay in their field if the homeserver rejects an email address after the password", async () => {
    await show("contacts");
    const events = recordEvents(element, "matrix-account-change", "matrix-account-error");
    await add("a@mail.example");
    await dialogField(element, "password");
    servers.refuse("POST /account/3pid/add", 400, { errcode: "M_THREEPID_IN_USE" });
    servers.approve(servers.messages.at(-1)?.link ?? "");
    await confirm(element);
    await waitFor(async () => (await errorInDialog("email")).includes("Already in use"));
    expect((await dialogField(element, "email")).value).to.equal("a@mail.example");
    expect(events).to.deep.equal(["matrix-account-error"]);
    expect(servers.messages).to.have.length(1);
    await submitInDialog(element, "email", "b@mail.example");
    await confirm(element);
    servers.approve(servers.messages.at(-1)?.link ?? "");
    window.dispatchEvent(new Event("focus"));
    await waitFor(() => contacts().join() === "b@mail.example");
  });

  it("stay in their field if the homeserver rejects a phone number after the password", async () => {
    await show("contacts");
    await addPhone("07700 900123");
    await submitInDialog(element, "code", "123456");
    await dialogField(element, "password");
    const refusal = { errcode: "M_FORBIDDEN", error: "Not here" };
    const refuse = () => Response.json(refusal, { status: 403 });
    servers.override("POST /account/3pid/add", refuse, { times: Infinity });
    await confirm(element);
    await waitFor(async () => (await errorInDialog("phone")).includes("Not here"));
    expect((await dialogField(element, "phone")).value).to.equal("07700 900123");
    expect((await dialogOf(element)).querySelector("select")?.value).to.equal("GB");
  });

  for (const [what, given] of [
    ["session", (): object => ({ session })],
    ["client", (): object => ({ session: undefined, client: clientOf(session) })],
  ] as const) {
    it(`are no longer shown if the page's ${what} ends during the operation`, async () => {
      await show("contacts", { emails: ["alice@mail.example"] });
      Object.assign(element, given());
      await settled(element);
      control(element, "Add email address").click();
      await dialogField(element, "email");
      servers.endSessions();
      await submitInDialog(element, "email", "a@mail.example");
      await waitFor(() => element.state === (what === "session" ? "idle" : "error"));
      await element.updateComplete;
      expect(textIn(element)).to.match(/^You’re signed out\./);
      expect(element.shadowRoot?.querySelector("uia-dialog[open]")).to.equal(null);
    });
  }

  it("include a phone number after its code, which can be wrong three times", async () => {
    await show("contacts");
    await addPhone("07700 900123");
    for (const wrong of ["1", "2", "3"]) {
      await submitInDialog(element, "code", wrong);
      await waitFor(() => bodiesTo(servers, "POST /submit_token").length === Number(wrong));
      await waitFor(async () => (await errorInDialog("code")).includes("Incorrect code."));
      const { session: running } = await dialogOf(element);
      await waitFor(() => running?.busy === false);
    }
    expect(await dialogText()).to.include(PHONE);
    await submitInDialog(element, "code", "123456");
    const changed = nextEvent(element, "matrix-account-change");
    await confirm(element);
    expect((await changed).detail).to.include({ medium: "msisdn", address: "447700900123" });
    expect(contacts()).to.deep.equal([PHONE]);
  });

  it("are sent without invisible characters, such as the marks around a copied address", async () => {
    await show("contacts");
    await add("\u2068new@mail.example\u2069");
    await waitFor(async () => (await dialogText()).includes("new@mail.example"));
    const [sent] = bodiesTo(servers, "POST /requestToken").filter(({ email }) => email);
    expect(sent).to.include({ email: "new@mail.example" });
  });

  it("count down a rate limit, and keep the user's input", async () => {
    await show("contacts");
    servers.rateLimit("/requestToken", { retryAfterMs: 30_000 });
    new Clock();
    await add("a@mail.example");
    await waitFor(async () => (await dialogText()).includes("Trying again in 30 seconds."));
  });
});

describe("<matrix-account>: its deactivation", () => {
  async function open(userId: string): Promise<void> {
    control(element, "Deactivate account").click();
    await waitFor(() => element.querySelector("[name=user]"));
    type("user", userId);
  }

  /** The submit button has the same name as the button that opens the form. */
  const submit = (): void =>
    element.shadowRoot
      ?.querySelector<HTMLElement>("[data-section=deactivation] [part=danger]")
      ?.click();

  it("requires the user ID, with an error at the field", async () => {
    await show("deactivation");
    await open("@alice:other.example");
    submit();
    await waitFor(() => field("user").ariaInvalid === "true");
    expect(descriptionOf("user")).to.contain("@alice:hs.example");
    expect(bodiesTo(servers, "POST /account/deactivate")).to.have.length(0);
  });

  it("shows its consequences before it is opened, and in the question", async () => {
    await show("deactivation");
    const meaning =
      "This can’t be undone. You leave all rooms, and your user ID can’t be used again. " +
      "Other users keep the messages that you’ve sent, unless you erase them.";
    expect(textIn(element)).to.contain(meaning);
    await open("@alice:hs.example");
    submit();
    expect((await questionOf(element)).textContent).to.contain(meaning);
  });

  it("erases the user's messages if the user chooses so", async () => {
    await show("deactivation");
    await open("@alice:hs.example");
    const erase = element.querySelector<HTMLInputElement>("[name=erase]");
    expect(erase?.checked).to.equal(false);
    erase?.click();
    submit();
    await answer(element, "Deactivate account");
    await confirm(element);
    await waitFor(() => element.state === "idle");
    expect(bodiesTo(servers, "POST /account/deactivate").at(-1)).to.include({ erase: true });
  });

  it("accepts a copied user ID that is surrounded by marks", async () => {
    await show("deactivation");
    await open("\u2068@alice:hs.example\u2069");
    submit();
    await questionOf(element);
  });

  it("is confirmed with only the keyboard", async () => {
    await show("deactivation");
    element.shadowRoot?.querySelector("summary")?.focus();
    await sendKeys({ press: "Enter" });
    await waitFor(() => element.querySelector("[name=user]"));
    await sendKeys({ press: "Tab" });
    expect(document.activeElement).to.equal(field("user"));
    await sendKeys({ type: "@alice:hs.example" });
    await sendKeys({ press: "Enter" });
    await questionOf(element);
    await waitFor(() => focusedName(element) === "Cancel");
    await sendKeys({ press: "Tab" });
    await sendKeys({ press: "Enter" });
    const password = await dialogField(element, "password");
    await waitFor(() => element.shadowRoot?.activeElement === password);
    await sendKeys({ type: PASSWORD });
    await sendKeys({ press: "Enter" });
    await waitFor(() => element.state === "idle");
    expect(bodiesTo(servers, "POST /account/deactivate")).to.have.length(2);
  });

  it("ends the session without another request, and hides the account", async () => {
    await show("devices deactivation");
    const events = recordEvents(element, "matrix-account-change", "matrix-account-error");
    await open(" @alice:hs.example ");
    submit();
    expect((await questionOf(element)).textContent).to.contain("Deactivate @alice:hs.example?");
    expect(bodiesTo(servers, "POST /account/deactivate")).to.have.length(0);
    await answer(element, "Deactivate account");
    const dialog = await dialogOf(element);
    const submitText = (): unknown =>
      dialog.shadowRoot?.querySelector("[part~=submit]")?.textContent;
    await waitFor(() => String(submitText()).includes("Deactivate account"));
    await confirm(element);
    await waitFor(() => element.state === "idle");
    await element.updateComplete;
    expect(textIn(element)).to.equal("This account has been deactivated.");
    expect(session.state).to.equal("signed-out");
    expect(bodiesTo(servers, "POST /account/deactivate").at(-1)).to.include({ erase: false });
    await untilQuiet();
    expect(bodiesTo(servers, "POST /logout")).to.have.length(0);
    expect(events).to.deep.equal(["matrix-account-change"]);
    expect(element.querySelector("form")).to.equal(null);
  });
});

describe("<matrix-account> in each operation", () => {
  const ALL = "devices password contacts deactivation";
  const press = (selector: string): void =>
    element.shadowRoot?.querySelector<HTMLElement>(selector)?.click();

  /** Agrees in the question, unless it doesn't open because the session is over. */
  async function agree(): Promise<void> {
    const button = await waitFor(
      () =>
        element.state === "idle" ||
        element.shadowRoot?.querySelector<HTMLElement>("[part=question][open] [part=danger]"),
    );
    if (button instanceof HTMLElement) button.click();
  }

  /** Each operation: the steps before the last, and the last button. */
  const OPERATIONS = {
    async devices() {
      control(element, "Rename Phone").click();
      await waitFor(() => element.shadowRoot?.querySelector("[id^=new-name]"));
      return () => control(element, "Save").click();
    },
    "devices, to sign out": () =>
      Promise.resolve(() => {
        control(element, "Sign out Phone").click();
        return agree();
      }),
    password() {
      type("password", "secret-new");
      return Promise.resolve(() => control(element, "Change password").click());
    },
    async contacts() {
      control(element, "Remove alice@mail.example").click();
      await questionOf(element);
      return agree;
    },
    async deactivation() {
      press("summary");
      await waitFor(() => element.querySelector("[name=user]"));
      type("user", "@alice:hs.example");
      return () => {
        press("[data-section=deactivation] [part=danger]");
        return agree();
      };
    },
  };

  for (const [operation, begin] of Object.entries(OPERATIONS)) {
    const [section = ""] = operation.split(",");
    const start = async (): Promise<() => unknown> => {
      await show(ALL, {
        emails: ["alice@mail.example"],
        devices: [{ device_id: "PHONE", display_name: "Phone" }],
      });
      return begin();
    };

    it(`shows in its section that the network is down: ${operation}`, async () => {
      const finish = await start();
      const typed = [...element.querySelectorAll("input")].map(({ value }) => value);
      const events = recordEvents(element, "matrix-account-change");
      goOffline(servers);
      await finish();
      await waitFor(() => element.state === "error");
      await element.updateComplete;
      const error = element.shadowRoot?.querySelector(
        `[data-section=${section}] [part=error]`,
      )?.textContent;
      expect(error).to.contain("Can’t reach the server");
      expect([...element.querySelectorAll("input")].map(({ value }) => value)).to.deep.equal(typed);
      expect(events).to.deep.equal([]);
    });

    it(`hides the account if the session is over: ${operation}`, async () => {
      const finish = await start();
      const events = recordEvents(element, "matrix-account-change");
      servers.endSessions();
      await finish();
      await waitFor(() => element.state === "idle");
      await element.updateComplete;
      expect(textIn(element)).to.equal("You’re signed out.");
      expect(element.querySelector("form")).to.equal(null);
      expect(events).to.deep.equal([]);
    });
  }
});

describe("<matrix-account> when the user returns", () => {
  const RETURNS: Readonly<Record<string, () => unknown>> = {
    "to the window": () => window.dispatchEvent(new Event("focus")),
    "to the tab": () => document.dispatchEvent(new Event("visibilitychange")),
    "with Back": () =>
      window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })),
    "to the network": () => window.dispatchEvent(new Event("online")),
  };

  for (const [how, comeBack] of Object.entries(RETURNS)) {
    it(`shows what was changed elsewhere, and keeps the user's input: ${how}`, async () => {
      await show("profile password contacts", { displayName: "Alice" });
      type("password", "secret-new");
      const states = recordEvents(element, "statechange");
      Object.assign(servers.account("alice") ?? {}, {
        displayName: "Alice at work",
        emails: ["alice@mail.example"],
      });
      comeBack();
      await waitFor(() => textIn(element).includes("alice@mail.example"));
      await waitFor(() => part(element, "heading").textContent.trim() === "Alice at work");
      expect(field("password").value).to.equal("secret-new");
      expect(states).to.deep.equal([]);
    });
  }

  it("keeps what it shows, without an error, if the network is down", async () => {
    await show("profile devices contacts", { emails: ["alice@mail.example"] });
    const errors = recordEvents(element, "matrix-account-error");
    const shown = textIn(element);
    goOffline(servers);
    window.dispatchEvent(new Event("focus"));
    await untilQuiet();
    expect(textIn(element)).to.equal(shown);
    expect(element.state).to.equal("ready");
    expect(errors).to.deep.equal([]);
  });

  it("keeps the account if only HTTP 403 says that the token is unknown", async () => {
    await show("profile contacts", { emails: ["alice@mail.example"] });
    servers.refuse("GET /account/whoami", 403, { errcode: "M_UNKNOWN_TOKEN" });
    const errors = recordEvents(element, "matrix-account-error");
    const shown = textIn(element);
    window.dispatchEvent(new Event("focus"));
    await untilQuiet();
    expect(textIn(element)).to.equal(shown);
    expect(errors).to.deep.equal([]);
  });

  it("shows one message for sections that the network keeps from loading, and loads all with one Try again", async () => {
    const online: (() => void)[] = [];
    await show("devices password contacts", { emails: ["alice@mail.example"] }, (servers) => {
      for (const end of ["GET /devices", "GET /account/3pid"]) {
        online.push(servers.disconnect(end, { times: Infinity }));
      }
    });
    expect(element.shadowRoot?.querySelectorAll("[part=error]")).to.have.length(1);
    expect(control(element, "Change password").isConnected).to.equal(true);
    for (const connect of online) connect();
    control(element, "Try again").click();
    await waitFor(() => element.state === "ready");
    expect(textIn(element)).to.contain("This browser").and.contain("alice@mail.example");
  });

  it("loads a section that could not be loaded before", async () => {
    await show("devices contacts", {}, (servers) => {
      servers.override("GET /account/3pid", () => Response.json({}, { status: 500 }), { times: 1 });
    });
    expect(element.state).to.equal("error");
    window.dispatchEvent(new Event("focus"));
    await waitFor(() => element.state === "ready");
    expect(control(element, "Add email address").isConnected).to.equal(true);
  });
});
