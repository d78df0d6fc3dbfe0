// The bundles for script tags, made of what `tsc` wrote to dist/. The npm package is not bundled.
import { readdirSync, readFileSync } from "node:fs";
import nodeResolve from "@rollup/plugin-node-resolve";
import terser from "@rollup/plugin-terser";
import { literalsHtmlCssMinifier } from "@literals/rollup-plugin-html-css-minifier";
import { trimLit } from "./scripts/trim-lit.mjs";

const { name, version, license } = JSON.parse(readFileSync("package.json", "utf8"));
const banner = `/*! ${name} ${version} | ${license} | Lit: Google LLC, BSD-3-Clause */`;

const plugins = (module) => [
  // "production": Lit without its development warnings.
  nodeResolve({ browser: true, exportConditions: ["production"] }),
  trimLit,
  literalsHtmlCssMinifier({ include: ["dist/elements/**/*.js"] }),
  terser({
    ecma: 2020,
    module,
    compress: { passes: 3, unsafe_arrows: true },
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

// What others import from carries the whole of it.
const shortBanner = `/*! ${license} | Lit: Google LLC, BSD-3-Clause */`;

const shared = { banner, sourcemap: true, paths: (id) => chunkOf(id) ?? id };

const standsAlone = (input, file) => ({
  input,
  external: (id, importer) => importer !== undefined && chunkOf(id) !== undefined,
  output: { ...shared, file: `dist/cdn/${file}`, format: "es" },
  plugins: plugins(true),
});

// Languages: what is in a folder of its own in the bundle too. English is everywhere.
const LOCALE = /\/dist\/locales\/([\w-]+)\.js$/;
const NO_LANGUAGES = /^(en.*|registry|translation)\.js$/;

const isLanguage = ({ facadeModuleId }) => LOCALE.test(facadeModuleId ?? "");

/** Data needs no map to its source, and every byte of it is loaded by somebody. */
const bareLanguages = {
  name: "bare-languages",
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle).filter(isLanguage)) {
      delete bundle[`${file.fileName}.map`];
      file.code = file.code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n");
    }
  },
};

/** Each language once more, for a classic script: data alone, which nothing has to be bundled for. */
const classicLanguages = {
  name: "classic-languages",
  async generateBundle() {
    const files = readdirSync("dist/locales").filter((file) => /^[\w-]+\.js$/.test(file));
    for (const file of files.filter((each) => !NO_LANGUAGES.test(each))) {
      const { default: texts } = await import(`./dist/locales/${file}`);
      const members = Object.entries(texts).map(([key, text]) => `${key}:${JSON.stringify(text)}`);
      this.emitFile({
        type: "asset",
        fileName: `locales/${file.replace(/js$/, "global.js")}`,
        source: `MatrixAuthElements.addTexts({${members.join()}});\n`,
      });
    }
  },
};

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
      banner: (chunk) => (chunk.isEntry ? banner : isLanguage(chunk) ? "" : shortBanner),
      dir: "dist/cdn",
      format: "es",
      entryFileNames: "[name].js",
      chunkFileNames: (chunk) => (isLanguage(chunk) ? "locales/[name].js" : "[name].js"),
    },
    plugins: [...plugins(true), bareLanguages],
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
    plugins: [...plugins(false), classicLanguages],
  },
];
