/** @typedef {Readonly<Record<string, unknown>>} Texts */

/**
 * The keys that each language lacks. The elements show those strings in English.
 *
 * @param {Texts} english
 * @param {Iterable<readonly [tag: string, texts: Texts]>} languages
 * @returns {readonly (readonly [tag: string, keys: readonly string[]])[]} Only languages that lack a string.
 */
export const missingTexts = (english, languages) =>
  [...languages]
    .map(
      ([tag, texts]) =>
        /** @type {const} */ ([tag, Object.keys(english).filter((key) => !texts[key])]),
    )
    .filter(([, keys]) => keys.length > 0);
