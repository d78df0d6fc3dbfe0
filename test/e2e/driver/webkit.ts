import { Script } from "node:vm";
import { Key, type WebDriver, type WebElement } from "selenium-webdriver";
import { startWebKit } from "../../support/webkit.mjs";
import {
  waitForScript,
  waitForTrue,
  waitOnPage,
  type Driver,
  type Profile,
  type Tab,
} from "./driver.js";
import { FIND_STILL, FIND_VISIBLE, WAS_CLICKED } from "./page-scripts.js";

const KEYS: Readonly<Record<string, string>> = {
  Backspace: Key.BACK_SPACE,
  Enter: Key.ENTER,
  Escape: Key.ESCAPE,
  Tab: Key.TAB,
};

/** The body of a function that returns the value of a script, an expression or a block. */
function asBody(script: string): string {
  const body = `return (${script}\n)`;
  try {
    new Script(`(async () => { ${body} })`);
    return body;
  } catch {
    return script;
  }
}

/** Each profile is a separate browser, because WebKitGTK's driver supports only one session. */
export async function startWebKitDriver(): Promise<Driver> {
  const profiles = new Set<Profile>();
  return Promise.resolve({
    async newProfile() {
      const { driver, close } = await startWebKit();
      const windows = new Windows(driver);
      const first = await driver.getWindowHandle();
      let used = false;
      const profile: Profile = {
        async newTab() {
          if (!used) {
            used = true;
            return windows.tab(first);
          }
          return windows.open();
        },
        async close() {
          profiles.delete(profile);
          await close();
        },
      };
      profiles.add(profile);
      return profile;
    },
    async close() {
      await Promise.all([...profiles].map((profile) => profile.close()));
    },
  });
}

/** WebDriver controls one window at a time, so commands wait for each other. */
class Windows {
  readonly #driver: WebDriver;
  #last: Promise<unknown> = Promise.resolve();
  /** The windows that were open at the last command. */
  #handles: readonly string[] = [];
  /** The window that gets the commands. */
  #current: string | undefined;

  constructor(driver: WebDriver) {
    this.#driver = driver;
  }

  #queue<T>(command: () => Promise<T>): Promise<T> {
    const result = this.#last.then(command);
    this.#last = result
      .catch(() => undefined)
      .then(() => this.#driver.getAllWindowHandles())
      .then((handles) => (this.#handles = handles))
      .catch(() => undefined);
    return result;
  }

  open(): Promise<Tab> {
    return this.#queue(async () => {
      await this.#driver.switchTo().newWindow("window");
      this.#current = await this.#driver.getWindowHandle();
      return this.tab(this.#current);
    });
  }

  tab(handle: string): Tab {
    const driver = this.#driver;
    const here = <T>(command: () => Promise<T>): Promise<T> =>
      this.#queue(async () => {
        if (this.#current !== handle) await driver.switchTo().window(handle);
        this.#current = handle;
        return command();
      });
    const url = (): Promise<string> => here(() => driver.getCurrentUrl());
    const evaluate = <T>(script: string): Promise<T> =>
      here(() =>
        driver.executeAsyncScript<{ value: T } | { error: string }>(
          `const done = arguments[arguments.length - 1];
           (async () => { ${asBody(script)} })().then(
             (value) => done({ value: JSON.parse(JSON.stringify(value ?? null)) }),
             (error) => done({ error: String(error) }),
           );`,
        ),
      ).then((result) => {
        if ("error" in result) throw new Error(result.error);
        return result.value;
      });
    /** Whether an action on an element takes effect or leaves the page. Events can be lost, or seconds late. */
    const arrives = (condition: string, element: WebElement, text = ""): Promise<boolean> => {
      const seen = driver.executeAsyncScript<boolean>(
        `const [element, text, done] = arguments;
         const end = performance.now() + 5000;
         (function look() {
           if (${condition}) done(true);
           else if (performance.now() > end) done(false);
           else setTimeout(look, 10);
         })();`,
        element,
        text,
      );
      return seen.catch(() => true);
    };
    const onElement = async (
      act: (element: WebElement) => Promise<unknown>,
      selector: string,
      inner?: string,
      find = FIND_VISIBLE,
    ): Promise<void> => {
      let acted = false;
      await waitOnPage(evaluate, `${selector} ${inner ?? ""}`, () =>
        here(async () => {
          const element = await driver.executeAsyncScript<WebElement | null>(
            `const done = arguments[2];
             Promise.resolve((${find})(arguments[0], arguments[1])).then(done);`,
            selector,
            inner ?? null,
          );
          if (!element || acted) return acted;
          acted = (await act(element)) !== false;
          return acted;
        }),
      );
    };
    const click = (selector: string, inner?: string): Promise<void> =>
      onElement(
        async (element) => {
          await element.click().catch(() => undefined);
          return arrives(`(${WAS_CLICKED})(element)`, element);
        },
        selector,
        inner,
        FIND_STILL,
      );
    const type = (keys: string): Promise<void> =>
      here(() => driver.actions().sendKeys(keys).perform());
    const press = (key: string): Promise<void> => {
      if (!key.startsWith("Shift+")) return type(KEYS[key] ?? key);
      const keys = driver
        .actions()
        .keyDown(Key.SHIFT)
        .sendKeys(KEYS[key.slice(6)] ?? key.slice(6));
      return here(() => keys.keyUp(Key.SHIFT).perform());
    };
    const opened = async (act: () => Promise<void>): Promise<Tab> => {
      const before = await here(() => driver.getAllWindowHandles());
      await act();
      let window: string | undefined;
      await waitForTrue("a window", async () => {
        const now = await this.#queue(() => driver.getAllWindowHandles());
        window = now.find((each) => !before.includes(each));
        return window !== undefined;
      });
      return this.tab(window ?? "");
    };
    return {
      // WebDriver does not report warnings.
      warnings: [],
      goto: async (target) => {
        await here(() => driver.get(target));
        // WebKitGTK's driver does not wait for the page to load.
        await waitForTrue("a page that has loaded", async () =>
          evaluate("document.readyState === 'complete'"),
        );
      },
      url,
      click,
      clickOpening: (selector, inner) => opened(() => click(selector, inner)),
      pressOpening: (key) => opened(() => press(key)),
      press,
      typeHere: type,
      // As by pasting: keys of this driver can arrive seconds late, and then in the next field.
      type: (selector, text) =>
        onElement(async (element) => {
          await driver.executeScript(
            `const [field, text] = arguments;
             field.focus();
             field.select();
             document.execCommand(text ? "insertText" : "delete", false, text);`,
            element,
            text,
          );
          return arrives("element.value === text", element, text);
        }, selector),
      waitFor: (selector) => onElement(() => Promise.resolve(), selector),
      waitForUrl: (part) =>
        waitForTrue(`a URL with ${part}`, async () => (await url()).includes(part)),
      run: evaluate,
      waitForTrue: (script) => waitForScript(evaluate, script),
      bringToFront: () => here(() => driver.executeScript("window.focus()")),
      isClosed: () => !this.#handles.includes(handle),
      back: () => here(() => driver.navigate().back()),
      reload: () => here(() => driver.navigate().refresh()),
      setOffline: () => Promise.reject(new Error("WebDriver cannot cut the network")),
      watchCancelled: () => Promise.reject(new Error("WebDriver reports no requests")),
      close: () => here(() => driver.close()),
    };
  }
}
