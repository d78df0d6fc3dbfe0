import process from "node:process";
import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "documented",
  testMatch: "*.spec.js",
  outputDir: "documented/results",
  use: {
    baseURL: process.env.BASE_URL,
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH,
      args: JSON.parse(process.env.CHROMIUM_ARGUMENTS),
    },
  },
});
