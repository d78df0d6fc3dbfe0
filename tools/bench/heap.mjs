// The memory that remains at the end: nothing may grow with the count.
import { call } from "./browser.mjs";
import { number, titleOf } from "./figures.mjs";
import { ELEMENTS } from "./html.mjs";

/** @typedef {import("./browser.mjs").Page} Page */

const COUNTED = /** @type {const} */ ([
  "heap",
  "nodes",
  "listeners",
  "timers",
  "channels",
  "locks",
]);

/** @typedef {Record<(typeof COUNTED)[number], number>} Counts */

/**
 * @typedef {Omit<Counts, "heap"> & { what: string, subject: string, count: number, heap: number[] }} Left What grew from
 *   the first measurement to the last; `count`: how often it was done in between; `heap`: bytes at each of the
 *   measurements, after a forced collection.
 */

/** Wraps timers and channels of a page, to count the remaining ones. */
const COUNT_LEFT = `{
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

/** Before the first measurement, so that caches are filled and code is compiled. */
const WARM_UP = 2;
/** Each repeats the operation, with a measurement after it. */
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

/** @type {readonly Action[]} */
const ACTIONS = [
  ...ELEMENTS.map(({ subject, tag, attributes }) => ({
    what: `<${tag}> mounted and unmounted`,
    subject,
    page: `/html/empty-${subject}`,
    run: (/** @type {Page} */ tab, /** @type {number} */ count) =>
      tab.evaluate(`mount(${JSON.stringify({ tag, attributes })}, ${count})`),
  })),
  {
    what: "<uia-dialog>: opened, filled in, closed",
    subject: "ours",
    page: "/html/empty-ours",
    run: (tab, count) => tab.evaluate(`talk(${count})`),
  },
  ...["ours", "matrix-js-sdk-41", "matrix-js-sdk-43"].map((subject) => ({
    what: "InteractiveAuth: a conversation with three stages",
    subject,
    page: `/page/${subject}`,
    run: (/** @type {Page} */ tab, /** @type {number} */ count) =>
      call(tab, "converseOften", count),
  })),
  {
    what: "<uia-dialog>: one poll every five seconds",
    subject: "ours",
    page: "/html/empty-ours",
    clock: true,
    async run(tab, count) {
      const before = await tab.evaluate("window.polls");
      const { timers } = await tab.evaluate("window.countLeft()");
      for (let nth = 0; nth < count; nth += 1) {
        await tab.clock.runFor(5000);
        // A poll loads code, even if only from memory, and that takes time that is not made up.
        const isScheduled = `window.countLeft().then((left) => left.timers >= ${timers})`;
        await tab.waitForFunction(isScheduled);
      }
      const polls = (await tab.evaluate("window.polls")) - before;
      if (Math.abs(polls - count) > 0.1 * count) throw new Error(`${polls} polls, not ${count}`);
    },
  },
];

/** @type {import("./report.mjs").Section<Left>} */
export const heap = {
  title: "Memory",
  text:
    "The growth of the heap after a warm-up, from the first to the last forced garbage collection, " +
    "per repetition, and other remains.",
  head: [
    ...["Operation", "By", "Times", "Heap, each"],
    ...["Nodes", "Listeners", "Timers", "Channels", "Locks"],
  ],

  async measure({ browser, site, quick }) {
    /** How often, in all. */
    const count = quick ? 40 : 1000;
    /** @type {Left[]} */
    const rows = [];
    for (const action of ACTIONS) {
      const perRound = Math.ceil((action.clock ? Math.min(count, POLLS) : count) / ROUNDS);
      rows.push(await browser.inFreshPage((page) => repeat(page, site.origin, action, perRound)));
    }
    return rows;
  },

  cells: ({ what, subject, count, heap, nodes, listeners, timers, channels, locks }) => [
    what,
    titleOf(subject),
    number(count),
    `${number(((heap.at(-1) ?? NaN) - (heap[0] ?? NaN)) / count)} bytes`,
    ...[nodes, listeners, timers, channels, locks].map(String),
  ],
};

/**
 * @param {Page} page
 * @param {string} origin
 * @param {Action} action
 * @param {number} perRound
 * @returns {Promise<Left>}
 */
async function repeat(page, origin, { what, subject, page: path, run, clock }, perRound) {
  if (clock) await page.clock.install();
  await page.addInitScript(COUNT_LEFT);
  await page.goto(origin + path);
  await page.waitForFunction("window.subject || window.isReady");
  if (clock) {
    await page.evaluate("beginToPoll()");
    // The code that polls is loaded first.
    while ((await page.evaluate("window.polls")) === 0) await page.clock.runFor(5000);
  }
  const measure = await measureOf(page);
  const measured = [];
  for (let round = 1; round < WARM_UP + ROUNDS + 1; round += 1) {
    await run(page, perRound);
    if (round >= WARM_UP) measured.push(await measure());
  }
  return {
    ...{ what, subject, count: perRound * ROUNDS },
    ...grownSince(measured[0], measured.at(-1)),
    heap: measured.map((each) => each.heap),
  };
}

/**
 * @param {Counts | undefined} first
 * @param {Counts | undefined} last
 * @returns {Counts}
 */
function grownSince(first, last) {
  if (!first || !last) throw new Error("Nothing was measured");
  const grown = { ...last };
  for (const name of COUNTED) grown[name] -= first[name];
  return grown;
}

/** @param {Page} page */
async function measureOf(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.enable");
  return async () => {
    // Pending tasks run first. Objects that a finalizer frees go with the next collection.
    for (let nth = 0; nth < 3; nth += 1) {
      await page.evaluate("new Promise((done) => queueMicrotask(done))");
      await session.send("HeapProfiler.collectGarbage");
    }
    const { usedSize: heap } = await session.send("Runtime.getHeapUsage");
    const { nodes, jsEventListeners: listeners } = await session.send("Memory.getDOMCounters");
    const { timers, channels, locks } = await page.evaluate("window.countLeft()");
    return { heap, nodes, listeners, timers, channels, locks };
  };
}
