import assert from "node:assert/strict";
import { waitFor } from "../support/wait-for.mjs";
import { waitForTrue, type Profile, type Tab } from "./driver/driver.js";
import { inPage, untilInPage } from "./driver/page.js";

/** Chooses a picture in `<matrix-account>`, as in the browser's dialog. */
export const choosePicture = (tab: Tab): Promise<void> =>
  inPage(tab, () => {
    document.createElement("canvas").toBlob((blob) => {
      const account = document.querySelector("matrix-account");
      const input = account.shadowRoot?.querySelector<HTMLInputElement>("[type=file]");
      if (!blob || !input) throw new Error("No field for a picture");
      const chosen = new DataTransfer();
      chosen.items.add(new File([blob], "picture.png", { type: blob.type }));
      input.files = chosen.files;
      input.dispatchEvent(new Event("change"));
    });
  });

/** A user's actions on the provider's pages. */
export const atProvider = {
  async typePassword(tab: Tab, name = "alice"): Promise<void> {
    await tab.type("[name=username]", name);
    await tab.type("[name=password]", `${name}-demo-password`);
    await tab.click("[name=action][value=sign-in]");
  },

  async signIn(tab: Tab, name?: string): Promise<void> {
    await atProvider.typePassword(tab, name);
    await atProvider.allow(tab);
  },

  async createAccount(tab: Tab, name: string): Promise<void> {
    await tab.waitFor("[name=display_name]");
    await tab.type("[name=username]", name);
    await tab.type("[name=display_name]", "Somebody New");
    await tab.type("[name=password]", "a-long-new-password");
    await tab.click("[name=action][value=create]");
    await atProvider.allow(tab);
  },

  async allow(tab: Tab): Promise<void> {
    await tab.click("[name=action][value=allow]");
  },

  /** Enters the code that another device shows. */
  async enterCode(tab: Tab, code: string): Promise<void> {
    await tab.type("[name=user_code]", code);
    await tab.click("button.primary");
    await tab.click("[name=confirm]");
  },

  async refuse(tab: Tab): Promise<void> {
    await tab.click("[name=action][value=cancel]");
  },

  /** Confirms an action on the account page: `remove` a device, `deactivate` the account. */
  async confirm(tab: Tab, button: "remove" | "deactivate"): Promise<void> {
    await tab.waitFor("summary");
    if (await tab.run("!document.querySelector('details').open")) await tab.click("summary");
    await tab.click(`[name=${button}]`);
  },

  /** Removes a device on its page, which is linked in the account page's list. */
  async removeDevice(tab: Tab, deviceId: string): Promise<void> {
    await tab.click(`.devices a[href$="device_id=${deviceId}"]`);
    await atProvider.confirm(tab, "remove");
    await waitForPageText(tab, `${deviceId} is removed.`);
  },
};

/** An element's text, including its shadow root. */
export const textOf = (tab: Tab, selector: string): Promise<string> =>
  inPage(
    tab,
    (outermost) => {
      const childrenOf = (node: Node): readonly Node[] => {
        if (node instanceof HTMLStyleElement) return [];
        if (node instanceof Element && node.shadowRoot) return [node.shadowRoot];
        const assigned = node instanceof HTMLSlotElement ? node.assignedNodes() : [];
        return assigned.length > 0 ? assigned : [...node.childNodes];
      };
      const text = (node: Node): string =>
        node instanceof Text ? node.data : childrenOf(node).map(text).join("");
      return text(document.querySelector(outermost)).replace(/\s+/g, " ").trim();
    },
    selector,
  );

/** Waits until `<matrix-account>` shows a text, except for the characters that isolate names in it. */
export const waitForAccountText = (tab: Tab, text: string): Promise<void> =>
  waitForTrue(text, async () =>
    (await textOf(tab, "matrix-account")).replace(/[\u2066-\u2069]/g, "").includes(text),
  );

/** Waits until the page shows a text, outside of shadow roots. */
export const waitForPageText = (tab: Tab, text: string): Promise<void> =>
  tab.waitForTrue(`document.body.innerText.includes(${JSON.stringify(text)})`);

/** Waits until an element shows a text. The first error of a page loads its message. */
export const waitForText = (tab: Tab, selector: string, pattern: RegExp): Promise<void> =>
  waitForTrue(`${selector} with ${pattern}`, async () => pattern.test(await textOf(tab, selector)));

/** Waits until an element's `state` property has a value. */
export const waitForState = (tab: Tab, selector: string, state: string): Promise<void> =>
  tab.waitForTrue(
    `document.querySelector(${JSON.stringify(selector)})?.state === ${JSON.stringify(state)}`,
  );

/** Waits until a popup is closed, with another tab in front. */
export const waitForClosed = (popup: Tab, other: Tab): Promise<void> =>
  waitForTrue("a closed popup", async () => {
    await other.run("0");
    return popup.isClosed();
  });

/**
 * Closes a popup after almost two seconds, like a user. The library cannot distinguish a popup that
 * disappears sooner from an isolated one. The time is the opener's, because the browser may slow down the
 * opener's timers.
 */
export async function closePopup(popup: Tab, opener: Tab): Promise<void> {
  for (let look = 0; look < 3; look += 1) {
    await opener.run("new Promise((resolve) => setTimeout(resolve, 600))");
  }
  await popup.close();
}

