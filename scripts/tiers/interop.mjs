// `npm run test:interop`: what is true of the demo's servers, tried on real ones: Synapse, which this
// installs in a folder of its own (scripts/synapse.mjs), or that which SYNAPSE_URL names, and the provider
// Glewlwyd, in a folder of its own too (scripts/glewlwyd.mjs).
import { GLEWLWYD_VERSION, ensureGlewlwyd, whyNoGlewlwyd } from "../glewlwyd/installation.mjs";
import { beginColumn, leaveOutColumn } from "../operations.mjs";
import { SYNAPSE_VERSION, ensureSynapse } from "../synapse/installation.mjs";
import { build, nodeTest, programs } from "./steps.mjs";

/** @typedef {import("../schedule.mjs").Step} Step */

/** @returns {Promise<Step[]>} */
export async function interop() {
  const elsewhere = process.env.SYNAPSE_URL;
  if (elsewhere) console.log(`Synapse at ${elsewhere} is used.`);
  const why = whyNoGlewlwyd();
  if (why) console.warn(`The tests with a second provider are left out: ${why}.`);
  if (elsewhere) {
    console.log("A Synapse that delegates is left out: it has to be the tests' own.");
    await leaveOutColumn("delegated");
  }
  await leaveOutColumn("provider");

  /** @type {Step} */
  const synapse = {
    title: "Synapse",
    does: async () => elsewhere ?? ensureSynapse(),
    counts: "preparation",
    seconds: 80,
  };
  const version = async () => `Synapse ${elsewhere ? await versionAt(elsewhere) : SYNAPSE_VERSION}`;
  /** @type {Step[]} */
  const steps = [
    {
      title: "The contract, with Synapse",
      does: nodeTest("test/contract/synapse.test.ts"),
      counts: "tests",
      after: [build, programs("chromium"), synapse],
      seconds: 30,
    },
    {
      title: "Synapse, in Chromium",
      does: nodeTest("test/interop/synapse"),
      counts: "tests",
      after: [build, programs("chromium"), synapse],
      begins: async () => beginColumn("synapse", await version()),
      seconds: 180,
    },
  ];
  if (!elsewhere) {
    steps.push({
      title: "Synapse that delegates, in Chromium",
      does: nodeTest("test/interop/delegated"),
      counts: "tests",
      after: [build, programs("chromium"), synapse],
      begins: async () => beginColumn("delegated", await version()),
      seconds: 120,
    });
  }
  if (!why) steps.push(glewlwyd());
  return steps;
}

/** @returns {Step} */
function glewlwyd() {
  /** @type {Step} */
  const installed = {
    title: "Glewlwyd",
    does: ensureGlewlwyd,
    counts: "preparation",
    seconds: 20,
  };
  return {
    title: "A second provider: Glewlwyd, in Chromium",
    does: nodeTest("test/interop/glewlwyd"),
    counts: "tests",
    after: [build, programs("chromium"), installed],
    begins: () => beginColumn("provider", `Glewlwyd ${GLEWLWYD_VERSION}`),
    seconds: 60,
  };
}

/**
 * The version that a homeserver says to have.
 *
 * @param {string} url
 * @see https://spec.matrix.org/v1.16/server-server-api/#get_matrixfederationv1version
 */
async function versionAt(url) {
  const address = new URL("/_matrix/federation/v1/version", url);
  const signal = AbortSignal.timeout(10_000);
  const response = await fetch(address, { signal }).catch(() => undefined);
  const { server } = Object(await response?.json().catch(() => undefined));
  return server?.version ?? `at ${url}`;
}
