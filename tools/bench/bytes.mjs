// What an application's visitors download: of everybody bundled the same way, and of this library's
// files for script tags as a page really loads them.
import { readFile, readdir } from "node:fs/promises";
import { join, posix } from "node:path";
import { build } from "esbuild";
import { ALIAS, bundle, weigh, weighAll } from "./bundle.mjs";

/** @typedef {import("./browser.mjs").Browser} Browser */
/** @typedef {import("./browser.mjs").Page} Page */
/** @typedef {import("./bundle.mjs").Bytes} Bytes */

/**
 * @typedef {object} Weight
 * @property {string} subject
 * @property {string} [note] What is not the same.
 * @property {{ what: string, first: Bytes }} [without] What it would be without one part of it.
 * @property {Bytes} first What is loaded at once.
 * @property {Bytes} all Everything that can ever be loaded, but other languages.
 */

/** @typedef {{ job: string, rows: Weight[] }} Job */

/** By the job: who can do it, ours first, and what is not the same. */
const JOBS = {
  "sign in at an issuer, stay signed in": {
    "ours-oidc": "",
    "oidc-client-ts": "checks no signature",
    "auth0-spa-js": "Auth0's servers alone; checks no signature",
  },
  "User-Interactive Authentication": {
    "ours-uia": "",
    "matrix-js-sdk-41-uia": "",
    "matrix-js-sdk-43-uia": "",
  },
  "both, from a homeserver's name": {
    "ours-core": "",
    "matrix-js-sdk-41": "by its modules; checks no signature",
    "matrix-js-sdk-43": "by its modules; OAuth 2.0 alone, keeps nothing itself",
    "matrix-js-sdk-41-client": "a whole Matrix client",
    "matrix-js-sdk-43-client": "a whole Matrix client",
  },
  "elements, bundled": {
    "ours-elements": "all: with libphonenumber-js, for phone stages",
    "hanko-elements": "for its own server",
    descope: "loads further parts, and the screens, from its servers: not counted",
  },
};

const FIRST_PAINT = "before the first paint of <oidc-login>";
const SIGN_IN = "by a page that signs somebody in";
const DIALOG = "by a page that opens <uia-dialog>";
const CALLBACK = "by a page that completes a login";
const MATRIX_LOGIN = "by a page that asks for a password by <matrix-login>";
/** Added to one of these: the page has one element, and the file of that. */
const OWN = ", by its element's own file";
const EVER = "everything but other languages and third-party extras";

const CLASSIC = "the classic script, everything";

/** Libraries that publish a file for script tags, and its path. */
const PUBLISHED = {
  "hanko-elements": "tools/bench/node_modules/@teamhanko/hanko-elements/dist/elements.js",
  descope: "tools/bench/node_modules/@descope/web-component/dist/index.js",
};

/** What is not loaded by pages in English. */
const LANGUAGE = /^locales\//;
/** Third-party code that one stage, or an old browser, needs. */
const OPTIONAL = /^optional\//;

/**
 * What explains a weight.
 *
 * @typedef {import("./bundle.mjs").LeftOut & { what: string, subjects: RegExp }} Part
 */

/** @type {readonly Part[]} */
const PARTS = [
  {
    // Look-alike letters are told by it; whatever is imported of matrix-js-sdk brings it along.
    what: "its table of letters",
    subjects: /^matrix-js-sdk/,
    filter: /unhomoglyph\/data\.json$/,
    contents: "{}",
    loader: "json",
  },
  {
    what: "the ID token's verification",
    subjects: /^ours-oidc$/,
    filter: /\/oidc\/id-token\.js$/,
    contents: "export const verifyIdToken = async () => {};",
    loader: "js",
  },
];

/**
 * @param {string} subject
 * @returns {Promise<{ without?: { what: string, first: Bytes } }>}
 */
