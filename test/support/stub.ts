const undo: (() => void)[] = [];

/** Replaces a property until {@link restoreStubs}. */
export function stub(owner: object, property: string, replacement: PropertyDescriptor): void {
  const original = Object.getOwnPropertyDescriptor(owner, property);
  Object.defineProperty(owner, property, { configurable: true, ...replacement });
  undo.push(() => {
    if (original) Object.defineProperty(owner, property, original);
    else Reflect.deleteProperty(owner, property);
  });
}

/** Adds a function for {@link restoreStubs} to call. */
export const untilRestored = (restore: () => void): void => void undo.push(restore);

/** Moves the clock that `Date.now` reads, by milliseconds. */
export function moveClock(by: number): void {
  const now = Date.now;
  stub(Date, "now", { value: () => now() + by });
}

/** Blocks a page's storage, as browser settings can. */
export function blockStorage(name: "localStorage" | "sessionStorage"): void {
  stub(globalThis, name, {
    get: () => {
      throw new DOMException("The operation is insecure.", "SecurityError");
    },
  });
}

/** Blocks a site's data, as browser settings can: no storage, no locks, and in Firefox no channels. */
export function blockSiteData(): void {
  blockStorage("localStorage");
  blockStorage("sessionStorage");
  const refusal = (): DOMException => new DOMException("Denied in this context.", "SecurityError");
  stub(navigator, "locks", { value: { request: () => Promise.reject(refusal()) } });
  stub(globalThis, "BroadcastChannel", {
    value: function BroadcastChannel() {
      throw refusal();
    },
  });
}

/** Fills a storage. */
export function fillStorage(storage: Storage): void {
  for (let length = 1 << 22; length >= 1; length = length >> 1) {
    try {
      for (let i = 0; ; i++) storage.setItem(`filler-${length}-${i}`, "x".repeat(length));
    } catch {
      // The storage has no room for this length: continue with half of it.
    }
  }
}

export function restoreStubs(): void {
  for (const restore of undo.splice(0).reverse()) restore();
}
