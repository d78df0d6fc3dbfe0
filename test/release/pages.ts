import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { chromium } from "playwright-core";
import { CHROMIUM_ARGUMENTS, ensureChromium } from "../../scripts/browser.mjs";
import { WAIT_MS } from "../support/wait-for.mjs";

const TYPES: Record<string, string> = { ".html": "text/html", ".js": "text/javascript" };

/** The package's imports, by their path in node_modules/. */
const DEPENDENCIES = {
  "@lit/context": "@lit/context/index.js",
  "@lit/reactive-element": "@lit/reactive-element/reactive-element.js",
  "@noble/ed25519": "@noble/ed25519/index.js",
  "libphonenumber-js/min": "libphonenumber-js/min/index.js",
  lit: "lit/index.js",
  "lit/": "lit/",
  "lit-element/lit-element.js": "lit-element/lit-element.js",
  "lit-html": "lit-html/lit-html.js",
  "lit-html/": "lit-html/",
  oauth4webapi: "oauth4webapi/build/index.js",
};

/** A page finds the packages below each of these paths, which all serve the same installation. */
export const COPIES = ["/one", "/two", "/older"] as const;

export interface Pages {
  /**
   * Opens a new page, and runs the body of an asynchronous function in it.
   *
   * @returns The function's result, and the page's console messages and uncaught errors.
   */
  run(code: string): Promise<{ readonly result: unknown; readonly logged: readonly string[] }>;
  close(): Promise<void>;
}

/**
 * Serves an installation to a browser. In the copy `/older`, the package's version is 0.0.1.
 *
 * @param folder The installation's folder.
 * @param entries The package's files, by the specifiers that import them.
 * @param version The package's version.
 */
export async function openPages(
  folder: string,
  entries: ReadonlyMap<string, string>,
  version: string,
): Promise<Pages> {
  // dist/cdn has strings in backticks.
  const quoted = new RegExp(`(?<=["\`])${version}(?=["\`])`, "g");
  const server = createServer((request, response) => {
    void (async () => {
      const path = normalize(new URL(request.url ?? "/", "http://localhost").pathname);
      response.setHeader("content-type", TYPES[extname(path)] ?? "text/html");
      const copy = COPIES.find((each) => path.startsWith(`${each}/`)) ?? "";
      const old = copy === "/older" && path.includes("/matrix-auth-elements/dist/");
      const file = join(folder, path.slice(copy.length));
      const text = path === "/" ? html(entries) : await readFile(file, "utf8");
      response.end(old ? text.replaceAll(quoted, "0.0.1") : text);
    })().catch(() => response.writeHead(404).end());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const executablePath = await ensureChromium();
  const browser = await chromium.launch({
    executablePath,
    args: CHROMIUM_ARGUMENTS,
    timeout: WAIT_MS,
  });

  return {
    async run(code) {
      const context = await browser.newContext();
      const page = await context.newPage();
      page.setDefaultTimeout(WAIT_MS);
      const logged: string[] = [];
      page.on("console", (message) => logged.push(message.text()));
      page.on("pageerror", (error) => logged.push(String(error)));
      page.on("requestfailed", (request) => logged.push(request.url()));
      await page.goto(`http://localhost:${port}/`);
      const result: unknown = await page.evaluate(`Promise.race([
        (async () => { ${code} })(),
        new Promise((_, reject) => setTimeout(reject, ${WAIT_MS}, "timeout")),
      ])`);
      await context.close();
      return { result, logged };
    },
    async close() {
      await browser.close();
      await new Promise((done) => server.close(done));
    },
  };
}

function html(entries: ReadonlyMap<string, string>): string {
  const below = (copy: string): Record<string, string> => ({
    ...Object.fromEntries(
      Object.entries(DEPENDENCIES).map(([name, path]) => [name, `${copy}/node_modules/${path}`]),
    ),
    ...Object.fromEntries(
      [...entries].map(([specifier, path]) => [
        specifier,
        new URL(path, `http://x${copy}/node_modules/matrix-auth-elements/`).pathname,
      ]),
    ),
  });
  const scopes = Object.fromEntries(COPIES.map((copy) => [`${copy}/`, below(copy)]));
  const map = JSON.stringify({ imports: below("/one"), scopes });
  return `<!doctype html><link rel="icon" href="data:,"><script type="importmap">${map}</script>`;
}
