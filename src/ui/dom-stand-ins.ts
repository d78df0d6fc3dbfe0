// When Lit is imported, it reads two globals that only pages have. Its build for Node does without them, but
// bundlers for workers and edge runtimes don't choose that one. These stand in while Lit is imported, and no
// longer: other libraries decide by the same globals whether they are in a page.
const STAND_INS = { HTMLElement: Object, document: { createTreeWalker: Object } };

const missing = Object.entries(STAND_INS).filter(([name]) => !(name in globalThis));
for (const [name, standIn] of missing) {
  // Lit's build for Node makes a registry first, and has its own stand-ins.
  const get = (): unknown => ("customElements" in globalThis ? undefined : standIn);
  Object.defineProperty(globalThis, name, { configurable: true, get });
}

/** Removes them again. */
export function removeStandIns(): void {
  for (const [name] of missing) Reflect.deleteProperty(globalThis, name);
}
