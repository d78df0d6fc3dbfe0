// @ts-check
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Eta } from "eta";

const FOLDER = fileURLToPath(new URL("../views/", import.meta.url));

const eta = new Eta({ views: FOLDER, cache: true });

/** The path of the style sheet, below the issuer. */
export const STYLE_PATH = "/style.css";

/**
 * @typedef {object} Views
 * @property {(ctx: import("koa").Context, view: string, data: object, options?: PageOptions) => void}
 *   show
 * @property {(ctx: import("koa").Context) => Promise<void>} style responds with the style sheet
 * @property {string} issuerPath the start of every link in a page
 */

/**
 * @typedef {object} PageOptions
 * @property {number} [status] default 200
 * @property {string} [script] the path of a script that the page runs
 * @property {string} [returnsTo] the URL to which a form of this page finally redirects
 */

/**
 * @param {object} site
 * @param {string} site.issuerPath
 * @param {() => string} site.serverName
 * @param {string} site.frameAncestors a CSP source list
 * @returns {Views}
 */
export function createViews({ issuerPath, serverName, frameAncestors }) {
  return {
    issuerPath,

    show(ctx, view, data, { status = 200, returnsTo, script } = {}) {
      ctx.status = status;
      ctx.type = "html";
      ctx.set({
        "Content-Security-Policy": [
          "default-src 'none'",
          "style-src 'self'",
          ...(script ? ["script-src 'self'"] : []),
          "base-uri 'none'",
          // Chromium applies this to every redirect after the form, including the one to the client.
          `form-action 'self'${originForPolicy(returnsTo)}`,
          `frame-ancestors ${frameAncestors}`,
        ].join("; "),
        // The URL of an interaction is a secret between the browser and this server.
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
      });
      ctx.body = eta.render(`./${view}`, {
        ...data,
        style: issuerPath + STYLE_PATH,
        script,
        serverName: serverName(),
      });
    },

    async style(ctx) {
      ctx.type = "css";
      ctx.set("Cache-Control", "no-cache");
      ctx.body = await readFile(`${FOLDER}style.css`, "utf8");
    },
  };
}

/** @param {string | undefined} address */
function originForPolicy(address) {
  if (!address) return "";
  const { origin, protocol } = new URL(address);
  // An app's private-use scheme has no origin.
  return ` ${origin === "null" ? protocol : origin}`;
}
