// Bundles every subject in the same way, for browsers, for production.
import { basename, resolve } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";

/** The file that is loaded first. */
export const ENTRY = "stdin.js";

/**
 * Bundles an app's code. Dynamic imports are in separate files.
 *
 * @param {string} code With paths from this folder.
 * @param {import("./peers.mjs").LeftOut} [without]
 */
export async function bundle(code, without) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: resolve("tools/bench") },
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
    },
    plugins: without ? [leaveOut(without)] : [],
    logLevel: "error",
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  const first = new Set([`out/${ENTRY}`]);
  for (const name of first) {
    for (const { path, kind } of metafile.outputs[name]?.imports ?? []) {
      if (kind === "import-statement") first.add(path);
    }
  }
  return {
    /** By name. */
    files,
    /** The files that are loaded immediately. */
    first: [...first].map((name) => files.get(basename(name)) ?? new Uint8Array()),
  };
}

/** @param {import("./peers.mjs").LeftOut} leftOut @returns {import("esbuild").Plugin} */
const leaveOut = ({ filter, contents, loader }) => ({
  name: "leave-out",
  setup: (building) => building.onLoad({ filter }, () => ({ contents, loader })),
});

/**
 * The size of files that are sent separately is the sum of their sizes.
 *
 * @param {readonly Uint8Array[]} files
 * @returns gzip at level 9, brotli at 11.
 */
export function weigh(files) {
  const sum = { minified: 0, gzip: 0, brotli: 0 };
  for (const code of files) {
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_SIZE_HINT]: code.byteLength,
    };
    sum.minified += code.byteLength;
    sum.gzip += gzipSync(code, { level: 9 }).byteLength;
    sum.brotli += brotliCompressSync(code, { params }).byteLength;
  }
  return sum;
}

/** @typedef {ReturnType<typeof weigh>} Bytes */
