// `npm test`, and `npm run test:<tier>` for the others: runs a tier of the tests, or `all` of them.
import { main } from "./run.mjs";
import { schedule } from "./schedule.mjs";
import { conformance } from "./tiers/conformance.mjs";
import { demo } from "./tiers/demo.mjs";
import { engines } from "./tiers/engines.mjs";
import { frameworks } from "./tiers/frameworks.mjs";
import { interop } from "./tiers/interop.mjs";
import { quick } from "./tiers/quick.mjs";
import { release } from "./tiers/release.mjs";
import { typings } from "./tiers/typings.mjs";

/** @typedef {import("./schedule.mjs").Step} Step */

/** @type {Record<string, { holds: string, steps: (args: string[]) => Promise<Step[]> }>} */
const TIERS = {
  quick: { holds: "what needs only a browser", steps: quick },
  conformance: { holds: "the conformance table over HTTP", steps: conformance },
  demo: { holds: "the demo's pages, each content security policy, and media", steps: demo },
  release: {
    holds: "the packed package in Node, in bundlers and in a browser, and the site",
    steps: release,
  },
  typings: { holds: "the types, in each framework", steps: typings },
  frameworks: { holds: "an app for each framework, in Chromium", steps: frameworks },
  engines: { holds: "core, elements and flows in Firefox and WebKit", steps: engines },
  interop: { holds: "Synapse and a second provider", steps: interop },
};

await main(async () => {
  const [name = "quick", ...args] = process.argv.slice(2);
  const names = name === "all" ? Object.keys(TIERS) : [name];
  const tiers = names.map((each) => TIERS[each]);
  const steps = (
    await Promise.all(
      tiers.map((tier) => {
        if (!tier) throw new Error(`There is no tier ${name}.`);
        return tier.steps(args);
      }),
    )
  ).flat();
  if (name === "all") steps.push(table(steps));
  const { passed, failed, faults } = await schedule(steps);

  const minutes = Math.floor(performance.now() / 60_000);
  const seconds = Math.round(performance.now() / 1000) % 60;
  console.log(`\nIt took ${minutes} min ${seconds} s.`);
  for (const fault of faults) console.log(`✖ ${fault}`);
  for (const [each, { holds }] of Object.entries(TIERS)) {
    if (names.includes(each)) continue;
    const command = each === "quick" ? "npm test" : `npm run test:${each}`;
    console.log(`Not run: ${holds}. Run it by: ${command}`);
  }
  console.log(`\n${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
});

/**
 * The table in docs/compatibility.md says what these runs have shown.
 *
 * @param {readonly Step[]} steps
 * @returns {Step}
 */
function table(steps) {
  return {
    title: "The table of what works where",
    does: ["node", "test/operations/table.mjs", "--check"],
    after: [...steps],
  };
}
