// `npm run test:frameworks [name …]`: the apps of each framework, built on the packed package, in a
// browser. What has not changed is not installed again.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ensureChromium } from "./browser.mjs";
import { check, nodeTest, printCounts } from "./checks.mjs";
import { writeReadmeApp } from "./readme-apps.mjs";
import { main, run } from "./run.mjs";

/** Where each framework's app is, with its own package.json and lock file. */
const APPS = new Map([
  ["vue", "demo/vue"],
  ["react", "demo/react"],
  ["svelte", "demo/svelte"],
  ["preact", "test/frameworks/preact"],
  ["solid", "test/frameworks/solid"],
  ["angular", "demo/angular"],
]);

const INSTALL = ["ci", "--no-audit", "--no-fund"];

await main(async () => {
  const asked = process.argv.slice(2);
  const unknown = asked.filter((name) => !APPS.has(name));
  if (unknown.length > 0) throw new Error(`No app of: ${unknown.join(", ")}`);
  await ensureChromium();
  if (!existsSync("dist")) await run("Build", "node", ["scripts/build.mjs"]);
  const packed = await mkdtemp(join(tmpdir(), "matrix-auth-elements-"));
  await run("Pack", "npm", ["pack", "--pack-destination", packed]);
  const tarball = join(packed, `matrix-auth-elements-${(await ownPackage()).version}.tgz`);

  /** @type {string[]} */
  const built = [];
  for (const [name, app] of APPS) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    console.log(`${name}: installing and building …`);
    if ((await install(name, app, tarball)) && (await build(name, app))) built.push(name);
  }
  await rm(packed, { recursive: true });

  const env = { FRAMEWORKS: built.join(" ") };
  if (built.length > 0) {
    await check("Frameworks, in Chromium", "node", await nodeTest("test/frameworks"), {
      counts: true,
      env,
    });
  }
  printCounts();
});

/**
 * Installs an app as its lock file says, where that has not been done; and the package as it is now.
 *
 * @param {string} name
 * @param {string} app
 * @param {string} tarball
 */
async function install(name, app, tarball) {
  const note = join(app, "node_modules/.installed");
  const { version, dependencies } = await ownPackage();
  const wanted = createHash("sha256")
    .update(await readFile(join(app, "package-lock.json")))
    .update(JSON.stringify([version, dependencies, process.version]))
    .digest("hex");
  if ((await readFile(note, "utf8").catch(() => "")) !== wanted) {
    if (!(await check(`${name}: npm ci`, "npm", INSTALL, { cwd: app }))) return false;
    await writeFile(note, wanted);
  }
  const folder = join(app, "node_modules/matrix-auth-elements");
  // The app's tools may keep what they made of the package before.
  await rm(join(app, "node_modules/.vite"), { recursive: true, force: true });
  await rm(join(folder, "dist"), { recursive: true });
  await run(`${name}: the package`, "tar", ["-xzf", tarball, "--strip-components=1", "-C", folder]);
  return true;
}

/**
 * Builds the app, and with what is installed for it the page of the contract, and what the README shows.
 *
 * @param {string} name
 * @param {string} app
 */
async function build(name, app) {
  const others = new Map([["the contract's page", join("test/frameworks", name, "contract")]]);
  const readme = await writeReadmeApp(name, app);
  if (readme) others.set("the README's block", readme);
  for (const folder of others.values()) {
    const modules = join(folder, "node_modules");
    await rm(modules, { recursive: true, force: true });
    await symlink(resolve(app, "node_modules"), modules, "junction");
  }
  let ok = true;
  for (const [title, cwd] of [["the app", app], ...others]) {
    ok &&= await check(`${name}: types and build of ${title}`, "npm", ["run", "build"], { cwd });
  }
  return ok;
}

async function ownPackage() {
  return JSON.parse(await readFile("package.json", "utf8"));
}
