// The tests of web-test-runner.config.mjs in the engine that `ENGINE` names: firefox or webkit.
import { chromeLauncher } from "@web/test-runner-chrome";
import * as puppeteer from "puppeteer-core";
import { ensureFirefox } from "./browser.mjs";
import { webkitLauncher } from "../test/support/webkit-launcher.mjs";
import base from "../web-test-runner.config.mjs";
import { freePort } from "../test/support/webkit.mjs";

const LAUNCHERS = {
  firefox: async () =>
    chromeLauncher({
      puppeteer,
      concurrency: 1,
      launchOptions: {
        browser: "firefox",
        executablePath: await ensureFirefox(),
        headless: true,
      },
    }),
  webkit: async () => webkitLauncher(),
};

export default {
  ...base,
  // Otherwise each takes the first free port from 8000 on, and two that start together the same.
  port: await freePort(),
  files: [
    ...base.files,
    // They set media features and sizes, and read what a screen reader is told: by Chromium's protocol alone.
    "!test/elements/accessibility/!(fields).test.ts",
  ],
  coverage: false,
  browsers: [await LAUNCHERS[process.env.ENGINE]()],
};
