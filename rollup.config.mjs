// The bundles for script tags, made of what `tsc` wrote to dist/. The npm package is not bundled.
import { readdirSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import nodeResolve from "@rollup/plugin-node-resolve";
import terser from "@rollup/plugin-terser";
import { literalsHtmlCssMinifier } from "@literals/rollup-plugin-html-css-minifier";

const { name, version, license } = JSON.parse(readFileSync("package.json", "utf8"));
const banner = `/*! ${name} ${version} | ${license}, and others: LICENSES.txt */`;

const inPlaceOf = (module, importers, file) => ({
  name: "in-place-of",
  resolveId: (source, importer) =>
    module.test(source) && importers.test(importer) ? resolve(file) : null,
});
/** A client loads what gets a server's metadata, and its ways to sign in, when it is asked for them. */
const clientLater = [
  inPlaceOf(
    /^\.\/auth-metadata\.js$/,
    /\/homeserver-client\.js/,
    "scripts/auth-metadata-later.mjs",
  ),
  inPlaceOf(/^\.\/fetch-login-flows\.js$/, /\/login-client\.js/, "scripts/login-flows-later.mjs"),
];

/** What is loaded once it is needed, each part a file with what it needs of the core. */
const PARTS = new Map([
  ["elements/matrix-login/lazy/index", "matrix"],
  ["elements/oidc-login/lazy/index", "login"],
  ["elements/oidc-callback/lazy/index", "callback"],
  ["elements/shared/lazy/login-completion", "completion"],
  ["elements/uia-dialog/lazy/index", "uia"],
  ["elements/uia-fallback-frame/lazy/index", "fallback"],
]);
const partOf = (id = "") => PARTS.get(/\/dist\/([^?]+)\.js$/.exec(id)?.[1]);
/** The core, but for what the first file has the whole of, where it has it. */
const CORE = /\/dist\/core\/(?!oidc\/(oidc-flow-error|flow-records|response-parameters)\.js$)/;
/** Of Lit's modules that the first file reaches, what it makes no use of. */
const UNUSED =
  /\/@lit\/context\/(index|lib\/create-context|lib\/controllers\/context-consumer)\.js$/;

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
      const found = await this.resolve(specifier, importer.split("?")[0]);
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
  // "production": Lit without its development warnings.
  nodeResolve({ browser: true, exportConditions: ["production"] }),
  literalsHtmlCssMinifier({ include: ["dist/elements/**/*.js", "dist/elements/**/*.js[?]*"] }),
  terser({
    ecma: 2020,
    module,
    compress: { passes: 2, unsafe_arrows: true, keep_fargs: false, inline: 1 },
    format: { comments: /^!/ },
  }),
];

// What stands alone, with copies of all that it needs, and is the same for every entry.
const STAND_ALONE = new Map([
  ["core.js", "dist/core/index.js"],
  ["session.js", "dist/elements/shared/lazy/session.js"],
  ["auth-metadata.js", "dist/core/homeserver/auth-metadata.js"],
  ["login-flows.js", "dist/core/homeserver/fetch-login-flows.js"],
  ["cross-signing.js", "dist/core/homeserver/cross-signing.js"],
  ["threepid-client.js", "dist/core/homeserver/threepid-client.js"],
  ["languages.js", "dist/script-tag/languages.js"],
  ["optional/ed25519.js", "dist/core/homeserver/ed25519.js"],
  ["optional/phone-numbers.js", "dist/elements/optional/phone-numbers.js"],
]);
const LOCALE = /\/dist\/locales\/([\w-]+)\.js$/;

/** Leaves what is in a file of its own to that file. */
const inOtherFiles = ({ folder = "", isOther = () => true } = {}) => ({
  name: "in-other-files",
  async resolveDynamicImport(specifier, importer) {
    const [from, part] = importer.split("?");
    const found = await this.resolve(specifier, from);
    const [, name] = LOCALE.exec(found?.id) ?? [];
    const file = isLanguage(name)
      ? `locales/${name}.js`
      : [...STAND_ALONE].find(([, input]) => resolve(input) === found?.id)?.[0];
    if (file === undefined || !isOther(file)) return null;
    const up = folder && (part ? "../../" : "../");
    return { id: `cdn:${up || "./"}${file}`, external: true };
  },
});
const shared = { banner, sourcemap: true, paths: (id) => id.replace(/^cdn:/, "") };

// What others import from carries the whole of it.
const shortBanner = `/*! ${license}, and others: LICENSES.txt */`;

const standsAlone = ([file, input]) => ({
  input,
  output: { ...shared, file: `dist/cdn/${file}`, format: "es" },
  plugins: [inOtherFiles(), ...plugins(true)],
});

/** An entry for script tags, whose parts take Lit from it; in a folder, its parts are in one of its own there. */
const withParts = (entry, folder = "") => ({
  input: { [entry]: `dist/script-tag/${entry}.js` },
  preserveEntrySignatures: "allow-extension",
  output: {
    ...shared,
    banner: ({ isEntry }) => (isEntry ? banner : shortBanner),
    dir: "dist/cdn",
    format: "es",
    entryFileNames: `${folder}[name].js`,
    chunkFileNames: ({ moduleIds }) =>
      `${folder && `${folder}${entry}/`}${moduleIds.map(partOf).find(Boolean) ?? "[name]"}.js`,
  },
  plugins: [inOtherFiles({ folder }), partsStandAlone(), clientLater, ...plugins(true)],
});

const classic = (input, file, ...further) => ({
  input: `dist/${input}`,
  output: {
    ...shared,
    file: `dist/cdn/${file}`,
    format: "iife",
    name: "MatrixAuthElements",
    inlineDynamicImports: true,
  },
  // One file, but for third-party code that few pages ever need.
  plugins: [
    inOtherFiles({ isOther: (file) => /^optional\//.test(file) }),
    ...plugins(false),
    ...further,
  ],
});

// Languages: what is in a folder of its own in the bundle too. English is everywhere.
const isLanguage = (name) => name !== undefined && !/^(en.*|registry|translation)$/.test(name);

/** Each language as data alone, for modules and classic scripts alike. */
const languages = {
  name: "languages",
  async generateBundle() {
    const names = readdirSync("dist/locales", { encoding: "utf8" })
      .filter((file) => /^[\w-]+\.js$/.test(file))
      .map((file) => basename(file, ".js"));
    for (const name of names.filter(isLanguage)) {
      const { default: texts } = await import(`./dist/locales/${name}.js`);
      const members = Object.entries(texts).map(([key, text]) => `${key}:${JSON.stringify(text)}`);
      this.emitFile({
        type: "asset",
        fileName: `locales/${name}.js`,
        source: `(globalThis[Symbol.for("matrix-auth-elements/texts")]??=[]).push({${members.join()}});\n`,
      });
    }
  },
};

/** A page with one of the elements needs no more than that. */
const ELEMENTS = [
  "matrix-login",
  "oidc-login",
  "oidc-callback",
  "uia-dialog",
  "uia-fallback-frame",
];

/** Rollup makes one bundle after the other: `--configElements` makes those of the elements, beside all others. */
export default ({ configElements = false }) =>
  configElements
    ? ELEMENTS.map((element) => withParts(element, "elements/"))
    : [
        ...[...STAND_ALONE].map(standsAlone),
        withParts("matrix-auth-elements"),
        classic("script-tag/global.js", "matrix-auth-elements.global.js", languages),
        // Firefox before 147 runs service workers as classic scripts only.
        classic("service-worker/index.js", "service-worker.global.js"),
      ];
