import type { basicTexts } from "./english.js";
import { addTexts, type Texts } from "./texts.js";

/** The texts that one part of the library shows. */
export interface PartTexts<Key extends keyof Texts> {
  /** A text in the language of an element, or in English. */
  readonly term: (localize: Localize, key: Key) => string;
}

/** Of a `LocalizeController`, what reads a text. */
interface Localize {
  term(key: keyof Texts): string;
}

type BasicKey = keyof typeof basicTexts;

type KeyOf<Section> = Section extends unknown ? keyof Section & keyof Texts : never;

/**
 * Names the English sections whose texts a part shows, and loads them with the part. A text of
 * another section doesn't compile.
 */
export function partTexts<Sections extends readonly Partial<Texts>[]>(
  ...sections: Sections
): PartTexts<KeyOf<Sections[number]> | BasicKey> {
  addTexts(Object.assign({ $code: "en" }, ...sections) as { $code: string });
  return { term: (localize, key) => localize.term(key) };
}
