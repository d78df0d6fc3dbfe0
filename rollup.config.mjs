// The bundles for script tags, made of what `tsc` wrote to dist/. The npm package is not bundled.
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import nodeResolve from "@rollup/plugin-node-resolve";
import terser from "@rollup/plugin-terser";
import { literalsHtmlCssMinifier } from "@literals/rollup-plugin-html-css-minifier";

const { name, version, license } = JSON.parse(readFileSync("package.json", "utf8"));
const banner = `/*! ${name} ${version} | ${license}, and others: LICENSES.txt */`;

/** Lit's module for style sheets, less what it does in browsers without constructable ones. */
const cssTag = {
  name: "css-tag",
  resolveId: (source, importer) =>
    /(^|\/)css-tag\.js$/.test(source) && importer?.includes("/@lit/reactive-element/")
      ? resolve("scripts/css-tag.mjs")
      : null,
};

/** What is loaded once it is needed, each part a file with what it needs of the core. */
const PARTS = new Map([
  ["elements/matrix-login/lazy/index", "matrix"],
  ["elements/oidc-login/lazy/index", "login"],
  ["elements/oidc-callback/lazy/index", "callback"],
  ["elements/shared/lazy/login-completion", "completion"],
  ["elements/uia-dialog/lazy/index", "uia"],
  ["elements/uia-fallback-frame/lazy/index", "fallback"],
  ["core/homeserver/threepid-client", "threepid-client"],
]);
const partOf = (id = "") => PARTS.get(/\/dist\/([^?]+)\.js$/.exec(id)?.[1]);
const CORE = /\/dist\/core\//;
/** Of Lit's modules that the first file reaches, what it makes no use of. */
const UNUSED = /\/@lit\/context\/(index|lib\/controllers\/context-consumer)\.js$/;

/**
 * What several parts need is in each of them, less what it does not use: a file of their own would be a
 * further request in a row, and would hold what all of them use. What the first file has they take from
 * there, but for the core: of that it has no more than what is needed before the first paint.
 */
const partsStandAlone = () => {
  const first = new Set();
  return {
    name: "parts-stand-alone",
    async buildStart({ input }) {
      const visit = async (id) => {
        if (first.has(id)) return;
        first.add(id);
        const { importedIds } = await this.load({ id, resolveDependencies: true });
        for (const each of importedIds) await visit(each);
      };
      for (const each of Object.values(input)) await visit(resolve(each));
    },
    async resolveDynamicImport(specifier, importer) {
      const found = await this.resolve(specifier, importer.split("?")[0], { skipSelf: true });
      return partOf(found?.id) ? found : null;
    },
    async resolveId(source, importer) {
      const [, part = partOf(importer)] = importer?.split("?") ?? [];
      const found = await this.resolve(source, importer, { skipSelf: true });
      if (!part || !found || found.external) return found;
      const [file] = found.id.split("?");
      const isThere = first.has(file) && !CORE.test(file) && !UNUSED.test(file);
      return isThere ? found : { ...found, id: `${file}?${part}` };
    },
    load: (id) => (id.includes("?") ? readFileSync(id.split("?")[0], "utf8") : null),
  };
};

const plugins = (module) => [
  cssTag,
  // "production": Lit without its development warnings.
  nodeResolve({ browser: true, exportConditions: ["production"] }),
  literalsHtmlCssMinifier({ include: ["dist/elements/**/*.js", "dist/elements/**/*.js[?]*"] }),
  terser({
    ecma: 2020,
    module,
    compress: { passes: 3, unsafe_arrows: true, keep_fargs: false, inline: 1 },
    format: { comments: /^!/ },
  }),
];

// Files that are loaded when they are needed. These stand alone: what two of them share is in both, so
// that a page may load each by itself.
const CHUNKS = [
  [/\/dist\/core\/index\.js$/, "./core.js"],
  [/\/dist\/elements\/shared\/lazy\/session\.js$/, "./session.js"],
  [/\/dist\/core\/homeserver\/cross-signing\.js$/, "./cross-signing.js"],
  [/\/dist\/core\/homeserver\/ed25519\.js$/, "./optional/ed25519.js"],
  [/\/dist\/elements\/optional\/phone-numbers\.js$/, "./optional/phone-numbers.js"],
];
const chunkOf = (id) => CHUNKS.find(([pattern]) => pattern.test(id))?.[1];
const isOptional = (id) => chunkOf(id)?.startsWith("./optional/") === true;

// What others import from carries the whole of it.
const shortBanner = `/*! ${license}, and others: LICENSES.txt */`;

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
  standsAlone("dist/elements/shared/lazy/session.js", "session.js"),
  standsAlone("dist/core/homeserver/cross-signing.js", "cross-signing.js"),
  standsAlone("dist/core/homeserver/ed25519.js", "optional/ed25519.js"),
  standsAlone("dist/elements/optional/phone-numbers.js", "optional/phone-numbers.js"),
  {
    input: { "matrix-auth-elements": "dist/script-tag/module.js" },
    external: (id) => chunkOf(id) !== undefined,
    // The parts take Lit from the file that loads them.
    preserveEntrySignatures: "allow-extension",
    output: {
      ...shared,
      banner: (chunk) => (chunk.isEntry ? banner : isLanguage(chunk) ? "" : shortBanner),
      dir: "dist/cdn",
      format: "es",
      entryFileNames: "[name].js",
      chunkFileNames: (chunk) => {
        if (isLanguage(chunk)) return "locales/[name].js";
        return `${chunk.moduleIds.map(partOf).find(Boolean) ?? "[name]"}.js`;
      },
    },
    plugins: [partsStandAlone(), ...plugins(true), bareLanguages],
  },
  {
    // Firefox before 147 runs service workers as classic scripts only.
    input: "dist/service-worker/index.js",
    output: {
      ...shared,
      banner: shortBanner,
      file: "dist/cdn/service-worker.global.js",
      format: "iife",
      name: "MatrixAuthElements",
    },
    plugins: plugins(false),
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
