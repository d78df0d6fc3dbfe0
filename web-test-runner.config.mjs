// The tiers that run inside a browser, on the built package: test/core, test/elements and test/interop.
import { esbuildPlugin } from "@web/dev-server-esbuild";
import { chromeLauncher } from "@web/test-runner-chrome";
import { matrixJsSdk } from "./test/interop/bundle-plugin.mjs";
import { person } from "./test/support/person-plugin.mjs";
import { CHROMIUM_ARGUMENTS, ensureChromium } from "./scripts/browser.mjs";

const executablePath = await ensureChromium();

export default {
  files: ["test/{core,elements}/**/*.test.ts", "test/interop/*.test.ts"],
  nodeResolve: { exportConditions: ["production", "default"] },
  plugins: [matrixJsSdk(), person(), esbuildPlugin({ ts: true, target: "es2022" })],
  browsers: [chromeLauncher({ launchOptions: { executablePath, args: CHROMIUM_ARGUMENTS } })],
  // One page at a time: a browser paints no page in the background, and nothing on it is ever seen.
  concurrency: 1,
  // They end what would never end, also on a machine with four times its load; no test's duration matters.
  browserStartTimeout: 120_000,
  testsStartTimeout: 120_000,
  testsFinishTimeout: 600_000,
  testFramework: { config: { timeout: 60_000 } },
  coverage: process.argv.includes("--coverage"),
  coverageConfig: {
    include: ["dist/core/**/*.js"],
    reporters: ["text-summary", "text", "lcovonly"],
    threshold: { statements: 95, branches: 95, functions: 95, lines: 95 },
  },
};
