// `npm run test:interop`: what is true of the demo's servers, tried on real ones: Synapse, which this
// installs in a folder of its own (scripts/synapse.mjs), or that which SYNAPSE_URL names, and the provider
// Glewlwyd, in a folder of its own too (scripts/glewlwyd.mjs).
import { existsSync } from "node:fs";
import { ensureChromium } from "./browser.mjs";
import { check, nodeTest, nodeTestOf, printCounts } from "./checks.mjs";
import { GLEWLWYD_VERSION, ensureGlewlwyd, whyNoGlewlwyd } from "./glewlwyd/installation.mjs";
import { beginColumn } from "./operations.mjs";
import { main, run } from "./run.mjs";
import { SYNAPSE_VERSION, ensureSynapse } from "./synapse/installation.mjs";

await main(async () => {
  await ensureChromium();
  if (process.env.SYNAPSE_URL) console.log(`Synapse at ${process.env.SYNAPSE_URL} is used.`);
  else await ensureSynapse();
  const why = whyNoGlewlwyd();
  if (why) console.warn(`The tests with a second provider are left out: ${why}.`);
  else await ensureGlewlwyd();
  if (!existsSync("dist")) await run("Build", "node", ["scripts/build.mjs"]);
  await check("The contract, with Synapse", "node", nodeTestOf(["test/contract/synapse.test.ts"]), {
    counts: true,
  });
  await beginColumn("synapse", `Synapse ${SYNAPSE_VERSION}`);
  await check("Synapse, in Chromium", "node", await nodeTest("test/interop/synapse"), {
    counts: true,
  });
  if (process.env.SYNAPSE_URL) {
    console.log("A Synapse that delegates is left out: it has to be the tests' own.");
  } else {
    await beginColumn("delegated", `Synapse ${SYNAPSE_VERSION}`);
    const title = "Synapse that delegates, in Chromium";
    await check(title, "node", await nodeTest("test/interop/delegated"), { counts: true });
  }
  if (!why) await beginColumn("provider", `Glewlwyd ${GLEWLWYD_VERSION}`);
  await check(
    "A second provider: Glewlwyd, in Chromium",
    "node",
    await nodeTest("test/interop/glewlwyd"),
    { counts: true },
  );
  printCounts();
});