async function weighWithoutPart(subject) {
  const part = PARTS.find(({ subjects }) => subjects.test(subject));
  if (!part) return {};
  const { what, filter, contents, loader } = part;
  const { files, first } = await bundle(`peers/${subject}.js`, {
    without: { filter, contents, loader },
  });
  const codes = first.map((name) => files.get(name) ?? new Uint8Array());
  return { without: { what, first: weighAll(codes) } };
}

/** @param {(done: number, all: number) => void} progress */
export async function weighBundles(progress) {
  const count = Object.values(JOBS).reduce((sum, job) => sum + Object.keys(job).length, 0);
  let done = 0;
  /** @type {Job[]} */
  const jobs = [];
  for (const [job, subjects] of Object.entries(JOBS)) {
    /** @type {Weight[]} */
    const rows = [];
    for (const [subject, note] of Object.entries(subjects)) {
      const { files, first, all } = await bundle(`peers/${subject}.js`);
      const weighThese = (/** @type {readonly string[]} */ names) =>
        weighAll(names.map((name) => files.get(name) ?? new Uint8Array()));
      rows.push({
        subject,
        ...(note && { note }),
        ...(await weighWithoutPart(subject)),
        first: weighThese(first),
        all: weighThese(all),
      });
      progress((done += 1), count);
    }
    jobs.push({ job, rows });
  }
  return jobs;
}

/**
 * Which files of dist/cdn pages ask for.
 *
 * @param {Browser} browser
 * @param {import("./round-trip-steps.mjs").Environment} environment
 * @param {"" | "-own"} own Whether each page has its element's own file instead of that with all elements.
 */
async function filesOfPages(browser, { site, servers }, own) {
  const open = async (/** @type {Page} */ page, /** @type {string} */ name) =>
    page.goto(`${site.origin}/html/${name}`);
  const leave = async (/** @type {Page} */ page, /** @type {string} */ name) => {
    await open(page, name);
    await page.waitForFunction("window.readyAt");
    await page.click("oidc-login");
    await page.waitForFunction("window.leftFor");
  };
  /** @param {(page: Page) => Promise<unknown>} visit */
  const loaded = async (visit) => {
    const { painted, later } = await browser.inFreshPage(async (page) => {
      await visit(page);
      return page.evaluate(loadedBy);
    });
    return { painted, all: [...painted, ...later] };
  };
  const login = await loaded((page) => leave(page, `login${own}`));
  const dialog = await loaded(async (page) => {
    await open(page, `dialog${own}`);
    await page.waitForFunction("window.isOpen");
  });
  const callback = await loaded(async (page) => {
    await leave(page, own ? "login-own" : "login-elsewhere");
    await page.goto(servers.authorize(await page.evaluate("window.leftFor")));
    await page.waitForFunction("window.doneAt");
  });
  const matrixLogin = await loaded(async (page) => {
    await open(page, `matrix-login${own}`);
    await page.waitForSelector("matrix-login input[type=password]");
  });
  return {
    [FIRST_PAINT]: login.painted,
    [SIGN_IN]: login.all,
    [DIALOG]: dialog.all,
    [CALLBACK]: callback.all,
    [MATRIX_LOGIN]: matrixLogin.all,
  };
}

/**
 * Weighs dist/cdn by what a page asks for.
 *
 * @param {Browser} browser
 * @param {import("./round-trip-steps.mjs").Environment} environment
 * @returns {Promise<Record<string, Bytes & { files: string[] }>>}
 */
export async function weighScriptTag(browser, environment) {
  const every = await reachable("matrix-auth-elements.js");
  const own = Object.entries(await filesOfPages(browser, environment, "-own"));
  const sets = {
    ...(await filesOfPages(browser, environment, "")),
    ...Object.fromEntries(own.map(([title, files]) => [`${title}${OWN}`, files])),
    [CLASSIC]: ["matrix-auth-elements.global.js"],
    [EVER]: every.filter((file) => !OPTIONAL.test(file)),
    "everything but other languages": every,
  };
  const entries = Object.entries(sets).map(async ([title, files]) => {
    const codes = await Promise.all(files.map((file) => readFile(join("dist/cdn", file))));
    return /** @type {const} */ ([title, { ...weighAll(codes), files }]);
  });
  return Object.fromEntries(await Promise.all(entries));
}

