import { build } from "esbuild";

/**
 * CommonJS packages that browsers load as bundles: the code to bundle, by the requested path.
 *
 * @type {Readonly<Record<string, string>>}
 */
const MODULES = {
  "/test/interop/matrix-js-sdk.js": 'export { MatrixError, createClient } from "matrix-js-sdk";',
  "/node_modules/@sinonjs/fake-timers/src/fake-timers-src.js":
    'export { default } from "@sinonjs/fake-timers";',
};

/** @param {string} contents */
async function bundle(contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: process.cwd() },
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    define: { global: "globalThis" },
    // matrix-js-sdk finds its WebAssembly by its module's URL; fake-timers requires `util` only in Node.
    external: ["@matrix-org/matrix-sdk-crypto-wasm", "util"],
    logLevel: "error",
    write: false,
  });
  return outputFiles[0].text;
}

/** A plugin for web-test-runner that serves packages as bundles. */
export function bundledPackages() {
  /** @type {Map<string, Promise<string>>} */
  const bundled = new Map();
  return {
    name: "bundled-packages",
    async serve({ path }) {
      const contents = MODULES[path];
      if (contents === undefined) return undefined;
      if (!bundled.has(path)) bundled.set(path, bundle(contents));
      return { body: await bundled.get(path), type: "js" };
    },
  };
}
