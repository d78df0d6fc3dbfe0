// For phone numbers. Only parts that are loaded later ask for them.
import { knownTag } from "./format-text.js";

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
