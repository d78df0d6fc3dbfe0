import process from "node:process";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";

const launchOptions = {
  executablePath: process.env.CHROMIUM_PATH,
  args: JSON.parse(process.env.CHROMIUM_ARGUMENTS),
};

export default defineConfig({
  test: {
    projects: [
      { test: { name: "node", include: ["documented/!(*.browser).test.js"] } },
      {
        // Otherwise Vite finds them while the tests run, and reloads the page.
        optimizeDeps: {
          include: ["matrix-auth-elements/define", "matrix-auth-elements/testing"],
        },
        test: {
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
