// `npm run test:demo`: the demo of `npm start`, pages under each policy of docs/csp.md, and whether the documentation's
// pictures are current. What they use of the elements is tried by `npm test` too, under two of the policies.
import { build, nodeTestTogether, programs } from "./steps.mjs";

/** They are not part of `npm test`. */
export const DEMO_TESTS = ["test/e2e/csp.test.ts", "test/e2e/demo.test.ts"];

/** @returns {Promise<import("../schedule.mjs").Step[]>} */
export const demo = async () => [
  {
    title: "The demo and the policies, in Chromium",
    does: nodeTestTogether(DEMO_TESTS),
    counts: "tests",
    // It adds to the operations that the other end-to-end tests have shown. Those take longer, so they begin first.
    after: [build, programs("chromium")],
    seconds: 45,
  },
  {
    title: "The documentation's pictures",
    does: ["node", "scripts/pictures.mjs", "--check"],
    after: [build, programs("chromium")],
    seconds: 9,
  },
];
