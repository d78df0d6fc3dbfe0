import { expect } from "@open-wc/testing";
import type { MatrixAccountElement } from "matrix-auth-elements";
import { HomeserverClient, type LegacySession } from "matrix-auth-elements/core";
import { provideAuthClient } from "matrix-auth-elements";
import type { TestServers, TestServersOptions } from "matrix-auth-elements/testing";
import { restoreStubs } from "../../support/stub.js";
import { nextEvent, part, textIn } from "../support/element.js";
import {
  AUTH_METADATA,
  goOffline,
  hold,
  HOMESERVER,
  ISSUER,
  logOf,
  useTestServers,
} from "../support/test-servers.js";
import { untilQuiet, waitFor } from "../support/wait-for.js";
import {
  accessibleName,
  control,
  make,
  PASSWORD,
  settled,
  shownDevices,
  signIn,
} from "./fixture.js";

let servers: TestServers;
let session: LegacySession;
let element: MatrixAccountElement;

async function show(options: TestServersOptions = {}, sections?: string): Promise<void> {
  const devices = [{ device_id: "PHONE", display_name: "Phone" }];
  servers = await useTestServers({
    accounts: { alice: { password: PASSWORD, devices } },
    ...options,
  });
  session = signIn(servers);
  element = await make({ session, ...(sections !== undefined && { sections }) });
  await settled(element);
}
afterEach(restoreStubs);

const links = (): readonly HTMLAnchorElement[] => [
  ...(element.shadowRoot?.querySelectorAll("a") ?? []),
];

