// Runs the documentation's tests with their tools, in apps with the packed package.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { before, describe, it } from "node:test";
import { promisify } from "node:util";
import { CHROMIUM_ARGUMENTS, ensureChromium } from "../../scripts/browser.mjs";
import { blocksOf } from "../docs/blocks.js";
import { startServer } from "./server.js";
import { freePort } from "../support/ports.mjs";
import { SUITE, WAIT_MS } from "../support/wait-for.mjs";

const APP = "test/frameworks/test-runners";
const REACT_APP = join(APP, "documented/react");
const GUIDE = "docs/guides/test-your-app.md";
const BLOCK = /<!-- tested: (\S+) -->\s+```js\n([^]*?)^```$/gm;

/** Runs a tool. @returns its report, as JSON. */
async function run(
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = APP,
): Promise<unknown> {
  const report = resolve(APP, "documented/report.json");
  await promisify(execFile)("npx", ["--no-install", ...command], {
    cwd,
    timeout: SUITE.timeout,
    env: {
      ...process.env,
      ...env,
      CHROMIUM_PATH: await ensureChromium(),
      CHROMIUM_ARGUMENTS: JSON.stringify(CHROMIUM_ARGUMENTS),
      PLAYWRIGHT_JSON_OUTPUT_FILE: report,
    },
  });
  return JSON.parse(await readFile(report, "utf8"));
}

function assertVitest(report: unknown, count: number): void {
  const { numPassedTests, numTotalTests } = report as Readonly<Record<string, number>>;
  assert.deepEqual([numPassedTests, numTotalTests], [count, count]);
}

function assertPlaywright(report: unknown, count: number): void {
  const { stats } = report as { readonly stats: Readonly<Record<string, number>> };
  const { expected, unexpected, flaky, skipped } = stats;
  assert.deepEqual([expected, unexpected, flaky, skipped], [count, 0, 0, 0]);
}

describe(GUIDE, SUITE, () => {
  before(async () => {
    const folder = join(APP, "documented");
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
    for (const [, file = "", text = ""] of (await readFile(GUIDE, "utf8")).matchAll(BLOCK)) {
      await writeFile(join(folder, file), text);
    }
    const page = (await blocksOf(GUIDE)).find(({ file }) => file === "index.html")?.text ?? "";
    await writeFile(join(folder, "index.html"), page);
    const popup = page.replace("<matrix-login", '<matrix-login mode="popup"');
    await writeFile(join(folder, "popup.html"), popup);
  });

  it("runs with Vitest: in Node with MSW, and in a browser", async () => {
    const outputFile = "--outputFile=documented/report.json";
    assertVitest(await run(["vitest", "run", "--reporter=json", outputFile]), 2);
  });

  it("runs with Playwright", async () => {
    const server = await startServer(resolve(APP), ["vite", "documented", "--host", "localhost"]);
    const report = await run(["playwright", "test", "--reporter=json"], {
      BASE_URL: server.origin,
    }).finally(() => server.close());
    assertPlaywright(report, 2);
  });
});

describe("docs/guides/test-a-react-app.md", SUITE, () => {
  before(async () => {
    const launchOptions = {
      executablePath: await ensureChromium(),
      args: CHROMIUM_ARGUMENTS,
    };
    const port = String(await freePort());
    for (const page of ["get-started/react", "guides/test-a-react-app"]) {
      for (const { file, text } of await blocksOf(`docs/${page}.md`)) {
        if (file === undefined) continue;
        const path = join(REACT_APP, file);
        await mkdir(dirname(path), { recursive: true });
        const ofBrowser = `timeout: ${SUITE.timeout}, expect: { timeout: ${WAIT_MS} },
          use: { launchOptions: ${JSON.stringify(launchOptions)},`;
        await writeFile(path, text.replaceAll("5173", port).replace("use: {", ofBrowser));
      }
    }
  });

  it("compiles with the components' types, and runs with Vitest", async () => {
    await promisify(execFile)("npx", ["--no-install", "tsc"], { cwd: REACT_APP });
    const outputFile = "--outputFile=../report.json";
    assertVitest(await run(["vitest", "run", "--reporter=json", outputFile], {}, REACT_APP), 2);
  });

  it("runs with Playwright, which starts the app", async () => {
    const output = "--output=../results";
    assertPlaywright(
      await run(["playwright", "test", "--reporter=json", output], {}, REACT_APP),
      1,
    );
  });

  it("installs the packages whose versions are tested", async () => {
    const [install] = await blocksOf("docs/guides/test-a-react-app.md");
    const { devDependencies } = JSON.parse(await readFile(join(APP, "package.json"), "utf8")) as {
      readonly devDependencies: Readonly<Record<string, string>>;
    };
    const [, names = ""] = /^npm install --save-dev (.+)$/m.exec(install?.text ?? "") ?? [];
    for (const name of names.split(" ")) assert.ok(name in devDependencies, name);
  });
});
