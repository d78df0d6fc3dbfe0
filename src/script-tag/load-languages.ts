import { addTexts, type Translation } from "../texts/texts.js";
import { onMissingLanguage } from "../ui/localize.js";
import { whenIdle } from "../ui/page.js";

/** A symbol, because the ID of an element could be a property of the page. */
const TEXTS = Symbol.for("matrix-auth-elements/texts");

/**
 * Registers the texts of `dist/cdn/locales/`, whenever they are loaded. Each copy of the library on
 * a page does so.
 */
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

/** Loads of this page, so that each language is requested once for all elements. */
const requested = new Map<string, Promise<unknown>>();

/** Loads the languages of the elements on the page, each from its own file. */
export function loadLanguages(): void {
  takeLanguageFiles();
  onMissingLanguage((language) => {
    // English comes with the parts that show it.
    if (!requested.has(language) && !/^en\b/i.test(language)) {
      const idle = new Promise<void>((resolve) => whenIdle(resolve));
      const loading = idle.then(() => import("./languages.js")).then(({ load }) => load(language));
      // If loading fails, English is shown.
      requested.set(
        language,
        loading.catch(() => undefined),
      );
    }
    return requested.get(language);
  });
}
