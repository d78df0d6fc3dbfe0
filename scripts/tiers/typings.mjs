// `npm run test:typings`: the types of the packed package, as the checkers of each framework see them.
import { install } from "./install.mjs";
import { nodeTest } from "./steps.mjs";

/** @returns {Promise<import("../schedule.mjs").Step[]>} */
export const typings = async () => [
  {
    title: "Typings",
    does: nodeTest("test/typings"),
    counts: "tests",
    after: [install("test/typings")],
    seconds: 60,
  },
];
