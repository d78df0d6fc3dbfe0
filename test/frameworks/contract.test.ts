// What a framework does to custom elements, on these: the sixteen tests of custom-elements-everywhere
// (displaying, attributes, properties, events), and what a page of an application does besides.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { startPages } from "../../demo/server/pages.js";
import { startChromium } from "../e2e/driver/chromium.js";
import type { Driver, Profile, Tab } from "../e2e/driver/driver.js";
import { waitForState, atProvider, textOf } from "../e2e/user-actions.js";
import { folder, startTestbed, type Testbed } from "../e2e/testbed.js";
import {
  DIALOG_ATTRIBUTES,
  FRAME_ATTRIBUTES,
  LOGIN_ATTRIBUTES,
  type Page,
  type Shown,
} from "./contract.js";
import { FRAMEWORKS } from "./frameworks.js";

let driver: Driver;
let bed: Testbed;
before(async () => {
  driver = await startChromium();
  bed = await startTestbed();
});
after(async () => {
  await driver.close();
  await bed.close();
});

/** By the pages' id for them: `login-attributes`. */
const SETTINGS = {
  login: { ...LOGIN_ATTRIBUTES, disabled: true },
  callback: { manual: true, "return-to": "/account", persist: "local" },
  dialog: DIALOG_ATTRIBUTES,
  frame: FRAME_ATTRIBUTES,
};

describe("The contract", () => {
  it("has every attribute of every element, but those that begin something", async () => {
    const { modules } = JSON.parse(await readFile("custom-elements.json", "utf8")) as Manifest;
    const elements = modules.flatMap(({ declarations }) => declarations);
    for (const [name, settings] of Object.entries(SETTINGS)) {
      const found = elements.find(({ tagName }) => tagName?.endsWith(`-${name}`));
      const documented = found?.attributes?.map((attribute) => attribute.name) ?? [];
      assert.deepEqual(
        documented.filter((attribute) => attribute !== "open").sort(),
        Object.keys(settings).sort(),
      );
    }
  });
});

interface Manifest {
  readonly modules: readonly {
    readonly declarations: readonly {
      readonly tagName?: string;
      readonly attributes?: readonly { readonly name: string }[];
    }[];
  }[];
}

const camelCase = (name: string): string =>
  name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

