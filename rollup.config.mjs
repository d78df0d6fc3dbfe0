// The files for script tags in dist/cdn/, made of what `tsc` wrote to dist/. The npm package is not bundled.
import { readFileSync, readdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import nodeResolve from "@rollup/plugin-node-resolve";
import { literalsHtmlCssMinifier } from "@literals/rollup-plugin-html-css-minifier";
import { minify } from "@swc/core";
import { RESOLUTION, copiesPerPart } from "./scripts/copies-per-part.mjs";

const { name, version } = JSON.parse(readFileSync("package.json", "utf8"));
const banner = `/*! ${name} ${version} | LICENSES.txt */`;

/** What callback.js and session.js share. */
const SHARED = "script-tag/requests.js";

/** What stands alone: a file for each of these modules, with all that it needs. */
const STAND_ALONE = new Map([
  [SHARED, "requests.js"],
  ["core/index.js", "core.js"],
  ["sign-in/lazy/session.js", "session.js"],
  ["sign-in/lazy/confirm-user.js", "confirm-user.js"],
  ["core/matrix/auth-metadata.js", "auth-metadata.js"],
  ["core/matrix/cross-signing.js", "cross-signing.js"],
  ["core/matrix/login-flows.js", "login-flows.js"],
  ["core/matrix/ed25519.js", "optional/ed25519.js"],
  ["elements/uia-dialog/lazy/phone/numbers.js", "optional/phone-numbers.js"],
  ["core/legacy/sso.js", "sso-login.js"],
  ["script-tag/languages.js", "languages.js"],
]);

/** The module of `dist/` with this path. */
const moduleOf = (id = "") => /\/dist\/(.+)$/.exec(id)?.[1] ?? "";

/** The file that has a module for all others. English is in every file that needs it. */
const fileOf = (module) => STAND_ALONE.get(module) ?? /^locales\/(?!en).+/.exec(module)?.[0];

/** The names that the shared file exports, by their modules. */
function sharedNames() {
  const text = readFileSync(`dist/${SHARED}`, "utf8");
  const statements = [...text.matchAll(/export \{([^}]+)\} from "\.\.\/(.+)"/g)];
  return new Map(
    statements.map(([, names, module]) => [module, names.split(",").map((name) => name.trim())]),
  );
}

/**
 * Leaves to other files what they have. What a part shares with others is requested with the part, not after it.
 *
 * @param {string} input
 * @param {(importer: string) => boolean} sharesFor Whether a module uses the shared file.
 */
function inOtherFiles(input, sharesFor = () => false) {
  // Rollup takes the folder of the input for that of the output.
  const inFile = (file) => ({
    id: resolve(dirname(input), file),
    external: "relative",
    moduleSideEffects: false,
  });
  let shared = new Map();
  return {
    name: "in-other-files",
    buildStart() {
      shared = sharedNames();
    },
    async resolveId(source, importer) {
      if (!importer || !sharesFor(importer)) return null;
      const found = await this.resolve(source, importer.split("?")[0], { skipSelf: true });
      return shared.has(moduleOf(found?.id)) ? inFile(STAND_ALONE.get(SHARED)) : null;
    },
    async resolveDynamicImport(source, importer) {
      const file = fileOf(moduleOf((await this.resolve(source, importer.split("?")[0]))?.id));
      return file ? inFile(file) : null;
    },
    renderDynamicImport({ getTargetChunkImports }) {
      const isShared = ({ chunk }) => !chunk?.isEntry && !chunk?.isDynamicEntry;
      const others = (getTargetChunkImports() ?? []).filter(isShared);
      const imports = others.map(({ resolvedImportPath }) => `import(${resolvedImportPath})`);
      if (imports.length === 0) return null;
      return { left: "Promise.all([import(", right: `),${imports.join()}]).then(([part])=>part)` };
    },
    generateBundle(_, bundle) {
      const exported = [...shared.values()].flat();
      for (const { fileName, importedBindings = {} } of Object.values(bundle)) {
        const imported = Object.entries(importedBindings).flatMap(([file, names]) =>
          file.endsWith(`/${STAND_ALONE.get(SHARED)}`) ? names : [],
        );
        const missing = imported.filter((name) => !exported.includes(name));
        if (missing.length > 0) this.error(`${SHARED} lacks ${missing.join()}, for ${fileName}`);
      }
    },
  };
}

const compress = { passes: 3, ecma: 2022, keep_fargs: false };
const plugins = (module) => [
  nodeResolve(RESOLUTION),
  literalsHtmlCssMinifier({ include: /\/dist\/(elements|sign-in|ui)\/.*\.js/ }),
  {
    name: "minify",
    renderChunk(code, { isEntry }) {
      const format = { comments: false, preamble: isEntry ? banner : "/*! LICENSES.txt */" };
      return minify(code, { module, compress, mangle: true, sourceMap: true, format });
    },
  },
];
/** Lit's `css` has no effect but its result: styles that nobody uses are left out. */
const treeshake = { manualPureFunctions: ["css"] };
const output = { sourcemap: true, format: "es", name: "MatrixAuthElements" };

const standsAlone = ([module, file]) => ({
  input: `dist/${module}`,
  treeshake,
  output: { ...output, file: `dist/cdn/${file}` },
  plugins: [
    // Pages load core.js and the others without the shared file, so they have copies.
    inOtherFiles(`dist/${module}`, () => file === "session.js"),
    ...plugins(true),
  ],
});

/** Only the parts that complete a sign-in use the shared file: others use so little of it that copies are smaller. */
const completes = (id) => /\?(callback|login-completion)\.js$/.test(id);

/** An entry, and its parts in a folder. */
const withParts = (entry, folder = "", parts = folder) => ({
  input: { [`${folder}${entry}`]: `dist/script-tag/${entry}.js` },
  preserveEntrySignatures: "allow-extension",
  treeshake,
  output: {
    ...output,
    dir: "dist/cdn",
    // The name is `popup-login.js_login`: the module, and the part that it belongs to.
    chunkFileNames: ({ name }) =>
      `${parts}${name.replace(/^(controller|view)\.js_/, "").split(".")[0]}.js`,
    manualChunks: (id) => (id.includes("?") ? undefined : `${folder}${entry}`),
  },
  plugins: [inOtherFiles("dist/script-tag/-", completes), copiesPerPart(), ...plugins(true)],
});

/** One file without modules, which loads no other, so that one hash covers it. */
const classic = (input, file) => ({
  input: `dist/${input}`,
  treeshake,
  output: { ...output, file: `dist/cdn/${file}`, format: "iife", inlineDynamicImports: true },
  plugins: plugins(false),
});

/** Rollup makes one bundle after the other: `--configElements` makes each element's own, beside all others. */
export default ({ configElements = false }) =>
  configElements
    ? readdirSync("dist/elements").map((each) => withParts(each, "elements/", `elements/${each}/`))
    : [
        ...[...STAND_ALONE].map(standsAlone),
        withParts("matrix-auth-elements"),
        classic("script-tag/global.js", "matrix-auth-elements.global.js"),
        // Firefox before 147 runs service workers as classic scripts only.
        classic("service-worker/index.js", "service-worker.global.js"),
      ];
