import { addTexts, type Translation } from "../texts/texts.js";

/** A symbol, because the ID of an element could be a property of the page. */
const TEXTS = Symbol.for("matrix-auth-elements/texts");

// Registers the texts of `dist/cdn/locales/`, whenever they are loaded. Each copy of the library on
// a page does so.
const page: Partial<Record<symbol, Translation[]>> = globalThis;
const files = (page[TEXTS] ??= []);
files.forEach(addTexts);
const push = files.push.bind(files);
files.push = (...added) => {
  added.forEach(addTexts);
  return push(...added);
};
