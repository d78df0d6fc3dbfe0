// `npm run test:engines [firefox] [webkit]`: core, elements and complete flows in engines other than Chromium.
import { ensureFirefox, ensureWebKit, versionOf } from "./browser.mjs";
import { check, nodeTest, printCounts } from "./checks.mjs";
import { beginColumn } from "./operations.mjs";
import { main, run } from "./run.mjs";
import { webKitVersion } from "./webkit.mjs";

const ENGINES = [
  {
    name: "firefox",
    title: "Firefox",
    ensure: ensureFirefox,
    version: async () => versionOf(await ensureFirefox()),
  },
  { name: "webkit", title: "WebKit", ensure: ensureWebKit, version: webKitVersion },
];

await main(async () => {
  const wanted = process.argv.slice(2);
  const unknown = wanted.filter((each) => !ENGINES.some(({ name }) => name === each));
  if (unknown.length > 0) throw new Error(`There is no engine ${unknown.join(", ")}`);
  const engines = ENGINES.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  // Install everything first, so that no test waits for it later.
  for (const { ensure } of engines) await ensure();
  await run("Build", "node", ["scripts/build.mjs"]);
  for (const { name, title, version } of engines) {
    const options = { counts: true, env: { ENGINE: name } };
    const config = ["--config", "web-test-runner.engines.config.mjs"];
    await check(`Core and elements, in ${title}`, "wtr", config, options);
    await beginColumn(name, `${title} ${await version()}`);
    await check(`End to end, in ${title}`, "node", await nodeTest("test/e2e"), options);
  }
  printCounts();
});
