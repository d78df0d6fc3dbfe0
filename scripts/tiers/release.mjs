// `npm run test:release`: what a user gets who installs the package, in Node, bundlers and a browser.
import { nodeTest, pack, programs, TARBALL } from "./steps.mjs";

/** @returns {Promise<import("../schedule.mjs").Step[]>} */
export const release = async () => [
  {
    title: "The package, installed",
    does: nodeTest("test/release"),
    counts: "tests",
    after: [pack, programs("chromium")],
    env: { PACKAGE_TARBALL: TARBALL },
    seconds: 90,
  },
];
