/* global CSSStyleSheet */
// Stands in for Lit's module of this name in the bundles for script tags, where each byte is loaded
// before the first paint: Lit's also serves browsers without constructable stylesheets, in which these
// bundles do not run. The npm package leaves Lit as it is. Lit's own build has no switch for it.

export class CSSResult {
  /** @type {CSSStyleSheet | undefined} */
  #sheet;

  /** @param {string} cssText */
  constructor(cssText) {
    this.cssText = cssText;
  }

  /** For styles that are part of others. */
  toString() {
    return this.cssText;
  }

  get styleSheet() {
    if (!this.#sheet) {
      this.#sheet = new CSSStyleSheet();
      this.#sheet.replaceSync(this.cssText);
    }
    return this.#sheet;
  }
}

/** @param {unknown} value */
export const unsafeCSS = (value) => new CSSResult(String(value));

/** @param {unknown} style */
export const getCompatibleStyle = (style) => style;

/**
 * @param {ShadowRoot} renderRoot
 * @param {readonly (CSSResult | CSSStyleSheet)[]} styles
 */
export function adoptStyles(renderRoot, styles) {
  renderRoot.adoptedStyleSheets = styles.map((style) =>
    style instanceof CSSStyleSheet ? style : style.styleSheet,
  );
}

/**
 * @param {TemplateStringsArray} strings
 * @param {...unknown} values
 */
export const css = (strings, ...values) => new CSSResult(String.raw({ raw: strings }, ...values));

export const supportsAdoptingStyleSheets = true;
