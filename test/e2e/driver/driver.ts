import { waitFor } from "../../support/wait-for.mjs";

/** A host name for loopback whose pages are not a secure context. */
export const INSECURE_HOST = "insecure.test";

/** Repeats a check until it is true. While the page navigates, a check can fail. */
export const waitForTrue = async (
  what: string,
  check: () => boolean | Promise<boolean>,
): Promise<void> => {
  const ask = async (): Promise<boolean> => check();
  await waitFor(`Timed out waiting for: ${what}`, () => ask().catch(() => false));
};

/** What a page shows: its URL, its text, and the states of its elements. */
const describePage = (): string => {
  const tags = "oidc-login, oidc-callback, uia-dialog, matrix-login, matrix-account";
  const elements = [...document.querySelectorAll<HTMLElement & { state?: string }>(tags)];
  const states = elements.map(({ localName, state }) => `<${localName}> ${String(state)}`);
  return `${location.href}: ${document.body?.innerText.slice(0, 500)} [${states.join(", ")}]`;
};

/** Like {@link waitForTrue}, but the error says what the page shows. */
export const waitOnPage = async (
  run: (script: string) => Promise<unknown>,
  what: string,
  check: () => Promise<boolean>,
): Promise<void> => {
  try {
    await waitForTrue(what, check);
  } catch (cause) {
    const shown = await run(`(${describePage.toString()})()`).catch(String);
    throw new Error(`Timed out waiting for: ${what} on ${String(shown)}`, { cause });
  }
};

/** Runs a script in a page until its value is true. */
export const waitForScript = (
  run: (script: string) => Promise<unknown>,
  script: string,
): Promise<void> => waitOnPage(run, script, async () => (await run(script)) === true);

/**
 * The interface of a browser for the flows, which are the same for all engines. Each engine implements it
 * in one file.
 */
export interface Driver {
  /** A separate browser profile: its cookies and storage are not shared. */
  newProfile(blocked?: BlockedStorage): Promise<Profile>;
  close(): Promise<void>;
}

/** The pages that a browser does not allow to store data. */
export type BlockedStorage = "everywhere" | "in frames" | `http://${string}`;

export interface Profile {
  newTab(): Promise<Tab>;
  close(): Promise<void>;
}

export interface Tab {
  goto(url: string): Promise<void>;
  url(): Promise<string>;
  /** Clicks an element. `inner` is in the shadow root of `selector`. */
  click(selector: string, inner?: string): Promise<void>;
  type(selector: string, text: string): Promise<void>;
  /** Clicks an element that opens a popup. */
  clickOpening(selector: string, inner?: string): Promise<Tab>;
  /** Presses a key by its name: `Enter`, `Tab`, `Escape`, `Shift+Tab`. */
  press(key: string): Promise<void>;
  /** Presses a key that opens a popup. */
  pressOpening(key: string): Promise<Tab>;
  /** Types where the focus is. */
  typeHere(text: string): Promise<void>;
  /** Waits until the element is visible. */
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
  /** Lists later requests of scripts that are canceled after their response has arrived. */
  watchCancelled(): Promise<readonly string[]>;
  close(): Promise<void>;
}
