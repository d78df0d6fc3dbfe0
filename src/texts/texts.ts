import type { english } from "./english.js";
import { basicTexts } from "./english-first.js";

/** All texts, by key. `{name}` in a text is replaced. */
export type Texts = { readonly [Key in keyof typeof english]: string };

/**
 * Texts in one language. If a translation leaves out a text, the elements show the text of the more
 * general language (`pt` for `pt-BR`), otherwise the English text.
 */
export interface Translation extends Partial<Texts> {
  /** A language tag, such as `de` or `pt-BR`. */
  readonly $code: string;
  /** Further tags for the same texts, such as `zh-TW` for `zh-Hant`. */
  readonly $aliases?: readonly string[];
}

/** Texts by language tag, in lower case. All elements on the page share them. */
export const translations: Map<string, Partial<Texts>> = new Map([["en", basicTexts]]);

/** The elements on the page that must render again when texts change. */
export const localizedHosts: Set<{ requestUpdate: () => void; localName: string }> = new Set();

/**
 * Adds texts in a language, or replaces some of them. Elements on the page are updated immediately.
 * These texts take precedence over the library's own, in any order of registration.
 */
export function registerTranslation(...added: readonly Translation[]): void {
  for (const texts of added) putTexts(texts, (present) => ({ ...present, ...texts }));
}

/** Adds the library's own texts, without replacing those of the page. */
export function addTexts<T extends Translation>(texts: T): T {
  putTexts(texts, (present) => ({ ...texts, ...present }));
  return texts;
}

function putTexts(
  { $code, $aliases = [] }: Translation,
  join: (present?: Partial<Texts>) => Partial<Texts>,
): void {
  for (const tag of [$code, ...$aliases]) {
    const code = tag.replace(/_/g, "-").toLowerCase();
    translations.set(code, join(translations.get(code)));
  }
  updateLocalizedHosts();
}

/** A symbol, because an element's ID can become a property of `window`. */
const FILES = Symbol.for("matrix-auth-elements/texts");

/** Registers the texts of `dist/cdn/locales/` for this copy of the library, whenever they load. */
export function takeLanguageFiles(): void {
  const page: Partial<Record<symbol, Translation[]>> = globalThis;
  const files = (page[FILES] ??= []);
  files.forEach(addTexts);
  const push = files.push.bind(files);
  files.push = (...added) => {
    added.forEach(addTexts);
    return push(...added);
  };
}

export function updateLocalizedHosts(): void {
  for (const host of localizedHosts) host.requestUpdate();
}

export const MAX_TAG_LENGTH = 255;

/**
 * The tags that match a language, in lower case, best first: the language itself, then without its
 * subtags.
 */
export function* matchingTags(language: string): Generator<string> {
  let tag = language.slice(0, MAX_TAG_LENGTH).toLowerCase();
  for (; tag; tag = tag.slice(0, Math.max(0, tag.lastIndexOf("-")))) yield tag;
}
