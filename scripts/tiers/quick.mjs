// `npm test`: what needs only a browser.
import { readFile } from "node:fs/promises";
import { ensureChromium, versionOf } from "../browser.mjs";
import { beginColumn } from "../../test/operations/records.mjs";
import { DEMO_TESTS } from "./demo.mjs";
import { build, nodeTest, nodeTestTogether, programs, testsIn } from "./steps.mjs";

/** @typedef {import("../schedule.mjs").Step} Step */

const CACHE = "node_modules/.cache";

/** @param {string} title @param {string} folder @returns {Step} */
const types = (title, folder) => ({
  title: `Types of ${title}`,
  does: [
    "tsc",
    ...["--noEmit", "--project", folder],
    ...["--incremental", "--tsBuildInfoFile", `${CACHE}/tsc/${folder}.tsbuildinfo`],
  ],
  after: [build],
  seconds: 9,
});

/** @returns {Promise<Step[]>} */
export async function quick() {
  return [
    {
      title: "Core and elements, in Chromium",
      // Counting what the tests reach takes a third more time.
      does: process.env.CI ? ["wtr", "--coverage"] : ["wtr"],
      counts: "tests",
      after: [build, programs("chromium")],
      seconds: 150,
    },
    {
      title: "End to end, in Chromium",
      does: nodeTestTogether(testsIn("test/e2e").filter((file) => !DEMO_TESTS.includes(file))),
      counts: "tests",
      after: [build, programs("chromium")],
      begins: async () => {
        await beginColumn("demo", `oidc-provider ${await installedVersion("oidc-provider")}`);
        await beginColumn("chromium", `Chromium ${versionOf(await ensureChromium())}`);
      },
      seconds: 160,
    },
    {
      title: "Documentation",
      does: nodeTest("test/docs"),
      counts: "tests",
      after: [build, programs("chromium")],
      seconds: 21,
    },
    {
      title: "Package",
      does: nodeTest("test/package"),
      counts: "tests",
      after: [build, programs("chromium")],
      seconds: 20,
    },
    {
      title: "The demo's homeserver",
      does: nodeTest("test/contract/demo.test.ts"),
      counts: "tests",
      after: [build],
      seconds: 10,
    },
    {
      title: "The demo's provider",
      does: nodeTest("test/contract/provider.test.ts"),
      counts: "tests",
      seconds: 4,
    },
    {
      title: "Servers for tests, in Node",
      does: nodeTest("test/testing"),
      counts: "tests",
      after: [build],
      seconds: 5,
    },
    types("the tests", "test"),
    types("the demo and scripts", "demo"),
    // Rules that read types may judge a file differently when another changes, so src has no cache.
    { title: "Lint of src/", does: ["eslint", "src"], seconds: 12 },
    {
      title: "Walls",
      does: ["depcruise", "src"],
      seconds: 3,
    },
    {
      title: "Lint of the rest",
      does: [
        "eslint",
        ".",
        ...["--ignore-pattern", "src/"],
        ...["--cache", "--cache-strategy", "content", "--cache-location", `${CACHE}/eslint/`],
      ],
      seconds: 11,
    },
    {
      title: "Format",
      does: [
        "prettier",
        ...["--check", "--log-level", "warn", "."],
        ...["--cache", "--cache-strategy", "content"],
      ],
      seconds: 18,
    },
  ];
}

/** @param {string} name Of a package. */
async function installedVersion(name) {
  return JSON.parse(await readFile(`node_modules/${name}/package.json`, "utf8")).version;
}
