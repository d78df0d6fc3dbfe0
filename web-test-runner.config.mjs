// The tiers that run inside a browser, on the built package: test/core, test/elements and test/interop.
import { availableParallelism } from "node:os";
import { esbuildPlugin } from "@web/dev-server-esbuild";
import { chromeLauncher } from "@web/test-runner-chrome";
import { bundledPackages } from "./test/support/bundle-plugin.mjs";
import { emulation } from "./test/support/emulation-plugin.mjs";
import { CHROMIUM_ARGUMENTS, ensureChromium } from "./scripts/browser.mjs";

const executablePath = await ensureChromium();

/** The pages that are tested at once: so many that no processor waits while one of them does. */
const PAGES = Math.min(4, availableParallelism() + 1);

/**
 * Lets the browser keep what no test changes, compiled: else it asks for each of some 200 modules anew in
 * each file.
 *
 * @type {import("@web/dev-server-core").Middleware}
 */
async function cacheWhatStays(context, next) {
  await next();
  if (/^\/(dist|node_modules)\//.test(context.path)) {
    context.set("Cache-Control", "max-age=3600, immutable");
  }
}

export default {
  files: ["test/{core,elements}/**/*.test.ts", "test/interop/*.test.ts"],
  nodeResolve: { exportConditions: ["production", "default"] },
  plugins: [bundledPackages(), emulation(), esbuildPlugin({ ts: true, target: "es2022" })],
  middleware: process.argv.includes("--watch") ? [] : [cacheWhatStays],
  browsers: [
    chromeLauncher({
      launchOptions: { executablePath, args: [...CHROMIUM_ARGUMENTS] },
      // A window of its own for each: a browser paints no page in the background, and pages that share
      // their storage would disturb each other.
      async createPage({ context }) {
        const own = await context.browser().createBrowserContext();
        const page = await own.newPage();
        await page.emulateFocusedPage(true);
        return page;
      },
    }),
  ],
  concurrency: PAGES,
  // They end what would never end, also on a machine with many times its load; no test's duration matters.
  browserStartTimeout: 120_000,
  testsStartTimeout: 120_000,
  testsFinishTimeout: 600_000,
  testFramework: { config: { timeout: 120_000 } },
  coverage: process.argv.includes("--coverage"),
  coverageConfig: {
    include: ["dist/core/**/*.js"],
    reporters: ["text-summary", "text", "lcovonly"],
    threshold: { statements: 95, branches: 95, functions: 95, lines: 95 },
  },
};
