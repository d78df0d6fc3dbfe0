import { expect } from "@open-wc/testing";
import { sendKeys } from "@web/test-runner-commands";
import type { MatrixAccountElement } from "matrix-auth-elements";
import type { LegacySession } from "matrix-auth-elements/core";
import type { TestServers, TestServersOptions } from "matrix-auth-elements/testing";
import { restoreStubs } from "../../support/stub.js";
import { nextEvent, part, recordEvents, textIn } from "../support/element.js";
import { bodiesTo, goOffline, useTestServers } from "../support/test-servers.js";
import { timeForMore, waitFor } from "../support/wait-for.js";
import { confirm, control, dialogOf, make, PASSWORD, settled, signIn } from "./fixture.js";

let servers: TestServers;
let session: LegacySession;
let element: MatrixAccountElement;

async function show(
  sections: string,
  account: Exclude<NonNullable<TestServersOptions["accounts"]>[string], string> = {},
): Promise<void> {
  servers = await useTestServers({
    login: ["password"],
    accounts: { alice: { password: PASSWORD, ...account } },
  });
  session = signIn(servers);
  element = await make({ session, sections });
  await settled(element);
}
afterEach(restoreStubs);

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

/** What a screen reader says of a field. */
const errorAt = (name: string): string =>
  document.getElementById(field(name).getAttribute("aria-describedby") ?? "")?.textContent ?? "";

