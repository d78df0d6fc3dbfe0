import assert from "node:assert/strict";
import { startPages } from "../../../demo/server/pages.js";
import type { SignedInUser } from "../../contract/api-client.js";
import type { Profile, Tab } from "../../e2e/driver/driver.js";
import { POLICY, folder } from "../../e2e/testbed.js";
import type { Loopback } from "../synapse/loopback.js";

/** The result of an operation that the app started. */
export interface Outcome {
  readonly result?: unknown;
  /** Explains a failed test. */
  readonly error?: string;
  readonly name?: string;
  readonly code?: string;
  readonly httpStatus?: number;
}

/** Serves the pages of this folder and of test/e2e, with the built package, under the README's policy. */
export const startApplicationPages = (): Promise<Loopback> =>
  startPages({
    roots: {
      "/": folder("test/e2e/pages"),
      "/application/": folder("test/interop/application/pages"),
      "/dist/": folder("dist"),
    },
    headers: { "Content-Security-Policy": `${POLICY}; img-src 'self' data: blob:` },
  });

/** A script that returns the dialog's text, in its shadow tree and outside it. */
const DIALOG_TEXT = `(() => {
  const { shadowRoot } = document.querySelector("uia-dialog");
  const own = shadowRoot?.querySelector("dialog")?.innerText ?? "";
  const fields = document.querySelector("uia-dialog form")?.innerText ?? "";
  const frame = shadowRoot?.querySelector("uia-fallback-frame")?.shadowRoot?.textContent ?? "";
  return (own + fields + frame).replace(/\\s+/g, " ");
})()`;

/** `pages/application.html` in a browser, and the user's actions on it. */
export class Application {
  readonly tab: Tab;

  constructor(tab: Tab) {
    this.tab = tab;
  }

  /** @param homeserver The homeserver for a user who has not signed in yet. */
  static async open(pages: Loopback, profile: Profile, homeserver = ""): Promise<Application> {
    const app = new Application(await profile.newTab());
    const query = new URLSearchParams({ homeserver }).toString();
    await app.tab.goto(`${pages.origin}/application/application.html?${query}`);
    await app.tab.waitForTrue("window.isReady");
    return app;
  }

  /** Calls a function of `pages/application.js`. */
  async #call(name: string, ...values: readonly unknown[]): Promise<void> {
    const list = values.map((value) => JSON.stringify(value)).join();
    await this.tab.run(`page.${name}(${list})`);
  }

  signIn({ token, userId, deviceId }: SignedInUser): Promise<void> {
    return this.#call("signIn", { token, userId, deviceId });
  }

  /** Starts an operation of `pages/application.js`. */
  begin(name: string, ...values: readonly unknown[]): Promise<void> {
    return this.#call("begin", name, ...values);
  }

  /** Starts creating cross-signing keys. */
  createKeys(): Promise<void> {
    return this.#call("createKeys");
  }

  /** Sets a property of the dialog. */
  async set(name: string, value: unknown): Promise<void> {
    const text = value === undefined ? "undefined" : JSON.stringify(value);
    await this.tab.run(`void (document.querySelector("uia-dialog").${name} = ${text})`);
  }

  /** Fills in a field that the dialog shows, and submits it. */
  async fillIn(field: string, value: string): Promise<void> {
    await this.tab.waitFor(`uia-dialog [name=${field}]`);
    await this.tab.waitForTrue(`document.querySelector("uia-dialog").state === "awaiting-input"`);
    await this.tab.type(`uia-dialog [name=${field}]`, value);
    await this.tab.press("Enter");
  }

  /** Waits until the dialog shows a text. */
  async waitForText(text: string): Promise<void> {
    try {
      await this.tab.waitForTrue(`${DIALOG_TEXT}.includes(${JSON.stringify(text)})`);
    } catch (cause) {
      const ended = JSON.stringify(await this.tab.run("window.outcome ?? null"));
      const found = await this.tab.run<string>(DIALOG_TEXT);
      throw new Error(`It does not show "${text}", but "${found}" (${ended})`, { cause });
    }
  }

  /** Waits for the operation's end. */
  async outcome(): Promise<Outcome> {
    await this.tab.waitForTrue("window.outcome !== undefined");
    return this.tab.run("window.outcome");
  }

  /** Waits for the operation's end. @returns Its result. */
  async result(): Promise<unknown> {
    const { result, error } = await this.outcome();
    assert.equal(error, undefined);
    await this.tab.waitForTrue("!document.querySelector('uia-dialog').open");
    return result;
  }

  /** Waits for the operation's end. @returns Its error code. */
  async errorCode(): Promise<string | undefined> {
    const { error, code } = await this.outcome();
    assert.notEqual(error, undefined);
    return code;
  }

  /** Opens the page that the dialog links to, in a window. */
  openFallback(): Promise<Tab> {
    return this.tab.clickOpening("uia-fallback-frame", "[part=open]");
  }

  /** Returns to the dialog, and reports the step as finished. */
  async claimFinished(): Promise<void> {
    await this.tab.bringToFront();
    await this.tab.click("uia-fallback-frame", "[part=finished]");
  }
}
