import process from "node:process";
import { defineConfig } from "@playwright/test";

const url = "http://127.0.0.1:47179";

export default defineConfig({
  testDir: "documented",
  testMatch: "*.spec.js",
  outputDir: "documented/results",
  use: {
    baseURL: url,
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH,
      args: JSON.parse(process.env.CHROMIUM_ARGUMENTS),
    },
  },
  webServer: { command: "npx vite --host 127.0.0.1 --port 47179 --strictPort", url },
});
