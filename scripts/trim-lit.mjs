// Takes out of Lit what nobody needs in the bundles for script tags, where each byte is loaded before
// the first paint: what it does for browsers without constructable stylesheets, which these bundles do
// not run in; what polyfills and hydration hook into; what it says to those who write its templates
// wrong, which nobody can from outside. The npm package leaves Lit as it is.

/** By file: what is there, and what stands there instead. */
const UNNEEDED = {
  "@lit/reactive-element/css-tag.js": [
    [
      /=\w\.ShadowRoot&&\(.{20,60}\)&&"adoptedStyleSheets"in Document\.prototype&&"replace"in \w+\.prototype/,
      "=!0",
    ],
    [/"CSSResult is not constructable\.[^"]+"/, '"css"'],
    [/"Value passed to 'css'[^"]+"\+\w\+"[^"]+"/, '"css"'],
  ],
  "@lit/reactive-element/reactive-element.js": [
    [/(?<=,)\w=\w\.reactiveElementPolyfillSupport,/, ""],
    [/(?<=,)\w\?\.\(\{ReactiveElement:\w\}\),/, ""],
  ],
  "lit-element/lit-element.js": [
    [/,\w\.litElementHydrateSupport\?\.\(\{LitElement:\w\}\);/, ";"],
    [/const \w=\w\.litElementPolyfillSupport;\w\?\.\(\{LitElement:\w\}\);/, ""],
  ],
  "lit-html/lit-html.js": [[/,\w=\w\.litHtmlPolyfillSupport;\w\?\.\(\w,\w\),/, ";"]],
};

/** A plugin for Rollup. It fails where another version of Lit has other code. */
export const trimLit = {
  name: "trim-lit",
  transform(code, id) {
    const [, trims] = Object.entries(UNNEEDED).find(([file]) => id.endsWith(`/${file}`)) ?? [];
    if (!trims) return null;
    let trimmed = code;
    for (const [pattern, instead] of trims) {
      if (!pattern.test(trimmed)) this.error(`Lit has changed: no ${String(pattern)}`);
      trimmed = trimmed.replace(pattern, instead);
    }
    return { code: trimmed, map: null };
  },
};
