import { addTexts } from "../locales/registry.js";
import type { Translation } from "../locales/translation.js";

/** Takes the texts of `dist/cdn/locales/`, whenever those are loaded; each copy of the library on a page takes them. */
export function takeLanguageFiles(): void {
  const page = globalThis as { matrixAuthElementsTexts?: Translation[] };
  const files = (page.matrixAuthElementsTexts ??= []);
  files.forEach(addTexts);
  const push = files.push.bind(files);
  files.push = (...added) => {
    added.forEach(addTexts);
    return push(...added);
  };
}
