import assert from "node:assert/strict";
import { startPages } from "../../../demo/server/pages.js";
import { POLICY, folder } from "../../e2e/testbed.js";
import type { Profile, Tab } from "../../e2e/driver/driver.js";
import type { SignedInUser } from "../../contract/api-client.js";

/** How an operation ended; its error's text is for people who read a failed test. */
interface Outcome {
  readonly result?: unknown;
  readonly error?: string;
  readonly code?: string;
}

/** The test's application in a browser, and what a person does there. */
export interface Application {
  readonly tab: Tab;
  signIn(who: SignedInUser): Promise<void>;
  /** Begins an operation of `pages/page.js`. */
  begin(name: string, ...values: unknown[]): Promise<void>;
  /** Fills in what the dialog asks for, and sends it. */
  fillIn(field: string, value: string): Promise<void>;
  /** Waits until the dialog says a text. */
  says(text: string): Promise<void>;
  /** Waits for the operation's end. @returns what it resolved with. */
  succeeds(): Promise<unknown>;
  /** Waits for the operation's end. @returns the code of its error. */
  fails(): Promise<string | undefined>;
  /** Opens the homeserver's own page for the stage. */
  openPage(): Promise<Tab>;
}

/** A script: what the dialog shows, wherever it is. */
export const SHOWN = `(() => {
  const { shadowRoot } = document.querySelector("uia-dialog");
  const own = shadowRoot?.querySelector("dialog")?.innerText ?? "";
  const fields = document.querySelector("uia-dialog form")?.innerText ?? "";
  const frame = shadowRoot?.querySelector("uia-fallback-frame")?.shadowRoot?.textContent ?? "";
  return (own + fields + frame).replace(/\\s+/g, " ");
})()`;

export interface Pages {
  readonly origin: string;
  close(): Promise<void>;
}

/** Serves the application under the policy of the README. */
export const startApplication = (): Promise<Pages> =>
  startPages({
    roots: { "/": folder("test/interop/synapse/pages"), "/dist/": folder("dist") },
    headers: { "Content-Security-Policy": `${POLICY}; img-src data:` },
  });

export async function openApplication(
  { origin }: Pages,
  profile: Profile,
  baseUrl: string,
): Promise<Application> {
  const tab = await profile.newTab();
  const query = new URLSearchParams({ homeserver: baseUrl }).toString();
  await tab.goto(`${origin}/?${query}`);
  await tab.waitForTrue("window.page !== undefined");
  const call = (name: string, values: readonly unknown[]): Promise<unknown> =>
    tab.run(`page.${name}(${values.map((value) => JSON.stringify(value)).join(", ")})`);
  const outcome = async (): Promise<Outcome> => {
    await tab.waitForTrue("window.outcome !== undefined");
    return tab.run("window.outcome");
  };
  return {
    tab,
    async signIn({ token, userId, deviceId }) {
      await call("signIn", [{ token, userId, deviceId }]);
    },
    async begin(name, ...values) {
      await call("begin", [name, ...values]);
    },
    async fillIn(field, value) {
      await tab.waitFor(`uia-dialog [name=${field}]`);
      await tab.waitForTrue(`document.querySelector("uia-dialog").state === "asking"`);
      await tab.type(`uia-dialog [name=${field}]`, value);
      await tab.press("Enter");
    },
    async says(text) {
      try {
        await tab.waitForTrue(`${SHOWN}.includes(${JSON.stringify(text)})`);
      } catch (cause) {
        const ended = JSON.stringify(await tab.run("window.outcome ?? null"));
        const shown = await tab.run<string>(SHOWN);
        throw new Error(`It does not say "${text}", but "${shown}" (${ended})`, { cause });
      }
    },
    async succeeds() {
      const { result, error } = await outcome();
      assert.equal(error, undefined);
      await tab.waitForTrue("!document.querySelector('uia-dialog').open");
      return result;
    },
    async fails() {
      const { error, code } = await outcome();
      assert.notEqual(error, undefined);
      return code;
    },
    openPage: () => tab.clickOpening("uia-fallback-frame", "[part=open]"),
  };
}
