import { onMissingLanguage } from "../ui/localize.js";
import { whenIdle } from "../ui/page.js";
import { takeLanguageFiles } from "./language-files.js";

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
