// For phone numbers, which only parts ask for that are loaded later.
import { knownTag } from "./format-text.js";

/** The user's country if the browser has it, else that with the most speakers of its language. */
export function regionOf(language: string): string {
  const tags = [...navigator.languages, language].map(
    (tag) => new Intl.Locale(knownTag(tag) ?? "en"),
  );
  const { region } = tags.find((tag) => tag.region) ?? tags[0]?.maximize() ?? {};
  return region ?? "";
}
