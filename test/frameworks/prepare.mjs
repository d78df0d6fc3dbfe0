// Installs and builds a framework's pages for the tests: the demo's app, and the contract page.
import { execFileSync } from "node:child_process";
import { rm, symlink } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { copyApp } from "../../demo/copy.js";
import { installProject } from "../../scripts/packages.mjs";
import { writeContractPage } from "./contract-page.table.mjs";

/** @typedef {import("./markup.mjs").FrameworkName} FrameworkName */

/** The demo has an app for each of these, except Preact, Solid, and the components for React. */
const DEMO = "demo/";

/**
 * The folder of a framework's packages: its app's, or next to the page of the contract.
 *
 * @type {Readonly<Record<FrameworkName, string>>}
 */
const HOMES = {
  vue: "demo/vue",
  react: "demo/react",
  "react-components": "test/frameworks/react-components",
  svelte: "demo/svelte",
  preact: "test/frameworks/preact",
  solid: "test/frameworks/solid",
  angular: "demo/angular",
};

/** The frameworks that have only an app. @type {Readonly<Record<string, string>>} */
const APPS = {
  sveltekit: "demo/sveltekit",
  nuxt: "demo/nuxt",
  next: "demo/next",
  astro: "demo/astro",
};

for (const name of ["ASTRO", "NEXT", "NUXT"]) process.env[`${name}_TELEMETRY_DISABLED`] = "1";

/** @param {string} folder */
const build = (folder) => execFileSync("npm", ["run", "build"], { cwd: folder, stdio: "inherit" });

/** @param {string} folder */
async function installAndBuild(folder) {
  await copyApp(basename(folder));
  await installProject(folder);
  build(folder);
}

/**
 * @param {string} home
 * @param {string} folder
 */
async function linkPackages(home, folder) {
  const link = join(folder, "node_modules");
  await rm(link, { recursive: true, force: true });
  await symlink(resolve(home, "node_modules"), link, "junction");
}

/** @param {FrameworkName} name */
async function prepareFramework(name) {
  const home = HOMES[name];
  const hasApp = home.startsWith(DEMO);
  if (hasApp) await installAndBuild(home);
  else await installProject(home);

  const contract = hasApp ? join("test/frameworks", name, "contract") : home;
  await writeContractPage(name, contract);
  if (contract !== home) await linkPackages(home, contract);
  build(contract);
}

/** @param {string} name */
export async function prepare(name) {
  const app = APPS[name];
  if (app !== undefined) return installAndBuild(app);
  if (!Object.hasOwn(HOMES, name)) throw new Error(`The tests know no framework "${name}".`);
  return prepareFramework(/** @type {FrameworkName} */ (name));
}
