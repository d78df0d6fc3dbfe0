// The files of dist/cdn that pages with a script tag load.
import { clickLogin } from "./browser.mjs";
import { everyFile, weighFiles } from "./bytes.mjs";
import { kb } from "./figures.mjs";

/** @typedef {import("./browser.mjs").Page} Page */
/** @typedef {import("./bundle.mjs").Bytes & { what: string, files: string[] }} Loaded */

/** @type {import("./report.mjs").Section<Loaded>} */
export const scriptTag = {
  title: "Files loaded by pages with a script tag",
  text: "The files of `dist/cdn/` that a page requested.",
  head: ["Loaded", "Minified", "gzip", "brotli", "Files"],

  async measure(bench) {
    const sets = {
      ...(await filesOfPages(bench)),
      ...(await filesOfPages(bench, "-own", ", from the element's own file")),
      "the classic script, everything": ["matrix-auth-elements.global.js"],
      "everything except other languages and third-party extras": await everyFile(),
    };
    const rows = Object.entries(sets).map(async ([what, files]) => ({
      ...{ what, ...(await weighFiles(files)), files },
    }));
    return Promise.all(rows);
  },

  cells: ({ what, minified, gzip, brotli, files }) => [
    what,
    ...[minified, gzip, brotli].map(kb),
    files.join(", "),
  ],
};

/**
 * Which files of dist/cdn pages ask for.
 *
 * @param {import("./report.mjs").Bench} bench
 * @param {"" | "-own"} [own] Whether each page has its element's own file instead of that with all elements.
 * @param {string} [addition] To the titles.
 */
async function filesOfPages({ browser, site, servers }, own = "", addition = "") {
  /** @param {string} name @param {(page: Page) => Promise<unknown>} use */
  const load = (name, use) =>
    browser.inFreshPage(async (page) => {
      await page.goto(`${site.origin}/html/${name}`);
      await use(page);
      // Files loaded while the page is idle count too.
      await page.waitForLoadState("networkidle");
      return page.evaluate(loadedFiles);
    });
  /** @param {Page} page */
  const leave = async (page) => {
    await page.waitForFunction("window.readyAt");
    return clickLogin(page);
  };
  const login = await load(`login${own}`, leave);
  const dialog = await load(`dialog${own}`, async (page) => {
    await page.waitForFunction(`customElements.get("uia-dialog")`);
    await page.click("#delete");
    await page.waitForSelector("uia-dialog input[type=password]");
  });
  const callback = await load(own ? "login-own" : "login-elsewhere", async (page) => {
    await page.goto(servers.authorize(await leave(page)));
    await page.waitForFunction("window.doneAt");
  });
  const matrixLogin = await load(`matrix-login${own}`, (page) =>
    page.waitForSelector("matrix-login input[type=password]"),
  );
  return {
    [`before the first paint of <oidc-login>${addition}`]: login.early,
    [`by a page that signs a user in${addition}`]: login.all,
    [`by a page that opens <uia-dialog>${addition}`]: dialog.all,
    [`by a page that completes a sign-in${addition}`]: callback.all,
    [`by a page with the password form of <matrix-login>${addition}`]: matrixLogin.all,
  };
}

/**
 * Runs in the page: what it loaded of dist/cdn, and what of that it started to load before the
 * element was rendered.
 */
function loadedFiles() {
  const [rendered] = performance.getEntriesByName("rendered");
  const files = performance
    .getEntriesByType("resource")
    .map(({ name, startTime }) => ({
      file: new URL(name).pathname.slice("/cdn/".length),
      startTime,
    }))
    .filter(({ file }) => file.endsWith(".js"));
  const early = files.filter(({ startTime }) => startTime < (rendered?.startTime ?? Infinity));
  return { early: early.map(({ file }) => file), all: files.map(({ file }) => file) };
}
