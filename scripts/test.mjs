// `npm test`: everything that needs nothing but a browser. Says at the end what ran and what did not.
import { readFile } from "node:fs/promises";
import { ensureChromium, versionOf } from "./browser.mjs";
import { check, nodeTest, nodeTestOf, printCounts } from "./checks.mjs";
import { beginColumn } from "./operations.mjs";
import { main, run } from "./run.mjs";

await main(async () => {
  const chromium = await ensureChromium();
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
  await beginColumn("demo", `oidc-provider ${await installedVersion("oidc-provider")}`);
  await beginColumn("chromium", `Chromium ${versionOf(chromium)}`);
  await check("End to end, in Chromium", "node", await nodeTest("test/e2e"), { counts: true });
  printCounts();
});

/** @param {string} name Of a package. */
async function installedVersion(name) {
  return JSON.parse(await readFile(`node_modules/${name}/package.json`, "utf8")).version;
}
