// Runs the tests of docs/guides/test-your-app.md with their tools, in an app with the packed package.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { before, describe, it } from "node:test";
import { promisify } from "node:util";
import { CHROMIUM_ARGUMENTS, ensureChromium } from "../../scripts/browser.mjs";
import { startServer } from "./server.js";
import { SUITE } from "../support/wait-for.mjs";

const APP = "test/frameworks/test-runners";
const BLOCK = /<!-- tested: (\S+) -->\s+```js\n([^]*?)^```$/gm;

describe("docs/guides/test-your-app.md", SUITE, () => {
  before(async () => {
    const folder = join(APP, "documented");
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
    for (const [, file = "", text = ""] of (
      await readFile("docs/guides/test-your-app.md", "utf8")
    ).matchAll(BLOCK)) {
      await writeFile(join(folder, file), text);
    }
  });

  /** Runs a tool. @returns its report, as JSON. */
  const run = async (
    command: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<unknown> => {
    const report = join(APP, "documented/report.json");
    await promisify(execFile)("npx", ["--no-install", ...command], {
      cwd: APP,
      timeout: SUITE.timeout,
      env: {
        ...process.env,
        ...env,
        CHROMIUM_PATH: await ensureChromium(),
        CHROMIUM_ARGUMENTS: JSON.stringify(CHROMIUM_ARGUMENTS),
        PLAYWRIGHT_JSON_OUTPUT_FILE: resolve(report),
      },
    });
    return JSON.parse(await readFile(report, "utf8"));
  };

  it("runs with Vitest: in Node with MSW, and in a browser", async () => {
    const outputFile = "--outputFile=documented/report.json";
    const report = await run(["vitest", "run", "--reporter=json", outputFile]);
    const { numPassedTests, numTotalTests } = report as Readonly<Record<string, number>>;
    assert.deepEqual([numPassedTests, numTotalTests], [2, 2]);
  });

  it("runs with Playwright", async () => {
    const server = await startServer(resolve(APP), ["vite", "--host", "localhost"]);
    const report = await run(["playwright", "test", "--reporter=json"], {
      BASE_URL: server.origin,
    }).finally(() => server.close());
    const { stats } = report as { readonly stats: Readonly<Record<string, number>> };
    const { expected, unexpected, flaky, skipped } = stats;
    assert.deepEqual([expected, unexpected, flaky, skipped], [2, 0, 0, 0]);
  });
});
