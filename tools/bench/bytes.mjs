// The download of an app's visitors: of every subject bundled in the same way, and of this
// library's script-tag files as a page loads them.
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { bundle, weighAll } from "./bundle.mjs";

/** @typedef {import("./browser.mjs").Page} Page */
/** @typedef {import("./bundle.mjs").Bytes} Bytes */

/**
 * @typedef {object} Weight
 * @property {string} subject
 * @property {string} [note] The difference.
 * @property {{ what: string, first: Bytes }} [without] The size without one part.
 * @property {Bytes} first What is loaded immediately.
 * @property {Bytes} all Everything that can ever be loaded, but other languages.
 */

/**
 * @typedef {object} Weighed
 * @property {Record<string, Bytes & { files: string[] }>} scriptTag The files of pages, by purpose.
 * @property {{ job: string, rows: Weight[] }[]} jobs
 */

/** The subjects for each job, ours first, with their differences. */
const JOBS = {
  "sign in with a provider, stay signed in": {
    "ours-oidc": "",
    "oidc-client-ts": "checks no signature, and stores no session for all tabs",
    "auth0-spa-js": "only for Auth0's servers; checks no signature",
  },
  "User-Interactive Authentication": {
    "ours-uia": "",
    "matrix-js-sdk-41-uia": "",
    "matrix-js-sdk-43-uia": "",
  },
  "both, from a homeserver name": {
    "ours-core": "",
    "matrix-js-sdk-41": "only its modules; checks no signature",
    "matrix-js-sdk-43": "only its modules; only OAuth 2.0, stores nothing",
    "matrix-js-sdk-41-client": "a whole Matrix client",
    "matrix-js-sdk-43-client": "a whole Matrix client",
  },
  "elements, bundled": {
    "ours-elements": "all: with libphonenumber-js, for phone stages",
    "hanko-elements": "for its own server",
    descope: "loads further parts, and the screens, from its servers: not counted",
  },
};

/** Libraries that publish a file for script tags, and its path. */
const PUBLISHED = {
  "hanko-elements": "@teamhanko/hanko-elements/dist/elements.js",
  descope: "@descope/web-component/dist/index.js",
};

/**
 * The part that explains a size.
 *
 * @type {readonly (import("./bundle.mjs").LeftOut & { what: string, subjects: RegExp })[]}
 */
const PARTS = [
  {
    // It detects look-alike letters. Every import of matrix-js-sdk includes it.
    what: "its character table",
    subjects: /^matrix-js-sdk/,
    filter: /unhomoglyph\/data\.json$/,
    contents: "{}",
    loader: "json",
  },
  {
    what: "the ID token's verification",
    subjects: /^ours-oidc$/,
    filter: /\/oauth\/id-token\.js$/,
    contents: "export const verifyIdToken = async () => {}, decodeJwt = () => ({ claims: {} });",
    loader: "js",
  },
];

const FIRST_PAINT = "before the first paint of <oidc-login>";
const EVER = "everything except other languages and third-party extras";

/**
 * @param {import("./run.mjs").Bench} bench
 * @returns {Promise<Weighed>}
 */
export async function weighBytes(bench) {
  const scriptTag = await weighScriptTag(bench);
  const jobs = Object.entries(JOBS).map(async ([job, subjects]) => ({
    job,
    rows: await Promise.all(Object.entries(subjects).map(weighBundle)),
  }));
  return { scriptTag, jobs: [...(await Promise.all(jobs)), await weighPublished(scriptTag)] };
}

/**
 * @param {[subject: string, note: string]} entry
 * @returns {Promise<Weight>}
 */
async function weighBundle([subject, note]) {
  const { first, all } = await bundle(`peers/${subject}.js`);
  const part = PARTS.find(({ subjects }) => subjects.test(subject));
  const rest = part && (await bundle(`peers/${subject}.js`, part));
  return {
    subject,
    ...(note && { note }),
    ...(part && rest && { without: { what: part.what, first: weighAll(rest.first) } }),
    first: weighAll(first),
    all: weighAll(all),
  };
}

/**
 * Weighs dist/cdn by what a page asks for.
 *
 * @param {import("./run.mjs").Bench} bench
 * @returns {Promise<Weighed["scriptTag"]>}
 */
async function weighScriptTag(bench) {
  // core.js is for pages without the elements.
  const every = (await readdir("dist/cdn")).filter((file) => /^(?!core\.)[\w-]+\.js$/.test(file));
  const sets = {
    ...(await filesOfPages(bench)),
    ...(await filesOfPages(bench, "-own", ", from the element's own file")),
    "the classic script, everything": ["matrix-auth-elements.global.js"],
    [EVER]: every,
  };
  const entries = Object.entries(sets).map(async ([title, files]) => {
    const codes = await Promise.all(files.map((file) => readFile(join("dist/cdn", file))));
    return /** @type {const} */ ([title, { ...weighAll(codes), files }]);
  });
  return Object.fromEntries(await Promise.all(entries));
}

/**
 * Which files of dist/cdn pages ask for.
 *
 * @param {import("./run.mjs").Bench} bench
 * @param {"" | "-own"} [own] Whether each page has its element's own file instead of that with all elements.
 * @param {string} [addition] To the titles.
 */
async function filesOfPages({ browser, site, servers }, own = "", addition = "") {
  /** @param {string} name @param {string} condition @param {(page: Page) => Promise<unknown>} [then] */
  const load = (name, condition, then) =>
    browser.inFreshPage(async (page) => {
      await page.goto(`${site.origin}/html/${name}`);
      await page.waitForFunction(condition);
      await then?.(page);
      // Files loaded while the page is idle count too.
      await page.waitForLoadState("networkidle");
      return page.evaluate(loadedFiles);
    });
  /** @param {Page} page */
  const leave = async (page) => {
    await page.click("oidc-login");
    await page.waitForFunction("window.leftFor");
  };
  const login = await load(`login${own}`, "window.readyAt", leave);
  const dialog = await load(`dialog${own}`, "window.isOpen");
  const callback = await load(
    own ? "login-own" : "login-elsewhere",
    "window.readyAt",
    async (page) => {
      await leave(page);
      await page.goto(servers.authorize(await page.evaluate("window.leftFor")));
      await page.waitForFunction("window.doneAt");
    },
  );
  const password = `document.querySelector("matrix-login input[type=password]")`;
  const matrixLogin = await load(`matrix-login${own}`, password);
  return {
    [`${FIRST_PAINT}${addition}`]: login.early,
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

/**
 * The files for script tags, as they are published.
 *
 * @param {Record<string, Bytes>} ours What pages load.
 */
async function weighPublished({ [FIRST_PAINT]: first = weighAll([]), [EVER]: all = weighAll([]) }) {
  const peers = Object.entries(PUBLISHED).map(async ([subject, file]) => {
    const bytes = weighAll([await readFile(`tools/bench/node_modules/${file}`)]);
    return { subject, first: bytes, all: bytes };
  });
  const own = {
    subject: "ours-elements",
    note: "all: standalone parts, of which a page loads few; without libphonenumber-js, for phone stages",
    first,
    all,
  };
  return { job: "elements, script tag", rows: [own, ...(await Promise.all(peers))] };
}
