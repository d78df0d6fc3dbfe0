import { html, type TemplateResult } from "lit";
import { matchingTags, MAX_TAG_LENGTH, type Texts, translations } from "../texts/texts.js";
import { type LocalizeController, nearest } from "./localize.js";

const RIGHT_TO_LEFT = ["Adlm", "Arab", "Hebr", "Nkoo", "Syrc", "Thaa"];

/**
 * The canonical tag, if `Intl` accepts the tag. A page's `lang` and a server's policies can contain
 * anything. Engines take quadratic time for some long tags.
 */
export function knownTag(language: string): string | undefined {
  try {
    return language.length > MAX_TAG_LENGTH ? undefined : Intl.getCanonicalLocales(language)[0];
  } catch {
    return undefined;
  }
}

/**
 * The languages for values in a text, such as numbers: the page's language if the text is also in
 * it, otherwise English. It is a list, because `Intl` would use the browser's language if it does
 * not know the first one.
 */
export function languagesOf({ language }: LocalizeController, key: keyof Texts): string[] {
  const translated = [...matchingTags(language)].some((code) => translations.get(code)?.[key]);
  return [(translated && knownTag(language)) || "en", "en"];
}

/** The direction for right-to-left texts, unless the page sets one itself. */
export function directionAt(element: Element, localize: LocalizeController): "rtl" | undefined {
  const [tag = ""] = languagesOf(localize, "confirmIdentity");
  const { script } = new Intl.Locale(tag).maximize();
  return RIGHT_TO_LEFT.includes(script ?? "") && !nearest(element, "[dir]") ? "rtl" : undefined;
}

/** A text in which `value` replaces `{name}`, whose position depends on the language. */
export function insert(text: string, name: string, value: unknown): TemplateResult {
  // If a custom text has no `{name}`, the value is at the end.
  const [before, after] = text.split(`{${name}}`);
  return html`${before}${value}${after}`;
}

export const MAX_REASON_LENGTH = 500;

/** A message of an element: a string or a template. */
export type Message = string | TemplateResult;

/** A text, followed by the server's message. Their languages and directions can differ. */
export const withWords = (text: string, words: string | undefined): Message =>
  words === undefined
    ? text
    : html`${text} <bdi .textContent=${words.slice(0, MAX_REASON_LENGTH)}></bdi>`;

/** An identifier or a name. Neither the page's style nor a translator changes it. */
export const verbatim = (value: string): TemplateResult => html`<bdi translate="no">${value}</bdi>`;

/** An address or a phone number in a text. It is left to right in every language. */
export const isolated = (value: string): TemplateResult =>
  html`<bdi class="address" dir="ltr" translate="no">${value}</bdi>`;

/**
 * Shortens a text, but never inside a visible character, such as an emoji. The ellipsis doesn't
 * count towards `maxLength`. Empty if the first visible character is longer.
 */
export function shortened(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  // Firefox before 125 lacks `Segmenter`.
  const { Segmenter } = Intl as Partial<typeof Intl>;
  const end = Segmenter
    ? new Segmenter().segment(text).containing(maxLength)?.index
    : text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, "").length;
  return end ? `${text.slice(0, end).trimEnd()}…` : "";
}

/** A longer name would hide the others. */
export const MAX_NAME_LENGTH = 100;

/**
 * Characters that make a name look like another one: controls, and marks that change directions.
 */
const CONTROLS = /(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const LONE_SURROGATES = /\p{Cs}/gu;
/** Blank characters, such as the Braille blank. */
const BLANK = /[\s\p{C}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Whether a name has a character that a user can see. */
export const isReadable = (name: string): boolean => name.replace(BLANK, "") !== "";

/**
 * The name of a user, a device, or a provider, as it is shown. Undefined if there is no readable
 * name.
 */
export function shownName(given: string | null | undefined): string | undefined {
  const name = (given ?? "").slice(0, MAX_NAME_LENGTH * 8);
  const shown = name.replace(CONTROLS, " ").replace(LONE_SURROGATES, "\uFFFD");
  if (!isReadable(shown)) return undefined;
  return shortened(shown.replace(/\s+/g, " ").trim(), MAX_NAME_LENGTH) || undefined;
}
