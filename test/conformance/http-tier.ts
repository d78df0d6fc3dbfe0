import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { startChromium } from "../e2e/driver/puppeteer.js";
import { WAIT_MS } from "../support/wait-for.mjs";
import { startServer } from "./http-server.js";
import type { Handler, Reply } from "./network.js";
import type { Tier } from "./run-login.js";

/** A browser with the page, and the servers that it may send requests to. */
export interface HttpTier extends Tier {
  /** Signs in to a homeserver in a separate page whose button opens a popup. */
  signInByPopup(homeserver: string): Promise<PopupLogin>;
  /** Uncaught errors and changed prototypes in the page; there should be none. */
  warnings(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** How a sign-in in a popup ended. */
export interface PopupLogin {
  readonly events: readonly string[];
  readonly accessToken: string | undefined;
  /** The path of the page that opened it. */
  readonly path: string;
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
  const [start, complete] = [step("start"), step("complete")];
  /** By default a busy machine reaches no time limit. */
  const patiently = <T extends object>(settings: T): T => ({ timeoutMs: WAIT_MS, ...settings });

  return {
    network,
    app,
    steps: {
      start: (settings) => start(patiently(settings)),
      complete: (url, state, settings) => complete(url, state, patiently(settings)),
      live: step("live"),
      signInByDevice: step("signInByDevice"),
    },
    async signInByPopup(homeserver) {
      const own = await driver.newProfile();
      const tab = await own.newTab();
      await tab.goto(`${app}/popup?homeserver=${encodeURIComponent(homeserver)}`);
      // The provider does not ask the user, so the popup may be closed immediately.
      await tab.click("oidc-login", "[part=button]");
      await tab.waitForTrue("globalThis.events.length > 0");
      const ended: PopupLogin = await tab.run(
        "({ events, accessToken, path: location.pathname + location.hash })",
      );
      await own.close();
      return ended;
    },
    warnings: step("report"),
    async close() {
      await profile.close();
      await driver.close();
      await network.close();
    },
  };
}

/** The page with the button, with its homeserver in the query. The popup returns to the same page. */
const POPUP = `<!doctype html><script src="/matrix-auth-elements.global.js"></script><oidc-login mode="popup"></oidc-login><script>
  Object.assign(globalThis, { events: [] });
  for (const name of ["oidc-success", "oidc-error", "oidc-cancel"])
    addEventListener(name, ({ type, detail }) => {
      events.push(type);
      globalThis.accessToken = detail.tokenResponse?.access_token;
    });
  Object.assign(document.querySelector("oidc-login"), {
    homeserver: new URLSearchParams(location.search).get("homeserver"),
    clientUri: location.origin,
    redirectUri: "/callback",
  });
</script>`;
const CALLBACK =
  '<!doctype html><script src="/matrix-auth-elements.global.js"></script><oidc-callback></oidc-callback>';

/** The app: a page with the built core, whose callback the browser opens in a popup only. */
async function appHandler(): Promise<Handler> {
  const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
  const scripts = (await readdir(file("../../dist/cdn"))).filter((name) => name.endsWith(".js"));
  const built = async (name: string): Promise<[string, Reply]> => {
    const code = await readFile(file(`../../dist/cdn/${name}`), "utf8");
    return [`/${name}`, page("text/javascript", code)];
  };
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
    // With those that the core and the elements load on demand.
    ...Object.fromEntries(await Promise.all(scripts.map(built))),
    "/popup": page("text/html", POPUP),
    "/callback": page("text/html", CALLBACK),
  };
  return ({ path }) => files[path] ?? { status: 404 };
}

const page = (type: string, body: string): Reply => ({ headers: { "content-type": type }, body });
