import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { transform } from "esbuild";
import { startChromium } from "../e2e/driver/chromium.js";
import type { Bend } from "./bend.js";
import type { Failure, Finished, LoginSettings, Start, Started } from "./page.js";
import { startServer, type Handler, type Reply } from "./server.js";
import { makeWorld, type World } from "./world.js";

/** How a login ended. */
export interface Played {
  readonly world: World;
  readonly outcome: Finished | Failure;
  /** The origins that the caller allowed by name. */
  readonly allowed: readonly string[];
  /** Undefined where the login was refused before there was one. */
  readonly codeVerifier: string | undefined;
}

/** A browser with the page, and the servers that it may speak to. */
export interface Stage {
  /** Plays one login from its beginning to its end. */
  play(bend: Bend): Promise<Played>;
  /** What went wrong in the page without anybody's notice; nothing should. */
  complaints(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export async function openStage(): Promise<Stage> {
  const server = await startServer();
  const app = server.serve("app.localhost", await appHandler());
  const driver = await startChromium();
  const profile = await driver.newProfile();
  const tab = await profile.newTab();
  await tab.goto(`${app}/`);
  await tab.until("globalThis.conformance !== undefined");

  const call = <T>(name: string, ...given: readonly unknown[]): Promise<T> =>
    tab.run(`conformance.${name}(${given.map((value) => JSON.stringify(value)).join(", ")})`);

  return {
    async play(bend) {
      const world = makeWorld(server, app, bend);
      const settings = settingsOf(bend, world);
      if (settings.clientId) world.idp.addClient(settings.clientId, [world.redirectUri]);
      const begun = await call<Started | Failure>("start", {
        ...(settings.issuer === undefined && { homeserver: new URL(world.homeserver.origin).host }),
        ...settings,
        redirectUri: world.redirectUri,
        clientUri: app,
      } satisfies Start);
      const allowed = settings.allowedOrigins ?? [];
      if (!begun.ok) return { world, allowed, outcome: begun, codeVerifier: undefined };
      const { url, state, codeVerifier } = begun;
      const address = await wayBack(url, app);
      const complete = (): Promise<Finished | Failure> =>
        call("complete", address, state, settings);
      let outcome = await complete();
      for (let tries = 1; !outcome.ok && tries < (settings.tries ?? 1); tries++) {
        outcome = await complete();
      }
      if (outcome.ok && settings.replayed) outcome = await complete();
      return { world, allowed, outcome, codeVerifier };
    },
    complaints: () => call("report"),
    async close() {
      await profile.close();
      await driver.close();
      await server.close();
    },
  };
}

const settingsOf = ({ login = {} }: Bend, world: World): LoginSettings =>
  typeof login === "function" ? login(world) : login;

/** The application: a page with the built core, and the callback that the browser never really opens. */
async function appHandler(): Promise<Handler> {
  const source = await readFile(new URL("page.ts", import.meta.url), "utf8");
  const { code } = await transform(source, { loader: "ts", target: "es2022" });
  const files: Readonly<Record<string, Reply>> = {
    "/": page("text/html", '<!doctype html><script type="module" src="/page.js"></script>'),
    "/page.js": page("text/javascript", code.replace("matrix-auth-elements/core", "/core.js")),
    "/core.js": page(
      "text/javascript",
      await readFile(new URL("../../dist/cdn/core.js", import.meta.url), "utf8"),
    ),
  };
  return ({ path }) => files[path] ?? { status: 404 };
}

const page = (type: string, body: string): Reply => ({ headers: { "content-type": type }, body });

/** Goes where the browser is sent, as the person's browser would, until the application is next. */
async function wayBack(url: string, app: string): Promise<string> {
  let address = url;
  for (let hops = 0; hops < 5; hops++) {
    const { status, location, body } = await visit(address);
    if (location === undefined) throw new Error(`${address} answered ${status}: ${body}`);
    address = new URL(location, address).href;
    if (new URL(address).origin === app) return address;
  }
  throw new Error(`${address} leads nowhere`);
}

/** Browsers take addresses that are longer than Node takes them by itself. */
const MAX_ADDRESS = 1 << 20;

interface Visit {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: string;
}

/** Only browsers are sure to find `*.localhost`, so the host is named apart from the address. */
function visit(address: string): Promise<Visit> {
  const { host, port, pathname, search } = new URL(address);
  return new Promise((done, failed) => {
    const options = {
      host: "127.0.0.1",
      port,
      path: pathname + search,
      headers: { host },
      maxHeaderSize: MAX_ADDRESS,
    };
    const asked = request(options, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => (body += part));
      response.on("end", () =>
        done({ status: response.statusCode ?? 0, location: response.headers.location, body }),
      );
    });
    asked.on("error", failed);
    asked.end();
  });
}
