import { addTexts } from "../texts/registry.js";
import type { Translation } from "../texts/texts.js";

/** No element's ID can be mistaken for it. */
const TEXTS = Symbol.for("matrix-auth-elements/texts");

/** Takes the texts of `dist/cdn/locales/`, whenever those are loaded; each copy of the library on a page takes them. */
export function takeLanguageFiles(): void {
  const page: Partial<Record<symbol, Translation[]>> = globalThis;
  const files = (page[TEXTS] ??= []);
  files.forEach(addTexts);
  const push = files.push.bind(files);
  files.push = (...added) => {
    added.forEach(addTexts);
    return push(...added);
  };
}
