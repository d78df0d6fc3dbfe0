// `npm run test:frameworks [name …]`: the apps of each framework, built on the packed package, in a browser.
import { readdirSync } from "node:fs";
import { rm, symlink } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { writeContractPage } from "../../test/frameworks/contract-page.mjs";
import { writeDocumentedApp } from "./documented-app.mjs";
import { install } from "./install.mjs";
import { nodeTest, programs } from "./steps.mjs";

/** @typedef {import("../schedule.mjs").Step} Step */

/** @typedef {import("../../test/frameworks/markup.mjs").FrameworkName} FrameworkName */

/**
 * Where each framework's packages are, for its app in the demo, or for its test alone.
 *
 * @type {Readonly<Record<FrameworkName, string>>}
 */
const HOMES = {
  vue: "demo/vue",
  react: "demo/react",
  svelte: "demo/svelte",
  preact: "test/frameworks/preact",
  solid: "test/frameworks/solid",
  angular: "demo/angular",
};

/**
 * What has no page of the contract: a page for React 18, which is bundled by its test, and the apps of what brings a
 * router and a server.
 *
 * @type {Readonly<Record<string, string>>}
 */
const OTHERS = {
  "react-18": "test/frameworks/react-18",
  sveltekit: "demo/sveltekit",
  nuxt: "demo/nuxt",
  next: "demo/next",
  astro: "demo/astro",
};

/** They would report to their makers that they were run. */
const env = Object.fromEntries(
  ["ASTRO", "NEXT", "NUXT"].map((name) => [`${name}_TELEMETRY_DISABLED`, "1"]),
);

/** An application whose tests Vitest and Playwright run. */
const TEST_RUNNERS = "test/frameworks/test-runners";

/**
 * @param {readonly string[]} [names] All, unless some are named.
 * @returns {Promise<Step[]>}
 */
export async function frameworks(names = []) {
  const unknown = names.filter((name) => !(name in HOMES || name in OTHERS));
  if (unknown.length > 0) throw new Error(`There is no framework ${unknown.join(", ")}`);
  const isChosen = (/** @type {string} */ name) => names.length === 0 || names.includes(name);
  const homes = /** @type {[FrameworkName, string][]} */ (Object.entries(HOMES));
  const builds = await Promise.all(
    homes.filter(([name]) => isChosen(name)).map(([name, home]) => buildsOf(name, home)),
  );
  const others = Object.entries(OTHERS).filter(([name]) => isChosen(name));
  builds.push(others.map(([, project]) => buildOf(project)));
  builds.push([install(TEST_RUNNERS)]);
  const chosen = Object.keys({ ...HOMES, ...OTHERS }).filter(isChosen);
  const files = readdirSync("test/frameworks").filter((file) => file.endsWith(".test.ts"));
  return files.map((file) => ({
    title: `Frameworks, in Chromium: ${basename(file, ".test.ts")}`,
    does: nodeTest(join("test/frameworks", file)),
    counts: "tests",
    after: [...builds.flat(), programs("chromium")],
    env: { ...env, FRAMEWORKS: chosen.join(" ") },
    seconds: 60,
  }));
}

/** @param {string} project @returns {Step} */
const buildOf = (project) => ({
  title: `${project}: types and build`,
  does: ["npm", "run", "build"],
  cwd: project,
  env,
  after: [install(project)],
  seconds: 15,
});

/**
 * Builds the app, if there is one, and with what is installed for it the page of the contract, and what the
 * documentation shows.
 *
 * @param {FrameworkName} name
 * @param {string} home The project that has the packages.
 * @returns {Promise<Step[]>}
 */
async function buildsOf(name, home) {
  const installed = install(home);
  const inDemo = home.startsWith("demo/");
  const contract = inDemo ? join("test/frameworks", name, "contract") : home;
  const documented = await writeDocumentedApp(name, home);
  /** @type {[title: string, folder: string][]} */
  const builds = [["the contract's page", contract]];
  if (inDemo) builds.push(["the app", home]);
  if (documented) builds.push(["the documentation's block", documented]);
  return builds.map(([title, cwd]) => ({
    title: `${name}: types and build of ${title}`,
    does: ["npm", "run", "build"],
    cwd,
    after: [installed],
    begins: async () => {
      if (cwd !== home) await linkModules(home, cwd);
      if (cwd === contract) await writeContractPage(name, contract);
    },
    seconds: 15,
  }));
}

/**
 * @param {string} home
 * @param {string} folder
 */
async function linkModules(home, folder) {
  const modules = join(folder, "node_modules");
  await rm(modules, { recursive: true, force: true });
  await symlink(resolve(home, "node_modules"), modules, "junction");
}
