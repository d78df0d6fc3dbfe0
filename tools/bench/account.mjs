/* global document, requestAnimationFrame, window */
// A phone's narrow window, and a list of thousands of devices: what moves, what is late, and what a key press costs.
import { setTimeout as delay } from "node:timers/promises";
import { createTestServers } from "../../dist/testing/index.js";
import { inTurns } from "./browser.mjs";
import { compared, median } from "./figures.mjs";

const HOMESERVER = "https://example.org";
const NARROW = { width: 390, height: 844 };
/** Each response of the homeserver takes so long, so that everything comes late. */
const RESPONSE_MS = 150;
/** Until all that comes late has come. */
const QUIET_MS = 1500;

/** Each changes all rows that are shown. */
const SEARCHES = ["device 49", "", "device 7", ""];

/**
 * @typedef {object} Measured
 * @property {string} what
 * @property {"shift" | "ms"} unit
 * @property {number[]} values By turn.
 */

/** @typedef {import("./browser.mjs").Page} Page */

/** @type {readonly { what: string, unit: "shift" | "ms", measure: (page: Page, origin: string) => Promise<number> }[]} */
const SUBJECTS = [
  {
    what: "`<matrix-account>`: a key press in the search among 12 devices",
    unit: "ms",
    measure: (page, origin) => keyPress(page, origin, 12),
  },
  {
    what: "`<matrix-account>`: the same among 5,000 devices",
    unit: "ms",
    measure: (page, origin) => keyPress(page, origin, 5000),
  },
  {
    what: "`<matrix-login>`: from the first paint to the first field",
    unit: "ms",
    measure: async (page, origin) => {
      await page.goto(`${origin}/html/narrow-login`);
      await page.locator("matrix-login input").waitFor();
      await page.waitForTimeout(QUIET_MS);
      return page.evaluate("window.fieldAt - window.paintedAt");
    },
  },
  { what: "`<matrix-login>`: shift", unit: "shift", measure: shiftOf("narrow-login") },
  { what: "`<matrix-account>`: shift", unit: "shift", measure: shiftOf("narrow-account") },
  { what: "a page that shifts, to test the measurement", unit: "shift", measure: shiftOf("shift") },
];

/** @param {string} name @returns {(page: Page, origin: string) => Promise<number>} */
function shiftOf(name) {
  return async (page, origin) => {
    await showAccount(page, 12);
    await page.goto(`${origin}/html/${name}`);
    await page.waitForLoadState("networkidle");
    await page.waitForTimeout(QUIET_MS);
    return page.evaluate("window.shift");
  };
}

/** Serves a homeserver where alice has so many devices. @param {Page} page @param {number} count */
async function showAccount(page, count) {
  const servers = await createTestServers({
    ...{ homeserver: HOMESERVER, serverName: "example.org", login: ["password"] },
    accounts: { alice: { password: "secret" } },
  });
  const user = servers.signIn("alice", { deviceId: "OWN" });
  const { devices = [] } = servers.account("alice") ?? {};
  for (let nth = 1; nth < count; nth += 1) {
    devices.push({
      ...{ device_id: `D${nth}`, display_name: `Device ${nth}`, last_seen_ip: "198.51.100.1" },
      last_seen_ts: Date.now() - nth * 3_000_000,
    });
  }
  await page.context().route(servers.handles, async (route) => {
    await delay(RESPONSE_MS);
    await servers.route(route);
  });
  await page.addInitScript((given) => Object.assign(window, { user: given }), user);
}

/**
 * What a change of the search costs the page's thread, in ms of its CPU: other load doesn't count.
 *
 * @param {Page} page
 * @param {string} origin
 * @param {number} count
 */
async function keyPress(page, origin, count) {
  await showAccount(page, count);
  await page.goto(`${origin}/html/narrow-account`);
  await page.locator("matrix-account:state(ready)").waitFor({ state: "attached" });
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const used = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? NaN) * 1000;
  };
  const field = page.locator("matrix-account input[type=search]");
  /** @type {number[]} */
  const costs = [];
  for (const text of SEARCHES) {
    const before = await used();
    await field.evaluate((input, value) => {
      Object.assign(input, { value }).dispatchEvent(new Event("input"));
      return new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    }, text);
    costs.push((await used()) - before);
  }
  return median(costs);
}

/** @type {import("./report.mjs").Section<Measured>} */
export const account = {
  title: "On a phone, and with many devices",
  text:
    `A window of ${NARROW.width} pixels, and ${RESPONSE_MS} ms for each response. Layout shift: the sum of all shifts, the largest of all turns; ` +
    "up to 0.1 is good. A key press: the CPU time of the page's thread with all rows replaced, as a ratio to the first row; " +
    "a frame has 16 ms.",
  head: ["What", "Measured"],

  async measure(bench) {
    const samples = await inTurns(bench, SUBJECTS, 5, async (page, { measure }) => {
      await page.setViewportSize(NARROW);
      await page.addInitScript(observe);
      return measure(page, bench.site.origin);
    });
    return samples.map(({ subject: { what, unit }, results }) => ({ what, unit, values: results }));
  },

  cells({ what, unit, values }, [first]) {
    if (unit === "shift") return [what, Math.max(...values).toFixed(3)];
    return [
      what,
      what.includes("first field")
        ? `${median(values).toFixed(0)} ms`
        : compared(values, first?.values),
    ];
  },
};

/** Runs in the page, before everything else. */
function observe() {
  const found = { shift: 0, paintedAt: NaN, fieldAt: NaN };
  Object.assign(window, found);
  const noted = /** @type {typeof found} */ (/** @type {unknown} */ (window));
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      noted.shift += /** @type {PerformanceEntry & { value: number }} */ (entry).value;
    }
  }).observe({ type: "layout-shift", buffered: true });
  new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries()) {
      if (name === "first-contentful-paint") noted.paintedAt = startTime;
    }
  }).observe({ type: "paint", buffered: true });
  // A frame that is painted after this has the field.
  const look = () => {
    const root = document.querySelector("matrix-login")?.shadowRoot;
    if (root?.querySelector("input")) noted.fieldAt = performance.now();
    else requestAnimationFrame(look);
  };
  look();
}
