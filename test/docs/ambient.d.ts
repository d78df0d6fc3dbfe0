// Declarations that TypeScript's types for pages do not have.
declare global {
  // Service workers have this function.
  const importScripts: (url: string) => void;
  const skipWaiting: () => Promise<void>;
  const clients: { claim(): Promise<void> };
  // The classic script of a page defines it, and that of a service worker.
  const MatrixAuthElements: typeof import("matrix-auth-elements") &
    typeof import("matrix-auth-elements/service-worker");

  // The script that an example loads defines this object.
  const grecaptcha: import("matrix-auth-elements").CaptchaApi & { ready(then: () => void): void };

  // The functions that an example exposes with Electron's `contextBridge`.
  interface Window {
    readonly desktop: {
      open(url: string): Promise<void>;
      launchLink(): Promise<string | undefined>;
      onLink(listener: (link: string) => void): void;
    };
  }

  // The elements that an example looks up exist in its page.
  interface ParentNode {
    querySelector<K extends keyof HTMLElementTagNameMap>(selectors: K): HTMLElementTagNameMap[K];
    querySelector(selectors: string): HTMLElement;
  }
}
export {};
