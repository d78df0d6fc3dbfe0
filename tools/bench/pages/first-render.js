// Measures how soon an element shows something. It is not bundled, because it defines nothing.

/** Resolves when an element has rendered its first content. */
async function rendered(element) {
  await customElements.whenDefined(element.localName);
  // Lit's elements report it; some of ours show nothing at first.
  if (element.updateComplete) return element.updateComplete;
  const { shadowRoot } = element;
  const shows = () => [...shadowRoot.children].some(({ localName }) => localName !== "style");
  if (shows()) return undefined;
  return new Promise((done) => {
    const observer = new MutationObserver(() => {
      if (!shows()) return;
      observer.disconnect();
      done();
    });
    observer.observe(shadowRoot, { childList: true });
  });
}

const make = ({ tag, attributes = {} }) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};

/** From "load the script" to the first render of an element that is on the page already. */
window.defineAndRender = async ({ script, ...what }) => {
  const element = make(what);
  document.body.append(element);
  const begin = performance.now();
  await import(script);
  await window.registered;
  await rendered(element);
  return performance.now() - begin;
};

/** From "put so many into the page" to the first render of the last. */
window.render = async (what, count) => {
  const elements = Array.from({ length: count }, () => make(what));
  const begin = performance.now();
  document.body.append(...elements);
  await Promise.all(elements.map(rendered));
  const ms = performance.now() - begin;
  for (const element of elements) element.remove();
  return ms;
};
