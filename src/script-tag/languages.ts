// The languages that the module of dist/cdn/ can load, each a file of its own.
import { suiting } from "../locales/registry.js";

/** By language tag, in lower case. */
const LANGUAGES: ReadonlyMap<string, () => Promise<unknown>> = new Map([
  ["de", () => import("../locales/de.js")],
]);

/** Loads the texts of the language that suits best, if there is one; the file registers them. */
export async function load(language: string): Promise<void> {
  for (const tag of suiting(language, LANGUAGES.keys())) {
    const texts = LANGUAGES.get(tag);
    if (texts) {
      await texts();
      return;
    }
  }
}
