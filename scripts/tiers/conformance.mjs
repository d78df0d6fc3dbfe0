// `npm run test:conformance`: the conformance table over HTTP. `npm test` runs it on a scripted network.
import { build, nodeTest, programs } from "./steps.mjs";

/** @returns {Promise<import("../schedule.mjs").Step[]>} */
export const conformance = async () => [
  {
    title: "Conformance, in Chromium",
    does: nodeTest("test/conformance"),
    counts: "tests",
    after: [build, programs("chromium")],
    seconds: 90,
  },
];
