// For phone numbers. Only parts that are loaded later ask for them.
import type { TemplateResult } from "lit";
import { isolated, knownTag } from "../format-text.js";
import { type Load, lazyPart } from "../loading.js";
import type * as Numbers from "./numbers.js";

/** Loaded on demand, because of its size. */
export const loadNumbers: Load<typeof Numbers> = lazyPart(() => import("./numbers.js"));

let isMissing = false;

/**
 * The countries' rules. Undefined until they are loaded; `refresh` is called then. Null if they
 * could not be loaded.
 */
export function numbersOrLoad(refresh: () => unknown): typeof Numbers | null | undefined {
  if (loadNumbers.loaded) return loadNumbers.loaded;
  if (isMissing) return null;
  void loadNumbers()
    .catch(() => (isMissing = true))
    .then(refresh);
  return undefined;
}

/**
 * A phone number in a text, in its international format as soon as the countries' rules are loaded.
 *
 * @param region The country of a number without its country's code.
 * @param refresh Renders the number again.
 */
export const phoneNumber = (
  phone: string,
  region: string,
  refresh: () => unknown,
): TemplateResult => isolated(numbersOrLoad(refresh)?.international(phone, region) ?? phone);

/**
 * The user's country, if the browser reports it. Otherwise the country with the most speakers of
 * the language.
 */
export function regionOf(language: string): string {
  const tags = [...navigator.languages, language].map(
    (tag) => new Intl.Locale(knownTag(tag) ?? "en"),
  );
  const { region } = tags.find((tag) => tag.region) ?? tags[0]?.maximize() ?? {};
  return region ?? "";
}
