// The bundles for script tags, made of what `tsc` wrote to dist/. The npm package is not bundled.
import { readFileSync } from "node:fs";
import nodeResolve from "@rollup/plugin-node-resolve";
import terser from "@rollup/plugin-terser";
import { literalsHtmlCssMinifier } from "@literals/rollup-plugin-html-css-minifier";

const { name, version, license } = JSON.parse(readFileSync("package.json", "utf8"));
const banner = `/*! ${name} ${version} | ${license} | Lit: Google LLC, BSD-3-Clause */`;

const plugins = (module) => [
  // "production": Lit without its development warnings.
  nodeResolve({ browser: true, exportConditions: ["production"] }),
  literalsHtmlCssMinifier({ include: ["dist/elements/**/*.js"] }),
  terser({
    ecma: 2020,
    module,
    compress: { passes: 3, unsafe_arrows: true, keep_fargs: false, sequences: false },
    format: { comments: /^!/ },
  }),
];

// Files that are loaded when they are needed. These stand alone: what two of them share is in both, so
// that a page may load each by itself.
const CHUNKS = [
  [/\/dist\/core\/index\.js$/, "./core.js"],
  [/\/dist\/core\/homeserver\/cross-signing\.js$/, "./cross-signing.js"],
  [/\/dist\/core\/homeserver\/ed25519\.js$/, "./optional/ed25519.js"],
  [/\/dist\/elements\/optional\/phone-numbers\.js$/, "./optional/phone-numbers.js"],
];
const chunkOf = (id) => CHUNKS.find(([pattern]) => pattern.test(id))?.[1];
const isOptional = (id) => chunkOf(id)?.startsWith("./optional/") === true;

const shared = { banner, sourcemap: true, paths: (id) => chunkOf(id) ?? id };

const standsAlone = (input, file) => ({
  input,
  external: (id, importer) => importer !== undefined && chunkOf(id) !== undefined,
  output: { ...shared, file: `dist/cdn/${file}`, format: "es" },
  plugins: plugins(true),
});

export default [
  standsAlone("dist/core/index.js", "core.js"),
  standsAlone("dist/core/homeserver/cross-signing.js", "cross-signing.js"),
  standsAlone("dist/core/homeserver/ed25519.js", "optional/ed25519.js"),
  standsAlone("dist/elements/optional/phone-numbers.js", "optional/phone-numbers.js"),
  {
    input: { "matrix-auth-elements": "dist/script-tag/module.js" },
    external: (id) => chunkOf(id) !== undefined,
    // `later.js` and `uia.js` take Lit from the file that loads them.
    preserveEntrySignatures: "allow-extension",
    output: {
      ...shared,
      dir: "dist/cdn",
      format: "es",
      entryFileNames: "[name].js",
      chunkFileNames: "[name].js",
    },
    plugins: plugins(true),
  },
  {
    input: "dist/script-tag/global.js",
    // One file, but for third-party code that few pages ever need.
    external: isOptional,
    output: {
      ...shared,
      file: "dist/cdn/matrix-auth-elements.global.js",
      format: "iife",
      name: "MatrixAuthElements",
      inlineDynamicImports: true,
    },
    plugins: plugins(false),
  },
];
