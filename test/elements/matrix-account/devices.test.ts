import { expect } from "@open-wc/testing";
import { emulateMedia, sendKeys } from "@web/test-runner-commands";
import type { MatrixAccountElement } from "matrix-auth-elements";
import type { LegacySession } from "matrix-auth-elements/core";
import type { TestServers } from "matrix-auth-elements/testing";
import { restoreStubs } from "../../support/stub.js";
import { nextEvent, part, recordEvents, textIn } from "../support/element.js";
import { bodiesTo, goOffline, hold, useTestServers } from "../support/test-servers.js";
import { untilQuiet, waitFor } from "../support/wait-for.js";
import {
  answer,
  clientOf,
  confirm,
  control,
  DAY_MS,
  devicesOf,
  dialogField,
  dialogOf,
  focusedName,
  make,
  openDetails,
  PASSWORD,
  settled,
  shownDevices,
  signIn,
} from "./fixture.js";

describe("<matrix-account>: its devices", () => {
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

  const textOf = ({ textContent }: Element): string =>
    textContent.trim().replace(/[\u2068\u2069]/g, "");
  const notice = (): string => textOf(part(element, "notice"));

  it("are listed with this one first, and the others in order of their last activity", async () => {
    await show(device("OLD", "Old phone", 300), device("NEVER"), device("NEW", "Laptop", 0));
    expect(shownDevices(element)).to.deep.equal([
      "This browser",
      "Laptop",
      "Old phone",
      "Unnamed deviceNEVER",
    ]);
    const rows = [...(element.shadowRoot?.querySelectorAll("[part=item]") ?? [])];
    const texts = rows.map(({ textContent }) => textContent.replace(/\s+/g, " "));
    expect(texts[0]).to.contain("This device");
    expect(texts[0]).to.contain("Active now");
    expect(texts[1]).to.contain("Active now");
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
    ["negative", -5],
    ["from before Matrix", 1],
    ["not a number", "yesterday" as unknown as number],
  ] as const) {
    it(`have no last activity that is ${what}`, async () => {
      await show({ device_id: "ODD", display_name: "Odd", last_seen_ts });
      expect(textIn(element)).to.contain("Odd No recent activity");
    });
  }

  it("are in use now if their last activity is in the future", async () => {
    await show(device("ODD", "Odd", -1000));
    expect(textIn(element)).to.contain("Odd Active now");
  });

  it("are in use now for five minutes after their last activity", async () => {
    const minute = 1 / 1440;
    await show(device("A", "Phone", 4 * minute), device("B", "Tablet", 6 * minute));
    expect(textIn(element))
      .to.contain("Phone Active now")
      .and.match(/Tablet Last active [56] min/);
  });

  it("show a relative time in the list, and their ID and the exact time in their details", async () => {
    const lastSeen = { last_seen_ts: Date.now() - 3 * DAY_MS, last_seen_ip: "203.0.113.9" };
    await show({ ...device("QUAINT", "Phone"), ...lastSeen });
    const row = control(element, "Details Phone").closest("li");
    const words = (): string => row?.innerText.replace(/\s+/g, " ").trim() ?? "";
    expect(words()).to.match(/^Phone Last active 3 days ago 203\.0\.113\.9/);
    expect(words()).to.not.contain("QUAINT");
    if (row) getSelection()?.selectAllChildren(row);
    // A copy has the address once, although screen readers get it apart.
    expect(getSelection()?.toString().split("203.0.113.9")).to.have.length(2);
    await openDetails(element, "Phone");
    const time = row?.querySelector("time")?.title ?? "";
    expect(time).to.contain(`${new Date(lastSeen.last_seen_ts).getFullYear()}`);
    expect(words()).to.contain("Device ID QUAINT").and.contain(`Last activity ${time}`);
  });

  it("have an icon for what their name says they are", async () => {
    const names = [
      ["Firefox on Linux", "https://app.example (Chrome, Android)"],
      ["Element X on iPhone", "Pixel 9"],
      ["Element Desktop", "Windows laptop"],
      ["My favorite", ""],
    ];
    const devices = names.flat().map((each, nth) => device(`D${nth}`, each, nth));
    await show(...devices);
    const icons = [...(element.shadowRoot?.querySelectorAll("[part=device-icon]") ?? [])]
      .slice(1)
      .map(({ innerHTML }) => innerHTML.replace(/<!--.*?-->/g, ""));
    const kinds = names.map((_, nth) => icons.slice(2 * nth, 2 * nth + 2));
    for (const [first, second] of kinds) expect(second).to.equal(first);
    expect(new Set(icons).size).to.equal(names.length);
  });

  it("move the focus to the one before if the last one is signed out", async () => {
    await show(device("A", "Phone", 1), device("B", "Tablet", 2));
    await openDetails(element, "Tablet");
    control(element, "Sign out Tablet").click();
    await confirm(element);
    await settled(element);
    await waitFor(() => focusedName(element) === "Details Phone");
  });

  for (const [daysAgo, text] of [
    [1.9, "1 day ago"],
    [45, "1 month ago"],
    [362, "12 months ago"],
    [700, "1 year ago"],
  ] as const) {
    it(`were active ${text} if their last activity was ${daysAgo} days ago, on any date`, async () => {
      await show(device("OLD", "Old phone", daysAgo));
      expect(textIn(element)).to.contain(`Old phone Last active ${text}`);
    });
  }

  it("are renamed once if Enter is held down, even if the homeserver rejects the name immediately", async () => {
    await show(device("OLD", "Old phone"));
    servers.refuse("PUT /devices/OLD", 400, { errcode: "M_UNKNOWN" }, { times: Infinity });
    await openDetails(element, "Old phone");
    control(element, "Rename Old phone").click();
    await waitFor(() => element.shadowRoot?.activeElement?.localName === "input");
    await sendKeys({ down: "Enter" });
    await waitFor(() => element.state === "error");
    await sendKeys({ down: "Enter" });
    await sendKeys({ up: "Enter" });
    await untilQuiet();
    expect(bodiesTo(servers, "PUT /devices/OLD")).to.have.length(1);
  });

  it("are renamed in place, with only the keyboard", async () => {
    await show(device("OLD", "Old phone"));
    control(element, "Details Old phone").focus();
    for (const key of ["Enter", "Tab", "Enter"]) {
      await sendKeys({ press: key });
      await element.updateComplete;
    }
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
    await openDetails(element, "Old phone");
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
    const field = await waitFor(() => element.shadowRoot?.querySelector("#new-name"));
    const online = goOffline(servers);
    const typed = "A better name";
    // Not everything that fills in a field fires an event.
    Object.assign(field as HTMLInputElement, { value: typed });
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
    await openDetails(element, "Laptop");
    control(element, "Sign out Laptop").click();
    const dialog = await dialogOf(element);
    expect(element.state).to.equal("busy");
    expect(textOf(part(dialog, "heading"))).to.equal("Sign out Laptop?");
    expect(textOf(part(dialog, "description"))).to.equal("Laptop (NEW)");
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
    expect(focusedName(element)).to.equal("Details Old phone");
    expect(bodiesTo(servers, "POST /delete_devices").at(-1)).to.deep.include({ devices: ["NEW"] });
  });

  it("are signed out together, with one request that the user confirms", async () => {
    await show(device("A", "Phone", 1), device("B", "Tablet", 2), device("C", "Laptop", 3));
    control(element, "Phone").click();
    control(element, "Laptop").click();
    await element.updateComplete;
    const [chosen, other] = ["Phone", "Tablet"].map((name) => control(element, name).closest("li"));
    const background = (row: Element | null | undefined): string =>
      getComputedStyle(row ?? element).backgroundColor;
    expect(background(chosen)).to.not.equal(background(other));
    const button = control(element, "Sign out (2)");
    button.click();
    const dialog = await dialogOf(element);
    // The box of a spinner that rotates is larger than its circle.
    const spinner = button.querySelector<HTMLElement>("[part=spinner]");
    const { left = 0, right = Infinity } = spinner?.getBoundingClientRect() ?? {};
    const end = (left + right + (spinner?.offsetWidth ?? 0)) / 2;
    expect(end).to.be.at.most(button.getBoundingClientRect().right);
    expect(textOf(part(dialog, "heading"))).to.equal("Sign out (2)");
    expect(textOf(part(dialog, "description"))).to.equal("Phone, Laptop");
    await confirm(element);
    await settled(element);
    expect(shownDevices(element)).to.deep.equal(["This browser", "Tablet"]);
    expect(bodiesTo(servers, "POST /delete_devices").at(-1)).to.deep.include({
      devices: ["A", "C"],
    });
  });

  it("are all signed out, except this one", async () => {
    await show(device("A", "Phone", 1), device("B", "Tablet", 2));
    control(element, "Sign out all other devices (2)").click();
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
    servers.refuse("POST /delete_devices", 404, { errcode: "M_NOT_FOUND" }, { times: 2 });
    control(element, "Sign out Phone").click();
    await answer(element, "Sign out");
    await waitFor(() => shownDevices(element).length === 1);
    const account = servers.account("alice");
    if (account) account.devices = [{ device_id: "B", display_name: "Tablet" }];
    await element.refresh();
    servers.refuse("PUT /devices/B", 404, { errcode: "M_NOT_FOUND" });
    control(element, "Rename Tablet").click();
    await waitFor(() => element.shadowRoot?.querySelector("#new-name"));
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
    it(`stay, with a message, if the homeserver rejects the request with ${errcode}`, async () => {
      await show(device("A", "Phone", 1));
      servers.refuse("POST /delete_devices", status, { errcode }, { times: 2 });
      control(element, "Sign out Phone").click();
      await answer(element, "Sign out");
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

  it("are requested with new tokens after Try again, even while the session waits because the account may be locked", async () => {
    await show();
    // The homeserver knows no token of a locked account, not even a new one.
    servers.tokenLifetimes.refreshable = 0;
    await session.refresh();
    await element.refresh();
    const later = await make({ session, sections: "devices" });
    for (const each of [element, later]) {
      await settled(each);
      expect(part(each, "error").textContent).to.contain("Your account might be locked.");
    }
    servers.tokenLifetimes.refreshable = 300_000;
    control(later, "Try again").click();
    await waitFor(() => later.state === "ready");
    expect(shownDevices(later)).to.deep.equal(["This browser"]);
  });

  it("show no error if the page shows it itself, but keep Try again", async () => {
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

  it("move the focus when one is removed, even if it has moved within the element", async () => {
    await show(device("A", "Phone", 1), device("B", "Tablet", 2), device("C", "Laptop", 3));
    control(element, "Details Phone").focus();
    control(element, "Details Laptop").focus();
    const account = servers.account("alice");
    account?.devices?.splice(2, 1);
    await element.refresh();
    await settled(element);
    expect(focusedName(element)).to.equal("Details Tablet");
  });

  it("have a search field if there are 10 or more, and are shown twenty at a time", async () => {
    const many = Array.from({ length: 5000 }, (_, i) => device(`D${i}`, `Device ${i}`, i / 24));
    await show(...many);
    expect(shownDevices(element)).to.have.length(21);
    control(element, "Show more").click();
    await element.updateComplete;
    expect(shownDevices(element)).to.have.length(71);
    expect(focusedName(element)).to.equal("Details Device 20");
    const filter = element.shadowRoot?.querySelector<HTMLInputElement>("#filter");
    if (!filter) throw new Error("no filter");
    filter.value = "DEVICE 4321";
    filter.dispatchEvent(new Event("input"));
    await element.updateComplete;
    expect(shownDevices(element)).to.deep.equal(["This browser", "Device 4321"]);
    expect(textIn(element)).to.contain("Found: 1");
  });

  /** Types into the search field. */
  async function search(text: string): Promise<void> {
    const field = element.shadowRoot?.querySelector<HTMLInputElement>("#filter");
    if (!field) throw new Error("no filter");
    field.value = text;
    field.dispatchEvent(new Event("input"));
    await element.updateComplete;
  }

  for (const [what, text, found] of [
    ["name, without accents", "cafe", "Café"],
    ["name, in another form of Unicode", "CAFE\u0301", "Café"],
    ["name, in wide letters", "ｃａｆｅ", "Café"],
    ["ID", "quaint", "Device 3"],
    ["IP address", "203.0.113.9", "Device 4"],
  ] as const) {
    it(`are found by their ${what}`, async () => {
      const many = Array.from({ length: 12 }, (_, i) => device(`D${i}`, `Device ${i}`, i));
      Object.assign(many[3] ?? {}, { device_id: "QUAINT" });
      Object.assign(many[4] ?? {}, { last_seen_ip: "203.0.113.9" });
      await show(...many, device("X", "Café", 50));
      await search(text);
      expect(shownDevices(element)).to.deep.equal(["This browser", found]);
      await search("nothing of this name");
      expect(textIn(element)).to.contain("No device found");
    });
  }

  it("have a name that a translator leaves as it is, unless it is the library's", async () => {
    await show(device("A", "Die Tante Jana", 1), device("EMPTY"));
    const names = element.shadowRoot?.querySelectorAll<HTMLElement>("[part=device-name]") ?? [];
    expect([...names].map(({ translate }) => translate)).to.deep.equal([false, false, true]);
  });

  it("without a name are found by the text that is shown instead", async () => {
    const many = Array.from({ length: 12 }, (_, i) => device(`D${i}`, `Device ${i}`, i));
    await show(...many, device("EMPTY"));
    await search("unnamed");
    expect(shownDevices(element)).to.deep.equal(["This browser", "Unnamed deviceEMPTY"]);
    await import("matrix-auth-elements/locales/de");
    document.documentElement.lang = "de";
    await waitFor(() => textIn(element).includes("Kein Gerät gefunden"));
    await search("unbenannt");
    expect(shownDevices(element)[1]).to.contain("EMPTY");
  });

  it("show their details after a double click", async () => {
    await show(device("A", "Phone", 1));
    for (const detail of [1, 2]) {
      control(element, "Details Phone").dispatchEvent(new MouseEvent("click", { detail }));
      await element.updateComplete;
    }
    expect(control(element, "Details Phone").ariaExpanded).to.equal("true");
  });

  it("have the number of search results below the search field", async () => {
    await show(...Array.from({ length: 12 }, (_, i) => device(`D${i}`, `Device ${i}`, i)));
    await search("no device");
    const status = part(element, "toolbar").querySelector("[role=status]");
    expect(status?.textContent.trim()).to.equal("No device found");
    expect(textIn(element)).not.to.contain("Select all");
    const { bottom } = part(element, "search").getBoundingClientRect();
    expect(status?.getBoundingClientRect().top).to.be.at.least(bottom);
  });

  it("are selected among all search results, even those that are not on the screen", async () => {
    const many = Array.from({ length: 120 }, (_, i) => device(`D${i}`, `Device ${i}`, i));
    await show(...many);
    control(element, "Not used for 90 days").click();
    await element.updateComplete;
    expect(textIn(element)).to.contain("Found: 30");
    control(element, "Select all").click();
    await element.updateComplete;
    control(element, "Sign out (30)").click();
    await confirm(element);
    await waitFor(() => element.devices.length === 91);
    expect(devicesOf(servers)).to.include("D89").and.not.include("D91");
  });

  it("are loaded again when the user returns, and keep their place, selection, and typed name", async () => {
    await show(device("A", "Phone", 1), device("B", "Tablet", 2), device("C", "Laptop", 3));
    for (const name of ["Phone", "Laptop"]) control(element, name).click();
    control(element, "Details Tablet").click();
    await element.updateComplete;
    control(element, "Rename Tablet").click();
    await waitFor(() => focusedName(element) === "Device name");
    await sendKeys({ type: " of mine" });
    const account = servers.account("alice");
    if (!account) throw new Error("no account");
    const left = account.devices.filter(({ device_id }) => device_id !== "A");
    account.devices = [...left, device("D", "Watch", 0)];
    // The homeserver has a later activity.
    const laptop = left.find(({ device_id }) => device_id === "C");
    if (laptop) laptop.last_seen_ts = Date.now() - 1;
    const states = recordEvents(element, "statechange");
    window.dispatchEvent(new Event("focus"));
    await waitFor(() => element.devices.some(({ device_id }) => device_id === "D"));
    await element.updateComplete;
    expect(shownDevices(element)).to.deep.equal(["This browser", "Watch", "Tablet", "Laptop"]);
    expect(notice()).to.equal("Signed out: Phone");
    expect(states).to.deep.equal([]);
    expect(focusedName(element)).to.equal("Device name");
    expect(control<HTMLInputElement>(element, "Device name").value).to.equal("Tablet of mine");
    const isChecked = (name: string): boolean => control<HTMLInputElement>(element, name).checked;
    expect(["Watch", "Tablet", "Laptop"].map(isChecked)).to.deep.equal([false, false, true]);
    control(element, "Sign out (1)").click();
    await confirm(element);
    await waitFor(() => shownDevices(element).length === 3);
    expect(devicesOf(servers)).to.include.members(["B", "D"]).and.not.include("C");
  });

  it("have the actions for several of them always in view, and once on paper", async () => {
    await show(...Array.from({ length: 20 }, (_, i) => device(`D${i}`, `Device ${i}`, i)));
    element.style.setProperty("--matrix-account-sticky-offset", "30px");
    const toolbar = part(element, "toolbar");
    control(element, "Details Device 19").scrollIntoView({ block: "end" });
    await waitFor(() => toolbar.getBoundingClientRect().top === 30);
    await emulateMedia({ media: "print" });
    const { position } = getComputedStyle(toolbar);
    await emulateMedia({ media: "screen" });
    expect(position).to.equal("static");
  });

  it("have one line of constant height for the selection, even in a narrow window", async () => {
    await show(...Array.from({ length: 12 }, (_, i) => device(`D${i}`, `Device ${i}`, i)));
    // A window of 320 pixels, without the page's margins.
    Object.assign(element.style, {
      inlineSize: "288px",
      fontFamily: "Arial, 'Liberation Sans', sans-serif",
    });
    const height = (): number | undefined =>
      part(element, "toolbar").querySelector(".selection")?.clientHeight;
    const before = height();
    expect(before).to.be.within(24, 48);
    control(element, "Select all").click();
    await element.updateComplete;
    expect(height()).to.equal(before);
  });

  it("keep their look when the file of the dialog adds its own copy of the styles of fields", async () => {
    await show(...Array.from({ length: 12 }, (_, i) => device(`D${i}`, `Device ${i}`, i)));
    const look = (): readonly string[] =>
      [".choose", ".choose > label", ".search input"].map((selector) => {
        const found = element.shadowRoot?.querySelector(selector);
        const { display, fontWeight, margin } = getComputedStyle(found ?? element);
        return [display, fontWeight, margin].join();
      });
    const before = look();
    const copies = (element.shadowRoot?.adoptedStyleSheets ?? []).flatMap(({ cssRules }) => {
      const text = [...cssRules].map(({ cssText }) => cssText).join("");
      const copy = new CSSStyleSheet();
      copy.replaceSync(text);
      return text.startsWith(".uia-fields") ? copy : [];
    });
    expect(copies).to.have.length(2);
    element.shadowRoot?.adoptedStyleSheets.push(...copies);
    expect(look()).to.deep.equal(before);
    expect(before).to.deep.equal(["flex,400,0px", "block,400,0px", "block,400,0px"]);
  });

  it("have few tab stops", async () => {
    await show(...Array.from({ length: 40 }, (_, i) => device(`D${i}`, `Device ${i}`, i)));
    const controls = element.shadowRoot?.querySelectorAll<HTMLElement>("li button, li input") ?? [];
    const stops = [...controls].filter((each) => each.checkVisibility());
    expect(stops.length).to.be.at.most(2 * 40 + 3);
  });

  it("have their checkbox next to their name, even in a narrow window", async () => {
    await show(device("A", "Firefox on a laptop"));
    element.style.inlineSize = "260px";
    const [checkbox, name] = ["[type=checkbox]", "#device-0"].map((selector) =>
      element.shadowRoot?.querySelector(selector)?.getBoundingClientRect(),
    );
    expect(checkbox?.right).to.be.below(name?.left ?? 0);
    expect(checkbox?.top).to.be.below(name?.bottom ?? 0);
  });

  it("are shown on a page whose language tag is unknown", async () => {
    document.documentElement.lang = "C";
    await show(device("A", "Phone", 1));
    expect(shownDevices(element)).to.deep.equal(["This browser", "Phone"]);
  });

  it("are selected and signed out together, with only the keyboard", async () => {
    await show(device("A", "Phone", 1), device("B", "Tablet", 2), device("C", "Laptop", 3));
    for (const name of ["Phone", "Laptop"]) {
      control(element, name).focus();
      await sendKeys({ press: " " });
    }
    await element.updateComplete;
    control(element, "Sign out (2)").focus();
    await sendKeys({ press: "Enter" });
    const field = await dialogField(element, "password");
    await waitFor(() => element.shadowRoot?.activeElement === field);
    await sendKeys({ type: PASSWORD });
    await sendKeys({ press: "Enter" });
    await waitFor(() => shownDevices(element).join() === "This browser,Tablet");
    // The button is gone, because it has nothing to act on.
    await waitFor(() => focusedName(element) === "Devices");
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
    control(element, "Details Phone").focus();
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

  it("include this one, which the element signs out unless the page does so", async () => {
    await show();
    const stop = (event: Event): void => event.preventDefault();
    element.addEventListener("matrix-account-sign-out", stop);
    control(element, "Sign out This browser").click();
    await untilQuiet();
    expect(session.state).to.equal("signed-in");
    element.removeEventListener("matrix-account-sign-out", stop);
    const asked = nextEvent(element, "matrix-account-sign-out");
    control(element, "Sign out This browser").click();
    await answer(element, "Sign out");
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

  it("include this one, whose sign-out the homeserver might not confirm", async () => {
    await show();
    servers.override("/logout", () => Response.error(), { times: Infinity });
    control(element, "Sign out This browser").click();
    await answer(element, "Sign out");
    await waitFor(() => textIn(element).startsWith("You’re signed out here, but the server"));
    expect([element.state, session.state]).to.deep.equal(["idle", "signed-out"]);
    expect(devicesOf(servers)).to.have.length(1);
  });

  it("belong to the client that was set last", async () => {
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
