import { en } from "./en.js";
import type { Texts, Translation } from "./translation.js";

/** Texts by language tag, in lower case. */
export const translations: Map<string, Partial<Texts>> = new Map([["en", en]]);

/** What shows texts, and is to be told of others. */
export const readers: Set<{ requestUpdate: () => void; localName: string }> = new Set();

/**
 * Adds texts in a language, or replaces single texts of it; what is on the page changes at once.
 * What is registered so wins over the library's own texts, whichever comes first.
 */
export function registerTranslation(...added: readonly Translation[]): void {
  for (const texts of added) put(texts, (present) => ({ ...present, ...texts }));
}

/** Adds texts that the library brings: those that the page has registered stay. */
export function addTexts(texts: Translation): void {
  put(texts, (present) => ({ ...texts, ...present }));
}

function put(
  { $code, $also = [] }: Translation,
  join: (present?: Partial<Texts>) => Partial<Texts>,
): void {
  for (const tag of [$code, ...$also]) {
    const code = tag.replace(/_/g, "-").toLowerCase();
    translations.set(code, join(translations.get(code)));
  }
  updateReaders();
}

export function updateReaders(): void {
  for (const reader of readers) reader.requestUpdate();
}

/** The language tags that suit a language, in lower case, best first: itself and what it is a form of. */
export function* suiting(language: string): Generator<string> {
  for (let tag = language.toLowerCase(); tag; tag = tag.replace(/-?[^-]*$/, "")) yield tag;
}
