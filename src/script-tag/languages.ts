// The languages that the module in dist/cdn/ can load, each in its own file.
import { matchingTags } from "../texts/texts.js";

/** The files in dist/cdn/locales/. */
const FILES = "ar de es fa fr he hi it ja ko nl pl pt-BR ru tr uk zh-Hans zh-Hant".split(" ");

/** The `$aliases` of the files, in lower case. */
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
    const known = ALIASES.get(tag) ?? tag;
    const file = FILES.find((each) => each.toLowerCase() === known);
    if (file) {
      // Relative to dist/cdn/.
      await import(`./locales/${file}.js`);
      return;
    }
  }
}
