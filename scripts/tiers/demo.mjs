// `npm run test:demo`: the demo of `npm start`, pages under each policy of docs/csp.md, the service worker for media, and
// whether the documentation's pictures are current. What they use of the elements is tried by `npm test` too, under two of the policies.
import { build, nodeTestTogether, programs } from "./steps.mjs";

/** They are not part of `npm test`. */
export const DEMO_TESTS = ["csp", "demo", "media"].map((name) => `test/e2e/${name}.test.ts`);

/** @returns {Promise<import("../schedule.mjs").Step[]>} */
export const demo = async () => [
  {
    title: "The demo, the policies and media, in Chromium",
    does: nodeTestTogether(DEMO_TESTS),
    counts: "tests",
    // It adds to the operations that the other end-to-end tests have shown. Those take longer, so they begin first.
    after: [build, programs("chromium")],
    seconds: 60,
  },
  {
    title: "The documentation's pictures",
    does: ["node", "tools/pictures/run.mjs", "--check"],
    after: [build, programs("chromium")],
    seconds: 9,
  },
];
