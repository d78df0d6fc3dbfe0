import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { startChromium } from "../e2e/driver/chromium.js";
import { startServer } from "./http-server.js";
import type { Handler, Reply } from "./network.js";
import type { Tier } from "./run-login.js";

/** A browser with the page, and the servers that it may send requests to. */
export interface HttpTier extends Tier {
  /** What went wrong in the page without anybody's notice; nothing should. */
  warnings(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export async function openHttpTier(): Promise<HttpTier> {
  const network = await startServer();
  const app = network.serve("127.0.0.1", await appHandler());
  const driver = await startChromium();
  const profile = await driver.newProfile();
  const tab = await profile.newTab();
  await tab.goto(`${app}/`);
  await tab.waitForTrue("globalThis.conformance !== undefined");

  const step =
    (name: string) =>
    (...given: readonly unknown[]): Promise<never> =>
      tab.run(`conformance.${name}(${given.map((value) => JSON.stringify(value)).join(", ")})`);

  return {
    network,
    app,
    steps: {
      start: step("start"),
      complete: step("complete"),
      live: step("live"),
      signInByDevice: step("signInByDevice"),
    },
    warnings: step("report"),
    async close() {
      await profile.close();
      await driver.close();
      await network.close();
    },
  };
}

/** The application: a page with the built core, and the callback that the browser never really opens. */
async function appHandler(): Promise<Handler> {
  const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
  const { outputFiles } = await build({
    entryPoints: [file("page.ts")],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    alias: { "matrix-auth-elements/core": "/core.js" },
    external: ["/core.js"],
  });
  const files: Readonly<Record<string, Reply>> = {
    "/": page("text/html", '<!doctype html><script type="module" src="/page.js"></script>'),
    "/page.js": page("text/javascript", outputFiles[0]?.text ?? ""),
    "/core.js": page("text/javascript", await readFile(file("../../dist/cdn/core.js"), "utf8")),
  };
  return ({ path }) => files[path] ?? { status: 404 };
}

const page = (type: string, body: string): Reply => ({ headers: { "content-type": type }, body });
