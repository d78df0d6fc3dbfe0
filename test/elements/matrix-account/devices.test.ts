import { expect } from "@open-wc/testing";
import { sendKeys } from "@web/test-runner-commands";
import type { MatrixAccountElement } from "matrix-auth-elements";
import type { LegacySession } from "matrix-auth-elements/core";
import type { TestServers } from "matrix-auth-elements/testing";
import { restoreStubs } from "../../support/stub.js";
import { nextEvent, part, recordEvents, textIn } from "../support/element.js";
import { bodiesTo, goOffline, hold, useTestServers } from "../support/test-servers.js";
import { timeForMore, waitFor } from "../support/wait-for.js";
import {
  clientOf,
  confirm,
  control,
  DAY_MS,
  devicesOf,
  dialogField,
  dialogOf,
  focusedName,
  make,
  PASSWORD,
  settled,
  shownDevices,
  signIn,
} from "./fixture.js";

describe("<matrix-account>, its devices", () => {
  let servers: TestServers;
  let session: LegacySession;
  let element: MatrixAccountElement;

  const device = (device_id: string, display_name?: string, daysAgo?: number) => ({
    device_id,
    ...(display_name !== undefined && { display_name }),
    ...(daysAgo !== undefined && { last_seen_ts: Date.now() - daysAgo * DAY_MS }),
  });

  /** Shows these devices next to the page's own. */
  async function show(...devices: readonly ReturnType<typeof device>[]): Promise<void> {
    servers = await useTestServers({
      login: ["password"],
      accounts: { alice: { password: PASSWORD, devices: [...devices] } },
    });
    session = signIn(servers);
    element = await make({ session, sections: "devices" });
    await settled(element);
  }
  afterEach(() => {
    restoreStubs();
    document.documentElement.lang = "en";
  });

  const notice = (): string =>
    part(element, "notice")
      .textContent.trim()
      .replace(/[\u2068\u2069]/g, "");

  it("are this one first, and the others in order of their last activity", async () => {
    await show(device("OLD", "Old phone", 300), device("NEVER"), device("NEW", "Laptop", 0));
    expect(shownDevices(element)).to.deep.equal(["This browser", "Laptop", "Old phone", "NEVER"]);
    const rows = [...(element.shadowRoot?.querySelectorAll("[part=item]") ?? [])];
    const texts = rows.map(({ textContent }) => textContent.replace(/\s+/g, " "));
    expect(texts[0]).to.contain("This device");
    expect(texts[1]).to.match(/Last active (this minute|now)/);
    expect(texts[2]).to.contain("Last active 10 months ago");
    expect(texts[3]).to.contain("No recent activity");
    expect(element.devices.map(({ device_id }) => device_id).slice(1)).to.deep.equal([
      "NEW",
      "OLD",
      "NEVER",
    ]);
    expect(element.userId).to.equal("@alice:hs.example");
    expect(element.management).to.equal("homeserver");
  });

  for (const [what, last_seen_ts] of [
    ["in the future", Date.now() + 1000 * DAY_MS],
    ["negative", -5],
    ["from before Matrix", 1],
    ["not a number", "yesterday" as unknown as number],
  ] as const) {
    it(`have no last activity that is ${what}`, async () => {
      await show({ device_id: "ODD", display_name: "Odd", last_seen_ts });
      expect(textIn(element)).to.contain("Odd No recent activity");
    });
  }

  it("are renamed in place, with only the keyboard", async () => {
    await show(device("OLD", "Old phone"));
    control(element, "Rename Old phone").focus();
    await sendKeys({ press: "Enter" });
    await waitFor(() => element.shadowRoot?.activeElement?.localName === "input");
    (element.shadowRoot?.activeElement as HTMLInputElement).setSelectionRange(99, 99);
    await sendKeys({ type: " of mine" });
    const changed = nextEvent(element, "matrix-account-change");
    await sendKeys({ press: "Enter" });
    expect((await changed).detail).to.deep.equal({
      section: "devices",
      action: "renamed",
      deviceIds: ["OLD"],
    });
    await waitFor(() => element.shadowRoot?.activeElement?.localName === "button");
    expect(element.shadowRoot?.activeElement).to.equal(
      control(element, "Rename Old phone of mine"),
    );
    expect(bodiesTo(servers, "PUT /devices/OLD")).to.deep.equal([
      { display_name: "Old phone of mine" },
    ]);
  });

  it("keep their name if renaming is cancelled with Escape", async () => {
    await show(device("OLD", "Old phone"));
    control(element, "Rename Old phone").click();
    await waitFor(() => element.shadowRoot?.activeElement?.localName === "input");
    await sendKeys({ type: "Another" });
    await sendKeys({ press: "Escape" });
    await waitFor(() => element.shadowRoot?.activeElement?.localName === "button");
    expect(element.shadowRoot?.activeElement).to.equal(control(element, "Rename Old phone"));
    expect(bodiesTo(servers, "PUT /devices/OLD")).to.have.length(0);
  });

  it("keep the user's input if renaming fails", async () => {
    await show(device("OLD", "Old phone"));
    control(element, "Rename Old phone").click();
    const field = await waitFor(() => element.shadowRoot?.querySelector("input:not([type])"));
    const online = goOffline(servers);
    const typed = "A better name";
    Object.assign(field as HTMLInputElement, { value: typed }).dispatchEvent(new Event("input"));
    const failed = nextEvent(element, "matrix-account-error");
    control(element, "Save").click();
    expect((await failed).detail).to.include({ section: "devices", code: "network_error" });
    await element.updateComplete;
    expect(part(element, "error").textContent).to.contain("Can’t reach the server");
    expect((field as HTMLInputElement).value).to.equal(typed);
    expect(field?.getAttribute("aria-invalid")).to.equal("true");
    expect(element.state).to.equal("error");
    online();
    control(element, "Save").click();
    await waitFor(() => shownDevices(element).includes(typed));
    expect(element.state).to.equal("ready");
  });

  it("are signed out one at a time, with their name in the dialog", async () => {
    await show(device("OLD", "Old phone"), device("NEW", "Laptop", 1));
    const changed = nextEvent(document, "matrix-account-change");
    const button = control(element, "Sign out Laptop");
    button.focus();
    button.click();
    const dialog = await dialogOf(element);
    expect(element.state).to.equal("busy");
    expect(part(dialog, "description").textContent).to.contain("Laptop");
    await confirm(element);
    expect((await changed).detail).to.deep.equal({
      section: "devices",
      action: "signed-out",
      deviceIds: ["NEW"],
    });
    await settled(element);
    expect(devicesOf(servers)).to.not.contain("NEW");
    expect(shownDevices(element)).to.deep.equal(["This browser", "Old phone"]);
    expect(notice()).to.equal("Signed out: Laptop");
    expect(element.shadowRoot?.activeElement).to.equal(control(element, "Sign out Old phone"));
    expect(bodiesTo(servers, "POST /delete_devices")).to.have.length(2);
  });

  it("are signed out together, with one request that the user confirms", async () => {
    await show(device("A", "Phone", 1), device("B", "Tablet", 2), device("C", "Laptop", 3));
    control(element, "Phone").click();
    control(element, "Laptop").click();
    await element.updateComplete;
    control(element, "Sign out selected (2)").click();
    await confirm(element);
    await settled(element);
    expect(shownDevices(element)).to.deep.equal(["This browser", "Tablet"]);
    expect(bodiesTo(servers, "POST /delete_devices").at(-1)).to.deep.include({
      devices: ["A", "C"],
    });
  });

  it("are signed out, except this one", async () => {
    await show(device("A", "Phone", 1), device("B", "Tablet", 2));
    control(element, "Sign out all other devices").click();
    await confirm(element);
    await settled(element);
    expect(shownDevices(element)).to.deep.equal(["This browser"]);
    expect(devicesOf(servers)).to.deep.equal([session.user.deviceId]);
  });

  it("stay if the dialog is cancelled, which is not an error", async () => {
    await show(device("A", "Phone", 1));
    control(element, "Sign out Phone").click();
    await dialogOf(element);
    element.cancel();
    await settled(element);
    expect(element.state).to.equal("ready");
    expect(shownDevices(element)).to.deep.equal(["This browser", "Phone"]);
  });

  it("count as signed out if the homeserver has removed them", async () => {
    await show(device("A", "Phone", 1));
    servers.refuse("POST /delete_devices", 404, { errcode: "M_NOT_FOUND" });
    control(element, "Sign out Phone").click();
    await waitFor(() => shownDevices(element).length === 1);
    const account = servers.account("alice");
    if (account) account.devices = [{ device_id: "B", display_name: "Tablet" }];
    await element.refresh();
    servers.refuse("PUT /devices/B", 404, { errcode: "M_NOT_FOUND" });
    control(element, "Rename Tablet").click();
    await waitFor(() => element.shadowRoot?.querySelector("input:not([type])"));
    control(element, "Save").click();
    await waitFor(() => shownDevices(element).length === 1);
    await settled(element);
    expect(notice()).to.equal("Signed out: Tablet");
  });

  for (const [status, errcode, sentence] of [
    [401, "M_USER_LOCKED", "This account is locked."],
    [403, "M_USER_DEACTIVATED", "This account has been deactivated."],
    [403, "M_USER_AWAITING_APPROVAL", "must approve this account"],
    [403, "ORG.MATRIX.MSC3866_USER_AWAITING_APPROVAL", "must approve this account"],
    [403, "M_FORBIDDEN", "The homeserver rejected this request."],
    [500, "M_UNKNOWN", "Something went wrong on the server."],
  ] as const) {
    it(`stay if the homeserver rejects with ${errcode}, and a message appears`, async () => {
      await show(device("A", "Phone", 1));
      servers.refuse("POST /delete_devices", status, { errcode });
      control(element, "Sign out Phone").click();
      await waitFor(() => element.state === "error");
      await element.updateComplete;
      expect(part(element, "error").textContent).to.contain(sentence);
    });
  }

  it("are requested again with Try again after a network error", async () => {
    await show();
    const online = goOffline(servers, "/devices");
    const failed = nextEvent(element, "matrix-account-error");
    const other = await make({ session, sections: "devices" });
    await settled(other);
    expect(part(other, "error").textContent).to.contain("Can’t reach the server");
    online();
    control(other, "Try again").click();
    await waitFor(() => other.state === "ready");
    expect(shownDevices(other)).to.deep.equal(["This browser"]);
    void failed;
  });

  it("leave their error to a page that shows it itself, and keep Try again", async () => {
    await show();
    const online = goOffline(servers, "/devices");
    element.addEventListener("matrix-account-error", (event) => event.preventDefault());
    element.session = undefined;
    await element.updateComplete;
    element.session = session;
    await settled(element);
    expect(element.error).to.include({ code: "network_error" });
    expect(textIn(element)).to.not.contain("Can’t reach the server");
    online();
    control(element, "Try again").click();
    await waitFor(() => element.state === "ready");
    expect(shownDevices(element)).to.deep.equal(["This browser"]);
  });

  it("pass on the focus that moved within the element", async () => {
    await show(device("A", "Phone", 1), device("B", "Tablet", 2), device("C", "Laptop", 3));
    control(element, "Sign out Phone").focus();
    control(element, "Sign out Laptop").focus();
    const account = servers.account("alice");
    account?.devices?.splice(2, 1);
    await element.refresh();
    await settled(element);
    expect(focusedName(element)).to.equal("Sign out Tablet");
  });

  it("are searched from 20 on, and shown fifty at a time", async () => {
    const many = Array.from({ length: 5000 }, (_, i) => device(`D${i}`, `Device ${i}`, i / 24));
    await show(...many);
    expect(shownDevices(element)).to.have.length(50);
    control(element, "Show more").click();
    await element.updateComplete;
    expect(shownDevices(element)).to.have.length(100);
    const filter = element.shadowRoot?.querySelector<HTMLInputElement>("#filter");
    if (!filter) throw new Error("no filter");
    filter.value = "DEVICE 4321";
    filter.dispatchEvent(new Event("input"));
    await element.updateComplete;
    expect(shownDevices(element)).to.deep.equal(["Device 4321"]);
  });

  it("have their checkbox beside their name, in a narrow window too", async () => {
    await show(device("A", "Firefox on a laptop"));
    element.style.inlineSize = "260px";
    const [checkbox, name] = ["[type=checkbox]", "#device-1"].map((selector) =>
      element.shadowRoot?.querySelector(selector)?.getBoundingClientRect(),
    );
    expect(checkbox?.right).to.be.below(name?.left ?? 0);
    expect(checkbox?.top).to.be.below(name?.bottom ?? 0);
  });

  it("are shown on a page in a language that no browser knows", async () => {
    document.documentElement.lang = "C";
    await show(device("A", "Phone", 1));
    expect(shownDevices(element)).to.deep.equal(["This browser", "Phone"]);
  });

  it("have names that are texts, however long", async () => {
    await show(device("A", `<img src=x onerror=alert(1)>${"long ".repeat(2000)}`));
    const [, name = ""] = shownDevices(element);
    expect(name).to.match(/^<img src=x onerror=alert\(1\)>long/);
    expect(name.length).to.be.below(120);
    expect(element.shadowRoot?.querySelector("img")).to.equal(null);
  });

  it("are selected and signed out together, with only the keyboard", async () => {
    await show(device("A", "Phone", 1), device("B", "Tablet", 2), device("C", "Laptop", 3));
    for (const name of ["Phone", "Laptop"]) {
      control(element, name).focus();
      await sendKeys({ press: " " });
    }
    await element.updateComplete;
    control(element, "Sign out selected (2)").focus();
    await sendKeys({ press: "Enter" });
    const field = await dialogField(element, "password");
    await waitFor(() => element.shadowRoot?.activeElement === field);
    await sendKeys({ type: PASSWORD });
    await sendKeys({ press: "Enter" });
    await waitFor(() => shownDevices(element).join() === "This browser,Tablet");
    // The focus must not be on the button that replaced it, which signs out more devices.
    await waitFor(() => !["", "Sign out all other devices"].includes(focusedName(element)));
  });

  it("are no longer shown if the session ends while the dialog is open", async () => {
    await show(device("A", "Phone", 1));
    const events = recordEvents(element, "matrix-account-change");
    control(element, "Sign out Phone").click();
    await dialogField(element, "password");
    servers.endSessions();
    await confirm(element);
    await waitFor(() => element.state === "idle");
    await element.updateComplete;
    expect(textIn(element)).to.equal("You’re signed out.");
    expect(element.shadowRoot?.querySelector("uia-dialog[open]")).to.equal(null);
    expect(events).to.deep.equal([]);
  });

  it("are no longer shown if a refresh finds that the session has ended", async () => {
    await show(device("A", "Phone", 1));
    control(element, "Rename Phone").focus();
    servers.endSessions();
    await element.refresh();
    expect(element.state).to.equal("idle");
    await element.updateComplete;
    expect(element.shadowRoot?.activeElement?.id).to.equal("status");
    expect(shownDevices(element)).to.deep.equal([]);
    expect(textIn(element)).to.contain("You’re signed out.");
    expect(textIn(element)).to.not.contain("alice");
    expect(element.devices).to.deep.equal([]);
  });

  it("include this one, which is signed out unless the page does so", async () => {
    await show();
    const stop = (event: Event): void => event.preventDefault();
    element.addEventListener("matrix-account-sign-out", stop);
    control(element, "Sign out This browser").click();
    await timeForMore();
    expect(session.state).to.equal("signed-in");
    element.removeEventListener("matrix-account-sign-out", stop);
    const asked = nextEvent(element, "matrix-account-sign-out");
    control(element, "Sign out This browser").click();
    expect((await asked).detail).to.deep.equal({
      userId: "@alice:hs.example",
      deviceId: session.user.deviceId,
    });
    await waitFor(() => element.state === "idle");
    await element.updateComplete;
    expect(textIn(element)).to.equal("You’re signed out.");
    expect(session.state).to.equal("signed-out");
    await waitFor(() => devicesOf(servers).length === 0);
  });

  it("are those of the client that was set last", async () => {
    await show(device("A", "Phone", 1));
    const { asked, release } = hold(servers, "/devices");
    void element.refresh();
    await asked;
    element.session = undefined;
    await element.updateComplete;
    expect(element.state).to.equal("idle");
    expect(textIn(element)).to.equal("");
    release();
    element.client = clientOf(session);
    await settled(element);
    expect(shownDevices(element)).to.deep.equal(["This browser", "Phone"]);
  });
});
