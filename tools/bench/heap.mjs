// What is left in memory once all is over: nothing may grow with the count.
import { call, goToSubject } from "./browser.mjs";

/** @typedef {import("./browser.mjs").Page} Page */

/**
 * @typedef {object} Left What grew from the first measurement to the last.
 * @property {string} what
 * @property {string} subject
 * @property {number} count How often it was done in between.
 * @property {number[]} heap Bytes at each of the measurements, after a forced collection.
 * @property {number} nodes
 * @property {number} listeners
 * @property {number} timers
 * @property {number} channels
 * @property {number} locks
 */

/** Wraps what a page or a worker can leave behind, to count it. */
export const COUNT_LEFT = `{
  const timers = new Set();
  const channels = new Set();
  for (const [set, clear] of [["setTimeout", "clearTimeout"], ["setInterval", "clearInterval"]]) {
    const [begin, end] = [globalThis[set], globalThis[clear]];
    globalThis[set] = (run, ...rest) => {
      const id = begin((...given) => {
        if (set === "setTimeout") timers.delete(set + id);
        return run(...given);
      }, ...rest);
      timers.add(set + id);
      return id;
    };
    globalThis[clear] = (id) => {
      timers.delete(set + id);
      end(id);
    };
  }
  globalThis.BroadcastChannel = class extends BroadcastChannel {
    constructor(name) {
      super(name);
      channels.add(this);
    }
    close() {
      channels.delete(this);
      super.close();
    }
  };
  globalThis.countLeft = async () => {
    const { held, pending } = await navigator.locks.query();
    return { timers: timers.size, channels: channels.size, locks: held.length + pending.length };
  };
}`;

/** Before the first measurement: what is cached and compiled is there then. */
const WARM_UP = 2;
/** In which it is done as often as was asked for, with a measurement after each. */
const ROUNDS = 4;
/** Seconds of an hour, by those between two polls. */
const POLLS = 3600 / 5;

/**
 * @typedef {object} Action
 * @property {string} what
 * @property {string} subject
 * @property {string} page Its path on the site.
 * @property {(page: Page, count: number) => Promise<unknown>} run
 * @property {boolean} [clock] Whether the page's time is made up.
 */

/** @param {string} call */
const inPage = (call) => (/** @type {Page} */ page, /** @type {number} */ count) =>
  page.evaluate(`window.${call}(${count})`);

/** @type {readonly Action[]} */
const ACTIONS = [
  ...["oidc-login", "oidc-callback", "uia-dialog", "uia-fallback-frame"].map((tag) => ({
    what: `<${tag}> mounted and unmounted`,
    subject: "ours",
    page: "/html/heap",
    run: (/** @type {Page} */ page, /** @type {number} */ count) =>
      page.evaluate(`window.mount(${JSON.stringify(tag)}, ${count})`),
  })),
  {
    what: "<hanko-auth> mounted and unmounted",
    subject: "hanko-elements",
    page: "/html/heap-hanko",
    run: (page, count) => page.evaluate(`window.mount("hanko-auth", ${count})`),
  },
  {
    what: "<descope-wc> mounted and unmounted",
    subject: "descope",
    page: "/html/heap-descope",
    run: (page, count) => page.evaluate(`window.mount("descope-wc", ${count})`),
  },
  {
    what: "<uia-dialog>: opened, filled in, closed",
    subject: "ours",
    page: "/html/heap",
    run: inPage("talk"),
  },
  ...["ours", "matrix-js-sdk-41", "matrix-js-sdk-43"].map((subject) => ({
    what: "InteractiveAuth: a conversation in three stages",
    subject,
    page: `/page/${subject}`,
    run: (/** @type {Page} */ page, /** @type {number} */ count) =>
      call(page, "converseOften", count),
  })),
  {
    what: "<uia-dialog>: polls, one every five seconds",
    subject: "ours",
    page: "/html/heap",
    clock: true,
    async run(page, count) {
      const before = await page.evaluate("window.polls");
      await page.clock.runFor(count * 5000);
      const polls = (await page.evaluate("window.polls")) - before;
      if (polls < 0.9 * count || polls > count) throw new Error(`${polls} polls, not ${count}`);
    },
  },
];

/**
 * @param {import("./run.mjs").Bench} bench
 * @returns {Promise<Left[]>}
 */
export async function measureHeap({ browser, site, quick }) {
  /** How often, in all. */
  const count = quick ? 40 : 1000;
  /** @type {Left[]} */
  const results = [];
  for (const action of ACTIONS) {
    const perRound = Math.ceil((action.clock ? Math.min(count, POLLS) : count) / ROUNDS);
    results.push(await browser.inFreshPage((page) => repeat(page, action, perRound)));
  }
  return results;

  /**
   * @param {Page} page
   * @param {Action} action
   * @param {number} perRound
   * @returns {Promise<Left>}
   */
  async function repeat(page, { what, subject, page: path, run, clock }, perRound) {
    if (clock) await page.clock.install();
    await page.addInitScript(COUNT_LEFT);
    if (path.startsWith("/page/")) await goToSubject(page, site.origin + path);
    else await page.goto(site.origin + path);
    await page.waitForFunction("window.subject || window.isReady");
    if (clock) await page.evaluate("window.beginToPoll()");
    const measure = await measureOf(page);
    const measured = [];
    for (let round = 1; round < WARM_UP + ROUNDS + 1; round += 1) {
      await run(page, perRound);
      if (round >= WARM_UP) measured.push(await measure());
    }
    const [first, last] = [measured[0], measured.at(-1)];
    if (!first || !last) throw new Error("Nothing was measured");
    return {
      what,
      subject,
      count: perRound * ROUNDS,
      heap: measured.map(({ heap }) => heap),
      nodes: last.nodes - first.nodes,
      listeners: last.listeners - first.listeners,
      timers: last.timers - first.timers,
      channels: last.channels - first.channels,
      locks: last.locks - first.locks,
    };
  }
}

/** @param {Page} page */
export async function measureOf(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.enable");
  return async () => {
    // What waits for its turn is let through first; what a finalizer frees goes with the next collection.
    for (let nth = 0; nth < 3; nth += 1) {
      await page.evaluate("new Promise((done) => queueMicrotask(done))");
      await session.send("HeapProfiler.collectGarbage");
    }
    const { usedSize: heap } = await session.send("Runtime.getHeapUsage");
    const { nodes, jsEventListeners: listeners } = await session.send("Memory.getDOMCounters");
    /** @type {{ timers: number, channels: number, locks: number }} */
    const counted = await page.evaluate("window.countLeft()");
    return { heap, nodes, listeners, ...counted };
  };
}
