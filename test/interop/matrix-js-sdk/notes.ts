// The app of demo/matrix-js-sdk in a browser, and the user's actions in it.
import assert from "node:assert/strict";
import { startPages } from "../../../demo/server/pages.js";
import { folder } from "../../e2e/testbed.js";
import { waitForPageText } from "../../e2e/user-actions.js";
import type { Loopback } from "../synapse/loopback.js";
import { ClientPage, POLICY } from "./client-page.js";

export const startNotesPages = (): Promise<Loopback> =>
  startPages({
    roots: { "/": folder("demo/matrix-js-sdk/dist") },
    headers: { "Content-Security-Policy": POLICY },
  });

/** Unencrypted and encrypted messages. */
const MESSAGES = ["m.room.message", "m.room.encrypted"];

export class Notes extends ClientPage {
  /** Waits for the device and its keys. */
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

  /** Waits until the page shows the notes, decrypted. */
  waitForNotes(...texts: readonly string[]): Promise<void> {
    const shown = "[...document.querySelectorAll('#notes li')].map((item) => item.textContent)";
    return this.tab.waitForTrue(
      `JSON.stringify(${shown}) === ${JSON.stringify(JSON.stringify(texts))}`,
    );
  }

  waitForRoom(): Promise<void> {
    return waitForPageText(this.tab, "Notes to myself");
  }

  /** The types of the messages in the user's room, as stored on the homeserver. */
  async messageTypes(): Promise<readonly string[]> {
    const api = await this.api();
    const rooms = (await api("GET", "v3/joined_rooms")).body["joined_rooms"] as readonly string[];
    assert.equal(rooms.length, 1);
    const path = `v3/rooms/${encodeURIComponent(rooms[0] ?? "")}/messages?dir=b&limit=50`;
    const events = (await api("GET", path)).body["chunk"] as readonly { readonly type: string }[];
    return events.map(({ type }) => type).filter((type) => MESSAGES.includes(type));
  }
}
