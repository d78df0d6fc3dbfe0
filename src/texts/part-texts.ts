import type { basicTexts } from "./english-first.js";
import { addTexts, type Texts } from "./texts.js";

/** The texts that one part of the library shows. */
export interface PartTexts<Key extends keyof Texts> {
  /** A text in the language of an element, or in English. */
  readonly term: (localize: Localize, key: Key) => string;
}

/**
 * An object that reads texts, such as a `LocalizeController`. By itself, it has only the basic
 * texts.
 */
export interface Localize {
  readonly term: (key: BasicKey) => string;
}

/** Every element has these texts from the start. */
export type BasicKey = keyof typeof basicTexts;

/** Reads texts that another part has named. Before that part is loaded, they are empty. */
export const loadedTexts: PartTexts<keyof Texts> = {
  // The type of `localize` has only the keys that need no part.
  term: ({ term }, key) => (term as (key: keyof Texts) => string)(key),
};

type KeyOf<Section> = Section extends unknown ? keyof Section & keyof Texts : never;

/**
 * Names the English sections whose texts a part shows, and loads them together with the part. Using
 * a text of another section doesn't compile.
 */
export function partTexts<Sections extends readonly Partial<Texts>[]>(
  ...sections: Sections
): PartTexts<KeyOf<Sections[number]> | BasicKey> {
  addTexts(Object.assign({ $code: "en" }, ...sections) as { $code: string });
  return loadedTexts;
}
