// The tests that run inside a page, on the built package. `ENGINE=firefox` or `webkit` runs those that an engine can change:
// docs/development/testing.md says which, and why.
import { availableParallelism } from "node:os";
import { esbuildPlugin } from "@web/dev-server-esbuild";
import { chromeLauncher } from "@web/test-runner-chrome";
import * as puppeteer from "puppeteer-core";
import {
  CHROMIUM_ARGUMENTS,
  FIREFOX_PREFERENCES,
  ensureChromium,
  ensureFirefox,
  ensureWholeChromium,
} from "./scripts/browser.mjs";
import { bundledPackages } from "./test/support/bundle-plugin.mjs";
import { emulation } from "./test/support/emulation-plugin.mjs";
import { freePort } from "./test/support/ports.mjs";
import { webkitLauncher } from "./test/support/webkit-launcher.mjs";

const { ENGINE = "chromium", CI, MATRIX } = process.env;
const inChromium = ENGINE === "chromium";

/** Storage, locks, channels, random numbers, cryptography, and requests that an engine aborts. */
const ENGINE_CORE = [
  "test/core/{abort,random}.test.ts",
  "test/core/http/*.test.ts",
  "test/core/oauth/{flow-store,id-token}.test.ts",
  "test/core/session/{session-watcher,stores,tabs}.test.ts",
];

/** Dialogs, focus, forms, popups, the page's life cycle, and what the elements look like. */
const ENGINE_ELEMENTS = [
  "test/elements/accessibility/fields.test.ts",
  "test/elements/matrix-login/{looks,matrix-login,returned-login}.test.ts",
  "test/elements/{oidc-callback/load-failure,oidc-login/popup-login}.test.ts",
  "test/elements/uia-dialog/{cancel,focus,looks,other-pages,page,password}.test.ts",
  "test/elements/uia-fallback-frame/*.test.ts",
  "test/elements/shared/{define,early-capture,focus,language,load-again}.test.ts",
];

/** In Firefox, keys stay with the browser's own controls, to which the focus moves in a test of the dialog. */
const ONLY_WEBKIT = ENGINE === "webkit" ? ["test/attacks/12-haste.test.ts"] : [];

/** Whether a developer has the runner open, who may debug a test in a browser with a window. */
const WATCH = process.argv.includes("--watch");

/** The runner's own limits end what hangs. */
const LAUNCH = { networkEnabled: false, timeout: 0, protocolTimeout: 0 };

/** Puppeteer's limit of 30 seconds is too short for a page that loads on a busy machine. */
function patient(/** @type {puppeteer.Page} */ page) {
  page.setDefaultTimeout(0);
  return page;
}

const BROWSERS = {
  chromium: async () =>
    chromeLauncher({
      launchOptions: {
        // The headless shell has no window for the key D.
        executablePath: await (WATCH ? ensureWholeChromium() : ensureChromium()),
        args: [...CHROMIUM_ARGUMENTS],
        ...LAUNCH,
      },
      // Each page has a window and a storage: a browser does not paint pages in the background.
      async createPage({ context }) {
        const own = await context.browser().createBrowserContext();
        const page = patient(await own.newPage());
        await page.emulateFocusedPage(true);
        return page;
      },
    }),
  firefox: async () =>
    chromeLauncher({
      puppeteer,
      concurrency: 1,
      launchOptions: {
        browser: "firefox",
        executablePath: await ensureFirefox(),
        extraPrefsFirefox: FIREFOX_PREFERENCES,
        headless: true,
        ...LAUNCH,
      },
      createPage: async ({ context }) => patient(await context.newPage()),
    }),
  webkit: async () => webkitLauncher(),
};

/**
 * Lets the browser keep what no test changes: otherwise it requests some 200 modules again for each file.
 *
 * @type {import("@web/dev-server-core").Middleware}
 */
async function cacheWhatStays(context, next) {
  await next();
  if (/^\/(dist|node_modules)\//.test(context.path)) {
    context.set("Cache-Control", "max-age=3600, immutable");
  }
}

/**
 * What an assertion compared goes to the runner as a structured clone. Elements and sessions have none, and the run would
 * hang: they go as text.
 *
 * @type {import("@web/dev-server-core").Plugin}
 */
const printableAssertions = {
  name: "printable-assertions",
  transform({ path, body }) {
    if (path !== "/node_modules/@open-wc/testing/index.js") return undefined;
    return `${body}
      const check = chai.Assertion.prototype.assert;
      chai.Assertion.prototype.assert = function (...parts) {
        try {
          return check.apply(this, parts);
        } catch (error) {
          for (const key of ["actual", "expected"]) {
            try {
              structuredClone(error[key]);
            } catch {
              error[key] = chai.util.inspect(error[key]);
            }
          }
          throw error;
        }
      };`;
  },
};

const groups = [
  { name: "core", files: ["test/{core,matrix-js-sdk}/**/*.test.ts", "test/interop/*.test.ts"] },
  // In CI, the step test:matrix shows each state in each surrounding, and this one no part of them.
  {
    name: "elements",
    files: ["test/elements/**/*.test.ts", ...(CI === "true" ? ["!test/elements/matrix/**"] : [])],
  },
  { name: "attacks", files: ["test/attacks/*.test.ts", "!test/attacks/{14-*,*.http}.test.ts"] },
  // Its sign-ins navigate: in a page next to others, one of them once left the runner's page.
  { name: "starter", files: ["test/attacks/14-*.test.ts"] },
];

export default {
  // `--files` is instead of the groups.
  ...(inChromium && !process.argv.includes("--files") && { groups }),
  ...(!inChromium && { files: [...ENGINE_CORE, ...ENGINE_ELEMENTS, ...ONLY_WEBKIT] }),
  nodeResolve: { exportConditions: ["production", "default"] },
  plugins: [
    printableAssertions,
    bundledPackages(),
    emulation(),
    esbuildPlugin({ ts: true, target: "es2022" }),
  ],
  middleware: WATCH ? [] : [cacheWhatStays],
  browsers: [await BROWSERS[ENGINE]()],
  // By default each run takes the first free port from 8000 on, and two that start together take the same.
  port: await freePort(),
  // One page more than there are processors, so that none waits while a page does. The matrix waits for frames most of
  // the time, and its command names the longest files first.
  concurrency: MATRIX === "whole" ? 4 : Math.min(4, availableParallelism() + 1),
  // They end a run that hangs. No test's duration matters.
  browserStartTimeout: 300_000,
  testsStartTimeout: 300_000,
  // The whole matrix of one element takes more than ten minutes on a busy machine.
  testsFinishTimeout: MATRIX === "whole" ? 3_600_000 : 1_200_000,
  testFramework: { config: { timeout: 300_000 } },
  // It takes a third more time, so only CI requires it of the core's tests.
  coverage: process.argv.includes("--coverage") || (CI === "true" && process.argv.includes("core")),
  coverageConfig: {
    include: ["dist/{core,matrix-js-sdk}/**/*.js"],
    reporters: ["text-summary", "text", "lcovonly"],
    threshold: { statements: 95, branches: 95, functions: 95, lines: 95 },
  },
};
