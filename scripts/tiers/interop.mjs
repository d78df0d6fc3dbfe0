// `npm run test:interop`: what is true of the demo's servers, tried on real ones: Synapse, which this
// installs in a folder of its own (scripts/synapse.mjs), or that which SYNAPSE_URL names, and the provider
// Glewlwyd, in a folder of its own too (scripts/glewlwyd.mjs).
import { GLEWLWYD_VERSION, ensureGlewlwyd } from "../glewlwyd.mjs";
import { beginColumn, leaveOutColumn } from "../../test/operations/records.mjs";
import { OLDER_SYNAPSE_VERSION, SYNAPSE_VERSION, ensureSynapse } from "../synapse.mjs";
import { install } from "./install.mjs";
import { build, nodeTest, programs } from "./steps.mjs";

/** @typedef {import("../schedule.mjs").Step} Step */

const { SYNAPSE_URL } = process.env;

/** @type {Step} */
const synapse = {
  title: "Synapse",
  optional: true,
  does: async () => {
    if (SYNAPSE_URL) return beginColumn("synapse", `Synapse ${await versionAt(SYNAPSE_URL)}`);
    await ensureSynapse();
    await beginColumn("synapse", `Synapse ${SYNAPSE_VERSION}`);
    await beginColumn("delegated", `Synapse ${SYNAPSE_VERSION}`);
  },
  counts: "preparation",
  // It may need a package of the system's, too, and those are installed one after another.
  after: [programs()],
  seconds: 20,
};

/** @type {Step} */
const glewlwyd = {
  title: "Glewlwyd",
  optional: true,
  does: async () => {
    await ensureGlewlwyd();
    await beginColumn("provider", `Glewlwyd ${GLEWLWYD_VERSION}`);
  },
  counts: "preparation",
  seconds: 20,
};

/** The versions of matrix-js-sdk that docs/matrix-js-sdk.md names, in pages. */
const SDK = "test/interop/matrix-js-sdk";

/** @type {Step[]} */
const clients = [SDK, "demo/matrix-js-sdk"].map((project) => ({
  title: `${project}: build`,
  does: ["npm", "run", "build"],
  cwd: project,
  after: [install(project)],
  seconds: 8,
}));

/** @returns {Promise<Step[]>} */
export async function interop() {
  for (const column of ["synapse", "delegated", "provider"]) await leaveOutColumn(column);
  if (SYNAPSE_URL) {
    console.log(`Synapse at ${SYNAPSE_URL} is used.`);
    console.log("A Synapse that delegates is left out: it has to be the tests' own.");
  }
  return [
    tests("The contract, with Synapse", "test/contract/synapse.test.ts", [synapse], 30),
    tests("Synapse, in Chromium", "test/interop/synapse", [synapse], 180),
    ...(SYNAPSE_URL
      ? []
      : [
          tests("Synapse that delegates, in Chromium", "test/interop/delegated", [synapse], 120),
          tests("Clients of matrix-js-sdk, in Chromium", SDK, [synapse, ...clients], 120),
          {
            ...tests(
              `Signing in to Synapse ${OLDER_SYNAPSE_VERSION}, in Chromium`,
              "test/interop/synapse/login.test.ts",
              [synapse],
              60,
            ),
            env: { SYNAPSE_VERSION: OLDER_SYNAPSE_VERSION },
          },
        ]),
    tests(
      "A second provider: Glewlwyd, in Chromium",
      "test/interop/glewlwyd",
      [glewlwyd, synapse],
      90,
    ),
    tests("Processes of servers", "test/interop/servers", [], 5),
  ];
}

/**
 * @param {string} title
 * @param {string} path
 * @param {readonly Step[]} servers
 * @param {number} seconds
 * @returns {Step}
 */
const tests = (title, path, servers, seconds) => ({
  title,
  does: nodeTest(path),
  counts: "tests",
  after: [build, programs("chromium"), ...servers],
  seconds,
});

/**
 * The version that a homeserver says to have.
 *
 * @param {string} url
 * @see https://spec.matrix.org/v1.19/server-server-api/#get_matrixfederationv1version
 */
async function versionAt(url) {
  const signal = AbortSignal.timeout(10_000);
  const response = await fetch(new URL("/_matrix/federation/v1/version", url), { signal }).catch(
    () => undefined,
  );
  const { server } = Object(await response?.json().catch(() => undefined));
  return server?.version ?? `at ${url}`;
}
