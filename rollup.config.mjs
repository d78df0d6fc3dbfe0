// The bundles for script tags, made of what `tsc` wrote to dist/. The npm package is not bundled.
import { readFileSync } from "node:fs";
import nodeResolve from "@rollup/plugin-node-resolve";
import terser from "@rollup/plugin-terser";
import { literalsHtmlCssMinifier } from "@literals/rollup-plugin-html-css-minifier";

const { name, version, license } = JSON.parse(readFileSync("package.json", "utf8"));
const banner = `/*! ${name} ${version} | ${license} */`;

const plugins = (module) => [
  // "production": Lit without its development warnings.
  nodeResolve({ browser: true, exportConditions: ["production"] }),
  literalsHtmlCssMinifier({ include: ["dist/elements/**/*.js"] }),
  terser({ ecma: 2020, module, compress: { passes: 3, unsafe_arrows: true } }),
];

// Files that are loaded when they are needed. Each stands alone: what two of them share is in both, so
// that the first to load has no other to wait for, and a page may load it by any address.
const CHUNKS = [
  [/\/core\/index\.js$/, "./core.js"],
  [/\/elements\/later\.js$/, "./later.js"],
  [/\/cross-signing\.js$/, "./cross-signing.js"],
  [/\/ed25519\.js$/, "./optional/ed25519.js"],
];
const chunkOf = (id) => CHUNKS.find(([pattern]) => pattern.test(id))?.[1];

const esModule = (input, file) => ({
  input,
  external: (id, importer) => importer !== undefined && chunkOf(id) !== undefined,
  output: {
    file: `dist/cdn/${file}`,
    format: "es",
    banner,
    sourcemap: true,
    paths: (id) => chunkOf(id) ?? id,
  },
  plugins: plugins(true),
});

export default [
  esModule("dist/core/index.js", "core.js"),
  esModule("dist/core/homeserver/cross-signing.js", "cross-signing.js"),
  esModule("dist/core/homeserver/ed25519.js", "optional/ed25519.js"),
  esModule("dist/elements/later.js", "later.js"),
  esModule("dist/script-tag/module.js", "matrix-auth-elements.js"),
  {
    input: "dist/script-tag/global.js",
    output: {
      file: "dist/cdn/matrix-auth-elements.global.js",
      format: "iife",
      name: "MatrixAuthElements",
      inlineDynamicImports: true,
      banner,
      sourcemap: true,
    },
    plugins: plugins(false),
  },
];
