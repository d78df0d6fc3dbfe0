// Loads the core once for each page: pages share no variables.
import { build } from "esbuild";
import type * as Core from "matrix-auth-elements/core";

export type Globals = Readonly<Record<string, unknown>>;

/** The core of one page. */
export interface Realm {
  readonly core: Pick<typeof Core, "OidcSession" | "LegacySession" | "restoreSession">;
  /** Begins a new page. */
  enter(globals: Globals): void;
}

const { outputFiles } = await build({
  stdin: {
    contents: 'export { OidcSession, LegacySession, restoreSession } from "./src/core/index.ts";',
    resolveDir: process.cwd(),
  },
  bundle: true,
  format: "iife",
  globalName: "core",
  target: "es2022",
  logLevel: "error",
  write: false,
});

/** The globals that differ from page to page. */
const NAMES = [
  "globalThis",
  "localStorage",
  "indexedDB",
  "BroadcastChannel",
  "navigator",
  "setTimeout",
  "clearTimeout",
  "addEventListener",
  "document",
  "Date",
  "Math",
  "TextDecoder",
];

const load = new Function(...NAMES, `${outputFiles[0]?.text ?? ""}\nreturn core;`) as (
  ...globals: readonly unknown[]
) => Realm["core"];

type Constructor = new (...parameters: readonly unknown[]) => object;

/**
 * Loading takes longer than most schedules, so pages of later schedules use the same realm. All that it remembers are
 * IDs of earlier sessions, and a database that has closed.
 */
function createRealm(): Realm {
  let page: Globals = {};
  const isOf = (name: string | symbol): boolean => page[String(name)] !== undefined;
  const own = ["location", "navigator", "localStorage", "indexedDB", "onpageshow", "document"];
  const global = new Proxy(globalThis, {
    has: (target, name) => (own.includes(String(name)) ? isOf(name) : name in target),
    get: (target, name) =>
      own.includes(String(name)) ? page[String(name)] : Reflect.get(target, name),
  });
  const forward = (name: string): unknown =>
    new Proxy({}, { get: (_, member) => Reflect.get(Object(page[name]), member) });
  const call =
    (name: string) =>
    (...parameters: readonly unknown[]): unknown =>
      (page[name] as (...given: readonly unknown[]) => unknown)(...parameters);
  const Channel = function (this: unknown, name: string) {
    return new (page["BroadcastChannel"] as Constructor)(name);
  };
  const core = load(
    global,
    forward("localStorage"),
    forward("indexedDB"),
    Channel,
    forward("navigator"),
    call("setTimeout"),
    call("clearTimeout"),
    call("addEventListener"),
    forward("document"),
    class extends Date {
      static override now = () => call("now")() as number;
    },
    // Schedules are played again.
    Object.create(Math, { random: { value: () => 0.5 } }),
    // Node's is slow to create.
    class {
      decode = (bytes?: Uint8Array) => (bytes ? Buffer.from(bytes).toString() : "");
    },
  );
  return { core, enter: (globals) => void (page = globals) };
}

const idle: Realm[] = [];

export const takeRealm = (): Realm => idle.pop() ?? createRealm();

export const giveBack = (realm: Realm): void => void idle.push(realm);
