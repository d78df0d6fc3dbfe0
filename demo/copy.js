// `node demo/copy.js react ../my-app`: copies an app of the demo, and the files that it shares with others, into a folder.
// Without a folder, it copies only the shared files, into the app's own folder.
import { execFileSync } from "node:child_process";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const DEMO = dirname(fileURLToPath(import.meta.url));

/**
 * The folders of `demo/shared` whose files each app has in `src/`.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const APPS = {
  angular: ["all"],
  astro: ["all"],
  "matrix-js-sdk": [],
  next: ["all", "react"],
  nuxt: ["all", "vue"],
  react: ["all", "react"],
  svelte: ["all", "svelte"],
  sveltekit: ["all", "svelte"],
  vue: ["all", "vue"],
};

/** The dependency on this package, in an app's `package.json` and lock file. */
const PACKAGE = "file:../..";

/**
 * @param {string} name
 * @param {string} [folder]
 */
export async function copyApp(name, folder) {
  const app = join(DEMO, name);
  const target = folder === undefined ? app : resolve(folder);
  const shared = APPS[name];
  if (!shared)
    throw new Error(`There is no app "${name}". The apps are ${Object.keys(APPS).join(", ")}.`);
  if (target !== app) {
    const files = execFileSync("git", ["ls-files", "-z"], { cwd: app, encoding: "utf8" });
    for (const file of files.split("\0").filter(Boolean)) {
      await mkdir(dirname(join(target, file)), { recursive: true });
      await cp(join(app, file), join(target, file));
    }
    const own = `file:${relative(target, dirname(DEMO))}`;
    for (const file of ["package.json", "package-lock.json"]) {
      const text = await readFile(join(target, file), "utf8");
      await writeFile(join(target, file), text.replaceAll(PACKAGE, own));
    }
  }
  for (const each of shared) {
    await cp(join(DEMO, "shared", each), join(target, "src"), { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name = "", folder] = process.argv.slice(2);
  await copyApp(name, folder);
}
