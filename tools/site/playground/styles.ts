// The CSS of a state, for the preview and the code.
import type { State } from "./state.js";

/** @param outlines Whether to include outlines of parts. */
export function cssOf(
  { element, theme, tokens, parts, outlined }: State,
  { outlines = false } = {},
) {
  const part = (name: string) => `${element}::part(${name})`;
  return [
    rule(":root", [`color-scheme: ${theme || "light dark"};`]),
    rule(
      element,
      Object.entries(tokens).map(([name, value]) => valid(`${name}: ${value}`)),
    ),
    ...Object.entries(parts).map(([name, declarations]) =>
      rule(part(name), valid(declarations).split(/(?<=;) (?=[\w-]+:)/)),
    ),
    ...(outlines ? outlined : []).map((name) =>
      rule(part(name), ["outline: 3px dashed #d6006c !important;"]),
    ),
  ]
    .filter(Boolean)
    .join("\n");
}

/** A CSS rule. Empty if it has no declarations. */
function rule(selector: string, declarations: readonly string[]): string {
  const lines = declarations.filter(Boolean).map((each) => `  ${each}`);
  return lines.length > 0 ? [`${selector} {`, ...lines, "}"].join("\n") : "";
}

/** Declarations as the browser parses them, which cannot end their rule, or a style sheet in HTML. */
function valid(declarations: string): string {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`a { ${declarations} }`);
  const [first, ...others] = sheet.cssRules;
  if (!(first instanceof CSSStyleRule) || others.length > 0 || first.cssRules.length > 0) return "";
  return first.style.cssText.replaceAll("<", "\\3c ");
}