describe("<matrix-account> with a provider", () => {
  it("lists the devices, and links to the provider's page for everything else", async () => {
    await show();
    expect(element.management).to.equal("provider");
    expect(shownDevices(element)).to.deep.equal(["This browser", "Phone"]);
    for (const link of links()) {
      expect(link.target).to.equal("_blank");
      expect(link.relList.contains("noopener")).to.equal(true);
    }
    const [device, list, password, contacts, deactivation] = links().map(
      ({ href }) => new URL(href).search,
    );
    expect(device).to.equal("?action=org.matrix.device_delete&device_id=PHONE");
    expect(list).to.equal("?action=org.matrix.devices_list");
    expect(password).to.equal("?action=org.matrix.profile");
    expect(contacts).to.equal(password);
    expect(deactivation).to.equal("?action=org.matrix.account_deactivate");
  });

  it("requests the provider's metadata without its keys", async () => {
    await show();
    const paths = logOf(servers).map((each) => each.replace(/.* /, ""));
    expect(paths.filter((path) => /auth_metadata|keys|jwks/.test(path))).to.have.length(1);
  });

  it("names each link after its section or device", async () => {
    await show();
    expect(links().map(accessibleName)).to.deep.equal([
      "Sign out Phone (opens in a new window)",
      "Devices (opens in a new window)",
      "Change password (opens in a new window)",
      "Email addresses and phone numbers (opens in a new window)",
      "Deactivate account (opens in a new window)",
    ]);
  });

  it("lets the page open the URL itself", async () => {
    await show({}, "devices");
    let detail: unknown;
    element.addEventListener("matrix-account-link", (event) => {
      event.preventDefault();
      ({ detail } = event);
    });
    const click = new MouseEvent("click", { bubbles: true, cancelable: true });
    const link = control(element, "Sign out Phone (opens in a new window)");
    link.dispatchEvent(click);
    expect(click.defaultPrevented).to.equal(true);
    expect(detail).to.deep.equal({
      action: "org.matrix.device_delete",
      deviceId: "PHONE",
      url: link.getAttribute("href"),
    });
  });

  it("shows and reports a removed device when the user returns", async () => {
    await show({}, "devices");
    element.addEventListener("matrix-account-link", (event) => event.preventDefault());
    const link = control<HTMLAnchorElement>(element, "Sign out Phone (opens in a new window)");
    link.click();
    servers.approve(link.href, { user: "alice" });
    const changed = nextEvent(element, "matrix-account-change");
    window.dispatchEvent(new Event("focus"));
    expect((await changed).detail).to.deep.equal({
      section: "devices",
      action: "signed-out",
      deviceIds: ["PHONE"],
    });
    await settled(element);
    expect(shownDevices(element)).to.deep.equal(["This browser"]);
    expect(part(element, "notice").textContent).to.contain("Phone");
  });

  it("has one card for the account, which names the provider, and deactivation last", async () => {
    await show({}, "deactivation devices contacts password");
    const [card, ...others] = element.shadowRoot?.querySelectorAll("[data-section=provider]") ?? [];
    expect(others).to.deep.equal([]);
    expect(card?.querySelector("h3")?.textContent.trim()).to.equal(
      "Your account is managed at idp.example",
    );
    const names = [...(card?.querySelectorAll("a") ?? [])].map(accessibleName);
    expect(names.at(-1)).to.equal("Deactivate account (opens in a new window)");
    expect(card?.querySelectorAll("[part=danger]")).to.have.length(1);
  });

  /** Shows the account with a token that nobody refreshes. */
  async function showWithToken(sections: string): Promise<void> {
    servers = await useTestServers();
    const { accessToken } = servers.signIn("alice");
    const client = new HomeserverClient({ baseUrl: HOMESERVER, accessToken });
    element = await make({ client, sections });
    await settled(element);
    element.addEventListener("matrix-account-link", (event) => event.preventDefault());
  }

  for (const [sections, link] of [
    ["devices deactivation", "Deactivate account (opens in a new window)"],
    ["password deactivation", "Deactivate account (opens in a new window)"],
    ["password", "Change password (opens in a new window)"],
  ] as const) {
    it(`no longer shows an account that was deleted there, with ${sections}`, async () => {
      await showWithToken(sections);
      control(element, link).click();
      servers.endSessions();
      window.dispatchEvent(new Event("focus"));
      await waitFor(() => textIn(element).includes("You’re signed out."));
      expect(textIn(element)).to.not.contain("alice").and.not.contain("idp.example");
    });
  }

  it("shows no data of an account whose session ended while the page was in the browser's cache", async () => {
    await showWithToken("password");
    window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: false }));
    servers.endSessions();
    window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
    await waitFor(() => textIn(element).includes("You’re signed out."));
    expect(textIn(element)).to.not.contain("idp.example");
  });

  it("keeps the account if the user returns without a network", async () => {
    await showWithToken("password");
    control(element, "Change password (opens in a new window)").click();
    const online = goOffline(servers);
    window.dispatchEvent(new Event("focus"));
    await untilQuiet();
    online();
    expect(element.state).to.equal("ready");
    expect(textIn(element)).to.contain("Your account is managed at");
  });

  for (const [what, account_management_actions_supported] of [
    ["does not list", []],
    ["lists in a list of no strings", [1, null]],
  ] as const) {
    it(`links to the start page for an action that the provider ${what}`, async () => {
      await show({ metadata: { account_management_actions_supported } }, "deactivation");
      expect(links().map(({ href }) => href)).to.deep.equal([`${ISSUER}account`]);
    });
  }

  for (const [what, metadata] of [
    ["the provider has no account page", { account_management_uri: undefined }],
    ["its URL is not HTTPS", { account_management_uri: "http://idp.example/account" }],
    ["its URL is a script", { account_management_uri: "javascript:alert(1)" }],
  ] as const) {
    it(`names a contact if ${what}`, async () => {
      await show({ metadata });
      expect(element.management).to.equal("provider");
      expect(shownDevices(element)).to.deep.equal(["This browser", "Phone"]);
      expect(links()).to.deep.equal([]);
      const parts = textIn(element).split("Only the homeserver’s administrator can change this.");
      expect(parts).to.have.length(2);
    });
  }
});

