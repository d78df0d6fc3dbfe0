// The languages that the module in dist/cdn/ can load, each in its own file.
import { matchingTags } from "../texts/texts.js";

/** By language tag, in lower case. The imports are literal, so that bundlers find the files. */
const LANGUAGES: ReadonlyMap<string, () => Promise<unknown>> = new Map([
  ["ar", () => import("../locales/ar.js")],
  ["de", () => import("../locales/de.js")],
  ["es", () => import("../locales/es.js")],
  ["fa", () => import("../locales/fa.js")],
  ["fr", () => import("../locales/fr.js")],
  ["he", () => import("../locales/he.js")],
  ["hi", () => import("../locales/hi.js")],
  ["it", () => import("../locales/it.js")],
  ["ja", () => import("../locales/ja.js")],
  ["ko", () => import("../locales/ko.js")],
  ["nl", () => import("../locales/nl.js")],
  ["pl", () => import("../locales/pl.js")],
  ["pt-br", () => import("../locales/pt-BR.js")],
  ["ru", () => import("../locales/ru.js")],
  ["tr", () => import("../locales/tr.js")],
  ["uk", () => import("../locales/uk.js")],
  ["zh-hans", () => import("../locales/zh-Hans.js")],
  ["zh-hant", () => import("../locales/zh-Hant.js")],
]);

/** The `$aliases` of the files. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["cmn", "zh-hans"],
  ["iw", "he"],
  ["pt", "pt-br"],
  ["zh", "zh-hans"],
  ["zh-hk", "zh-hant"],
  ["zh-mo", "zh-hant"],
  ["zh-tw", "zh-hant"],
]);

/** Loads the file of the best matching language, if there is one. The file registers its texts. */
export async function load(language: string): Promise<void> {
  for (const tag of matchingTags(language)) {
    const texts = LANGUAGES.get(ALIASES.get(tag) ?? tag);
    if (texts) {
      await texts();
      return;
    }
  }
}
