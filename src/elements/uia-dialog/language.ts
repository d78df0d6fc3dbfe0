import { html, type TemplateResult } from "lit";
import { suiting, translations } from "../../locales/registry.js";
import type { Texts } from "../../locales/translation.js";
import { nearest, type LocalizeController } from "../shared/localize.js";

const RIGHT_TO_LEFT: readonly (string | undefined)[] = [
  "Adlm",
  "Arab",
  "Hebr",
  "Nkoo",
  "Syrc",
  "Thaa",
];

/** A language tag that `Intl` takes; a page may have any words in `lang`. */
export function knownTag(language: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(language)[0];
  } catch {
    return undefined;
  }
}

/**
 * The language of what stands in a text, such as a number: the page's where the text is in that too,
 * else English. For `Intl`, which would take the browser's language where it does not know the first.
 */
export function languagesOf({ language }: LocalizeController, key: keyof Texts): string[] {
  const translated = [...suiting(language)].some((code) => translations.get(code)?.[key]);
  return [(translated && knownTag(language)) || "en", "en"];
}

/** Where a page says nothing of it, texts that are read from the right have that direction. */
export function directionAt(element: Element, localize: LocalizeController): "rtl" | undefined {
  const [tag = ""] = languagesOf(localize, "uiaHeading");
  const { script } = new Intl.Locale(tag).maximize();
  return RIGHT_TO_LEFT.includes(script) && !nearest(element, "[dir]") ? "rtl" : undefined;
}

/** A text with something in the place of `{name}`: languages have it in different places. */
export function insert(text: string, name: string, value: unknown): TemplateResult {
  // After a page's own text, if that has no place for it.
  const [before, after] = text.split(`{${name}}`);
  return html`${before}${value}${after}`;
}

/** An address or a number in a text: it reads from the left in every language. */
export const isolated = (value: string): TemplateResult =>
  html`<bdi class="address" dir="ltr">${value}</bdi>`;