for (const { name, app, contract, lateProperties, server } of FRAMEWORKS) {
  describe(`With ${name}, the elements`, { timeout: 300_000 }, () => {
    let pages: Awaited<ReturnType<typeof startPages>>;
    let profile: Profile;
    let tab: Tab;

    before(async () => {
      pages = await startPages({ roots: { "/": folder(app), "/contract/": folder(contract) } });
    });
    after(() => pages.close());

    const open = async (query = ""): Promise<void> => {
      profile = await driver.newProfile();
      tab = await profile.newTab();
      await tab.goto(`${pages.origin}/contract/${query}`);
      await tab.waitForTrue("document.querySelector('#plain') !== null && 'page' in window");
    };
    const close = async (): Promise<void> => {
      await profile.close();
      assert.deepEqual(tab.warnings, [], "the console is quiet");
    };
    const show = (change: Partial<Shown>): Promise<void> =>
      tab.run(`page.show(${JSON.stringify(change)})`);
    const set = (change: Partial<Page>): Promise<void> =>
      tab.run(`void Object.assign(page, ${JSON.stringify(change)})`);
    const property = <T>(id: string, key: string): Promise<T> =>
      tab.run(`document.querySelector("#${id}").${key}`);
    const becomes = (id: string, key: string, value: unknown): Promise<void> =>
      tab.waitForTrue(
        `JSON.stringify(document.querySelector("#${id}")?.${key}) === ${JSON.stringify(JSON.stringify(value))}`,
      );
    const reads = (selector: string, text: string): Promise<void> =>
      tab.waitForTrue(
        `document.querySelector(${JSON.stringify(selector)})?.innerText === ${JSON.stringify(text)}`,
      );
    const heard = (id: string): Promise<Page["heard"]> =>
      tab.run(`page.heard.filter((heard) => heard.id === "${id}")`);
    const hears = (id: string, type: string, times = 1): Promise<void> =>
      tab.waitForTrue(
        `page.heard.filter((heard) => heard.id === "${id}" && heard.type === "${type}").length === ${times}`,
      );
    const detail = async (id: string, type: string): Promise<unknown> =>
      (await heard(id)).find((event) => event.type === type)?.detail;

    for (const late of [false, true]) {
      describe(late ? "defined after they were rendered" : "defined before", () => {
        // One page for all: each looks at what no other changes.
        before(async () => {
          await open(late ? "?late" : "");
          if (late) {
            assert.equal(await tab.run("customElements.get('oidc-login')"), null);
            await tab.run("page.define()");
          }
        });
        after(close);

        it("are displayed without children", async () => {
          await tab.waitForTrue(
            "document.querySelector('#plain').shadowRoot?.querySelector('button') != null",
          );
          assert.equal(await textOf(tab, "#plain"), "Sign in");
        });

        it("display their children, and display them anew", async () => {
          await tab.waitFor("#login");
          assert.equal(await textOf(tab, "#login"), "Label 1");
          await show({ label: "2" });
          await reads("#login", "Label 2");
          assert.equal(await textOf(tab, "#login"), "Label 2");
        });

        it("take a boolean", async () => {
          const isDisabled = (disabled: boolean): Promise<void> =>
            tab.waitForTrue(
              `document.querySelector("#login").shadowRoot.querySelector("button").disabled === ${disabled}`,
            );
          await isDisabled(false);
          await show({ disabled: true });
          await isDisabled(true);
          await show({ disabled: false });
          await isDisabled(false);
        });

        it("take a number", async () => {
          await becomes("dialog", "pollInterval", 42);
          await show({ pollInterval: 1000 });
          await becomes("dialog", "pollInterval", 1000);
        });

        it("take a string", async () => {
          await becomes("login", "homeserver", "");
          await show({ homeserver: bed.homeserver, redirectUri: "/contract/?back" });
          await becomes("login", "homeserver", bed.homeserver);
          await becomes("login", "redirectUri", "/contract/?back");
          await waitForState(tab, "#login", "ready");
        });

        it("take every setting by its attribute", async () => {
          for (const [element, attributes] of Object.entries(SETTINGS)) {
            for (const [attribute, value] of Object.entries(attributes)) {
              await becomes(`${element}-attributes`, camelCase(attribute), value);
            }
          }
        });

        // What was rendered too early gets them when it is rendered again.
        const again = late && !lateProperties;
        const when = again ? ", rendered anew" : "";
        const renderAnew = async (): Promise<void> => {
          if (!again) return;
          await show({ login: false, dialog: false });
          await tab.waitForTrue("document.querySelector('#login, #dialog') === null");
          await show({ login: true, dialog: true });
        };

        it(`take an array as a property${when}`, async () => {
          await renderAnew();
          const supportedStages = ["m.login.terms"];
          await show({ supportedStages });
          await becomes("dialog", "supportedStages", supportedStages);
        });

        it(`take an object as a property${when}`, async () => {
          await renderAnew();
          await becomes("dialog", "inputs", {});
          await show({ inputs: { registrationToken: "abc" } });
          await becomes("dialog", "inputs", { registrationToken: "abc" });
        });

        it(`take an object as a property in camelCase${when}`, async () => {
          await renderAnew();
          await becomes("login", "clientMetadata", { clientName: "Contract" });
          await show({ clientMetadata: { clientName: "Another" } });
          await becomes("login", "clientMetadata", { clientName: "Another" });
        });

        it("are taken away and put back, twice", async () => {
          for (const label of ["3", "4"]) {
            await show({ login: false, label });
            await tab.waitForTrue("document.querySelector('#login') === null");
            await show({ login: true });
            await reads("#login", `Label ${label}`);
            assert.equal(await textOf(tab, "#login"), `Label ${label}`);
          }
        });
      });
    }

    describe("tell, declaratively heard,", () => {
      beforeEach(() => open());
      afterEach(close);

      const isReady = async (): Promise<void> => {
        await show({ homeserver: bed.homeserver });
        await waitForState(tab, "#login", "ready");
      };

      it("oidc-login-start, which can be cancelled, and imperatively heard", async () => {
        await isReady();
        await set({ cancels: ["oidc-login-start"] });
        await tab.run(`void document.querySelector("#login")
          .addEventListener("oidc-login-start", ({ detail }) => (window.own = detail))`);
        // Listeners that a framework recreates on each render must not add up.
        for (const label of ["2", "3"]) {
          await show({ label });
          await reads("#login", `Label ${label}`);
        }
        await tab.click("#login", "[part=button]");
        await hears("login", "oidc-login-start");
        assert.deepEqual(await tab.run("window.own"), { homeserver: bed.homeserver });
        assert.equal(await property("login", "state"), "ready");
        assert.deepEqual(await heard("login"), [
          { type: "oidc-login-start", id: "login", detail: { homeserver: bed.homeserver } },
        ]);
      });

      it("oidc-redirect, which can be cancelled", async () => {
        await isReady();
        await set({ cancels: ["oidc-redirect"] });
        await tab.click("#login", "[part=button]");
        await hears("login", "oidc-redirect");
        const { url } = (await detail("login", "oidc-redirect")) as { url: string };
        assert.ok(url.startsWith(bed.issuer));
        await waitForState(tab, "#login", "ready");
        assert.equal(tab.url(), `${pages.origin}/contract/`);
      });

      it("oidc-cancel", async () => {
        await show({ homeserver: bed.homeserver });
        await tab.run(`(() => {
          const login = document.querySelector("#login");
          void login.login();
          login.cancel();
        })()`);
        await hears("login", "oidc-cancel");
      });

      it("oidc-error", async () => {
        await show({ homeserver: "no homeserver" });
        await hears("login", "oidc-error");
        assert.deepEqual(await detail("login", "oidc-error"), { code: "homeserver_invalid" });
        await tab.run("document.querySelector('#callback').complete()");
        await hears("callback", "oidc-error");
        assert.deepEqual(await detail("callback", "oidc-error"), { code: "flow_unknown" });
      });

      it("uia-do-request, and of its course up to uia-success", async () => {
        await show({ open: true });
        await tab.waitFor("#dialog [name=token]");
        await tab.typeHere("a token");
        await tab.press("Enter");
        await hears("dialog", "uia-success");
        assert.deepEqual(
          (await heard("dialog")).map(({ type }) => type),
          [
            "uia-busy-changed",
            "uia-do-request",
            "uia-state-updated",
            "uia-busy-changed",
            "uia-busy-changed",
            "uia-do-request",
            "uia-busy-changed",
            "uia-success",
          ],
        );
        assert.equal(await property("dialog", "open"), false);
        // The page's state follows, and begins another: once it was rendered, for a framework may
        // take two changes for one.
        await show({ open: false, label: "closed" });
        await reads("#login", "Label closed");
        await show({ open: true });
        await hears("dialog", "uia-do-request", 3);
        await tab.waitFor("#dialog [name=token]");
      });

      it("uia-request-email-token and uia-request-phone-token", async () => {
        await set({ stages: ["m.login.email.identity", "m.login.msisdn"] });
        const inputs = { phoneCountry: "GB", phoneNumber: "07700900123" };
        await show({ pollInterval: 600_000, inputs, open: true });
        await tab.waitFor("#dialog [name=email]");
        await tab.typeHere("alice@example.org");
        await tab.press("Enter");
        await hears("dialog", "uia-request-email-token");
        await waitForState(tab, "#dialog", "asking");
        await tab.run("void document.querySelector('#dialog').poll()");
        await hears("dialog", "uia-request-phone-token");
        await tab.waitFor("#dialog [name=code]");
      });

      it("uia-cancel, which can be cancelled", async () => {
        await set({ cancels: ["uia-cancel"] });
        await show({ open: true });
        await tab.waitFor("#dialog [name=token]");
        await tab.press("Escape");
        await hears("dialog", "uia-cancel");
        await waitForState(tab, "#dialog", "asking");
        await set({ cancels: [] });
        await tab.press("Escape");
        await hears("dialog", "uia-cancel", 2);
        await waitForState(tab, "#dialog", "idle");
      });

      it("uia-error", async () => {
        await set({ stages: null });
        await show({ open: true });
        await hears("dialog", "uia-error");
      });

      it("uia-fallback-open, -done, -close and -blocked", async () => {
        await show({ homeserver: bed.homeserver });
        await becomes("frame", "url", bed.homeserver);
        const popup = await tab.clickOpening("#frame", "[part=open]");
        await hears("frame", "uia-fallback-open");
        await waitForState(tab, "#frame", "open");
        // What is closed at once was cut off, and not closed by the person.
        await tab.run(
          "(() => { const now = performance.now(); performance.now = () => now + 60_000; })()",
        );
        await popup.close();
        await hears("frame", "uia-fallback-close");
        await tab.run("void (window.open = () => null)");
        await tab.click("#frame", "[part=open]");
        await hears("frame", "uia-fallback-blocked");
        await tab.click("#frame", "[part=finished]");
        await hears("frame", "uia-fallback-done");
      });
    });

    describe("end a login", () => {
      beforeEach(() => open());
      afterEach(close);

      const exchanges = (): number =>
        bed.takeRequests().filter((request) => request === "POST /oauth2/token").length;
      const signsIn = async (redirectUri: string): Promise<void> => {
        await show({ homeserver: bed.homeserver, redirectUri });
        await waitForState(tab, "#login", "ready");
        bed.takeRequests();
        await tab.click("#login", "[part=button]");
      };

      it("with oidc-success, once", async () => {
        await signsIn("");
        await atProvider.signIn(tab);
        await hears("callback", "oidc-success");
        assert.equal(exchanges(), 1);
        assert.equal(tab.url(), `${pages.origin}/contract/`);
      });

      it("with oidc-success, in a window of its own", async () => {
        await show({ homeserver: bed.homeserver, mode: "popup" });
        await waitForState(tab, "#login", "ready");
        bed.takeRequests();
        const popup = await tab.clickOpening("#login", "[part=button]");
        await atProvider.signIn(popup);
        await hears("login", "oidc-success");
        assert.equal(exchanges(), 1);
      });

      it("with oidc-cancel, where the person refuses", async () => {
        await signsIn("");
        await atProvider.refuse(tab);
        await hears("callback", "oidc-cancel");
      });

      it("once, where the callback is mounted three times meanwhile", async () => {
        await signsIn("/contract/?remount");
        await atProvider.signIn(tab);
        await waitForState(tab, "#callback", "success");
        await hears("callback", "oidc-success");
        assert.equal(exchanges(), 1);
      });

      it("where the callback is defined after it was rendered", async () => {
        await signsIn("/contract/?late");
        await atProvider.signIn(tab);
        await tab.waitForTrue("document.querySelector('#callback') !== null && 'page' in window");
        await tab.run("page.define()");
        await hears("callback", "oidc-success");
        assert.equal(exchanges(), 1);
      });
    });

    describe("live with the framework:", () => {
      beforeEach(() => open());
      afterEach(close);

      it("a dialog that is mounted twice asks once, and leaves no listener", async () => {
        const listeners = (): Promise<string[]> => tab.run("[...page.listeners].sort()");
        let mounted = 0;
        const mount = async (): Promise<void> => {
          mounted += 1;
          await show({ dialog: true });
          await tab.waitForTrue("document.querySelector('#dialog') !== null");
          await show({ open: true });
          await hears("dialog", "uia-request-email-token", mounted);
          await waitForState(tab, "#dialog", "asking");
        };
        const leave = async (): Promise<void> => {
          await tab.run("void (window.left = document.querySelector('#dialog'))");
          await show({ dialog: false, open: false });
          await tab.waitForTrue("!window.left.isConnected && window.left.state === 'idle'");
        };
        await set({ stages: ["m.login.email.identity"] });
        await show({ pollInterval: 600_000, inputs: { emailAddress: "alice@example.org" } });
        await mount();
        await leave();
        const before = await listeners();
        for (let times = 0; times < 2; times += 1) {
          await mount();
          assert.notDeepEqual(await listeners(), before, "it listens while it waits");
          await leave();
          assert.deepEqual(await listeners(), before);
        }
        const types = (await heard("dialog")).map(({ type }) => type);
        assert.equal(types.filter((type) => type === "uia-do-request").length, mounted);
        assert.ok(!types.includes("uia-error"));
      });

      it("what is inside a dialog changes, and what was typed stays", async () => {
        await show({ open: true });
        await tab.waitFor("#dialog [name=token]");
        await tab.typeHere("half a tok");
        await show({ label: "2" });
        await reads("#dialog [slot=description]", "Description 2");
        assert.equal(await property("dialog", "querySelector('input').form !== null"), true);
        assert.equal(
          await tab.run("document.querySelector('#dialog [name=token]').value"),
          "half a tok",
        );
      });

      it("a client that is provided after the dialog was rendered is the dialog's", async () => {
        await tab.run("page.provide('#provider', '@late:hs.example')");
        await show({ open: true });
        await tab.waitFor("#dialog [name=token]");
        assert.equal(await property("dialog", "session.userId"), "@late:hs.example");
      });
    });

    if (server) {
      it("are rendered on a server as they are written", async () => {
        const module = pathToFileURL(folder(`${contract}/server/server.js`)).href;
        const { render } = (await import(module)) as { render: () => string | Promise<string> };
        const html = await render();
        for (const part of [
          /<oidc-login [^>]*id="plain"[^>]*><\/oidc-login>/,
          /<oidc-login [^>]*id="login"[^>]*>[^<]*(<!--.*?-->)?\s*Label/,
          /<uia-dialog [^>]*id="dialog-attributes"[^>]* poll-interval="1000"/,
          /<oidc-login [^>]*id="login-attributes"[^>]* client-id="a-client"/,
        ]) {
          assert.match(html, part);
        }
      });
    }
  });
}
