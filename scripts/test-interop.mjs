// `npm run test:interop`: what is true of the demo's servers, tried on real ones: Synapse, which this
// installs in a folder of its own (scripts/synapse.mjs), or that which SYNAPSE_URL names, and the provider
// Glewlwyd, in a folder of its own too (scripts/glewlwyd.mjs).
import { existsSync } from "node:fs";
import { ensureChromium } from "./browser.mjs";
import { check, countFailure, nodeTest, nodeTestOf, printCounts } from "./checks.mjs";
import { GLEWLWYD_VERSION, ensureGlewlwyd, whyNoGlewlwyd } from "./glewlwyd/installation.mjs";
import { beginColumn, leaveOutColumn } from "./operations.mjs";
import { main, run } from "./run.mjs";
import { SYNAPSE_VERSION, ensureSynapse } from "./synapse/installation.mjs";

await main(async () => {
  await ensureChromium();
  const elsewhere = process.env.SYNAPSE_URL;
  if (elsewhere) console.log(`Synapse at ${elsewhere} is used.`);
  else await ensureSynapse();
  const synapse = `Synapse ${elsewhere ? await versionAt(elsewhere) : SYNAPSE_VERSION}`;
  if (!existsSync("dist")) await run("Build", "node", ["scripts/build.mjs"]);
  await check("The contract, with Synapse", "node", nodeTestOf(["test/contract/synapse.test.ts"]), {
    counts: true,
  });
  await beginColumn("synapse", synapse);
  await check("Synapse, in Chromium", "node", await nodeTest("test/interop/synapse"), {
    counts: true,
  });
  if (elsewhere) {
    await leaveOutColumn("delegated");
    console.log("A Synapse that delegates is left out: it has to be the tests' own.");
  } else {
    await beginColumn("delegated", synapse);
    const title = "Synapse that delegates, in Chromium";
    await check(title, "node", await nodeTest("test/interop/delegated"), { counts: true });
  }
  await leaveOutColumn("provider");
  const why = whyNoGlewlwyd();
  if (why) console.warn(`The tests with a second provider are left out: ${why}.`);
  else await testGlewlwyd();
  printCounts();
});

async function testGlewlwyd() {
  const title = "A second provider: Glewlwyd, in Chromium";
  try {
    await ensureGlewlwyd();
  } catch (error) {
    return countFailure(title, error);
  }
  await beginColumn("provider", `Glewlwyd ${GLEWLWYD_VERSION}`);
  await check(title, "node", await nodeTest("test/interop/glewlwyd"), { counts: true });
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
  const answer = await fetch(address, { signal }).catch(() => undefined);
  const { server } = Object(await answer?.json().catch(() => undefined));
  return server?.version ?? `at ${url}`;
}
