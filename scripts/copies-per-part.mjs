import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import { rollup } from "rollup";
import { LOADED_LATER } from "./first-paint.mjs";

/** "production" selects Lit without its development warnings. */
export const RESOLUTION = { browser: true, exportConditions: ["production"] };

/** The names in dist/cdn/ of the elements' parts. Other parts have the name of their module. */
const PARTS = new Map([
  ["oidc-login", "login"],
  ["oidc-callback", "callback"],
  ["matrix-login", "matrix"],
  ["matrix-account", "account"],
  ["uia-dialog", "uia"],
  ["uia-fallback-frame", "fallback"],
]);

/** A part that another one has loaded before takes these modules from it. */
const BEFORE = new Map([
  [
    "matrix.js",
    {
      part: "first-screen.js",
      modules: /\/dist\/ui\/form\/(buttons|field|styles|content-styles)\.js$/,
    },
  ],
]);

/** @param {string} id The part that has the module for others. */
export const sharingPart = (id) =>
  [...BEFORE.values()].find(({ part }) => id.endsWith(`?${part}`))?.part;

const loadedLater = new RegExp(`/dist/${LOADED_LATER}`);

/** @param {string} id The path of a module. */
const partName = (id) =>
  PARTS.get(/elements\/([^/]+)\/(?:controller|view)\.js$/.exec(id)?.[1] ?? "") ??
  basename(id, ".js");

/**
 * Makes a part of each module that the first paint's files load with import(). Each part has a copy of the shared
 * code that it uses. Rollup would put that code into shared files with the code for all parts: a page that
 * signs in would load 6 KB more, in 20 files, and the callback page 8 KB more. Only a part that is always loaded
 * after another one shares code with it. Parts import the entry's
 * modules, such as Lit, from the entry, except the core's modules and English, of which the entry has only
 * pieces.
 *
 * @returns {import("rollup").Plugin}
 */
export function copiesPerPart() {
  /** @type {Set<string>} */
  const first = new Set();
  return {
    name: "copies-per-part",
    async buildStart({ input, treeshake }) {
      const leaveOut = {
        name: "leave-out",
        resolveDynamicImport: () => ({ id: "left-out", external: true }),
      };
      const bundle = await rollup({
        input,
        treeshake,
        plugins: [nodeResolve(RESOLUTION), leaveOut],
      });
      const [{ modules }] = (await bundle.generate({})).output;
      for (const [id, { renderedLength, removedExports }] of Object.entries(modules)) {
        const isPiece = removedExports.length > 0 && /\/dist\/(core\/|texts\/english)/.test(id);
        if (renderedLength > 0 && !isPiece) first.add(id);
      }
    },
    async resolveDynamicImport(source, importer) {
      const [from = ""] = importer.split("?");
      if (loadedLater.test(from)) return null;
      const found = await this.resolve(String(source), from);
      if (!found || first.has(found.id)) return found;
      return `${found.id}?${partName(found.id)}.js`;
    },
    async resolveId(source, importer) {
      const [from = "", part] = importer?.split("?") ?? [];
      const found = part ? await this.resolve(source, from, { skipSelf: true }) : null;
      if (!found || found.external) return found;
      if (first.has(found.id)) return found;
      const before = BEFORE.get(part ?? "");
      if (before?.modules.test(found.id)) return `${found.id}?${before.part}`;
      // Each module has only its sections of English: a rare stage's strings are loaded with the stage.
      const isEnglish = /\/texts\/english(-first)?\.js$/.test(found.id);
      const owner = isEnglish ? `${from.replace(/.*\/dist\//, "")}?${part}` : part;
      return `${found.id}?${owner}`;
    },
    load: (id) => (id.includes("?") ? readFileSync(id.replace(/\?.*/, ""), "utf8") : null),
  };
}
