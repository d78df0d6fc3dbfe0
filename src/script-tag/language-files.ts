import { addTexts } from "../locales/registry.js";
import type { Translation } from "../locales/translation.js";

/** Takes the texts of `dist/cdn/locales/`, whenever those are loaded; each copy of the library on a page takes them. */
export function takeLanguageFiles(): void {
  const page = globalThis as { matrixAuthElementsTexts?: Translation[] };
  const files = (page.matrixAuthElementsTexts ??= []);
  for (const texts of files) addTexts(texts);
  const push = files.push.bind(files);
  files.push = (...added) => {
    for (const texts of added) addTexts(texts);
    return push(...added);
  };
}
