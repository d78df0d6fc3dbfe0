import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as puppeteer from "puppeteer-core";
import type { Browser, CDPSession, ElementHandle, KeyInput, Page } from "puppeteer-core";
import {
  CHROMIUM_ARGUMENTS,
  FIREFOX_PREFERENCES,
  ensureChromium,
  ensureWholeChromium,
  ensureFirefox,
} from "../../../scripts/browser.mjs";
import {
  INSECURE_HOST,
  type BlockedStorage,
  type Driver,
  type Profile,
  type Tab,
  waitForScript,
  waitForTrue,
  waitOnPage,
} from "./driver.js";
import { WAIT_MS } from "../../support/wait-for.mjs";
import { FIND_STILL, FIND_VISIBLE, WAS_CLICKED } from "./page-scripts.js";

const OPTIONS = {
  timeout: WAIT_MS,
  // An error names the command that the browser has not answered.
  protocolTimeout: 2 * WAIT_MS,
  // Reports of every request would take a third of the processor time.
  networkEnabled: false,
  defaultViewport: { width: 1000, height: 720 },
  // No test uses it.
  waitForInitialPage: false,
};

/** The data that a profile must not store, and a folder for the files with that setting. */
interface Blocked {
  readonly storage: BlockedStorage;
  readonly folder: string;
}

/** The differences between the browsers. */
interface Engine {
  readonly launch: (blocked?: Blocked) => Promise<Browser>;
  /** A page in a separate window is painted while another is in front. In Firefox a window takes half a second. */
  readonly page: "tab" | "window";
  /** Types into a field that has the focus. */
  readonly enter: (page: Page, text: string) => Promise<void>;
  readonly network: (page: Page) => Pick<Tab, "setOffline" | "watchCancelled">;
}

export async function startChromium(): Promise<Driver> {
  const executablePath = await ensureChromium();
  return start({
    async launch(blocked) {
      if (blocked) await writeChromiumPreferences(blocked);
      return puppeteer.launch({
        ...OPTIONS,
        // The headless shell reads no preferences.
        executablePath: blocked ? await ensureWholeChromium() : executablePath,
        // Puppeteer changes the list, so each launch gets a new one.
        args: [...CHROMIUM_ARGUMENTS, `--host-resolver-rules=MAP ${INSECURE_HOST} 127.0.0.1`],
        ...(blocked && { userDataDir: blocked.folder }),
      });
    },
    page: "window",
    // This takes one request to the browser; each key would take two.
    enter: (page, text) => page.keyboard.sendCharacter(text),
    network: chromiumNetwork,
  });
}

/** Chromium reports on a page's network only if a test needs it. */
function chromiumNetwork(page: Page): Pick<Tab, "setOffline" | "watchCancelled"> {
  let opening: Promise<CDPSession> | undefined;
  const open = async (): Promise<CDPSession> => {
    const session = await page.createCDPSession();
    await session.send("Network.enable");
    return session;
  };
  const network = (): Promise<CDPSession> => (opening ??= open());
  return {
    async setOffline(offline) {
      const session = await network();
      const unlimited = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
      await session.send("Network.emulateNetworkConditions", { offline, ...unlimited });
    },
    async watchCancelled() {
      const session = await network();
      const urls = new Map<string, string>();
      const cancelled: string[] = [];
      session.on("Network.responseReceived", ({ requestId, type, response }) => {
        if (type === "Fetch") urls.set(requestId, response.url);
      });
      session.on("Network.loadingFailed", ({ requestId, canceled }) => {
        const url = urls.get(requestId);
        if (canceled && url) cancelled.push(url);
      });
      return cancelled;
    },
  };
}

/** Chromium reads the blocked data from its profile; 2 is "block". */
async function writeChromiumPreferences({ storage, folder }: Blocked): Promise<void> {
  const profile =
    storage === "everywhere"
      ? { default_content_setting_values: { cookies: 2 } }
      : storage === "in frames"
        ? { block_third_party_cookies: true, cookie_controls_mode: 1 }
        : { content_settings: { exceptions: { cookies: { [`${storage},*`]: { setting: 2 } } } } };
  await mkdir(join(folder, "Default"));
  await writeFile(join(folder, "Default", "Preferences"), JSON.stringify({ profile }));
}

export async function startFirefox(): Promise<Driver> {
  const executablePath = await ensureFirefox();
  return start({
    launch: async (blocked) =>
      puppeteer.launch({
        ...OPTIONS,
        browser: "firefox",
        executablePath,
        extraPrefsFirefox: {
          ...FIREFOX_PREFERENCES,
          "network.dns.localDomains": INSECURE_HOST,
          ...(blocked && (await firefoxPreferences(blocked))),
        },
      }),
    page: "tab",
    // Firefox's protocol accepts all keys in one request.
    enter: (page, text) => page.keyboard.type(text),
    network: (page) => ({
      setOffline: (offline) => page.setOfflineMode(offline),
      watchCancelled: () =>
        Promise.reject(new Error("Firefox does not distinguish them from others")),
    }),
  });
}

