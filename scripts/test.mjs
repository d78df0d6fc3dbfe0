// `npm test`: everything that needs nothing but a browser. Says at the end what ran and what did not.
import { ensureChromium } from "./browser.mjs";
import { check, nodeTest, nodeTestOf, printCounts } from "./checks.mjs";
import { main, run } from "./run.mjs";

await main(async () => {
  await ensureChromium();
  await run("Build", "node", ["scripts/build.mjs"]);
  await check("Types of the tests", "tsc", ["--noEmit", "--project", "test"]);
  await check("Types of the demo", "tsc", ["--noEmit", "--project", "demo"]);
  await check("Lint and walls", "eslint", ["."]);
  await check("Format", "prettier", ["--check", "--log-level", "warn", "."]);
  await check("Documentation", "node", await nodeTest("test/docs"), { counts: true });
  await check("Package", "node", await nodeTest("test/package"), { counts: true });
  await check("The demo's homeserver", "node", nodeTestOf(["test/contract/demo.test.ts"]), {
    counts: true,
  });
  await check("Core and elements, in Chromium", "wtr", ["--coverage"], { counts: true });
  await check("Conformance, in Chromium", "node", await nodeTest("test/conformance"), {
    counts: true,
  });
  await check("End to end, in Chromium", "node", await nodeTest("test/e2e"), { counts: true });
  printCounts();
});
