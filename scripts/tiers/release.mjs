// `npm run test:release`: what a user gets who installs the package, in Node, bundlers and a browser; that a second build
// makes the same package; and the site.
import { build, nodeTest, pack, programs, TARBALL } from "./steps.mjs";

/** For a folder of a host: what works there works at its root. @type {import("../schedule.mjs").Step} */
const site = {
  title: "The site",
  does: ["node", "tools/site/run.mjs", "--base", "/matrix-auth-elements/"],
  // It is within dist/, which the build makes anew.
  after: [build],
  seconds: 20,
};

/** @returns {Promise<import("../schedule.mjs").Step[]>} */
export const release = async () => [
  {
    title: "The tarball",
    does: nodeTest("test/release/tarball.test.ts"),
    counts: "tests",
    after: [pack],
    env: { PACKAGE_TARBALL: TARBALL },
    seconds: 2,
  },
  {
    title: "The package, installed",
    does: nodeTest("test/release/installed.test.ts"),
    counts: "tests",
    after: [pack, programs("chromium")],
    env: { PACKAGE_TARBALL: TARBALL },
    seconds: 90,
  },
  {
    title: "The package, built a second time",
    does: nodeTest("test/release/reproducible.test.ts"),
    counts: "tests",
    after: [pack],
    env: { PACKAGE_TARBALL: TARBALL },
    seconds: 60,
  },
  {
    title: "The site, in Chromium",
    does: nodeTest("test/release/site.test.ts"),
    counts: "tests",
    after: [site, programs("chromium")],
    seconds: 20,
  },
  {
    title: "The playground, in Chromium",
    does: nodeTest("test/release/playground"),
    counts: "tests",
    after: [site, programs("chromium")],
    seconds: 60,
  },
];
