// `npm run test:engines [firefox] [webkit]`: core, elements and complete flows in engines besides Chromium.
import { ensureFirefox, versionOf } from "../browser.mjs";
import { beginColumn } from "../../test/operations/records.mjs";
import { webKitVersion } from "../../test/support/webkit.mjs";
import { build, nodeTestTogether, programs, testsIn } from "./steps.mjs";

// The configuration of web-test-runner that theirs is based on looks for Chromium.
const ENGINES = [
  {
    name: "firefox",
    title: "Firefox",
    needs: /** @type {const} */ (["chromium", "firefox"]),
    version: async () => versionOf(await ensureFirefox()),
  },
  {
    name: "webkit",
    title: "WebKit",
    needs: /** @type {const} */ (["chromium", "webkit", "xvfb"]),
    version: webKitVersion,
  },
];

/**
 * @param {readonly string[]} [names] All, unless some are named.
 * @returns {Promise<import("../schedule.mjs").Step[]>}
 */
export async function engines(names = []) {
  const unknown = names.filter((each) => !ENGINES.some(({ name }) => name === each));
  if (unknown.length > 0) throw new Error(`There is no engine ${unknown.join(", ")}`);
  const chosen = ENGINES.filter(({ name }) => names.length === 0 || names.includes(name));
  return chosen.flatMap(({ name, title, needs, version }) => {
    const common = /** @type {const} */ ({
      counts: "tests",
      after: [build, programs(...needs)],
      env: { ENGINE: name },
    });
    return [
      {
        ...common,
        title: `Core and elements, in ${title}`,
        does: ["wtr", "--config", "scripts/web-test-runner.engines.config.mjs"],
        seconds: 240,
      },
      {
        ...common,
        title: `End to end, in ${title}`,
        does: nodeTestTogether(testsIn("test/e2e")),
        begins: async () => beginColumn(name, `${title} ${await version()}`),
        seconds: 300,
      },
    ];
  });
}
