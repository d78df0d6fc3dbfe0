import { build } from "esbuild";

/** What a test imports as `/test/interop/matrix-js-sdk.js`: the real package, for a browser. */
const PATH = "/test/interop/matrix-js-sdk.js";

/**
 * Serves matrix-js-sdk as one module: some of what it imports is CommonJS. Its WebAssembly stays where
 * it is, for it is found by the address of its own module.
 */
export function matrixJsSdk() {
  /** @type {Promise<string> | undefined} */
  let bundled;
  const bundle = async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: 'export { MatrixError, createClient } from "matrix-js-sdk";',
        resolveDir: process.cwd(),
      },
      bundle: true,
      format: "esm",
      platform: "browser",
      target: "es2022",
      define: { global: "globalThis" },
      external: ["@matrix-org/matrix-sdk-crypto-wasm"],
      logLevel: "error",
      write: false,
    });
    return outputFiles[0].text;
  };
  return {
    name: "matrix-js-sdk",
    async serve({ path }) {
      if (path !== PATH) return undefined;
      bundled ??= bundle();
      return { body: await bundled, type: "js" };
    },
  };
}
