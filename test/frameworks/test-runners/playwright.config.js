import process from "node:process";
import { defineConfig } from "@playwright/test";
import { SUITE, WAIT_MS } from "../../support/wait-for.mjs";

export default defineConfig({
  testDir: "documented",
  testMatch: "*.spec.js",
  outputDir: "documented/results",
  timeout: SUITE.timeout,
  expect: { timeout: WAIT_MS },
  use: {
    baseURL: process.env.BASE_URL,
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH,
      args: JSON.parse(process.env.CHROMIUM_ARGUMENTS),
    },
  },
});
