// The experience on a slow device with a slow connection, with Google's web-vitals: the demo's
// script-tag pages, and pages with only a peer's element.
import { fileURLToPath } from "node:url";
import { readFile } from "node:fs/promises";
import { startDemo } from "../../demo/server/start/demo.js";
import { inTurns } from "./browser.mjs";
import { columns, compared, titleOf } from "./figures.mjs";

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

/** The browser doesn't report shorter times. */
const FRAME_MS = 16;

/**
 * @typedef {object} Vitals
 * @property {string} what
 * @property {string} subject
 * @property {number[]} LCP Largest Contentful Paint in ms, by turn.
 * @property {number[]} [INP] Interaction to Next Paint of a click, in ms; 0 for less than 16. Only of pages with a button.
 * @property {number[]} CLS Cumulative Layout Shift.
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
    what: "only `<hanko-auth>`, with a stub of its server",
    subject: "hanko-elements",
    path: "/html/only-hanko-elements",
    click: "hanko-auth",
  },
  {
    what: "only `<descope-wc>`: without its servers it shows nothing",
    subject: "descope",
    path: "/html/only-descope",
    click: "descope-wc",
  },
];

/** Records the browser's metrics; no page is left. */
const OBSERVE = `
  window.vitals = { LCP: 0, INP: 0, CLS: 0 };
  for (const on of [webVitals.onLCP, webVitals.onINP, webVitals.onCLS]) {
    const options = { reportAllChanges: true, durationThreshold: 16 };
    on(({ name, value }) => (window.vitals[name] = value), options);
  }
  addEventListener("oidc-redirect", (event) => event.preventDefault(), { capture: true });`;

/** @param {readonly number[]} ms */
const atLeastAFrame = (ms) => ms.map((each) => Math.max(each, FRAME_MS));

/** @type {import("./report.mjs").Section<Vitals>} */
export const vitals = {
  title: "On a slow device",
  text:
    "The browser's own metrics, with a CPU a quarter as fast and Chromium's slow 4G: Largest Contentful Paint, " +
    "a click's Interaction to Next Paint, and Cumulative Layout Shift (the largest of all turns). Ratios to the first row in the same turn. " +
    "All pages are served uncompressed; the peers' pages have only their element.",
  head: ["Page", "By", "LCP", "INP", "CLS"],

  async measure(bench) {
    const library = "tools/bench/node_modules/web-vitals/dist/web-vitals.iife.js";
    const script = `{${await readFile(library, "utf8")}${OBSERVE}}`;
    const demo = await startDemo(fileURLToPath(new URL("../../", import.meta.url)), {
      ...{ homeserver: undefined, clientUri: undefined, help: false, port: 0 },
    });
    try {
      const samples = await inTurns(bench, PAGES, 7, async (page, { subject, path, click }) => {
        const session = await page.context().newCDPSession(page);
        await session.send("Network.enable");
        await session.send("Network.emulateNetworkConditions", NETWORK);
        await session.send("Emulation.setCPUThrottlingRate", { rate: CPU_RATE });
        await page.addInitScript(script);
        const url = new URL(path, subject ? bench.site.origin : demo.address).href;
        await page.goto(url, { waitUntil: "networkidle" });
        await page.waitForTimeout(QUIET_MS);
        if (click) {
          // In its middle, whatever is there: a peer's element may show nothing without its servers.
          const box = await page.locator(click).first().boundingBox();
          if (box) await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
          await page.waitForTimeout(QUIET_MS);
        }
        /** @type {Record<"LCP" | "INP" | "CLS", number>} */
        const found = await page.evaluate("window.vitals");
        return found;
      });
      return samples.map(({ subject: { what, subject = "ours", click }, results }) => {
        const { LCP, INP, CLS } = columns(results);
        return { what, subject, LCP, ...(click && { INP }), CLS };
      });
    } finally {
      await demo.close();
    }
  },

  cells({ what, subject, LCP, INP, CLS }, [first]) {
    /** @param {number[]} ms @param {number[]} [ours] */
    const written = (ms, ours = []) =>
      ms === ours ? compared(ms, ours) : compared(atLeastAFrame(ms), atLeastAFrame(ours));
    return [
      what,
      titleOf(subject),
      written(LCP, first?.LCP),
      INP ? written(INP, first?.INP) : "",
      Math.max(...CLS).toFixed(3),
    ];
  },
};
