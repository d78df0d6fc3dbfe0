// Bundles every subject in the same way, for browsers, for production.
import { basename, resolve } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";

/**
 * @typedef {object} Bundle
 * @property {string} entry The name of the file that is loaded first.
 * @property {ReadonlyMap<string, Uint8Array>} files By name.
 * @property {readonly Uint8Array[]} first What is loaded immediately.
 * @property {readonly Uint8Array[]} all All files.
 */

/**
 * A file that is left out, to measure its size.
 *
 * @typedef {object} LeftOut
 * @property {RegExp} filter
 * @property {string} contents The replacement.
 * @property {"js" | "json"} loader
 */

/**
 * Bundles the imports of an app. Dynamic imports are in separate files.
 *
 * @param {string} path Below tools/bench/: `peers/oidc-client-ts.js`.
 * @param {LeftOut} [without]
 * @returns {Promise<Bundle>}
 */
export async function bundle(path, without) {
  const { outputFiles, metafile } = await build({
    entryPoints: [resolve("tools/bench", path)],
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    outdir: "out",
    format: "esm",
    platform: "browser",
    target: "es2022",
    // Without it tables of letters count several times: unfair to matrix-js-sdk.
    charset: "utf8",
    legalComments: "none",
    conditions: ["production"],
    define: { "process.env.NODE_ENV": '"production"', global: "globalThis" },
    // This library as it is built, found as a package would be.
    alias: {
      "matrix-auth-elements/core": resolve("dist/core/index.js"),
      "matrix-auth-elements/define": resolve("dist/define/index.js"),
      "matrix-auth-elements": resolve("dist/define"),
    },
    plugins: without ? [leaveOut(without)] : [],
    logLevel: "error",
  });
  const files = new Map(outputFiles.map((file) => [basename(file.path), file.contents]));
  const outputs = new Map(
    Object.entries(metafile.outputs).map(([name, output]) => [basename(name), output]),
  );
  const [entry] = [...outputs].find(([, { entryPoint }]) => entryPoint?.endsWith(path)) ?? [];
  if (!entry) throw new Error(`${path} gave no bundle`);
  /** @param {...string} kinds Of imports that are followed. */
  const reach = (...kinds) => {
    const reached = new Set([entry]);
    for (const name of reached) {
      for (const { path: imported, kind } of outputs.get(name)?.imports ?? []) {
        if (kinds.includes(kind)) reached.add(basename(imported));
      }
    }
    return [...reached].map((name) => files.get(name) ?? new Uint8Array());
  };
  return {
    entry,
    files,
    first: reach("import-statement"),
    all: reach("import-statement", "dynamic-import"),
  };
}

/**
 * @param {LeftOut} leftOut
 * @returns {import("esbuild").Plugin}
 */
const leaveOut = ({ filter, contents, loader }) => ({
  name: "leave-out",
  setup: (building) => building.onLoad({ filter }, () => ({ contents, loader })),
});

/** @typedef {{ minified: number, gzip: number, brotli: number }} Bytes */

/**
 * @param {Uint8Array} code
 * @returns {Bytes} gzip at level 9, brotli at 11.
 */
const weigh = (code) => ({
  minified: code.byteLength,
  gzip: gzipSync(code, { level: 9 }).byteLength,
  brotli: brotliCompressSync(code, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_SIZE_HINT]: code.byteLength,
    },
  }).byteLength,
});

/**
 * The size of files that are sent separately is the sum of their sizes.
 *
 * @param {readonly Uint8Array[]} files
 * @returns {Bytes}
 */
export function weighAll(files) {
  const sum = { minified: 0, gzip: 0, brotli: 0 };
  for (const { minified, gzip, brotli } of files.map(weigh)) {
    sum.minified += minified;
    sum.gzip += gzip;
    sum.brotli += brotli;
  }
  return sum;
}
