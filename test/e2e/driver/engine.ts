import { operationRecorder, type Column } from "../../operations/record-operation.js";
import type { Driver } from "./driver.js";
import { startChromium, startFirefox } from "./puppeteer.js";
import { startWebKitDriver } from "./webkit.js";

/** Features of an engine's protocol that a flow might need, and that not all engines have. */
export type Feature =
  | "a page over plain http"
  | "blocked storage"
  | "cancelled requests"
  | "cutting the network"
  | "keys in a frame"
  | "loading a module again"
  | "reading the console"
  | "reports on policies"
  | "requests while a worker is replaced";

interface Engine {
  readonly start: () => Promise<Driver>;
  /** The columns of the table in docs/reference/compatibility.md in which its flows record operations. */
  readonly columns: readonly Column[];
  /** The missing features, with the reason. */
  readonly lacks: Partial<Readonly<Record<Feature, string>>>;
}

const ENGINES: Readonly<Record<string, Engine>> = {
  chromium: { start: startChromium, columns: ["demo", "chromium"], lacks: {} },
  firefox: {
    start: startFirefox,
    columns: ["firefox"],
    lacks: {
      "cancelled requests": "Firefox's protocol does not distinguish them from others that fail",
      "loading a module again": "until a page is loaded again, Firefox remembers failed modules",
      "reports on policies": "Firefox has no ReportingObserver",
    },
  },
  webkit: {
    start: startWebKitDriver,
    columns: ["webkit"],
    lacks: {
      "a page over plain http": "WebKitGTK has no setting for the address of a host name",
      "blocked storage": "WebKitGTK's driver has no such setting",
      "cancelled requests": "WebDriver reports no requests",
      "cutting the network": "WebDriver cannot",
      "keys in a frame": "WebKitGTK's driver sends keys to the page around it",
      "reading the console": "WebDriver cannot",
      "reports on policies": "WebKitGTK's ReportingObserver gets no violation",
      "requests while a worker is replaced":
        "WebKitGTK sends some past both workers, without the token",
    },
  },
};

const NAME = process.env["ENGINE"] ?? "chromium";

function engine(): Engine {
  const found = ENGINES[NAME];
  if (!found) throw new Error(`ENGINE is not one of ${Object.keys(ENGINES).join(", ")}`);
  return found;
}

/** The browser that `ENGINE` names: `chromium` (default), `firefox` or `webkit`. */
export const startBrowser = (): Promise<Driver> => engine().start();

/** For a test's `skip`: why it cannot be run in this engine. */
export const needs = (...features: readonly Feature[]): { readonly skip: string | false } => ({
  skip: features.map((feature) => engine().lacks[feature]).find(Boolean) ?? false,
});

/** For the `skip` of a test whose result is the same in every engine, because it depends only on servers or pages. */
export const sameInEveryEngine: { readonly skip: string | false } = {
  skip: NAME !== "chromium" && "no engine can change it",
};

/** Called by a flow as its last step, with the operations that it has tried. */
export const recordOperation = operationRecorder(...engine().columns);
