// The block of docs/frameworks.md for a framework, as an application: the demo's app of that framework with the
// block in place of its own file. A block says which before it: `<!-- app: vue src/App.vue -->`.
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";

const BLOCK = /<!-- app: (\w+) (\S+) -->\s+```\w+\n([^]*?)^```$/gm;

/**
 * Writes the application to a folder outside version control.
 *
 * @param {string} name The framework's.
 * @param {string} app The demo's app of that framework.
 * @returns {Promise<string | undefined>} The folder; undefined if there is no block for it.
 */
export async function writeDocumentedApp(name, app) {
  const blocks = [...(await readFile("docs/frameworks.md", "utf8")).matchAll(BLOCK)].filter(
    ([, framework]) => framework === name,
  );
  if (blocks.length === 0) return undefined;
  const folder = join("test/frameworks", name, "documented");
  await rm(folder, { recursive: true, force: true });
  await cp(app, folder, {
    recursive: true,
    filter: (path) => !["node_modules", "dist", ".angular"].includes(basename(path)),
  });
  for (const [, , file = "", text = ""] of blocks) await writeFile(join(folder, file), text);
  return folder;
}
