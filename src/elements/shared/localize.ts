import type { ReactiveController, ReactiveControllerHost } from "lit";
import { readers, suiting, translations, updateReaders } from "../../locales/registry.js";
import type { Texts } from "../../locales/translation.js";

type Host = ReactiveControllerHost & Element;

let observer: MutationObserver | undefined;
let missing: ((language: string) => void) | undefined;

/** Tells of languages that an element on the page is in, and that there are no texts in. */
export function onMissing(listener: (language: string) => void): void {
  missing = listener;
}

/** Whether there is an element of this name, in whatever shadow tree. */
export const isOnPage = (tag: string): boolean =>
  [...readers, document.querySelector(tag)].some((element) => element?.localName === tag);

/** The texts of an element, in the language of the nearest `lang` around it. */
export class LocalizeController implements ReactiveController {
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
    host.addController(this);
  }

  /** The language tag that the page gives this place, or whatever stands there instead of one. */
  get language(): string {
    const language = nearest(this.#host, "[lang]")?.getAttribute("lang") ?? navigator.language;
    return language.replace(/_/g, "-");
  }

  /** A text, in the page's language, else in English. */
  term(key: keyof Texts): string {
    const { language } = this;
    for (const code of suiting(language)) {
      const text = translations.get(code)?.[key];
      if (text) return text;
    }
    missing?.(language);
    return translations.get("en")?.[key] ?? "";
  }

  hostConnected(): void {
    readers.add(this.#host);
    observer ??= new MutationObserver(updateReaders);
    // Any element around may be given another language, those around its shadow too.
    for (let at: Node | undefined = this.#host; at; at = hostOf(at)) {
      observer.observe(at.getRootNode(), { subtree: true, attributeFilter: ["lang", "dir"] });
    }
    // It may have been moved to where another language is spoken.
    this.#host.requestUpdate();
  }

  /** Also where nothing is shown yet: what will be shown is then there in time. */
  hostUpdate(): void {
    this.term("signIn");
  }

  hostDisconnected(): void {
    readers.delete(this.#host);
    if (readers.size === 0) observer?.disconnect();
  }
}

/** The nearest element around another, or itself, that fits; also around the shadow that it is in. */
export function nearest(element: Element, selector: string): Element | undefined {
  const host = hostOf(element);
  return element.closest(selector) ?? (host && nearest(host, selector));
}

/** The element whose shadow a node is in. */
function hostOf(node: Node): Element | undefined {
  const root = node.getRootNode();
  return root instanceof ShadowRoot ? root.host : undefined;
}
