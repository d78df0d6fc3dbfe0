import type { ReactiveController, ReactiveControllerHost } from "lit";
import { en } from "../../locales/en.js";
import type { Texts, Translation } from "../../locales/translation.js";

type Host = ReactiveControllerHost & Element;

/** By language tag, in lower case. */
const translations = new Map<string, Partial<Texts>>();
const hosts = new Set<Host>();
let observer: MutationObserver | undefined;

/**
 * Adds texts in a language, or replaces single texts of it; what is on the page changes at once.
 * Needed only for what the library does not bring: it brings English.
 */
export function registerTranslation(...added: readonly Translation[]): void {
  for (const { $code, ...texts } of added) {
    const code = $code.toLowerCase();
    translations.set(code, { ...translations.get(code), ...texts });
  }
  updateHosts();
}

function updateHosts(): void {
  for (const host of hosts) host.requestUpdate();
}

/** Whether there is an element of this name, in whatever shadow tree. */
export const isOnPage = (tag: string): boolean =>
  [...hosts, document.querySelector(tag)].some((element) => element?.localName === tag);

/** The texts of an element, in the language of the nearest `lang` around it. */
export class LocalizeController implements ReactiveController {
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
    host.addController(this);
  }

  /** The language tag that the page gives this place. */
  get language(): string {
    return languageOf(this.#host).replace(/_/g, "-");
  }

  /** A text, in the page's language, else in English. */
  term(key: keyof Texts): string {
    const language = this.language.toLowerCase();
    for (const code of [language, language.split("-", 1)[0] ?? "", en.$code]) {
      const text = translations.get(code)?.[key];
      if (text) return text;
    }
    return "";
  }

  hostConnected(): void {
    hosts.add(this.#host);
    observer ??= new MutationObserver(updateHosts);
    observer.observe(document.documentElement, { attributeFilter: ["lang", "dir"] });
  }

  hostDisconnected(): void {
    hosts.delete(this.#host);
    if (hosts.size === 0) observer?.disconnect();
  }
}

function languageOf(element: Element): string {
  const language = element.closest<HTMLElement>("[lang]")?.lang;
  if (language !== undefined) return language;
  const root = element.getRootNode();
  if (root instanceof ShadowRoot) return languageOf(root.host);
  return document.documentElement.lang || navigator.language;
}

// Here and not in a module of its own: a bundler may drop what is only imported for its effect.
registerTranslation(en);
