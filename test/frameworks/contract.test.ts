// Each framework's handling of custom elements, tested with these: the cases of custom-elements-everywhere
// (display, attributes, properties, and events), and others that apps need.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { startPages } from "../../demo/server/pages.js";
import { startChromium } from "../e2e/driver/puppeteer.js";
import type { Driver, Profile, Tab } from "../e2e/driver/driver.js";
import { waitForState, atProvider, textOf } from "../e2e/user-actions.js";
import { folder, startTestbed, type Testbed } from "../e2e/testbed.js";
import { elements } from "../package/manifest.mjs";
import { FLAGS, SETTINGS as VALUES, TAGS } from "./contract-page.table.mjs";
import type { Page, Shown } from "./contract.js";
import { FRAMEWORKS, POLICY, REFUSAL } from "./frameworks.table.js";
import { SUITE } from "../support/wait-for.mjs";

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

/** The settings by the page's ID of the element, such as `login-attributes`. */
const SETTINGS = Object.fromEntries(
  Object.entries(VALUES).map(([id, values]): [string, Readonly<Record<string, unknown>>] => [
    id,
    { ...values, ...Object.fromEntries((FLAGS[id] ?? []).map((name) => [name, true])) },
  ]),
);

const tags: Readonly<Record<string, string>> = TAGS;

/** The documented attributes or events of the element with this ID. */
function documented(id: string, what: "attributes" | "events"): readonly string[] {
  const entries = elements.find(({ tagName }) => tagName === tags[id])?.[what];
  assert.ok(entries, id);
  // This event fires with every other.
  return entries.map(({ name }) => name).filter((name) => name !== "statechange");
}

it("The contract has every attribute of every element, except those that start an action", () => {
  for (const [id, settings] of Object.entries(SETTINGS)) {
    const attributes = documented(id, "attributes").filter((name) => name !== "open");
    assert.deepEqual([...attributes].sort(), Object.keys(settings).sort());
  }
});

const camelCase = (name: string): string =>
  name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

