// Tools of the examples that are no dependencies here.
declare module "vitest" {
  export const test: (title: string, run: () => Promise<void>) => void;
  export const expect: (actual: unknown) => { toBe(expected: unknown): void };
  export const beforeAll: (run: () => unknown) => void;
  export const afterEach: (run: () => unknown) => void;
  export const afterAll: (run: () => unknown) => void;
}

declare module "@playwright/test" {
  import type { BrowserContext, Locator, Page } from "playwright-core";

  export const test: (
    title: string,
    run: (fixtures: { context: BrowserContext; page: Page }) => Promise<void>,
  ) => void;
  export const expect: (actual: Locator) => { toBeVisible(): Promise<void> };
}
