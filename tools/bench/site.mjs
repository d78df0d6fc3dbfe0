// The app's site: pages with one subject each, and the files that they load. It responds
// immediately unless it is slowed down. The servers on the network are in servers.mjs.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { join, normalize } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { ENTRY, bundle } from "./bundle.mjs";
import { listen } from "./servers.mjs";

/** Such pages have finer clocks: 5 microseconds instead of 100. */
const ISOLATED = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

/** What is bundled: scripts of pages, and the provider that some of them load. */
const SUBJECTS = [
  ...["ours", "matrix-js-sdk-41", "matrix-js-sdk-43", "oidc-client-ts", "auth0-spa-js"],
  ...["hanko-elements", "descope", "provider"],
];

/** The bundled script of a subject. @param {string} subject */
export const scriptOf = (subject) => `/bundle/${subject}/${ENTRY}`;

/**
 * Serves `/cdn/` (this library for script tags), `/page/<subject>` (a page that runs `pages/<subject>.js`, bundled),
 * `/bundle/<subject>/` (the files of that bundle), and `/html/<name>` (pages given as text).
 *
 * @param {Record<string, string>} html By name.
 */
export async function startSite(html) {
  let delayMs = 0;
  /** @type {number[]} */
  let served = [];
  // In advance, because nothing that is timed waits for it.
  const bundles = new Map(
    await Promise.all(
      SUBJECTS.map(async (subject) => {
        const { files } = await bundle(`export * from "./pages/${subject}.js";`);
        return /** @type {const} */ ([subject, files]);
      }),
    ),
  );

  /** @param {string} path @returns {Promise<string | Uint8Array | undefined>} */
  async function find(path) {
    const [, place = "", name = "", file = ""] = path.split("/");
    if (place === "html") return html[name];
    if (place === "cdn") return readFile(join("dist", normalize(path))).catch(() => undefined);
    if (place === "page") {
      return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${name}</title>
<link rel="icon" href="data:,"><script type="module" src="${scriptOf(name)}"></script>`;
    }
    if (place === "bundle") return bundles.get(name)?.get(file);
    return undefined;
  }

  const server = createServer(async ({ url = "/" }, response) => {
    const { pathname } = new URL(url, "http://localhost");
    const body = await find(pathname).catch((error) => console.error(error));
    await delay(delayMs);
    const isScript = pathname.endsWith(".js");
    if (body && isScript) served.push(gzipSync(body, { level: 9 }).byteLength);
    response.writeHead(body ? 200 : 404, {
      "content-type": `text/${isScript ? "javascript" : "html"}; charset=utf-8`,
      ...ISOLATED,
      ...(isScript && { "cache-control": "max-age=600" }),
    });
    response.end(body);
  });
  const { origin, close } = await listen(server);
  return {
    origin,
    close,
    /** @param {number} ms The delay of each further response. */
    slowDown(ms) {
      delayMs = ms;
    },
    /** The compressed sizes of the scripts requested since the last call. */
    takeServed() {
      const taken = served;
      served = [];
      return taken;
    },
  };
}