describe("<matrix-account>'s sections", () => {
  const headings = (): readonly string[] =>
    [...(element.shadowRoot?.querySelectorAll("h3") ?? [])].map(({ textContent }) => textContent);
  const ALL = ["Devices", "Password", "Email addresses and phone numbers", "Deactivate account"];

  it("are those that the page names, in its order, except those that the homeserver forbids", async () => {
    const capabilities = { "m.change_password": { enabled: false } };
    await show({ login: ["password"], capabilities }, "deactivation password devices");
    expect(headings()).to.deep.equal(["Deactivate account", "Devices"]);
    element.sections = "devices";
    await waitFor(() => headings().length === 1);
  });

  it("are replaced by a hint if the homeserver forbids all of them", async () => {
    const no = { enabled: false };
    const capabilities = { "m.change_password": no, "m.3pid_changes": no };
    await show({ login: ["password"], capabilities }, "password contacts");
    const text = "Only the homeserver’s administrator can change this.";
    expect(textIn(element)).to.contain(text);
    const panel = part(element, "notice").closest(".panel");
    expect(panel?.textContent.trim()).to.equal(text);
  });

  const refused = (status: number, errcode: string, more = {}): (() => Response) => {
    return () => Response.json({ errcode, ...more }, { status });
  };
  const json = (body: unknown) => (): Response => Response.json(body);
  const text = (body: string, status = 200) => {
    return (): Response => new Response(body, { status, headers: { "content-type": "text/html" } });
  };
  /** What homeservers, and proxies in front of them, respond with. */
  const RESPONSES: Readonly<Record<string, () => Response>> = {
    null: json(null),
    "a list": json([null, 1, {}]),
    "a string": json("devices"),
    "an empty object": json({}),
    "members that are null": json({
      ...{
        devices: null,
        threepids: null,
        capabilities: null,
        displayname: null,
        avatar_url: null,
      },
      ...{ user_id: null, device_id: null, "m.upload.size": null, issuer: null },
    }),
    "members of another type": json({
      ...{ devices: "none", threepids: {}, capabilities: [1], displayname: 5, avatar_url: {} },
      ...{ user_id: 7, device_id: [], "m.upload.size": "50M", issuer: 1 },
    }),
    "lists with invalid entries": json({
      devices: [
        null,
        1,
        [],
        {},
        { device_id: "" },
        { device_id: 1 },
        { device_id: "OK", last_seen_ts: "now" },
      ],
      threepids: [null, 1, {}, { medium: "email" }, { medium: 1, address: "x" }],
      capabilities: { "m.change_password": "no", "m.profile_fields": [null] },
    }),
    "a page": text("<!doctype html><h1>Welcome</h1>"),
    nothing: text(""),
    "the first half of a response": text('{"devices": [{"device_id": "OK"'),
    "403": refused(403, "M_FORBIDDEN"),
    "404": refused(404, "M_UNRECOGNIZED"),
    "413": text("<h1>413 Request Entity Too Large</h1>", 413),
    "429": refused(429, "M_LIMIT_EXCEEDED", { retry_after_ms: 60_000 }),
    "500": text("", 500),
    "too many characters": text(" ".repeat(12_000_000)),
  };

  for (const [endpoint, others] of Object.entries({
    "/devices": ["Password", "Email addresses and phone numbers", "Deactivate account"],
    "/account/3pid": ["Devices", "Password", "Deactivate account"],
    "/profile/%40alice%3Ahs.example": ALL,
    "/capabilities": [],
    "/auth_metadata": [],
    "/account/whoami": [],
    "/media/config": ALL,
  })) {
    it(`are shown, or an error with Try again, whatever the response of ${endpoint} is`, async () => {
      for (const [what, respond] of Object.entries(RESPONSES)) {
        servers = await useTestServers({ login: ["password"] });
        const restore = servers.override(`GET ${endpoint}`, respond, { times: Infinity });
        // Only a token without a known user needs whoami.
        const { accessToken } = servers.signIn("alice");
        element = await make({
          client: new HomeserverClient({ baseUrl: HOMESERVER, accessToken }),
        });
        await settled(element);
        await waitFor(
          () => element.state === "ready" || element.shadowRoot?.querySelector("[part=error]"),
        );
        expect(headings(), what).to.include.members([...others]);
        expect(textIn(element), what).to.not.match(/undefined|null|NaN|\[object|Infinity|<\w/);
        restore();
        if (element.state === "error") control(element, "Try again").click();
        await waitFor(
          () => element.state === "ready",
          () => `${what}: ${textIn(element)}`,
        );
        element.remove();
        restoreStubs();
      }
    });
  }

  it("are replaced by an error and Try again if the provider's metadata can't be read", async () => {
    servers = await useTestServers({ login: ["password"] });
    const restore = servers.refuse("/auth_metadata", 500, {}, { times: Infinity });
    const failed = nextEvent(document, "matrix-account-error");
    element = await make({ session: signIn(servers) });
    await settled(element);
    expect((await failed).detail).to.include({ section: undefined, code: "server_error" });
    expect(headings()).to.deep.equal([]);
    expect(part(element, "error").textContent).to.contain("Something went wrong on the server.");
    restore();
    control(element, "Try again").click();
    await waitFor(() => element.state === "ready");
    await element.updateComplete;
    expect(headings()).to.deep.equal(ALL);
  });

  it("are replaced by an error while the page requests an unknown one", async () => {
    await show({ login: ["password"] }, "devices keys");
    expect(element.error).to.include({ code: "settings_invalid" });
    element.sections = "devices";
    await waitFor(() => element.state === "ready");
    expect(headings()).to.deep.equal(["Devices"]);
  });

  // Frameworks set `true` for an attribute without a value, and pages a stored session's description.
  for (const [what, given, code] of [
    ["true as sections", { sections: true }, "settings_invalid"],
    ["NaN as sections", { sections: NaN }, "settings_invalid"],
    ["a symbol as sections", { sections: Symbol("devices") }, "settings_invalid"],
    ["an object as session", { session: { homeserverUrl: HOMESERVER } }, "settings_invalid"],
    ["a text as session", { session: "alice" }, "settings_invalid"],
    ["a text as client", { client: "alice" }, "settings_invalid"],
  ] as const) {
    it(`are replaced by an error if the page sets ${what}`, async () => {
      servers = await useTestServers();
      const reported = nextEvent(document, "matrix-account-error");
      element = await make({ session: signIn(servers), ...(given as object) });
      expect((await reported).detail).to.include({ section: undefined, code });
      await settled(element);
      expect(element.error).to.include({ code });
      expect(part(element, "error").textContent).to.contain("isn’t configured correctly");
    });
  }

  it("are shown if the client is an empty text, as Preact writes null", async () => {
    servers = await useTestServers({ login: ["password"] });
    element = await make({ session: signIn(servers), client: "" as never });
    await settled(element);
    expect(headings()).to.deep.equal(ALL);
  });

  it("have their headings in the first paint, and are all shown together with the devices", async () => {
    servers = await useTestServers({ login: ["password"] });
    const { asked, release } = hold(servers, "/capabilities");
    const session = signIn(servers);
    element = await make({ session });
    await asked;
    await element.updateComplete;
    expect(headings()).to.deep.equal(ALL);
    expect(element.shadowRoot?.querySelectorAll(".skeleton")).to.have.length(ALL.length);
    // The devices don't wait for the account.
    await waitFor(() => logOf(servers).some((each) => each.endsWith("/devices")));
    release();
    await settled(element);
    expect(element.shadowRoot?.querySelectorAll(".skeleton")).to.have.length(0);
    expect(logOf(servers).filter((each) => each.endsWith("/devices"))).to.have.length(1);
  });

  it("are loading and then ready, with one statechange for each", async () => {
    servers = await useTestServers({ login: ["password"] });
    element = await make({});
    const states: string[] = [];
    element.addEventListener("statechange", () => states.push(element.state));
    element.session = signIn(servers);
    await settled(element);
    expect(states).to.deep.equal(["loading", "ready"]);
  });

  it("belong to the client that a context provides", async () => {
    servers = await useTestServers({ login: ["password"] });
    const { accessToken } = servers.signIn("alice");
    const client = new HomeserverClient({ baseUrl: HOMESERVER, accessToken });
    element = await make({});
    expect(element.state).to.equal("idle");
    provideAuthClient(document.body, client);
    await settled(element);
    expect(element.userId).to.equal("@alice:hs.example");
    expect(logOf(servers)).to.include(AUTH_METADATA);
    provideAuthClient(document.body, undefined);
    await waitFor(() => element.state === "idle");
  });

  it("include the page's replacement in its place, without loading the original", async () => {
    servers = await useTestServers({ login: ["password"] });
    element = document.createElement("matrix-account");
    element.innerHTML = '<p slot="section-devices">My own list</p>';
    element.session = signIn(servers);
    document.body.append(element);
    await settled(element);
    expect(headings()).to.deep.equal(ALL.slice(1));
    expect(logOf(servers).filter((each) => each.endsWith("/devices"))).to.deep.equal([]);
    element.remove();
  });
});
