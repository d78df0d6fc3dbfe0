import type * as core from "matrix-auth-elements/core";
import type { RecordedEvent, Whoami } from "../login.js";
import type { Tab } from "./driver.js";

declare global {
  /** What the scripts of test/e2e/pages set. A page has only some of it. */
  interface Window {
    core: typeof core;
    session: core.MatrixSession;
    hold(session: core.MatrixSession | undefined): void;
    whoami(): Promise<Whoami>;
    events: RecordedEvent[];
    violations: string[];
    isReady: true;
  }
}

/** The compiler calls `__name()` to keep the names of functions. */
const scriptOf = (run: (...values: never) => unknown, values: readonly unknown[]): string =>
  `((__name) => (${run.toString()})(...${JSON.stringify(values)}))((named) => named)`;

/**
 * Runs a function in a page, and returns its result as JSON has it. The function gets the values, also as JSON has them,
 * and can use nothing else of its file.
 */
export const inPage = <Values extends readonly unknown[], Result>(
  tab: Tab,
  run: (...values: Values) => Result,
  ...values: Values
): Promise<Awaited<Result>> => tab.run(scriptOf(run, values));

/** Runs a function in a page, like {@link inPage}, until its result is true. */
export const untilInPage = <Values extends readonly unknown[]>(
  tab: Tab,
  run: (...values: Values) => boolean | Promise<boolean>,
  ...values: Values
): Promise<void> => tab.waitForTrue(scriptOf(run, values));
