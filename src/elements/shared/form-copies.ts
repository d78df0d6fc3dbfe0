/** The forms among an element's children: its own, and those that came with a copy of an element. */
export const copiesIn = (host: Element): Iterable<Element> =>
  host.querySelectorAll(":scope > form.uia-fields");
