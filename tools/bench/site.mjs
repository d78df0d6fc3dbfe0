// The app's site: pages with one subject each, and the files that they load. It responds
// immediately unless it is slowed down. The servers on the network are in servers.mjs.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { join, normalize } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { bundle } from "./bundle.mjs";
import { listen } from "./servers.mjs";

/** @type {Record<string, string>} */
const TYPES = { html: "text/html", js: "text/javascript", map: "application/json" };

/** Such pages have finer clocks: 5 microseconds instead of 100. */
const ISOLATED = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

/**
 * Serves `/cdn/` (this library for script tags), `/page/<subject>` (a page that runs
 * `pages/<subject>.js`, bundled), `/script/<name>` (a file of `pages/`),
 * `/script-of/<subject>` (loads what `pages/<subject>.js` became), and `/html/<name>` (pages given as text).
 *
 * @param {Record<string, string>} [html] By name.
 */
export async function startSite(html = {}) {
  let delayMs = 0;
  /** @type {{ path: string, gzip: number }[]} */
  let served = [];
  /** @type {Map<string, Promise<import("./bundle.mjs").Bundle>>} */
  const bundles = new Map();
  /** @param {string} subject */
  const bundleOf = (subject) => {
    const known = bundles.get(subject) ?? bundle(`pages/${subject}.js`);
    bundles.set(subject, known);
    return known;
  };
  /** @param {string} subject */
  const scriptOf = async (subject) => `/bundle/${subject}/${(await bundleOf(subject)).entry}`;

  /**
   * @param {string} path
   * @returns {Promise<string | Uint8Array | undefined>}
   */
  async function find(path) {
    const [, place = "", name = "", file = ""] = path.split("/");
    if (place === "html") return html[name];
    if (place === "script") return readFile(join("tools/bench/pages", normalize(name)));
    if (place === "cdn") return readFile(join("dist", normalize(path))).catch(() => undefined);
    if (place === "page") {
      const script = await scriptOf(name);
      return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${name}</title>
<link rel="icon" href="data:,"><script type="module" src="${script}"></script>`;
    }
    if (place === "script-of") return `import "${await scriptOf(name)}";`;
    if (place === "bundle") return (await bundleOf(name)).files.get(file);
    return undefined;
  }

  const server = createServer(async ({ url = "/" }, response) => {
    const { pathname } = new URL(url, "http://localhost");
    const body = await find(pathname).catch((error) => console.error(error));
    await delay(delayMs);
    const isScript = pathname.startsWith("/script-of/");
    const type = TYPES[isScript ? "js" : (pathname.split(".").at(-1) ?? "")] ?? "text/html";
    if (body && type !== "text/html") {
      served.push({ path: pathname, gzip: gzipSync(body, { level: 9 }).byteLength });
    }
    response.writeHead(body ? 200 : 404, {
      "content-type": `${type}; charset=utf-8`,
      ...ISOLATED,
      ...(type !== "text/html" && { "cache-control": "max-age=600" }),
      "service-worker-allowed": "/",
    });
    response.end(body);
  });
  const { origin, close } = await listen(server);
  return {
    origin,
    close,
    scriptOf,
    /** @param {number} ms The delay of each further response. */
    slowDown(ms) {
      delayMs = ms;
    },
    /** The scripts requested since the last call, and their size. */
    takeServed() {
      const taken = served;
      served = [];
      return taken;
    },
  };
}
