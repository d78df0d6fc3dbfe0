// A page of the documentation shows a file of the project so, kept equal to it:
//
//     <!-- file: demo/vue/src/App.vue -->
//     ```vue
//     …
//     ```
import { readFile } from "node:fs/promises";

const SHOWN = /(<!-- file: (\S+) -->\n+)(`{3,})(\w*)\n[^]*?\n\3(?=\n)/g;

/**
 * @param {string} page
 * @returns {Promise<string>} The page, with the files as they are now.
 */
export async function withFiles(page) {
  const files = new Map();
  for (const [, , path = ""] of page.matchAll(SHOWN)) files.set(path, await readFile(path, "utf8"));
  return page.replace(
    SHOWN,
    (_, mark, path, fence, language) =>
      `${mark}${fence}${language}\n${files.get(path).trimEnd()}\n${fence}`,
  );
}
