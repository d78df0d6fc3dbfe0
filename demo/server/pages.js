// @ts-check
import { readFile, stat } from "node:fs/promises";
import { extname, join, resolve, sep } from "node:path";
import Koa from "koa";
import { listenOnLoopback } from "./loopback.js";

/**
 * @typedef {object} PagesOptions
 * @property {number} [port] 0 takes a free one
 * @property {"localhost" | "127.0.0.1"} [hostname] default: `localhost`
 * @property {Record<string, string>} roots URL prefix, with slashes around it, to folder
 * @property {readonly (readonly [from: string, to: string])[]} [replace] text to replace in .html files
 * @property {Record<string, string>} [headers] added to every response
 * @property {string} [fallback] the page for paths without a file, for an app with a router
 */

/** A browser that leaves a page aborts its requests, which is not an error. */
const ABORTED = ["ECONNRESET", "EPIPE", "ERR_STREAM_PREMATURE_CLOSE"];

const NOT_FOUND = `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <meta name="viewport" content="width=device-width" />
  <meta name="color-scheme" content="light dark" />
  <title>Not found</title>
  <h1>Page not found</h1>
  <p><a href="/">Go to the home page</a></p>
</html>
`;

/**
 * Serves folders of static files on loopback.
 *
 * @param {PagesOptions} options
 * @returns {Promise<{ origin: string, close: () => Promise<void> }>}
 */
export async function startPages({
  port = 0,
  hostname,
  roots,
  replace = [],
  headers = {},
  fallback,
}) {
  // The longest prefix wins, so that "/" can stand for all the rest.
  const mounts = Object.entries(roots).sort(([a], [b]) => b.length - a.length);
  const app = new Koa();
  app.on("error", (error) => {
    if (!ABORTED.includes(error.code)) app.onerror(error);
  });

  app.use(async (ctx, next) => {
    ctx.set({
      // Files change during development.
      "Cache-Control": "no-cache",
      // The URL of a callback page contains an authorization code.
      "Referrer-Policy": "no-referrer",
      "X-Content-Type-Options": "nosniff",
      ...headers,
    });
    await next();
  });

  app.use(async (ctx) => {
    if (ctx.method !== "GET" && ctx.method !== "HEAD") {
      ctx.status = 405;
      return;
    }
    const path = decodePath(ctx.path);
    const file = path === null ? null : locate(mounts, path);
    const found = file === null ? null : await stat(file).catch(() => null);

    if (found?.isDirectory() && !ctx.path.endsWith("/")) {
      // Relative links inside the page need the slash. Two slashes at the start would mean another host.
      ctx.redirect(`/${ctx.path.replace(/^[/\\]+/, "")}/${ctx.search}`);
      return;
    }
    const index = found?.isDirectory() && file !== null ? join(file, "index.html") : file;
    const page = found || fallback === undefined ? index : fallback;
    const size = page === file ? found : await stat(page ?? "").catch(() => null);
    if (page === null || !size?.isFile()) {
      ctx.status = 404;
      ctx.type = "html";
      ctx.body = NOT_FOUND;
      return;
    }

    ctx.type = extname(page);
    // With `nosniff`, browsers show no file without a type. With this type, they save it.
    if (!ctx.type) ctx.type = "application/octet-stream";
    if (page.endsWith(".html")) {
      ctx.body = replaceAll(await readFile(page, "utf8"), replace);
      return;
    }
    ctx.etag = `${size.mtimeMs}-${size.size}`;
    // An unbundled page requests several hundred files each time.
    ctx.status = 200;
    if (ctx.fresh) ctx.status = 304;
    else ctx.body = await readFile(page);
  });

  const loopback = await listenOnLoopback(port, { ...(hostname && { hostname }) });
  loopback.serve(app.callback());
  return { origin: loopback.origin, close: loopback.close };
}

/**
 * @param {string} path
 * @returns {string | null} null if the path is not UTF-8, or contains a null character
 */
function decodePath(path) {
  try {
    const decoded = decodeURIComponent(path);
    return decoded.includes("\0") ? null : decoded;
  } catch {
    return null;
  }
}

/**
 * @param {[prefix: string, folder: string][]} mounts
 * @param {string} path
 * @returns {string | null} null if the path leads outside its folder
 */
function locate(mounts, path) {
  const mount = mounts.find(([prefix]) => `${path}/`.startsWith(prefix));
  if (!mount) return null;
  const [prefix, folder] = mount;
  const root = resolve(folder);
  const file = resolve(root, `.${sep}${path.slice(prefix.length)}`);
  return file === root || file.startsWith(root + sep) ? file : null;
}

/**
 * @param {string} text
 * @param {NonNullable<PagesOptions["replace"]>} replacements
 */
function replaceAll(text, replacements) {
  return replacements.reduce((result, [from, to]) => result.replaceAll(from, () => to), text);
}
