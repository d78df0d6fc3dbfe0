// Every entry in runtimes without a page: servers, workers, and the edge.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import vm from "node:vm";
import { Worker } from "node:worker_threads";
import { build } from "esbuild";

const exec = promisify(execFile);

/** Names that only a page has. */
const OF_PAGES = [
  "window",
  "document",
  "location",
  "history",
  "HTMLElement",
  "Element",
  "Node",
  "customElements",
  "localStorage",
  "sessionStorage",
  "indexedDB",
];

/** What edge runtimes have in common (https://min-common-api.proposal.wintertc.org), and JavaScript's own. */
const OF_EDGES =
  `AbortController AbortSignal Blob ByteLengthQueuingStrategy CompressionStream CountQueuingStrategy Crypto
  CryptoKey DecompressionStream DOMException Event EventTarget File FormData Headers ReadableStream Request Response
  SubtleCrypto TextDecoder TextDecoderStream TextEncoder TextEncoderStream TransformStream URL URLSearchParams WritableStream
  atob btoa clearInterval clearTimeout console crypto fetch performance queueMicrotask setInterval setTimeout
  structuredClone`.split(/\s+/);

/** The conditions of bundlers for Vercel's edge and for Cloudflare's Workers. Neither has that of Node. */
const CONDITIONS = {
  "Vercel's edge": ["edge-light", "worker", "production"],
  "Vercel's edge, in development": ["edge-light", "worker", "development"],
  "Cloudflare Workers": ["workerd", "worker", "browser", "production"],
};

/** Every module that the package exports, as its `exports` lists them. */
async function entries(): Promise<readonly string[]> {
  const { exports } = JSON.parse(await readFile("package.json", "utf8")) as {
    readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  };
  const locales = (await readdir("dist/locales")).filter((file) => file.endsWith(".js"));
  return Object.entries(exports).flatMap(([name, target]) => {
    if (typeof target === "string") return [];
    const files = name.includes("*") ? locales : [""];
    return files.map((file) =>
      name.replace("*", file.replace(/\.js$/, "")).replace(/^\./, "matrix-auth-elements"),
    );
  });
}

/** Imports entries one after another, and says which of them fail, and what they leave behind. */
const importing = (names: readonly string[]): string => `
  const problems = [];
  const before = Object.getOwnPropertyNames(globalThis);
  for (const name of ${JSON.stringify(names)}) {
    try { await import(name); } catch (error) { problems.push(name + ": " + error); }
  }
  // Lit itself makes the registry in Node.
  for (const name of ${JSON.stringify(OF_PAGES.filter((name) => name !== "customElements"))}) {
    if (!before.includes(name) && name in globalThis) problems.push(name + " is left behind");
  }`;

describe("Runtimes without a page", async () => {
  const names = await entries();
  assert.ok(names.length > 30);

  it("Node imports every entry, without getting a page's globals", async () => {
    const script = `${importing(names)} console.log(JSON.stringify(problems)); process.exit();`;
    const { stdout, stderr } = await exec(process.execPath, [
      "--input-type=module",
      "-e",
      `for (const name of ${JSON.stringify(OF_PAGES)}) delete globalThis[name]; ${script}`,
    ]);
    assert.equal(stderr, "");
    assert.deepEqual(JSON.parse(stdout), []);
  });

  it("A worker thread imports every entry", async () => {
    const script = `
      import { parentPort } from "node:worker_threads";
      for (const name of ${JSON.stringify([...OF_PAGES, "navigator"])}) delete globalThis[name];
      ${importing(names)}
      parentPort.postMessage(problems);`;
    const worker = new Worker(script, { eval: true });
    const problems = await new Promise((resolve, reject) => {
      worker.once("message", resolve).once("error", reject);
    });
    await worker.terminate();
    assert.deepEqual(problems, []);
  });

  for (const [runtime, conditions] of Object.entries(CONDITIONS)) {
    it(`A bundle for ${runtime} runs every entry, without eval, and without getting a page's globals`, async () => {
      const problems: string[] = [];
      for (const name of names) {
        // It is for Node alone.
        if (name.endsWith("/node")) continue;
        problems.push(...(await whatFailsAtTheEdge(name, conditions)));
      }
      assert.deepEqual(problems, []);
    });
  }
});

/** Bundles an entry, and runs it with the globals of edge runtimes alone. */
async function whatFailsAtTheEdge(
  name: string,
  conditions: readonly string[],
): Promise<readonly string[]> {
  const { outputFiles } = await build({
    stdin: { contents: `export * from ${JSON.stringify(name)};`, resolveDir: "." },
    bundle: true,
    format: "iife",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: [...conditions],
    // Bundlers for these runtimes do this for React.
    define: { "process.env.NODE_ENV": '"production"' },
    write: false,
    logLevel: "error",
  });
  const globals: Record<string, unknown> = {};
  for (const global of OF_EDGES) globals[global] = (globalThis as Record<string, unknown>)[global];
  const warnings: string[] = [];
  const warn = (text: string): void => {
    if (!text.startsWith("Lit is in dev mode")) warnings.push(`${name}: ${text}`);
  };
  globals["console"] = { ...console, warn, error: warn };
  const context = vm.createContext(globals, { codeGeneration: { strings: false, wasm: false } });
  try {
    vm.runInContext(outputFiles[0]?.text ?? "", context);
  } catch (error) {
    return [`${name}: ${String(error)}`];
  }
  const left = OF_PAGES.filter((each) => vm.runInContext(`"${each}" in globalThis`, context));
  return [...left.map((each) => `${name} leaves ${each}`), ...warnings];
}
