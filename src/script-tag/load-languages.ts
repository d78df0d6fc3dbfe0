// Loads the languages of the elements on the page, each from its own file.
import { takeLanguageFiles } from "../texts/texts.js";
import { onMissingLanguage } from "../ui/localize.js";
import { whenIdle } from "../ui/page.js";

export { registerTranslation } from "../texts/texts.js";

/** Loads of this page, so that each language is requested once for all elements. */
const requested = new Map<string, Promise<unknown>>();

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
