// A homeserver that sends long lists, long texts, and entries of other types.
import { expect, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import type { MatrixAccountElement } from "matrix-auth-elements";
import { HomeserverClient, LegacySession } from "matrix-auth-elements/core";
import type { TestServers } from "matrix-auth-elements/testing";
import {
  answer,
  control,
  focusedName,
  make as makeAccount,
  settled,
  shownDevices,
} from "../elements/matrix-account/fixture.js";
import { ready } from "../elements/matrix-login/fixture.js";
import { nextEvent, part, textIn } from "../elements/support/element.js";
import { HOMESERVER, useTestServers } from "../elements/support/test-servers.js";
import { waitFor } from "../elements/support/wait-for.js";
import { restoreStubs, stub } from "../support/stub.js";

/** The elements that the browser must lay out. More would make a page slow. */
const MANY_ELEMENTS = 2000;
/** More text would hide the rest of the page. */
const LONG_TEXT = 30_000;

let servers: TestServers;
beforeEach(async () => {
  servers = await useTestServers({
    login: ["password"],
    accounts: { alice: { password: "secret", emails: ["alice@mail.example"] } },
  });
});
afterEach(restoreStubs);

const list = <Item>(length: number, make: (index: number) => Item): readonly Item[] =>
  Array.from({ length }, (_, index) => make(index));

/** As many entries as fit into 1 MiB. */
const THREEPIDS = list(20_000, (index) => ({ medium: "email", address: `${index}@m.example` }));
const DEVICES = list(20_000, (index) => ({
  device_id: `D${index}`,
  display_name: `Phone ${index}`,
}));

const elementsIn = ({ shadowRoot }: Element): number =>
  shadowRoot?.querySelectorAll("*").length ?? 0;
const rows = ({ shadowRoot }: Element): number =>
  shadowRoot?.querySelectorAll("[part=item]").length ?? 0;

async function account(sections: string): Promise<MatrixAccountElement> {
  const session = new LegacySession(servers.signIn("alice"));
  const element = await makeAccount({ session, sections });
  await settled(element);
  await element.updateComplete;
  return element;
}

const respond = (endpoint: string, body: object): unknown =>
  servers.override(endpoint, () => Response.json(body), { times: Infinity });

describe("A list of addresses in <matrix-account>", () => {
  it("is shown in pages", async () => {
    respond("GET /account/3pid", { threepids: THREEPIDS });
    const element = await account("contacts");
    expect(elementsIn(element)).to.be.below(MANY_ELEMENTS);
    expect(rows(element)).to.equal(20);
    control(element, "Show more").click();
    await waitFor(() => rows(element) === 70);
    await element.updateComplete;
    expect(focusedName(element)).to.equal("Remove 20@m.example");
  });

  it("is complete after an address was removed from it", async () => {
    respond("GET /account/3pid", { threepids: THREEPIDS });
    respond("POST /account/3pid/delete", { id_server_unbind_result: "success" });
    const element = await account("contacts");
    const changed = nextEvent(element, "matrix-account-change");
    control(element, "Remove 7@m.example").click();
    await answer(element, "Remove");
    await changed;
    await element.updateComplete;
    expect(rows(element)).to.equal(20);
    expect(textIn(element)).to.contain("20@m.example");
  });

  it("shows an address of any length, and a duplicate only once", async () => {
    const address = `${"a".repeat(400_000)}@m.example`;
    const threepids = [
      ...list(2, () => ({ medium: "email", address })),
      { medium: "email", address: "b@m.example" },
    ];
    respond("GET /account/3pid", { threepids });
    const element = await account("contacts");
    expect(textIn(element).length).to.be.below(LONG_TEXT);
    expect(rows(element)).to.equal(2);
  });

  it("is shown completely if it is short", async () => {
    const element = await account("contacts");
    expect(rows(element)).to.equal(1);
    expect(textIn(element)).to.contain("alice@mail.example").and.not.contain("Show more");
  });
});

describe("A list of devices in <matrix-account>", () => {
  it("is shown in pages, and signed out as a whole", async () => {
    respond("GET /devices", { devices: DEVICES });
    respond("POST /delete_devices", {});
    const element = await account("devices");
    expect(elementsIn(element)).to.be.below(MANY_ELEMENTS);
    expect(element.devices).to.have.length(DEVICES.length);
    const all = `Sign out all other devices (${DEVICES.length.toLocaleString("en")})`;
    control(element, all).click();
    await answer(element, "Sign out all other devices");
    await waitFor(() => element.devices.length === 0);
    await element.updateComplete;
    expect(textIn(element).length).to.be.below(LONG_TEXT);
  });

  const odd = {
    "a name that is a number": { device_id: "A", display_name: 1 },
    "a name that is an object": { device_id: "A", display_name: { toLowerCase: 1 } },
    "an address that is a list": { device_id: "A", last_seen_ip: [1] },
    "an empty ID": { device_id: "" },
  };
  for (const [what, device] of Object.entries(odd)) {
    it(`shows the others if a device has ${what}`, async () => {
      respond("GET /devices", {
        devices: [device, null, { device_id: "B", display_name: "Phone" }],
      });
      const element = await account("devices contacts");
      expect(element.state).to.equal("ready");
      expect(shownDevices(element)).to.include("Phone");
      expect(element.devices.map(({ device_id }) => device_id)).to.include.members(["B"]);
    });
  }

  it("shows each device once, and a name of any length", async () => {
    const name = "n".repeat(400_000);
    const devices = [
      ...list(2, () => ({ device_id: "A", display_name: name })),
      { device_id: "B" },
    ];
    respond("GET /devices", { devices });
    const element = await account("devices");
    expect(shownDevices(element)).to.have.length(2);
    expect(textIn(element).length).to.be.below(LONG_TEXT);
    control(element, `Rename ${"n".repeat(100)}…`).click();
    await element.updateComplete;
    const input = element.shadowRoot?.querySelector<HTMLInputElement>("[id^=new-name]");
    expect(input?.value.length).to.be.below(1000);
  });

  it("can be searched without normalizing long texts, for which engines take quadratic time", async () => {
    const marks = "\u0345\u0301\u0327\u0334".repeat(1 << 10);
    const odd = { device_id: `A${marks}`, display_name: `n${marks}`, last_seen_ip: marks };
    respond("GET /devices", { devices: [...DEVICES.slice(0, 20), odd] });
    const lengths: number[] = [];
    const { normalize } = String.prototype;
    stub(String.prototype, "normalize", {
      value(this: string, form?: string) {
        lengths.push(this.length);
        return normalize.call(this, form);
      },
    });
    await account("devices");
    restoreStubs();
    expect(Math.max(...lengths)).to.be.within(1, 1000);
  });

  it("has no overlong links to the provider", async () => {
    const uri = `https://idp.example/${"p".repeat(100_000)}`;
    servers = await useTestServers({
      metadata: { account_management_uri: uri, account_management_actions_supported: [] },
    });
    respond("GET /devices", { devices: list(50, (index) => ({ device_id: `D${index}` })) });
    const element = await account("devices password");
    const links = [...(element.shadowRoot?.querySelectorAll("a") ?? [])];
    expect(links.map(({ href }) => href.length).filter((length) => length > 10_000)).to.deep.equal(
      [],
    );
  });
});

describe("A list of identity providers in <matrix-login>", () => {
  const show = async (identity_providers: readonly object[]): Promise<HTMLElement> => {
    respond("GET /login", { flows: [{ type: "m.login.sso", identity_providers }] });
    return ready(html`<matrix-login homeserver=${HOMESERVER}></matrix-login>`);
  };

  it("is shown up to a limit", async () => {
    const element = await show(
      list(15_000, (index) => ({ id: `${index}`, name: `Provider ${index}` })),
    );
    expect(elementsIn(element)).to.be.below(MANY_ELEMENTS);
  });

  it("twin: is shown completely if it is short", async () => {
    const element = await show(list(9, (index) => ({ id: `${index}`, name: `Provider ${index}` })));
    expect(element.shadowRoot?.querySelectorAll("[part=provider]")).to.have.length(9);
  });

  it("shows the start of a name of any length", async () => {
    const element = await show(list(9, (index) => ({ id: `${index}`, name: "n".repeat(100_000) })));
    expect(textIn(element).length).to.be.below(LONG_TEXT);
    expect(part(element, "provider").textContent).to.contain("Continue with nnn");
  });
});

describe("An identity provider without a name in <matrix-login>", () => {
  const shown = async (id: string): Promise<string> => {
    const provider = { id, name: "\u200B" };
    respond("GET /login", {
      flows: [
        { type: "m.login.password" },
        { type: "m.login.sso", identity_providers: [provider, { id: "b", name: "Lantern" }] },
      ],
    });
    return textIn(await ready(html`<matrix-login homeserver=${HOMESERVER}></matrix-login>`));
  };

  it("isn't shown with an ID that is longer than the specification allows", async () => {
    const text = await shown("x".repeat(500_000));
    expect(text.length).to.be.below(LONG_TEXT);
    expect(text).to.contain("Lantern");
  });

  it("twin: is shown with its ID", async () => {
    expect(await shown("x".repeat(255))).to.contain("x".repeat(255));
  });
});

describe("A list of policies in <uia-dialog>", () => {
  const show = async (policies: object): Promise<HTMLElement> => {
    servers.uia.flows = [["m.login.terms"]];
    servers.uia.params = { "m.login.terms": { policies } };
    const client = new HomeserverClient({
      baseUrl: HOMESERVER,
      session: new LegacySession(servers.signIn("alice")),
    });
    const dialog = document.createElement("uia-dialog");
    document.body.append(dialog);
    dialog.authenticate((auth) => client.deleteMultipleDevices(["X"], auth)).catch(() => undefined);
    await waitFor(
      () =>
        (dialog.session?.stage === "m.login.terms" && dialog.querySelector("form, form *")) ||
        textIn(dialog).includes("isn’t configured"),
    );
    return dialog;
  };

  it("is read up to a limit of translations", async () => {
    const translation = { name: "Terms", url: "https://hs.example/terms" };
    let reads = 0;
    const { getCanonicalLocales } = Intl;
    const read = (tag: string): readonly string[] => {
      reads += 1;
      return getCanonicalLocales(tag);
    };
    stub(Intl, "getCanonicalLocales", { value: read });
    const translations = Object.fromEntries(list(10_000, (index) => [`x-${index}`, translation]));
    const dialog = await show({ terms: { version: "1", en: translation, ...translations } });
    expect(dialog.querySelectorAll("[type=checkbox]")).to.have.length(1);
    expect(dialog.querySelector("a")?.href).to.equal(translation.url);
    expect(reads).to.be.below(1000);
    dialog.remove();
  });

  it("twin: is shown completely if it is short", async () => {
    const policy = { version: "1", en: { name: "Terms", url: "https://hs.example/terms" } };
    const dialog = await show(Object.fromEntries(list(9, (index) => [`p${index}`, policy])));
    expect(dialog.querySelectorAll("[type=checkbox]")).to.have.length(9);
    dialog.remove();
  });

  it("isn't accepted partially", async () => {
    const policy = { version: "1", en: { name: "Terms", url: "https://hs.example/terms" } };
    const dialog = await show(Object.fromEntries(list(5000, (index) => [`p${index}`, policy])));
    expect(dialog.querySelectorAll("[type=checkbox]")).to.have.length(0);
    dialog.remove();
  });
});
