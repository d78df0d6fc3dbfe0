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
  for (const texts of added) put(texts);
}

/** Adds texts that the library brings: those that the page has registered stay. */
export function addTexts(texts: Translation): void {
  put(texts, translations.get(codeOf(texts)));
}

function put(texts: Translation, winning?: Partial<Texts>): void {
  const code = codeOf(texts);
  translations.set(code, { ...translations.get(code), ...texts, ...winning });
  updateReaders();
}

export function updateReaders(): void {
  for (const reader of readers) reader.requestUpdate();
}

const codeOf = ({ $code }: Translation): string => $code.replace(/_/g, "-").toLowerCase();

/**
 * The language tags that suit a language, best first: itself and what it is a form of, then of `tags`
 * those of the same language and script. So `zh-TW` finds `zh-hant`, and `pt` finds `pt-br`.
 *
 * @param tags In lower case.
 */
export function* suiting(language: string, tags: Iterable<string>): Generator<string> {
  for (let tag = language.toLowerCase(); tag; tag = tag.replace(/-?[^-]*$/, "")) yield tag;
  const script = scriptOf(language);
  for (const tag of tags) if (scriptOf(tag) === script) yield tag;
}

/** A language and the script that it is written in; the tag itself where it is none. */
export function scriptOf(tag: string): string {
  try {
    const { language, script } = new Intl.Locale(tag).maximize();
    return `${language}-${script ?? ""}`;
  } catch {
    return tag;
  }
}
