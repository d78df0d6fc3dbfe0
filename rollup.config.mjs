// The bundles for script tags, made of what `tsc` wrote to dist/. The npm package is not bundled.
import { readFileSync } from "node:fs";
import nodeResolve from "@rollup/plugin-node-resolve";
import terser from "@rollup/plugin-terser";
import { literalsHtmlCssMinifier } from "@literals/rollup-plugin-html-css-minifier";

const { name, version, license } = JSON.parse(readFileSync("package.json", "utf8"));
const banner = `/*! ${name} ${version} | ${license} */`;

const plugins = [
  // "production": Lit without its development warnings.
  nodeResolve({ browser: true, exportConditions: ["production"] }),
  literalsHtmlCssMinifier({ include: ["dist/elements/**/*.js"] }),
  terser({ ecma: 2020, module: true, compress: { passes: 3, unsafe_arrows: true } }),
];

const CORE = /\/core\/index\.js$/;

export default [
  {
    input: "dist/core/index.js",
    output: { file: "dist/cdn/core.js", format: "es", banner, sourcemap: true },
    plugins,
  },
  {
    // The core is its own file: whatever the elements need of it before it is loaded is inlined.
    input: "dist/script-tag/module.js",
    external: (id) => CORE.test(id),
    output: {
      file: "dist/cdn/matrix-auth-elements.js",
      format: "es",
      banner,
      sourcemap: true,
      paths: (id) => (CORE.test(id) ? "./core.js" : id),
    },
    plugins,
  },
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
    plugins,
  },
];