/**
 * The files for script tags, as they are published.
 *
 * @param {Record<string, Bytes>} ours What {@link weighScriptTag} gave.
 * @returns {Promise<Job>}
 */
export async function weighPublished(ours) {
  const nothing = { minified: 0, gzip: 0, brotli: 0 };
  const peers = Object.entries(PUBLISHED).map(async ([subject, file]) => {
    const bytes = weigh(await readFile(file));
    return { subject, first: bytes, all: bytes };
  });
  const own = {
    subject: "ours-elements",
    note: "all: parts that stand alone, of which a page loads few; less libphonenumber-js, for phone stages",
    first: ours[FIRST_PAINT] ?? nothing,
    all: ours[EVER] ?? nothing,
  };
  return { job: "elements, by a script tag", rows: [own, ...(await Promise.all(peers))] };
}

/**
 * Further sizes that have a budget.
 *
 * @typedef {object} Own
 * @property {Bytes} signingIn From a homeserver's name to tokens, and to signing out.
 * @property {Bytes} session What keeps a user signed in.
 * @property {Bytes} inOneBundle The elements and sessions, less what only phone numbers and cross-signing need.
 * @property {Bytes} largestLanguage
 */

/** @returns {Promise<Own>} */
export async function weighOwn() {
  const { entry, files } = await bundle("peers/ours-signing-in.js");
  const locales = (await readdir("dist/cdn/locales")).filter((file) => !/\.global\./.test(file));
  const languages = await Promise.all(
    locales.map(async (file) => weigh(await readFile(join("dist/cdn/locales", file)))),
  );
  return {
    signingIn: weigh(files.get(entry) ?? new Uint8Array()),
    inOneBundle: await weighOneBundle(),
    session: weigh(await readFile("dist/cdn/session.js")),
    largestLanguage: languages.reduce((a, b) => (a.gzip > b.gzip ? a : b)),
  };
}

/** As esbuild makes it of the npm package, without splitting. */
async function weighOneBundle() {
  const { outputFiles } = await build({
    entryPoints: ["tools/bench/peers/ours-in-one.js"],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    conditions: ["production"],
    external: ["libphonenumber-js", "@noble/ed25519"],
    alias: ALIAS,
    logLevel: "error",
  });
  return weigh(outputFiles[0]?.contents ?? new Uint8Array());
}

/**
 * What a page with one file of dist/cdn can ever load.
 *
 * @param {string} entry
 */
async function reachable(entry) {
  const reached = new Set([entry]);
  for (const file of reached) {
    const code = await readFile(join("dist/cdn", file), "utf8");
    for (const [, path = ""] of code.matchAll(/\b(?:import\(|from|import)\s*["'`](\.[^"'`]+)/g)) {
      const found = posix.join(posix.dirname(file), path);
      if (!LANGUAGE.test(found)) reached.add(found);
    }
  }
  return [...reached].sort();
}

/** Runs in the page: what it began to load of dist/cdn before the element was rendered, and after. */
function loadedBy() {
  const [rendered] = performance.getEntriesByName("rendered");
  const resources = performance.getEntriesByType("resource");
  const files = resources
    .map(({ name, startTime }) => ({ path: new URL(name).pathname, startTime }))
    .filter(({ path }) => path.startsWith("/cdn/"))
    .map(({ path, startTime }) => ({
      file: path.slice("/cdn/".length),
      early: startTime < (rendered?.startTime ?? Infinity),
    }));
  return {
    painted: files.filter(({ early }) => early).map(({ file }) => file),
    later: files.filter(({ early }) => !early).map(({ file }) => file),
  };
}
