// `npm run test:frameworks [name …]`: the apps of each framework, built on the packed package, in a browser.
import { readdirSync } from "node:fs";
import { rm, symlink } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { writeReadmeApp } from "../readme-apps.mjs";
import { install } from "./install.mjs";
import { nodeTest, programs } from "./steps.mjs";

/** @typedef {import("../schedule.mjs").Step} Step */

/** Where each framework's app is, with its own package.json and lock file. */
const APPS = new Map([
  ["vue", "demo/vue"],
  ["react", "demo/react"],
  ["svelte", "demo/svelte"],
  ["preact", "test/frameworks/preact"],
  ["solid", "test/frameworks/solid"],
  ["angular", "demo/angular"],
]);

/**
 * @param {readonly string[]} [names] All, unless some are named.
 * @returns {Promise<Step[]>}
 */
export async function frameworks(names = []) {
  const unknown = names.filter((name) => !APPS.has(name));
  if (unknown.length > 0) throw new Error(`No app of: ${unknown.join(", ")}`);
  const chosen = [...APPS].filter(([name]) => names.length === 0 || names.includes(name));
  const builds = await Promise.all(chosen.map(([name, app]) => buildsOf(name, app)));
  const files = readdirSync("test/frameworks").filter((file) => file.endsWith(".test.ts"));
  return files.map((file) => ({
    title: `Frameworks, in Chromium: ${basename(file, ".test.ts")}`,
    does: nodeTest(join("test/frameworks", file)),
    counts: "tests",
    after: [...builds.flat(), programs("chromium")],
    env: { FRAMEWORKS: chosen.map(([name]) => name).join(" ") },
    seconds: 60,
  }));
}

/**
 * Builds the app, and with what is installed for it the page of the contract, and what the README shows.
 *
 * @param {string} name
 * @param {string} app
 * @returns {Promise<Step[]>}
 */
async function buildsOf(name, app) {
  const installed = install(app);
  const readme = await writeReadmeApp(name, app);
  const others = /** @type {const} */ ([
    ["the contract's page", join("test/frameworks", name, "contract")],
    ["the README's block", readme],
  ]);
  return [/** @type {const} */ (["the app", app]), ...others].flatMap(([title, cwd]) =>
    cwd === undefined
      ? []
      : [
          {
            title: `${name}: types and build of ${title}`,
            does: ["npm", "run", "build"],
            cwd,
            after: [installed],
            begins: cwd === app ? undefined : () => linkModules(app, cwd),
            seconds: 15,
          },
        ],
  );
}

/**
 * @param {string} app
 * @param {string} folder
 */
async function linkModules(app, folder) {
  const modules = join(folder, "node_modules");
  await rm(modules, { recursive: true, force: true });
  await symlink(resolve(app, "node_modules"), modules, "junction");
}