async function firefoxPreferences({ storage, folder }: Blocked): Promise<object> {
  if (storage === "everywhere") return { "network.cookie.cookieBehavior": 2 };
  if (storage === "in frames") return { "network.cookie.cookieBehavior": 1 };
  // Firefox reads permissions of sites from a file; 2 is "deny".
  const permissions = join(folder, "permissions");
  await writeFile(permissions, `origin\tcookie\t2\t${storage}\n`);
  return { "permissions.manager.defaultsUrl": pathToFileURL(permissions).href };
}

async function start(engine: Engine): Promise<Driver> {
  const browser = await engine.launch();
  return {
    async newProfile(storage): Promise<Profile> {
      if (storage) return blockedProfile(engine, storage);
      const context = await browser.createBrowserContext();
      return {
        newTab: async () => tab(await context.newPage({ type: engine.page }), engine),
        close: () => context.close(),
      };
    },
    close: () => browser.close(),
  };
}

/** Blocking is a setting of a whole browser. */
async function blockedProfile(engine: Engine, storage: BlockedStorage): Promise<Profile> {
  const folder = await mkdtemp(join(tmpdir(), "matrix-auth-elements-"));
  const browser = await engine.launch({ storage, folder });
  return {
    newTab: async () => tab(await browser.newPage({ type: "window" }), engine),
    async close() {
      await browser.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function tab(page: Page, engine: Engine): Tab {
  page.setDefaultTimeout(WAIT_MS);
  const warnings: string[] = [];
  const warn = (text: string): void => {
    // Firefox requests an icon by itself, and warns of policies that forbid it.
    if (!text.includes("/favicon.ico")) warnings.push(text);
  };
  page.on("console", (message) => {
    if (["warn", "error"].includes(message.type())) warn(message.text());
  });
  page.on("pageerror", (error) => warn(String(error)));
  const opened = async (act: () => Promise<void>): Promise<Tab> => {
    // Puppeteer does not report a frame's popup as its page's popup.
    const before = await page.browserContext().pages();
    await act();
    let popup: Page | undefined;
    await waitForTrue("a popup", async () => {
      popup = (await page.browserContext().pages()).find((each) => !before.includes(each));
      return popup !== undefined;
    });
    if (!popup) throw new Error("No popup opened");
    return tab(popup, engine);
  };
  const click = async (selector: string, inner?: string): Promise<void> => {
    // Firefox may never respond to a script that pauses in a page that is being left.
    await find(FIND_VISIBLE, page, selector, inner);
    let clicked = false;
    while (!clicked) {
      const element = await find(FIND_STILL, page, selector, inner);
      await element.click().catch(() => undefined);
      // If the page is gone, the click has left it.
      clicked = await wasClicked(element).catch(() => true);
    }
  };
  // The page's own URL: the library might notice a navigation later than a script in the page.
  const url = async (): Promise<string> => String(await page.evaluate("location.href"));
  const press = async (key: string): Promise<void> => {
    const withShift = key.startsWith("Shift+");
    if (withShift) await page.keyboard.down("Shift");
    await page.keyboard.press(key.replace("Shift+", "") as KeyInput);
    if (withShift) await page.keyboard.up("Shift");
  };
  return {
    warnings,
    ...engine.network(page),
    goto: async (url) => void (await page.goto(url)),
    url,
    click,
    clickOpening: (selector, inner) => opened(() => click(selector, inner)),
    pressOpening: (key) => opened(() => press(key)),
    press,
    typeHere: (text) => page.keyboard.type(text),
    async type(selector, text) {
      const field = await find(FIND_VISIBLE, page, selector);
      await field.focus();
      await field.evaluate((element) => (element as HTMLInputElement).select());
      if (text === "") await press("Backspace");
      else await engine.enter(page, text);
    },
    waitFor: async (selector) => void (await find(FIND_VISIBLE, page, selector)),
    waitForUrl: (part) =>
      waitForTrue(`a URL with ${part}`, async () => (await url()).includes(part)),
    // The value is converted to JSON, as in WebKit's protocol.
    run: async (script) => JSON.parse(JSON.stringify((await page.evaluate(script)) ?? null)),
    // Evaluates the script from outside, because a page's policy may forbid a script to evaluate another.
    waitForTrue: (script) => waitForScript((each) => page.evaluate(each), script),
    bringToFront: () => page.bringToFront(),
    isClosed: () => page.isClosed(),
    // Puppeteer's own method waits for a load event, which a page from the back/forward cache does not get.
    // The navigation runs in a later task, so that the response to this call is not lost.
    back: async () => void (await page.evaluate("void setTimeout(() => history.back())")),
    reload: async () => void (await page.reload()),
    close: () => page.close(),
  };
}

const wasClicked = (element: ElementHandle): Promise<boolean> =>
  element.evaluate(new Function("element", `return (${WAS_CLICKED})(element)`) as () => boolean);

/** Waits until a script of test/e2e/driver/page-scripts.ts finds an element. */
async function find(
  script: string,
  page: Page,
  selector: string,
  inner?: string,
): Promise<ElementHandle> {
  let found: ElementHandle | null = null;
  await waitOnPage(
    (each) => page.evaluate(each),
    `${selector} ${inner ?? ""}`,
    async () => {
      const given = [selector, inner ?? null].map((text) => JSON.stringify(text)).join();
      const handle = await page.evaluateHandle(`(${script})(${given})`);
      found = handle.asElement() as ElementHandle | null;
      return found !== null;
    },
  );
  if (!found) throw new Error(`No ${selector}`);
  return found;
}
