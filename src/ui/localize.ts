import type { ReactiveController, ReactiveControllerHost } from "lit";
import type { BasicKey } from "../texts/part-texts.js";
import {
  localizedHosts,
  matchingTags,
  type Texts,
  translations,
  updateLocalizedHosts,
} from "../texts/texts.js";

type LocalizedHost = ReactiveControllerHost & Element & { readonly isHydrating?: boolean };

let observer: MutationObserver | undefined;
type LoadLanguage = (language: string) => Promise<unknown> | undefined;

let loadLanguage: LoadLanguage | undefined;

/** Calls the loader for each language that an element on the page needs and that has no texts. */
export function onMissingLanguage(loader: LoadLanguage): void {
  loadLanguage = loader;
}

/** A text in a language, or in English. */
export function textIn(language: string, key: keyof Texts): string {
  for (const code of matchingTags(language)) {
    const text = translations.get(code)?.[key];
    if (text) return text;
  }
  void loadLanguage?.(language);
  return translations.get("en")?.[key] ?? "";
}

/** Waits for the texts of a language, if they can be loaded. */
export const languageLoaded = async (language: string): Promise<unknown> =>
  loadLanguage?.(language);

/**
 * The language of a page or of an element in it. Default: the browser's language. It can be
 * invalid.
 */
export const languageOf = (place: Element | undefined): string =>
  (place?.getAttribute("lang") ?? navigator.language).trim().replace(/_/g, "-");

/** The elements with this tag on the page, in any shadow tree, also if they are registered under another one. */
export const elementsOnPage = (tag: string): readonly object[] =>
  [...localizedHosts, ...document.querySelectorAll(tag)].filter(
    ({ constructor, localName }) => ((constructor as { tag?: string }).tag ?? localName) === tag,
  );

/** Whether an element with one of these tags is on the page. */
export const isOnPage = (...tags: readonly string[]): boolean =>
  tags.some((tag) => elementsOnPage(tag).length > 0);

/**
 * Some frameworks write a missing value as text into this property of every HTML element. Some
 * templates for pages have an empty one.
 */
const LANG = "[lang]:not([lang=undefined],[lang=null],[lang=''])";

export class LocalizeController implements ReactiveController {
  readonly #host: LocalizedHost;

  constructor(host: LocalizedHost) {
    this.#host = host;
    host.addController(this);
  }

  /** The page's `lang` at this position, which can be invalid, or the browser's language. */
  get language(): string {
    const { isHydrating } = this.#host;
    if (isHydrating) return this.#host.getAttribute("lang") ?? "en";
    return languageOf(nearest(this.#host, LANG));
  }

  /** A basic text. A part reads its texts with `partTexts`. */
  readonly term = (key: BasicKey): string => textIn(this.language, key);

  hostConnected(): void {
    localizedHosts.add(this.#host);
    observer ??= new MutationObserver(updateLocalizedHosts);
    // The language of any ancestor can change, even across shadow roots.
    for (let at: Node | undefined = this.#host; at; at = hostOf(at)) {
      observer.observe(at.getRootNode(), { subtree: true, attributeFilter: ["lang", "dir"] });
    }
  }

  /** Looks up a text even before one is shown, so that a missing language is loaded in time. */
  hostUpdate(): void {
    unwrapTexts(this.#host.shadowRoot);
    this.term("signIn");
  }

  hostDisconnected(): void {
    localizedHosts.delete(this.#host);
    if (localizedHosts.size === 0) observer?.disconnect();
  }
}

/**
 * Call it before each render. A browser's translator replaces a text node, which the next render
 * looks for, with a `<font>`.
 */
export function unwrapTexts(root: ParentNode | null): void {
  for (const font of root?.querySelectorAll<HTMLElement>("font") ?? [])
    font.replaceWith(font.textContent);
}

/** Like `closest()`, but across shadow roots. */
export function nearest(element: Element, selector: string): Element | undefined {
  const host = hostOf(element);
  return element.closest(selector) ?? (host && nearest(host, selector));
}

function hostOf(node: Node): Element | undefined {
  const root = node.getRootNode();
  return root instanceof ShadowRoot ? root.host : undefined;
}
