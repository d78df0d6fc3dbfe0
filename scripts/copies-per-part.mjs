import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import { rollup } from "rollup";

/** "production": Lit without its development warnings. */
export const RESOLUTION = { browser: true, exportConditions: ["production"] };

/** What each element loads is called so in dist/cdn/; any other part has the name of its module. */
const PARTS = new Map([
  ["oidc-login", "login"],
  ["oidc-callback", "callback"],
  ["matrix-login", "matrix"],
  ["matrix-account", "account"],
  ["uia-dialog", "uia"],
  ["uia-fallback-frame", "fallback"],
]);

/** @param {string} id The path of a module. */
const partName = (id) =>
  PARTS.get(/([^/]+)\/lazy\/controller\.js$/.exec(id)?.[1] ?? "") ?? basename(id, ".js");

/**
 * Makes a part of each module that is loaded with import() outside lazy/. Each part has its own
 * copy of what several need, less what it does not use. Shared files, as Rollup would make them,
 * hold what any part uses: a page that signs in would load 6 KB more, in 20 files, and the page
 * that completes it 8 KB more. What the entry has, such as Lit, its parts take from there; of a
 * module of the core, and of English, it may have only a piece.
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
        resolveDynamicImport: () => /** @type {const} */ (false),
      };
      const bundle = await rollup({
        input,
        treeshake,
        plugins: [nodeResolve(RESOLUTION), leaveOut],
      });
      const [{ modules }] = (await bundle.generate({})).output;
      for (const [id, { renderedLength, removedExports }] of Object.entries(modules)) {
        const isPiece = removedExports.length > 0 && /\/dist\/(core|locales)\//.test(id);
        if (renderedLength > 0 && !isPiece) first.add(id);
      }
    },
    async resolveDynamicImport(source, importer) {
      if (importer.includes("/lazy/")) return null;
      const found = await this.resolve(String(source), importer.split("?")[0]);
      return found && `${found.id}?${partName(found.id)}.js`;
    },
    async resolveId(source, importer) {
      const [from = "", part] = importer?.split("?") ?? [];
      const found = part ? await this.resolve(source, from, { skipSelf: true }) : null;
      if (!found || found.external) return found;
      if (first.has(found.id)) return found;
      // Of English, each module has its own sections: those of a rare stage are loaded with the stage.
      const isEnglish = found.id.endsWith("/locales/en.js");
      const owner = isEnglish ? `${from.replace(/.*\/dist\//, "")}?${part}` : part;
      return `${found.id}?${owner}`;
    },
    load: (id) => (id.includes("?") ? readFileSync(id.replace(/\?.*/, ""), "utf8") : null),
  };
}
