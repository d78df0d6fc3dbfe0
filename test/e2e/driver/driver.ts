import { waitFor } from "../../support/wait-for.mjs";

/** For each step of a flow, on a machine that is busy; in milliseconds. */
export const TIMEOUT_MS = 30_000;

/** A name that is this machine's, but no secure context: a page over plain http. */
export const INSECURE_HOST = "insecure.test";

/** Checks until it is true. While a page is being left, there is nothing to check. */
export const waitForTrue = async (
  what: string,
  check: () => boolean | Promise<boolean>,
): Promise<void> => {
  const ask = async (): Promise<boolean> => check();
  await waitFor(`Timed out waiting for: ${what}`, () => ask().catch(() => false), TIMEOUT_MS);
};

/** As {@link waitForTrue}, on a page: if it is never true, the error contains the page's text. */
export const waitOnPage = async (
  run: (script: string) => Promise<unknown>,
  what: string,
  check: () => Promise<boolean>,
): Promise<void> => {
  try {
    await waitForTrue(what, check);
  } catch (cause) {
    const page = "`${location.href}: ${document.body?.innerText.slice(0, 500)}`";
    const shown = await run(page).catch(String);
    throw new Error(`Timed out waiting for: ${what} on ${String(shown)}`, { cause });
  }
};

/** Runs a script in a page until its value is true. */
export const waitForScript = (
  run: (script: string) => Promise<unknown>,
  script: string,
): Promise<void> => waitOnPage(run, script, async () => (await run(script)) === true);

/**
 * The little that a flow needs of a browser. Each flow is written once against it; an engine is one
 * file that fulfils it.
 */
export interface Driver {
  /** A separate browser profile: its cookies and storage are not shared. */
  newProfile(blocked?: BlockedStorage): Promise<Profile>;
  close(): Promise<void>;
}

/** A setting of a browser: which pages may not store anything. */
export type BlockedStorage = "everywhere" | "in frames" | `http://${string}`;

export interface Profile {
  newTab(): Promise<Tab>;
  close(): Promise<void>;
}

export interface Tab {
  goto(url: string): Promise<void>;
  url(): Promise<string>;
  /** Clicks where a user would: `inner` is inside the shadow root of `selector`. */
  click(selector: string, inner?: string): Promise<void>;
  type(selector: string, text: string): Promise<void>;
  /** Clicks what opens a popup. */
  clickOpening(selector: string, inner?: string): Promise<Tab>;
  /** Presses a key by its name: `Enter`, `Tab`, `Escape`, `Shift+Tab`. */
  press(key: string): Promise<void>;
  /** Presses a key that opens a popup. */
  pressOpening(key: string): Promise<Tab>;
  /** Types where the focus is. */
  typeHere(text: string): Promise<void>;
  /** Waits until it is on the page and visible. */
  waitFor(selector: string): Promise<void>;
  /** Waits until the page's URL contains a text. */
  waitForUrl(part: string): Promise<void>;
  /** Runs a script in the page, and returns its value as JSON has it. */
  run<T>(script: string): Promise<T>;
  /** Runs a script in the page until its value is true. */
  waitForTrue(script: string): Promise<void>;
  bringToFront(): Promise<void>;
  isClosed(): boolean;
  back(): Promise<void>;
  reload(): Promise<void>;
  /** Cuts the tab off the network, or connects it again. */
  setOffline(offline: boolean): Promise<void>;
  /** Warnings and errors in the page's console. */
  readonly warnings: string[];
  /** The list of those later requests of scripts that are cancelled after their response has come. */
  watchCancelled(): Promise<readonly string[]>;
  close(): Promise<void>;
}
