// The application of demo/matrix-js-sdk in a browser, and what a user does there.
import assert from "node:assert/strict";
import { startPages } from "../../../demo/server/pages.js";
import { apiClient } from "../../contract/api-client.js";
import type { Profile, Tab } from "../../e2e/driver/driver.js";
import { folder } from "../../e2e/testbed.js";
import { waitForPageText, waitForState } from "../../e2e/user-actions.js";
import type { Loopback } from "../synapse/loopback.js";
import type { Synapse } from "../synapse/synapse.js";

/** As docs/csp.md says, and what WebAssembly needs. */
const POLICY =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' http://localhost:*";

export const startNotesPages = (): Promise<Loopback> =>
  startPages({
    roots: { "/": folder("demo/matrix-js-sdk/dist") },
    headers: { "Content-Security-Policy": POLICY },
  });

/** In the clear, or not. */
const MESSAGES = ["m.room.message", "m.room.encrypted"];

interface StoredRecord {
  readonly deviceId: string;
  readonly tokenResponse: { access_token: string; refresh_token?: string; expires_at: number };
}

export class Notes {
  readonly tab: Tab;
  readonly #pages: Loopback;
  readonly #synapse: Synapse;

  private constructor(tab: Tab, pages: Loopback, synapse: Synapse) {
    this.tab = tab;
    this.#pages = pages;
    this.#synapse = synapse;
  }

  /** Opens the page in a tab, and names the homeserver. */
  static async open(profile: Profile, pages: Loopback, synapse: Synapse): Promise<Notes> {
    const notes = new Notes(await profile.newTab(), pages, synapse);
    await notes.tab.goto(`${pages.origin}/`);
    await notes.tab.waitFor("matrix-login #homeserver");
    await notes.tab.type("matrix-login #homeserver", synapse.serverName);
    await notes.waitForLogin();
    return notes;
  }

  waitForLogin(): Promise<void> {
    return waitForState(this.tab, "matrix-login", "ready");
  }

  /** Waits until the device is there, with its keys. */
  waitForDevice(is: "signed" | "not signed"): Promise<void> {
    return this.tab.waitForTrue(
      `document.querySelector("#device").textContent.endsWith(" is ${is}.")`,
    );
  }

  async write(text: string): Promise<void> {
    await this.tab.type("#write input", text);
    await this.tab.press("Enter");
    await this.tab.waitForTrue("document.querySelector('#write input').value === ''");
  }

  /** Waits until the page shows what was written, decrypted. */
  waitForNotes(...texts: readonly string[]): Promise<void> {
    const shown = "[...document.querySelectorAll('#notes li')].map((item) => item.textContent)";
    return this.tab.waitForTrue(
      `JSON.stringify(${shown}) === ${JSON.stringify(JSON.stringify(texts))}`,
    );
  }

  waitForRoom(): Promise<void> {
    return waitForPageText(this.tab, "Notes to myself");
  }

  /** What the page stores of its session. */
  record(): Promise<StoredRecord> {
    return this.tab.run("JSON.parse(localStorage.getItem('matrix-auth-elements:session'))");
  }

  /** Changes what is stored while nobody uses it, and opens the page again. */
  async reopenWith(change: (record: StoredRecord) => void | Promise<void>): Promise<void> {
    await this.tab.goto(`${this.#pages.origin}/icon.svg`);
    const record = await this.record();
    await change(record);
    const text = JSON.stringify(JSON.stringify(record));
    await this.tab.run(`localStorage.setItem('matrix-auth-elements:session', ${text})`);
    await this.tab.goto(`${this.#pages.origin}/`);
  }

  /** What the homeserver has: the user's published master key, and the types of the messages in their one room. */
  async atHomeserver(): Promise<{ masterKey: unknown; types: readonly string[] }> {
    const { access_token: token } = (await this.record()).tokenResponse;
    const api = apiClient(this.#synapse, token);
    const { user_id: userId } = (await api("GET", "v3/account/whoami")).body;
    const keys = await api("POST", "v3/keys/query", { device_keys: { [String(userId)]: [] } });
    const { [String(userId)]: master } = keys.body["master_keys"] as Record<
      string,
      { readonly keys: object }
    >;
    const rooms = (await api("GET", "v3/joined_rooms")).body["joined_rooms"] as readonly string[];
    assert.equal(rooms.length, 1);
    const path = `v3/rooms/${encodeURIComponent(rooms[0] ?? "")}/messages?dir=b&limit=50`;
    const events = (await api("GET", path)).body["chunk"] as readonly { readonly type: string }[];
    const types = events.map(({ type }) => type).filter((type) => MESSAGES.includes(type));
    return { masterKey: Object.values(master?.keys ?? {})[0], types };
  }
}
