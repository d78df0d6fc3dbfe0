// What people feel on a slow device with a slow connection, by the browser's own measures: the demo's pages by a script tag,
// and pages with nothing but a peer's element.
import { fileURLToPath } from "node:url";
import { startDemo } from "../../demo/server/start/demo.js";
import { inTurns } from "./samples.mjs";

/** @typedef {import("./browser.mjs").Browser} Browser */
/** @typedef {import("./browser.mjs").Page} Page */

/** As Chromium's developer tools slow down: a mid-range phone, and "Slow 4G". */
const CPU_RATE = 4;
const NETWORK = {
  offline: false,
  latency: 562.5,
  downloadThroughput: 180_000,
  uploadThroughput: 84_375,
};

/** Until all that comes late has come. */
const QUIET_MS = 2000;

/**
 * @typedef {object} Vitals
 * @property {string} what
 * @property {string} subject
 * @property {number[]} lcp Largest Contentful Paint in ms, by turn.
 * @property {number[]} inp Of a click, in ms; 0 for less than 16. Empty where there is nothing to click.
 * @property {number[]} cls Cumulative Layout Shift.
 */

const PAGES = [
  {
    what: "`<oidc-login>`: the demo's sign-in page",
    path: "/script-tag/index.html",
    click: "oidc-login",
  },
  { what: "`<oidc-callback>`: the demo's callback page", path: "/script-tag/callback.html" },
  {
    what: "`<uia-dialog>`: the demo's page with a protected request",
    path: "/script-tag/protected.html",
    click: "#delete",
  },
  {
    what: "`<hanko-auth>` alone, at a stub of its server",
    subject: "hanko-elements",
    path: "/html/vitals-hanko",
    click: "hanko-auth",
  },
  {
    what: "`<descope-wc>` alone: without its servers it shows nothing",
    subject: "descope",
    path: "/html/vitals-descope",
    click: "descope-wc",
  },
];

/** Notes what the browser measures; no page is left. */
const OBSERVE = `{
  const vitals = (window.vitals = { lcp: 0, inp: 0, cls: 0 });
  const observe = (type, note, options) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true, ...options });
  observe("largest-contentful-paint", ({ startTime }) => (vitals.lcp = startTime));
  observe("layout-shift", ({ value, hadRecentInput }) => (vitals.cls += hadRecentInput ? 0 : value));
  observe("event", ({ duration, interactionId }) => {
    if (interactionId) vitals.inp = Math.max(vitals.inp, duration);
  }, { durationThreshold: 16 });
  addEventListener("oidc-redirect", (event) => event.preventDefault(), { capture: true });
}`;

/**
 * @param {Browser} browser
 * @param {{ origin: string }} site
 * @param {{ turns: number }} options
 * @param {(done: number, all: number) => void} progress
 * @returns {Promise<Vitals[]>}
 */
export async function measureVitals(browser, site, { turns }, progress) {
  const demo = await startDemo(fileURLToPath(new URL("../", import.meta.url)), {
    ...{ homeserver: undefined, clientUri: undefined, help: false, port: 0 },
  });
  /** @type {(Vitals & { url: string, click?: string | undefined })[]} */
  const measured = PAGES.map(({ what, subject = "ours-elements", path, click }) => ({
    ...{ what, subject, click, lcp: [], inp: [], cls: [] },
    url: new URL(path, subject === "ours-elements" ? demo.address : site.origin).href,
  }));
  let done = 0;
  try {
    await inTurns(measured, turns, async (page) => {
      progress((done += 1), measured.length * turns);
      return browser.inFreshPage((tab) => measure(tab, page));
    });
  } finally {
    await demo.close();
  }
  return measured.map(({ what, subject, lcp, inp, cls }) => ({ what, subject, lcp, inp, cls }));
}

/**
 * @param {Page} tab
 * @param {Vitals & { url: string, click?: string | undefined }} page
 */
async function measure(tab, { url, click, lcp, inp, cls }) {
  const session = await tab.context().newCDPSession(tab);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", NETWORK);
  await session.send("Emulation.setCPUThrottlingRate", { rate: CPU_RATE });
  await tab.addInitScript(OBSERVE);
  await tab.goto(url, { waitUntil: "networkidle" });
  await tab.waitForTimeout(QUIET_MS);
  if (click) {
    // In its middle, whatever is there: a peer's element may show nothing without its servers.
    const box = await tab.locator(click).first().boundingBox();
    if (box) await tab.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await tab.waitForTimeout(QUIET_MS);
  }
  /** @type {{ lcp: number, inp: number, cls: number }} */
  const vitals = await tab.evaluate("window.vitals");
  lcp.push(vitals.lcp);
  cls.push(vitals.cls);
  if (click) inp.push(vitals.inp);
  return 0;
}
