/** Makes an element. A true attribute has no value; a false one is omitted. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | boolean>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

export function find(selector: string): HTMLElement;
export function find<T extends HTMLElement>(selector: string, type: new () => T): T;
export function find(selector: string, type = HTMLElement): HTMLElement {
  const found = document.querySelector(selector);
  if (!(found instanceof type)) throw new Error(`There is no ${selector}`);
  return found;
}
