import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { transform } from "esbuild";
import { startChromium } from "../e2e/driver/chromium.js";
import type { Bend } from "./bend.js";
import type { Failure, Finished, Start, Started } from "./page.js";
import type { Lived } from "./session-page.js";
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
  /** How long the page wanted to wait, each time, where that was made short. */
  readonly waits?: readonly number[];
}

/** What became of a session. */
export interface PlayedSession {
  readonly world: World;
  readonly lived: Lived;
  /** The requests since the login. */
  readonly requests: World["requests"];
}

/** A browser with the page, and the servers that it may speak to. */
export interface Stage {
  /** Plays one login from its beginning to its end. */
  play(bend: Bend): Promise<Played>;
  /** Plays an honest login, and what the page does with its session. */
  playSession(bend: Bend): Promise<PlayedSession>;
  /** What went wrong in the page without anybody's notice; nothing should. */
  warnings(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export async function openStage(): Promise<Stage> {
  const server = await startServer();
  const app = server.serve("app.localhost", await appHandler());
  const driver = await startChromium();
  const profile = await driver.newProfile();
  const tab = await profile.newTab();
  await tab.goto(`${app}/`);
  await tab.waitForTrue("globalThis.conformance !== undefined");

  const call = <T>(name: string, ...given: readonly unknown[]): Promise<T> =>
    tab.run(`conformance.${name}(${given.map((value) => JSON.stringify(value)).join(", ")})`);

  const play: Stage["play"] = async (bend) => {
    const world = makeWorld(server, app, bend);
    const settings = settingsOf(bend.login, world);
    if (settings.clientId) world.idp.addClient(settings.clientId, [world.redirectUri]);
    const beginning = {
      ...(settings.issuer === undefined && { homeserver: new URL(world.homeserver.origin).host }),
      ...settings,
      redirectUri: world.redirectUri,
      clientUri: app,
    } satisfies Start;
    const allowed = settings.allowedOrigins ?? [];
    if (settings.byDevice) {
      const outcome = await call<(Finished | Failure) & Pick<Lived, "waits">>(
        "apart",
        "signInByDevice",
        beginning,
      );
      return { world, allowed, outcome, codeVerifier: undefined, waits: outcome.waits };
    }
    const begun = await call<Started | Failure>("start", beginning);
    if (!begun.ok) return { world, allowed, outcome: begun, codeVerifier: undefined };
    const { url, state, codeVerifier } = begun;
    const address = await wayBack(url, app);
    const complete = (): Promise<Finished | Failure> => call("complete", address, state, settings);
    let outcome = await complete();
    for (let tries = 1; !outcome.ok && tries < (settings.tries ?? 1); tries++) {
      outcome = await complete();
    }
    if (outcome.ok && settings.replayed) outcome = await complete();
    return { world, allowed, outcome, codeVerifier };
  };

  return {
    play,
    async playSession(bend) {
      const { world, outcome } = await play(bend);
      if (!outcome.ok) throw new Error(`The login itself failed: ${outcome.texts}`);
      const before = world.requests.length;
      const settings = settingsOf(bend.session, world);
      const key = new URL(world.homeserver.origin).host;
      const lived = await call<Lived>("apart", "live", outcome.result, key, settings);
      return { world, lived, requests: world.requests.slice(before) };
    },
    warnings: () => call("report"),
    async close() {
      await profile.close();
      await driver.close();
      await server.close();
    },
  };
}

const settingsOf = <T extends object>(
  settings: T | ((world: World) => T) | undefined,
  world: World,
): T | Record<string, never> =>
  typeof settings === "function" ? settings(world) : (settings ?? {});

/**
 * The application: pages with the built core, and the callback that the browser never really opens. Each
 * session has a page of its own.
 */
async function appHandler(): Promise<Handler> {
  const script = async (name: string): Promise<Reply> => {
    const source = await readFile(new URL(`${name}.ts`, import.meta.url), "utf8");
    const { code } = await transform(source, { loader: "ts", target: "es2022" });
    return page("text/javascript", code.replace("matrix-auth-elements/core", "/core.js"));
  };
  const files: Readonly<Record<string, Reply>> = {
    "/": page("text/html", '<!doctype html><script type="module" src="/page.js"></script>'),
    "/session": page(
      "text/html",
      '<!doctype html><script type="module" src="/session-page.js"></script>',
    ),
    "/page.js": await script("page"),
    "/session-page.js": await script("session-page"),
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
