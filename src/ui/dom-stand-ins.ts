// When Lit is imported, it reads two globals that only pages have. Its build for Node does not need
// them, but bundlers for workers and edge runtimes don't choose that build. These stand-ins exist
// only while Lit is imported, because other libraries use the same globals to detect a page.
const STAND_INS = { HTMLElement: Object, document: { createTreeWalker: Object } };

const missing = Object.entries(STAND_INS).filter(([name]) => !(name in globalThis));
for (const [name, standIn] of missing) {
  // Lit's build for Node creates a registry first, and has its own stand-ins.
  const get = (): unknown => ("customElements" in globalThis ? undefined : standIn);
  Object.defineProperty(globalThis, name, { configurable: true, get });
}

/** Removes the stand-ins. */
export function removeStandIns(): void {
  for (const [name] of missing) Reflect.deleteProperty(globalThis, name);
}
