import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as puppeteer from "puppeteer-core";
import type { Browser, BrowserContext, ElementHandle, KeyInput, Page } from "puppeteer-core";
import { ensureFirefox } from "../../../scripts/browser.mjs";
import {
  INSECURE_HOST,
  TIMEOUT_MS,
  type BlockedStorage,
  type Driver,
  type Profile,
  type Tab,
  waitForScript,
  waitForTrue,
  waitOnPage,
} from "./driver.js";
import { FIND_STILL, FIND_VISIBLE, WAS_CLICKED } from "./page-scripts.js";

const PREFERENCES = { "network.dns.localDomains": INSECURE_HOST };

export async function startFirefox(): Promise<Driver> {
  const executablePath = await ensureFirefox();
  const launch = (preferences: Record<string, unknown>): Promise<Browser> =>
    puppeteer.launch({
      browser: "firefox",
      executablePath,
      headless: true,
      timeout: 60_000,
      extraPrefsFirefox: { ...PREFERENCES, ...preferences },
    });
  const browser = await launch({});
  return {
    async newProfile(blocked): Promise<Profile> {
      if (blocked) return blockedProfile(launch, blocked);
      const context = await browser.createBrowserContext();
      return profile(context, () => context.close());
    },
    close: () => browser.close(),
  };
}

async function blockedProfile(
  launch: (preferences: Record<string, unknown>) => Promise<Browser>,
  storage: BlockedStorage,
): Promise<Profile> {
  const folder = await mkdtemp(join(tmpdir(), "matrix-auth-elements-"));
  // Which site may do what is read from a file; 2 is "deny".
  const permissions = join(folder, "permissions");
  await writeFile(permissions, `origin\tcookie\t2\t${storage}\n`);
  const browser = await launch(
    storage === "everywhere"
      ? { "network.cookie.cookieBehavior": 2 }
      : storage === "in frames"
        ? { "network.cookie.cookieBehavior": 1 }
        : { "permissions.manager.defaultsUrl": pathToFileURL(permissions).href },
  );
  return profile(browser.defaultBrowserContext(), async () => {
    await browser.close();
    await rm(folder, { recursive: true });
  });
}

function profile(context: BrowserContext, close: () => Promise<void>): Profile {
  return {
    async newTab() {
      const page = await context.newPage();
      await page.setViewport({ width: 1000, height: 720 });
      return tab(page);
    },
    close,
  };
}

function tab(page: Page): Tab {
  page.setDefaultTimeout(TIMEOUT_MS);
  const warnings: string[] = [];
  const warn = (text: string): void => {
    // It requests one by itself, and warns of policies that forbid it.
    if (!text.includes("/favicon.ico")) warnings.push(text);
  };
  page.on("console", (message) => {
    if (["warn", "error"].includes(message.type())) warn(message.text());
  });
  page.on("pageerror", (error) => warn(String(error)));
  const find = (selector: string) => findBy(FIND_VISIBLE, page, selector);
  const opened = async (act: () => Promise<void>): Promise<Tab> => {
    // A popup that a frame opens is not reported as its page's.
    const before = await page.browserContext().pages();
    await act();
    let popup: Page | undefined;
    await waitForTrue("a popup", async () => {
      popup = (await page.browserContext().pages()).find((each) => !before.includes(each));
      return popup !== undefined;
    });
    if (!popup) throw new Error("No popup opened");
    return tab(popup);
  };
  const click = async (selector: string, inner?: string): Promise<void> => {
    let clicked = false;
    while (!clicked) {
      const element = await findBy(FIND_STILL, page, selector, inner);
      await element.click().catch(() => undefined);
      // Otherwise the click has left the page.
      clicked = await wasClicked(element).catch(() => true);
    }
  };
  const press = async (key: string): Promise<void> => {
    const withShift = key.startsWith("Shift+");
    if (withShift) await page.keyboard.down("Shift");
    await page.keyboard.press(key.replace("Shift+", "") as KeyInput);
    if (withShift) await page.keyboard.up("Shift");
  };
  return {
    warnings,
    cancelled: [],
    goto: async (url) => void (await page.goto(url)),
    url: () => page.url(),
    click,
    clickOpening: (selector, inner) => opened(() => click(selector, inner)),
    pressOpening: (key) => opened(() => press(key)),
    press,
    typeHere: (text) => page.keyboard.type(text),
    async type(selector, text) {
      const field = await find(selector);
      await field.evaluate((element) => (element as HTMLInputElement).select());
      if (text === "") await press("Backspace");
      else await field.type(text);
    },
    waitFor: async (selector) => void (await find(selector)),
    waitForUrl: (part) => waitForTrue(`a URL with ${part}`, () => page.url().includes(part)),
    run: async (script) => JSON.parse(JSON.stringify((await page.evaluate(script)) ?? null)),
    waitForTrue: (script) => waitForScript((each) => page.evaluate(each), script),
    bringToFront: () => page.bringToFront(),
    isClosed: () => page.isClosed(),
    // By itself: the library would wait for a load that a page out of the cache does not have.
    back: async () => void (await page.evaluate("history.back()")),
    reload: async () => void (await page.reload()),
    setOffline: (offline) => page.setOfflineMode(offline),
    close: () => page.close(),
  };
}

const wasClicked = (element: ElementHandle): Promise<boolean> =>
  element.evaluate(new Function("element", `return (${WAS_CLICKED})(element)`) as () => boolean);

async function findBy(
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