for (const { name, contract, lateProperties, server, registers } of FRAMEWORKS) {
  describe(`The elements with ${name}`, SUITE, () => {
    let pages: Awaited<ReturnType<typeof startPages>>;
    let profile: Profile;
    let tab: Tab;

    before(async () => {
      pages = await startPages({
        roots: { "/": folder("demo/vue/public"), "/contract/": folder(contract) },
        headers: { "Content-Security-Policy": POLICY },
      });
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
      const warnings = tab.warnings.filter((each) => !REFUSAL.test(each));
      assert.deepEqual(warnings, [], "the console is quiet");
    };
    const show = (change: Partial<Shown>): Promise<void> =>
      tab.run(`page.show(${JSON.stringify(change)})`);
    const set = (change: Partial<Page>): Promise<void> =>
      tab.run(`void Object.assign(page, ${JSON.stringify(change)})`);
    const property = <T>(id: string, key: string): Promise<T> =>
      tab.run(`document.querySelector("#${id}").${key}`);
    const matrixIsLoaded = (): Promise<void> =>
      tab.waitForTrue(
        "document.querySelector('#matrix').shadowRoot?.querySelector('[name=homeserver]') != null",
      );
    const becomes = (id: string, key: string, value: unknown): Promise<void> =>
      tab.waitForTrue(
        `JSON.stringify(document.querySelector("#${id}")?.${key}) === ${JSON.stringify(JSON.stringify(value))}`,
      );
    const reads = (selector: string, text: string): Promise<void> =>
      tab.waitForTrue(
        `document.querySelector(${JSON.stringify(selector)})?.innerText === ${JSON.stringify(text)}`,
      );
    const events = (id: string): Promise<Page["events"]> =>
      tab.run(`page.events.filter((event) => event.id === "${id}")`);
    const fires = (id: string, type: string, times = 1): Promise<void> =>
      tab.waitForTrue(
        `page.events.filter((event) => event.id === "${id}" && event.type === "${type}").length === ${times}`,
      );

    if (registers) {
      it(`${name} keep the first store that a component creates while rendering, and warn once`, async () => {
        await open();
        await tab.run("showInlineStore()");
        await reads("#session", "signed out");
        await tab.run(`(async () => {
          for (let frames = 0; frames < 20; frames++) await new Promise(requestAnimationFrame);
        })()`);
        assert.equal(await tab.run("renders()"), 2);
        const warnings = tab.warnings.filter((each) => each.includes("useMatrixSession()"));
        assert.equal(warnings.length, 1);
        await profile.close();
      });

      it(`${name} never show one account's session for another one`, async () => {
        await open();
        for (const account of ["alice", "bob"]) {
          await tab.run(`showAccount("${account}")`);
          await reads("#account-session", `${account}: @${account}:hs.example`);
        }
        const isOther = (text: string): boolean => !/^(\w+): (?:@\1:|loading$)/.test(text);
        assert.deepEqual((await tab.run<string[]>("shown")).filter(isOther), []);
        await close();
      });
    }

    for (const late of registers ? [false] : [false, true]) {
      const when = `with elements defined ${late ? "after" : "before"} rendering`;
      describe(when, () => {
        // All tests share one page, because each reads values that no other changes.
        before(async () => {
          await open(late ? "?late" : "");
          if (late) {
            assert.equal(await tab.run("customElements.get('oidc-login')"), null);
            await tab.run("page.define()");
          }
        });
        after(close);

        it(`${name} displays an element without children, ${when}`, async () => {
          await tab.waitForTrue(
            "document.querySelector('#plain').shadowRoot?.querySelector('button') != null",
          );
          assert.equal(await textOf(tab, "#plain"), "Sign in");
        });

        it(`${name} displays children, and changes of them, ${when}`, async () => {
          await tab.waitFor("#login");
          assert.equal(await textOf(tab, "#login"), "Label 1");
          await show({ label: "2" });
          await reads("#login", "Label 2");
          assert.equal(await textOf(tab, "#login"), "Label 2");
        });

        it(`${name} displays <matrix-login> and <matrix-account> with their slotted content, ${when}`, async () => {
          await matrixIsLoaded();
          await show({ label: "matrix" });
          await reads("#matrix > [slot=heading]", "Heading matrix");
          await reads("#account > [slot=heading]", "Account matrix");
        });

        it(`${name} passes a boolean, ${when}`, async () => {
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

        it(`${name} passes a string, ${when}`, async () => {
          await becomes("login", "homeserver", "");
          await show({ homeserver: bed.homeserver, redirectUri: "/contract/?back" });
          await becomes("login", "homeserver", bed.homeserver);
          await becomes("login", "redirectUri", "/contract/?back");
          await waitForState(tab, "#login", "ready");
        });

        it(`${name} passes every setting as its attribute, ${when}`, async () => {
          for (const [element, attributes] of Object.entries(SETTINGS)) {
            for (const [attribute, value] of Object.entries(attributes)) {
              await becomes(`${element}-attributes`, camelCase(attribute), value);
            }
          }
        });

        // An element that was rendered too early gets its properties at the next rendering.
        const again = late && !lateProperties ? ", once rendered again" : "";
        const renderAnew = async (): Promise<void> => {
          await show({ login: false, matrix: false, dialog: false, account: false });
          await tab.waitForTrue(
            "document.querySelector('#login, #matrix, #dialog, #account') === null",
          );
          await show({ login: true, matrix: true, dialog: true, account: true });
        };

        for (const [what, id, key, first, next, time] of [
          ["a number", "dialog", "pollInterval", 42, 1000, ""],
          [
            "an array as a property",
            "dialog",
            "supportedStages",
            undefined,
            ["m.login.terms"],
            again,
          ],
          ["an object as a property", "dialog", "inputs", {}, { registrationToken: "abc" }, again],
          [
            "an object as a property in camelCase",
            "login",
            "clientMetadata",
            { clientName: "Contract" },
            { clientName: "Another" },
            again,
          ],
          [
            "an array to <matrix-login>",
            "matrix",
            "suggestions",
            [],
            ["hs.example", "other.example"],
            again,
          ],
        ] as const) {
          it(`${name} passes ${what}, ${when}${time}`, async () => {
            if (time) await renderAnew();
            if (first !== undefined) await becomes(id, key, first);
            await show({ [key]: next });
            await becomes(id, key, next);
          });
        }

        it(`${name} passes a client and a session to <matrix-account>, ${when}${again}`, async () => {
          if (again) await renderAnew();
          await tab.run("page.show(page.account)");
          await tab.waitForTrue(
            "['client', 'session'].every((key) => document.querySelector('#account')[key] === page.account[key])",
          );
          await waitForState(tab, "#account", "ready");
          assert.match(await textOf(tab, "#account"), /LAPTOP/);
        });

        it(`${name} removes elements and adds them again, twice, ${when}`, async () => {
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

    describe("each on a separate page", () => {
      beforeEach(() => open());
      afterEach(close);

      it(`${name} calls its listener for each event once, with the event itself`, async () => {
        // Frameworks that make a new listener for each render must remove the old one.
        for (const label of ["2", "3"]) {
          await show({ label });
          await reads("#login", `Label ${label}`);
        }
        for (const id of Object.keys(SETTINGS)) {
          const types = documented(id, "events");
          await set({ cancels: [...types] });
          for (const type of types) {
            const outcome = await tab.run(`(() => {
              const element = document.querySelector("#${id}");
              const imperatively = [];
              element.addEventListener("${type}", (event) => imperatively.push(event.type));
              const detail = { code: "of ${type}" };
              const event = new CustomEvent("${type}", { cancelable: true, detail });
              return [element.dispatchEvent(event), imperatively];
            })()`);
            assert.deepEqual(outcome, [false, [type]], `${type} is cancelled, and reaches both`);
          }
          assert.deepEqual(
            await events(id),
            types.map((type) => ({ type, id, detail: { code: `of ${type}` } })),
          );
        }
      });

      it(`${name} lets a listener respond to uia-do-request, and reflects open`, async () => {
        await show({ open: true });
        await tab.waitFor("#dialog [name=token]");
        await tab.typeHere("a token");
        await tab.press("Enter");
        await fires("dialog", "uia-success");
        assert.equal(await property("dialog", "open"), false);
        // The page sets its state, and starts another request after the next rendering, because a framework
        // may merge two changes.
        await show({ open: false, label: "closed" });
        await reads("#login", "Label closed");
        await show({ open: true });
        await fires("dialog", "uia-do-request", 3);
        await tab.waitFor("#dialog [name=token]");
      });

      const exchanges = (): number =>
        bed.takeRequests().filter((request) => request === "POST /oauth2/token").length;
      const signsIn = async (redirectUri: string): Promise<void> => {
        await show({ homeserver: bed.homeserver, redirectUri });
        await waitForState(tab, "#login", "ready");
        bed.takeRequests();
        await tab.click("#login", "[part=button]");
      };

      it(`${name} fires one oidc-success at the end of a sign-in`, async () => {
        await signsIn("");
        await atProvider.signIn(tab);
        await fires("callback", "oidc-success");
        assert.equal(exchanges(), 1);
        assert.equal(await tab.url(), `${pages.origin}/contract/`);
      });

      it(`${name} completes a sign-in once when the callback is mounted three times during it`, async () => {
        await signsIn("/contract/?remount");
        await atProvider.signIn(tab);
        await fires("callback", "oidc-success");
        // The last element joins the others, unless the sign-in ends before it is mounted.
        await tab.waitForTrue(
          "['idle', 'success'].includes(document.querySelector('#callback')?.state)",
        );
        await fires("callback", "oidc-success");
        assert.equal(exchanges(), 1);
      });

      if (!registers) {
        it(`${name} ends a sign-in when the callback is defined after it was rendered`, async () => {
          await signsIn("/contract/?late");
          await atProvider.signIn(tab);
          await tab.waitForTrue("document.querySelector('#callback') !== null && 'page' in window");
          await tab.run("page.define()");
          await fires("callback", "oidc-success");
          assert.equal(exchanges(), 1);
        });
      }

      it(`${name} starts one request for each mount of a dialog, and leaves no listener`, async () => {
        const listeners = (): Promise<string[]> => tab.run("[...page.listeners].sort()");
        let mounted = 0;
        const mount = async (): Promise<void> => {
          mounted += 1;
          await show({ dialog: true });
          await tab.waitForTrue("document.querySelector('#dialog') !== null");
          await show({ open: true });
          await fires("dialog", "uia-request-email-token", mounted);
          await waitForState(tab, "#dialog", "awaiting-input");
        };
        const leave = async (): Promise<void> => {
          await tab.run("void (window.left = document.querySelector('#dialog'))");
          await show({ dialog: false, open: false });
          await tab.waitForTrue("!window.left.isConnected && window.left.state === 'idle'");
        };
        // Only #plain and an account stay, because code that other elements load while idle adds listeners too. An account
        // listens while it is shown.
        await show({ login: false, matrix: false, callback: false, frame: false, account: false });
        await tab.waitForTrue(
          "document.querySelector('#login, #matrix, #callback, #frame, #account') === null",
        );
        await tab.waitForTrue(
          `[...page.listeners].filter((each) => each.startsWith("window pageshow")).length ===
            [...document.querySelectorAll("#plain, matrix-account")].filter(
              (each) => each.id === "plain" || each.state === "ready",
            ).length`,
        );
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
        const types = (await events("dialog")).map(({ type }) => type);
        assert.equal(types.filter((type) => type === "uia-do-request").length, mounted);
        assert.ok(!types.includes("uia-error"));
      });

      it(`${name} changes the content of a dialog, and keeps the user's input`, async () => {
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

      it(`${name} passes a client to a dialog that was rendered before the client was provided`, async () => {
        await tab.run("page.provide('#provider', '@late:hs.example')");
        await show({ open: true });
        await tab.waitFor("#dialog [name=token]");
        assert.equal(await property("dialog", "session.userId"), "@late:hs.example");
      });
    });

    if (server) {
      it(`${name} renders the elements on a server as they are written`, async () => {
        const module = pathToFileURL(folder(`${contract}/server/server.js`)).href;
        const { render } = (await import(module)) as { render: () => string | Promise<string> };
        const html = await render();
        for (const part of [
          /<oidc-login [^>]*id="plain"[^>]*><\/oidc-login>/,
          /<oidc-login [^>]*id="login"[^>]*>[^<]*(<!--.*?-->)?\s*Label/,
          /<matrix-login [^>]*id="matrix-attributes"[^>]* user-id="@alice:hs.example"/,
          /<matrix-account [^>]*id="account-attributes"[^>]* sections="devices password"/,
          /<uia-dialog [^>]*id="dialog-attributes"[^>]* poll-interval="1000"/,
          /<oidc-login [^>]*id="login-attributes"[^>]* client-id="a-client"/,
        ]) {
          assert.match(html, part);
        }
      });
    }
  });
}
