// Loads the languages of the elements on the page, each from its own file.
import { takeLanguageFiles } from "../texts/texts.js";
import { onMissingLanguage } from "../ui/localize.js";
import { whenIdle } from "../ui/page.js";

export { registerTranslation } from "../texts/texts.js";

/** The loads of this page, so that each language is requested only once for all elements. */
const requested = new Map<string, Promise<unknown>>();

takeLanguageFiles();
onMissingLanguage((language) => {
  // English strings are part of the modules that show them.
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