describe("<matrix-account>, its password", () => {
  it("is changed in the light DOM, where password managers look, and confirmed in the dialog", async () => {
    await show("password");
    expect(field("username").value).to.equal("@alice:hs.example");
    expect(field("username").autocomplete).to.equal("username");
    expect(field("password").autocomplete).to.equal("new-password");
    type("password", "secret-new");
    const changed = nextEvent(element, "matrix-account-change");
    control(element, "Change password").click();
    await confirm(element);
    expect((await changed).detail).to.deep.equal({ section: "password", action: "changed" });
    expect(servers.account("alice")?.password).to.equal("secret-new");
    expect(bodiesTo(servers, "POST /account/password").at(-1)).to.include({
      logout_devices: false,
    });
    await element.updateComplete;
    expect(part(element, "notice").textContent).to.equal("Your password has been changed.");
    expect(field("password").value).to.equal("");
  });

  it("is refused at its field, in the homeserver's words, with what was typed", async () => {
    await show("password");
    type("password", "short");
    control(element, "Change password").click();
    await waitFor(() => field("password").ariaInvalid === "true");
    expect(errorAt("password")).to.contain("Choose another password.");
    expect(errorAt("password")).to.contain("Password must be at least 8 characters");
    expect(field("password").value).to.equal("short");
    expect(document.activeElement).to.equal(field("password"));
    expect(element.state).to.equal("ready");
  });

  it("signs out the other devices where the user wants that, with a warning", async () => {
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

  it("is not lost where there is no network", async () => {
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

describe("<matrix-account>, its email addresses and phone numbers", () => {
  const contacts = (): readonly string[] =>
    [...(element.shadowRoot?.querySelectorAll("[part=item] bdi") ?? [])].map(
      ({ textContent }) => textContent,
    );

  it("are those that the homeserver has, and are removed once the user has agreed", async () => {
    await show("contacts", { emails: ["alice@mail.example"], phones: ["447700900123"] });
    expect(contacts()).to.deep.equal(["alice@mail.example", "+447700900123"]);
    control(element, "Remove alice@mail.example").click();
    await element.updateComplete;
    expect(servers.account("alice")?.emails).to.have.length(1);
    const changed = nextEvent(element, "matrix-account-change");
    control(element, "Remove alice@mail.example").click();
    expect((await changed).detail).to.deep.equal({
      section: "contacts",
      action: "removed",
      medium: "email",
      address: "alice@mail.example",
    });
    expect(servers.account("alice")?.emails).to.deep.equal([]);
    await element.updateComplete;
    expect(contacts()).to.deep.equal(["+447700900123"]);
  });

  /** Asks for a message to an address. */
  async function add(address: string): Promise<void> {
    control(element, "Add email address").click();
    await waitFor(() => element.querySelector("[name=email]"));
    type("email", address);
    control(element, "Send email").click();
  }

  for (const [label, name] of [
    ["Add email address", "email"],
    ["Add phone number", "phone"],
  ] as const) {
    it(`are typed at once after "${label}"`, async () => {
      await show("contacts");
      control(element, label).focus();
      await sendKeys({ press: "Enter" });
      await waitFor(() => element.querySelector(`[name=${name}]`));
      await settled(element);
      await sendKeys({ type: "1@2" });
      expect(field(name).value).to.equal("1@2");
    });
  }

  it("include an email address once its link was followed and the dialog was confirmed", async () => {
    await show("contacts");
    await add("björn@münchen.example");
    await waitFor(() => textIn(element).includes("Open the link in the message sent to"));
    expect(control(element, "Resend").ariaDisabled).to.equal("true");
    servers.approve(servers.messages.at(-1)?.link ?? "");
    control(element, "Continue").click();
    const changed = nextEvent(element, "matrix-account-change");
    await confirm(element);
    expect((await changed).detail).to.deep.equal({
      section: "contacts",
      action: "added",
      medium: "email",
      address: "björn@münchen.example",
    });
    expect(contacts()).to.deep.equal(["björn@münchen.example"]);
    await element.updateComplete;
    expect(part(element, "notice").textContent).to.equal("Added: björn@münchen.example");
    expect(element.querySelector("[name=email]")).to.equal(null);
  });

  it("say so where the link was not followed yet, and then ask for the password no more", async () => {
    await show("contacts");
    await add("a@mail.example");
    await waitFor(() => textIn(element).includes("Open the link"));
    control(element, "Continue").click();
    await confirm(element);
    await waitFor(() => textIn(element).includes("This step isn’t complete yet."));
    servers.approve(servers.messages.at(-1)?.link ?? "");
    control(element, "Continue").click();
    await waitFor(() => contacts().length === 1);
  });

  it("say at the field that an address is taken", async () => {
    await show("contacts", { emails: ["alice@mail.example"] });
    await add("alice@mail.example");
    await waitFor(() => field("email").ariaInvalid === "true");
    expect(errorAt("email")).to.contain("Already in use by another account.");
    expect(field("email").value).to.equal("alice@mail.example");
    expect(element.state).to.equal("ready");
  });

  it("include a phone number after its code, which may be wrong three times", async () => {
    await show("contacts");
    control(element, "Add phone number").click();
    await waitFor(() => element.querySelector("select"));
    const country = element.querySelector("select");
    if (country) country.value = "GB";
    type("phone", "07700 900123");
    control(element, "Send code").click();
    await waitFor(() => element.querySelector("[name=code]"));
    for (const wrong of ["1", "2", "3"]) {
      type("code", wrong);
      control(element, "Continue").click();
      await waitFor(() => bodiesTo(servers, "POST /submit_token").length === Number(wrong));
      await waitFor(() => errorAt("code").includes("Incorrect code."));
      await settled(element);
    }
    type("code", "123456");
    control(element, "Continue").click();
    const changed = nextEvent(element, "matrix-account-change");
    await confirm(element);
    expect((await changed).detail).to.include({ medium: "msisdn", address: "447700900123" });
    expect(contacts()).to.deep.equal(["+447700900123"]);
  });

  it("count down a rate limit, and keep what was typed", async () => {
    await show("contacts");
    servers.rateLimit("/requestToken", { retryAfterMs: 30_000 });
    await add("a@mail.example");
    await waitFor(() => textIn(element).includes("Try again in 30 seconds."));
    expect(field("email").value).to.equal("a@mail.example");
  });
});

describe("<matrix-account>, its deactivation", () => {
  async function open(userId: string): Promise<void> {
    control(element, "Continue").click();
    await waitFor(() => element.querySelector("[name=user]"));
    type("user", userId);
  }

  it("needs the user ID, and says so at the field", async () => {
    await show("deactivation");
    await open("@alice:other.example");
    control(element, "Deactivate account").click();
    await waitFor(() => field("user").ariaInvalid === "true");
    expect(errorAt("user")).to.contain("@alice:hs.example");
    expect(bodiesTo(servers, "POST /account/deactivate")).to.have.length(0);
  });

  it("ends the session, without another request, and shows nothing of the account", async () => {
    await show("devices deactivation");
    const events = recordEvents(element, "matrix-account-change", "matrix-account-error");
    await open(" @alice:hs.example ");
    control(element, "Deactivate account").click();
    const dialog = await dialogOf(element);
    expect(part(dialog, "submit").textContent).to.contain("Deactivate account");
    await confirm(element);
    await waitFor(() => element.state === "idle");
    await element.updateComplete;
    expect(textIn(element)).to.equal("This account has been deactivated.");
    expect(session.state).to.equal("signed-out");
    expect(bodiesTo(servers, "POST /account/deactivate").at(-1)).to.include({ erase: false });
    await timeForMore();
    expect(bodiesTo(servers, "POST /logout")).to.have.length(0);
    expect(events).to.deep.equal(["matrix-account-change"]);
    expect(element.querySelector("form")).to.equal(null);
  });
});
