/** A language tag that `Intl` takes; a page may have any words in `lang`. */
export function knownTag(language: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(language)[0];
  } catch {
    return undefined;
  }
}
