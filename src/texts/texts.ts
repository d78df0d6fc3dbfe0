import type { en } from "../locales/en.js";

/** All texts, by key. `{name}` in a text is replaced. */
export type Texts = { readonly [Key in keyof Omit<typeof en, "$code">]: string };

interface LanguageTags {
  /** A language tag, such as `de` or `pt-BR`. */
  readonly $code: string;
  /** Further tags for the same texts, such as `zh-TW` for `zh-Hant`. */
  readonly $aliases?: readonly string[];
}

/** All texts in one language. */
export interface Language extends Texts, LanguageTags {}

/**
 * Texts in one language. If a translation leaves out a text, the elements show the one of the more
 * general language (`pt` for `pt-BR`), else the English one.
 */
export interface Translation extends Partial<Texts>, LanguageTags {}
