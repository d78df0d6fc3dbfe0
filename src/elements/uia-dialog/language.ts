import type { LocalizeController } from "../shared/localize.js";

/** The page's language as `Intl` takes it, which throws at what is no language tag. */
export function languageTag({ language }: LocalizeController): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? "en";
  } catch {
    return "en";
  }
}
