// Declarations for tools and platforms in the examples that are not dependencies of this repository.
declare module "vitest" {
  export const test: (title: string, run: () => Promise<void>) => void;
  export const expect: (actual: unknown) => { toBe(expected: unknown): void };
  export const beforeAll: (run: () => unknown) => void;
  export const afterEach: (run: () => unknown) => void;
  export const afterAll: (run: () => unknown) => void;
}

declare module "vitest/config" {
  export const defineConfig: (config: {
    test: { environment: string; include: string[]; testTimeout: number };
  }) => object;
}

declare module "@playwright/test" {
  import type { BrowserContext, Locator, Page } from "playwright-core";

  interface Config {
    testDir: string;
    use: { baseURL: string };
    webServer: { command: string; url: string };
  }
  export const defineConfig: (config: Config) => object;

  type Run = (fixtures: { context: BrowserContext; page: Page }) => Promise<void>;
  export const test: { (title: string, run: Run): void; beforeEach(run: Run): void };
  export const expect: (actual: Locator) => { toBeVisible(): Promise<void> };
}

// Electron, Tauri and Capacitor: docs/guides/desktop-and-mobile.md
declare module "electron" {
  interface IpcEvent {
    preventDefault(): void;
  }
  export const app: {
    setAsDefaultProtocolClient(protocol: string): boolean;
    requestSingleInstanceLock(): boolean;
    quit(): void;
    on(event: "open-url", listener: (event: IpcEvent, url: string) => void): void;
    on(event: "second-instance", listener: (event: IpcEvent, commandLine: string[]) => void): void;
  };
  export const BrowserWindow: {
    getAllWindows(): { readonly webContents: { send(channel: string, text: string): void } }[];
  };
  export const ipcMain: {
    handle(channel: string, listener: (event: IpcEvent, ...args: string[]) => unknown): void;
  };
  export const ipcRenderer: {
    invoke(channel: string, ...args: unknown[]): Promise<unknown>;
    on(channel: string, listener: (event: IpcEvent, ...args: string[]) => void): void;
  };
  export const contextBridge: { exposeInMainWorld(key: string, api: object): void };
  export const safeStorage: {
    encryptString(text: string): Buffer;
    decryptString(encrypted: Buffer): string;
  };
  export const shell: { openExternal(url: string): Promise<void> };
}

declare module "@tauri-apps/plugin-deep-link" {
  export function getCurrent(): Promise<string[] | null>;
  export function onOpenUrl(handler: (urls: string[]) => void): Promise<() => void>;
}

declare module "@tauri-apps/plugin-opener" {
  export function openUrl(url: string | URL, openWith?: string): Promise<void>;
}

declare module "@capacitor/app" {
  export const App: {
    addListener(
      event: "appUrlOpen",
      listener: (event: { url: string }) => void,
    ): Promise<{ remove(): Promise<void> }>;
    getLaunchUrl(): Promise<{ url: string } | undefined>;
  };
}

declare module "@capacitor/browser" {
  export const Browser: {
    open(options: { url: string }): Promise<void>;
    close(): Promise<void>;
  };
}
