import process from "node:process";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { SUITE, WAIT_MS } from "../../support/wait-for.mjs";

const launchOptions = {
  executablePath: process.env.CHROMIUM_PATH,
  args: JSON.parse(process.env.CHROMIUM_ARGUMENTS),
};

const limits = { testTimeout: SUITE.timeout, expect: { poll: { timeout: WAIT_MS } } };

export default defineConfig({
  test: {
    projects: [
      { test: { ...limits, name: "node", include: ["documented/!(*.browser).test.js"] } },
      {
        // Otherwise Vite finds them while the tests run, and reloads the page.
        optimizeDeps: {
          include: ["matrix-auth-elements/define", "matrix-auth-elements/testing"],
        },
        test: {
          ...limits,
          name: "browser",
          include: ["documented/*.browser.test.js"],
          browser: {
            enabled: true,
            headless: true,
            provider: playwright({ launchOptions }),
            instances: [{ browser: "chromium" }],
            screenshotFailures: false,
          },
        },
      },
    ],
  },
});
