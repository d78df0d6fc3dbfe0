/* global document, getComputedStyle, HTMLInputElement, HTMLSelectElement, HTMLSlotElement, Text */
// Describes the content of a picture, without fonts, widths, and positions, which differ between machines.

/**
 * Runs in the page.
 *
 * @returns {string[]} A line for each visible element.
 */
export function describePage() {
  const LOOK = /** @type {const} */ ([
    "color",
    "backgroundColor",
    "padding",
    "border",
    "borderRadius",
    "boxShadow",
    "fontSize",
    "fontWeight",
    "opacity",
  ]);
  const UNSEEN = /^(|none|0px|normal|1|400|rgba\(0, 0, 0, 0\))$|\b0px none\b/;
  /** @type {string[]} */
  const lines = [];

  /** @param {Element} element */
  const textOf = (element) => {
    if (element instanceof HTMLInputElement && element.type !== "checkbox") {
      const value = element.type === "password" ? "•".repeat(element.value.length) : element.value;
      return value || element.placeholder;
    }
    if (element instanceof HTMLSelectElement) return element.selectedOptions[0]?.text ?? "";
    // An empty slot shows the element's own content.
    const own = [...element.childNodes].flatMap((node) =>
      node instanceof HTMLSlotElement && node.assignedNodes().length === 0
        ? [...node.childNodes]
        : [node],
    );
    const texts = own.filter((node) => node instanceof Text);
    return texts
      .map(({ data }) => data)
      .join("")
      .replace(/\s+/g, " ")
      .trim();
  };

  /** @param {CSSStyleDeclaration} style */
  const lookOf = (style) => [
    ...LOOK.map((property) => style[property]).filter((value) => !UNSEEN.test(value)),
    ...(style.outlineStyle === "none" ? [] : [`outline ${style.outline}`]),
  ];

  /** @param {Element} element */
  const describe = (element) => {
    const style = getComputedStyle(element);
    const part = element.getAttribute("part");
    const text = textOf(element);
    const isShown =
      element.checkVisibility({ visibilityProperty: true }) && style.clipPath === "none";
    if (!isShown || !(part || text || element.matches("input, button, dialog"))) return;
    const name = `${element.localName}${part ? `[${part}]` : ""}`;
    lines.push([name, ...(text ? [JSON.stringify(text)] : []), ...lookOf(style)].join(" · "));
    for (const pseudo of ["::before", "::after"]) {
      const added = getComputedStyle(element, pseudo);
      if (!["none", "normal"].includes(added.content)) {
        lines.push([`${name}${pseudo}`, added.content, ...lookOf(added)].join(" · "));
      }
    }
  };

  /** @param {ParentNode} root */
  const visit = (root) => {
    for (const element of root.children) {
      if (element.matches("script, style")) continue;
      describe(element);
      if (element.shadowRoot) visit(element.shadowRoot);
      visit(element);
    }
  };
  visit(document.body);
  return lines;
}
