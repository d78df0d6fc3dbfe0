// The CSS of a state, in the preview and in the code alike.

/**
 * @param {import("./state.js").State} state
 * @param {{ outlines?: boolean }} [options] `outlines`: with those of the parts that are to be found.
 */
export function cssOf({ element, theme, tokens, parts, outlined }, { outlines = false } = {}) {
  const properties = Object.entries(tokens)
    .map(([name, value]) => valid(`${name}: ${value}`))
    .filter((each) => each !== "");
  return [
    rule(":root", [`color-scheme: ${theme || "light dark"};`]),
    ...(properties.length > 0 ? [rule(element, properties)] : []),
    ...Object.entries(parts)
      .map(([name, declarations]) => [name, valid(declarations)])
      .filter(([, declarations]) => declarations !== "")
      .map(([name, declarations = ""]) =>
        rule(`${element}::part(${name})`, declarations.split(/(?<=;) (?=[\w-]+:)/)),
      ),
    ...(outlines ? outlined : []).map((name) =>
      rule(`${element}::part(${name})`, ["outline: 3px dashed #d6006c !important;"]),
    ),
  ].join("\n");
}

/** @param {string} selector @param {readonly string[]} declarations */
const rule = (selector, declarations) =>
  [`${selector} {`, ...declarations.map((each) => `  ${each}`), "}"].join("\n");

/**
 * Declarations as the browser understands them: nothing that would end their rule, or a style sheet in HTML.
 *
 * @param {string} declarations
 */
export function valid(declarations) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`a { ${declarations} }`);
  const [first, ...others] = sheet.cssRules;
  if (!(first instanceof CSSStyleRule) || others.length > 0 || first.cssRules.length > 0) return "";
  return first.style.cssText.replaceAll("<", "\\3c ");
}