/** Clicks the button on a page with test/e2e/pages/protected.js after its script has set the client. */
export async function pressBegin(tab: Tab): Promise<void> {
  await tab.waitForTrue("document.querySelector('uia-dialog').client !== undefined");
  await tab.click("#begin");
}

/**
 * Enters a homeserver as by pasting. While the user types one, the page may ask the server whose name is there so far: on a
 * busy machine, the keys come slowly enough for that.
 */
export async function pasteHomeserver(tab: Tab, selector: string, url: string): Promise<void> {
  await tab.type(selector, "");
  await tab.run(`document.execCommand("insertText", false, ${JSON.stringify(url)})`);
}

/** The users of the sessions that a page has stored, as their homeservers report them. It runs in the page. */
export async function storedAccounts(): Promise<readonly string[]> {
  const file = "/dist/cdn/core.js";
  const core = (await import(file)) as typeof import("matrix-auth-elements/core");
  const store = "localStorage";
  const users = (await core.listSessions({ store })).map(async ({ key, kind }) => {
    const session = await core.restoreSession({ store, key });
    if (!session) return `no session ${key}`;
    const client = new core.HomeserverClient({ baseUrl: session.homeserverUrl, session });
    return `${kind} ${(await client.whoami()).user_id}`;
  });
  return (await Promise.all(users)).sort();
}

/**
 * Deletes a device through a dialog with the client of `<matrix-login>`. It runs in the page.
 *
 * @returns The other devices.
 */
export async function deleteDevice(deviceId: string): Promise<readonly string[]> {
  const { client } = document.querySelector("matrix-login");
  if (!client) throw new Error("No user is signed in");
  const dialog = Object.assign(document.createElement("uia-dialog"), { client });
  document.body.append(dialog);
  await dialog.authenticate((auth) => client.deleteDevice(deviceId, auth));
  return (await client.getDevices()).devices.map(({ device_id: id }) => id);
}

/** Clicks the button that opens the provider in `<matrix-login>`, or gives it the focus. */
export const useProviderButton = (tab: Tab, how: "click" | "focus"): Promise<void> =>
  inPage(
    tab,
    (act) => {
      const login = document.querySelector("matrix-login").shadowRoot?.querySelector("oidc-login");
      login?.shadowRoot?.querySelector("button")[act]();
    },
    how,
  );

/** Submits a field of the dialog. */
export async function submitField(tab: Tab, name: string, text: string): Promise<void> {
  const field = `uia-dialog [name=${name}]`;
  await tab.type(field, text);
  await tab.press("Enter");
}

export const submitPassword = (tab: Tab, password = "alice-demo-password"): Promise<void> =>
  submitField(tab, "password", password);

/** Waits until the dialog, or the frame in it, shows a text. */
export const waitForDialogText = (tab: Tab, text: string): Promise<void> =>
  untilInPage(
    tab,
    (wanted) => {
      const { shadowRoot } = document.querySelector("uia-dialog");
      const own = shadowRoot?.querySelector<HTMLElement>("dialog")?.innerText;
      const fields = document.querySelector<HTMLElement>("uia-dialog form")?.innerText;
      const frame = shadowRoot?.querySelector<HTMLElement>("uia-fallback-frame");
      return [own, fields, frame?.shadowRoot?.textContent].join("").includes(wanted);
    },
    text,
  );

/** Opens the homeserver's page for the stage that the dialog shows. */
export const openFallback = (tab: Tab): Promise<Tab> =>
  tab.clickOpening("uia-fallback-frame", "[part=open]");

/**
 * Returns to a tab. Headless browsers show all tabs at the same time, so the page gets no event by
 * itself.
 */
export async function comeBack(tab: Tab): Promise<void> {
  await tab.bringToFront();
  await tab.run("void window.dispatchEvent(new Event('focus'))");
}

/** Opens an email's link in another tab. */
export async function followLink(profile: Profile, tab: Tab, link: string): Promise<void> {
  const mail = await profile.newTab();
  await mail.goto(link);
  await mail.waitForTrue("document.body.innerText.includes('is confirmed')");
  await mail.close();
  await tab.bringToFront();
}

/** Fails if a page violated its policy or left a rejection unhandled; see test/e2e/pages/violations.js. */
export const assertNoViolations = async (tab: Tab): Promise<void> =>
  assert.deepEqual(await tab.run("window.violations"), []);

/** The start and the end of each resource's request. The resources are named by the ends of their URLs. */
export async function resourceTimings(
  tab: Tab,
  ...ends: readonly string[]
): Promise<readonly { startTime: number; responseEnd: number }[]> {
  const timings = (...wanted: readonly string[]) => {
    const entries = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
    const found = wanted.flatMap((end) => entries.find(({ name }) => name.endsWith(end)) ?? []);
    // Firefox's protocol cannot return entry objects.
    return found.map(({ startTime, responseEnd }) => ({ startTime, responseEnd }));
  };
  // Firefox adds the entries some time after the response.
  return waitFor(`No requests of ${ends.join()}`, async () => {
    const found = await inPage(tab, timings, ...ends);
    return found.length === ends.length && found;
  });
}
