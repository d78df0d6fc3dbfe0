// One run: everything that is measured, one after the other, in one Chromium.
import { openBrowser } from "./browser.mjs";
import { weighBundles, weighOwn, weighPublished, weighScriptTag } from "./bytes.mjs";
import { measureHeap } from "./heap.mjs";
import { pagesOf } from "./html.mjs";
import { peerVersions } from "./peers.mjs";
import { progressOf } from "./progress.mjs";
import { measureRender } from "./render.mjs";
import { measureRoundTrips } from "./round-trips.mjs";
import { startServers } from "./servers.mjs";
import { startSite } from "./site.mjs";
import { measureThroughput } from "./throughput.mjs";
import { measureVitals } from "./vitals.mjs";
import { measureVisits } from "./visit.mjs";
import { drawTreemap } from "./treemap.mjs";

/** @param {{ sections: readonly string[], quick: boolean }} options */
export async function measureAll({ sections, quick }) {
  const browser = await openBrowser();
  const servers = await startServers();
  const site = await startSite(pagesOf(servers));
  const environment = { servers, site };
  /** @param {string} section */
  const wants = (section) => sections.includes(section);
  try {
    return {
      chromium: browser.version,
      peers: await peerVersions(),
      ...(wants("bytes") && { bytes: await weighAll() }),
      ...(wants("round-trips") && {
        roundTrips: await measureRoundTrips(
          browser,
          environment,
          { turns: quick ? 1 : 5, delays: quick ? [0, 50] : [0, 50, 200] },
          progressOf("Round trips"),
        ),
      }),
      ...(wants("visit") && {
        visits: await measureVisits(
          browser,
          environment,
          { turns: quick ? 1 : 5, delays: quick ? [0, 50] : [0, 50, 200] },
          progressOf("Visits"),
        ),
      }),
      ...(wants("render") && {
        render: await measureRender(browser, site, { turns: quick ? 1 : 7 }, progressOf("Render")),
      }),
      ...(wants("vitals") && {
        vitals: await measureVitals(browser, site, { turns: quick ? 1 : 7 }, progressOf("Vitals")),
      }),
      ...(wants("throughput") && {
        throughput: await measureThroughput(
          browser,
          environment,
          quick ? { turns: 1, forMs: 100, count: 20 } : { turns: 7, forMs: 300, count: 80 },
          progressOf("Throughput"),
        ),
      }),
      ...(wants("heap") && {
        heap: await measureHeap(browser, site, { count: quick ? 40 : 1000 }, progressOf("Heap")),
      }),
    };
  } finally {
    await browser.close();
    await Promise.all([servers.close(), site.close()]);
  }

  async function weighAll() {
    await drawTreemap();
    const scriptTag = await weighScriptTag(browser, environment);
    const bundles = await weighBundles(progressOf("Bytes"));
    return {
      scriptTag,
      own: await weighOwn(),
      jobs: [...bundles, await weighPublished(scriptTag)],
    };
  }
}
