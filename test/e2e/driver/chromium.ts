import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type BrowserContext, type Page, type Request } from "playwright-core";
import { CHROMIUM_ARGUMENTS, ensureChromium } from "../../../scripts/browser.mjs";
import {
  INSECURE_HOST,
  TIMEOUT_MS,
  waitForScript,
  type BlockedStorage,
  type Driver,
  type Profile,
  type Tab,
} from "./driver.js";

const viewport = { width: 1000, height: 720 };
const args = [...CHROMIUM_ARGUMENTS, `--host-resolver-rules=MAP ${INSECURE_HOST} 127.0.0.1`];

export async function startChromium(): Promise<Driver> {
  const executablePath = await ensureChromium();
  const browser = await chromium.launch({ executablePath, args, timeout: 60_000 });
  return {
    async newProfile(blocked): Promise<Profile> {
      if (blocked) return blockedProfile(executablePath, blocked);
      const context = await browser.newContext({ viewport });
      return profile(context, () => context.close());
    },
    close: () => browser.close(),
  };
}

/** Settings of a profile: 2 is "block" for what a site may store. */
function blocking(storage: BlockedStorage): object {
  if (storage === "everywhere") return { default_content_setting_values: { cookies: 2 } };
  if (storage === "in frames") return { block_third_party_cookies: true, cookie_controls_mode: 1 };
  return { content_settings: { exceptions: { cookies: { [`${storage},*`]: { setting: 2 } } } } };
}

/** Blocking is a setting of a profile on disk. */
async function blockedProfile(executablePath: string, storage: BlockedStorage): Promise<Profile> {
  const folder = await mkdtemp(join(tmpdir(), "matrix-auth-elements-"));
  await mkdir(join(folder, "Default"));
  const preferences = { profile: blocking(storage) };
  await writeFile(join(folder, "Default", "Preferences"), JSON.stringify(preferences));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath,
    args,
    timeout: 60_000,
  });
  return profile(context, async () => {
    await context.close();
    await rm(folder, { recursive: true, force: true });
  });
}

function profile(context: BrowserContext, close: () => Promise<void>): Profile {
  context.setDefaultTimeout(TIMEOUT_MS);
  return { newTab: async () => tab(await context.newPage(), context), close };
}

function tab(page: Page, context: BrowserContext): Tab {
  const warnings: string[] = [];
  page.on("console", (message) => {
    if (["warning", "error"].includes(message.type())) warnings.push(message.text());
  });
  page.on("pageerror", (error) => warnings.push(String(error)));
  const responded = new Set<Request>();
  const cancelled: string[] = [];
  page.on("response", (response) => responded.add(response.request()));
  page.on("requestfailed", (request) => {
    const isCancelled = request.failure()?.errorText === "net::ERR_ABORTED";
    if (isCancelled && responded.has(request) && request.resourceType() === "fetch") {
      cancelled.push(`${request.method()} ${request.url()}`);
    }
  });
  return {
    warnings,
    cancelled,
    goto: async (url) => void (await page.goto(url)),
    url: () => page.url(),
    click: (selector, inner) =>
      page
        .locator(inner ? `${selector} ${inner}` : selector)
        .first()
        .click(),
    async clickOpening(selector, inner) {
      const place = page.locator(inner ? `${selector} ${inner}` : selector).first();
      const [opened] = await Promise.all([context.waitForEvent("page"), place.click()]);
      return tab(opened, context);
    },
    async pressOpening(key) {
      const [opened] = await Promise.all([context.waitForEvent("page"), page.keyboard.press(key)]);
      return tab(opened, context);
    },
    press: (key) => page.keyboard.press(key),
    typeHere: (text) => page.keyboard.type(text),
    type: (selector, text) => page.locator(selector).first().fill(text),
    waitFor: (selector) => page.locator(selector).first().waitFor(),
    waitForUrl: (part) => page.waitForURL((url) => url.href.includes(part)),
    // Other engines' protocols speak JSON, so this one does too.
    run: async (script) => JSON.parse(JSON.stringify((await page.evaluate(script)) ?? null)),
    // From outside: a script in the page that evaluates another would violate the page's policy.
    waitForTrue: (script) => waitForScript((each) => page.evaluate(each), script),
    bringToFront: () => page.bringToFront(),
    isClosed: () => page.isClosed(),
    back: async () => void (await page.goBack()),
    reload: async () => void (await page.reload()),
    setOffline: (offline) => context.setOffline(offline),
    close: () => page.close(),
  };
}
