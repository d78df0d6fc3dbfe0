import { addTexts } from "../texts/registry.js";
import type { Translation } from "../texts/texts.js";
import { onMissingLanguage } from "../ui/localize.js";
import { whenIdle } from "../ui/page.js";

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

const asked = new Map<string, Promise<unknown>>();

/** Loads the languages of the elements on the page, each from its own file. */
export function loadLanguages(): void {
  takeLanguageFiles();
  onMissingLanguage((language) => {
    // English is built in, or comes with the part that shows it.
    if (!asked.has(language) && !/^en\b/i.test(language)) {
      const idle = new Promise<void>((resolve) => whenIdle(resolve));
      const loading = idle.then(() => import("./languages.js")).then(({ load }) => load(language));
      // If loading fails, English is shown.
      asked.set(
        language,
        loading.catch(() => undefined),
      );
    }
    return asked.get(language);
  });
}
