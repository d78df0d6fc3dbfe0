// The files for script tags in dist/cdn/, made of what `tsc` wrote to dist/. The npm package is not bundled.
import { readFileSync, readdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import nodeResolve from "@rollup/plugin-node-resolve";
import { literalsHtmlCssMinifier } from "@literals/rollup-plugin-html-css-minifier";
import { minify as compress } from "@swc/core";
import { minify as mangle } from "vite";
import { RESOLUTION, copiesPerPart, sharingPart } from "./scripts/copies-per-part.mjs";

const { name, version } = JSON.parse(readFileSync("package.json", "utf8"));
const banner = `/*! ${name} ${version} | LICENSES.txt */`;

/** What stands alone: a file for each of these modules, with all that it needs. */
const STAND_ALONE = new Map([
  ["script-tag/requests.js", "requests.js"],
  ["core/index.js", "core.js"],
  ["sign-in/session.js", "session.js"],
  ["sign-in/confirm-user.js", "confirm-user.js"],
  ["sign-in/same-user.js", "same-user.js"],
  ["sign-in/user-homeserver.js", "user-homeserver.js"],
  ["errors/explanations.js", "explanations.js"],
  ["core/http/secrets.js", "secrets.js"],
  ["core/matrix/auth-metadata.js", "auth-metadata.js"],
  ["core/matrix/cross-signing.js", "cross-signing.js"],
  ["core/matrix/login-flows.js", "login-flows.js"],
  ["core/matrix/media.js", "media.js"],
  ["core/matrix/phone-code.js", "phone-code.js"],
  ["core/matrix/ed25519.js", "optional/ed25519.js"],
  ["ui/phone/numbers.js", "optional/phone-numbers.js"],
  ["core/legacy/sso.js", "sso-login.js"],
  ["script-tag/languages.js", "languages.js"],
]);

/** The modules in requests.js, and the short names of what they export there: the long ones would be a tenth of the files. */
const REQUESTS = new Map();
for (const module of readFileSync("dist/script-tag/requests.js", "utf8").match(/core\/.+?\.js/g)) {
  const names = Object.keys(await import(`./dist/${module}`));
  REQUESTS.set(
    module,
    names.map((name, nth) => [name, `$${REQUESTS.size.toString(36)}${nth}`]),
  );
}

/** requests.js, and the modules that stand for those in it. */
const inRequests = {
  name: "in-requests",
  resolveId: (id) => (id.startsWith("requests.js:") ? id : null),
  load(id) {
    if (id.endsWith("/dist/script-tag/requests.js")) {
      return [...REQUESTS]
        .map(
          ([module, names]) =>
            `export {${names.map(([name, short]) => `${name} as ${short}`)}} from "../${module}";`,
        )
        .join("");
    }
    const names = REQUESTS.get(/^requests\.js:(.+)/.exec(id)?.[1]);
    return names
      ? `export {${names.map(([name, short]) => `${short} as ${name}`)}} from "requests.js";`
      : null;
  },
};

/** The files that share them. A page that doesn't complete a sign-in loads others, with copies of what they need. */
const WITH_REQUESTS = [
  "callback.js",
  "login-completion.js",
  "session.js",
  "confirm-user.js",
  "sso-login.js",
];

/** The file that has a module for all others. English is in every file that needs it. */
function fileOf(id = "") {
  const [, module = ""] = /\/dist\/(.+)$/.exec(id) ?? [];
  return STAND_ALONE.get(module) ?? /^locales\/(?!en).+/.exec(module)?.[0];
}

/** Leaves to other files what they have. What a part shares with others is requested with the part, not after it. */
const inOtherFiles = (input, file) => {
  // Rollup takes the folder of the input for that of the output.
  const inFile = (other) => ({
    id: resolve(dirname(input), other),
    external: "relative",
    moduleSideEffects: false,
  });
  const external = (found) => {
    const other = fileOf(found?.id);
    return other ? inFile(other) : null;
  };
  return {
    name: "in-other-files",
    async resolveId(source, importer = "") {
      if (source === "requests.js") return inFile(source);
      const [from, part = file] = importer.split("?");
      if (!WITH_REQUESTS.includes(part)) return null;
      const found = await this.resolve(source, from, { skipSelf: true });
      const [, module] = /\/dist\/(.+)$/.exec(found?.id) ?? [];
      return REQUESTS.has(module) ? `requests.js:${module}` : null;
    },
    async resolveDynamicImport(source, importer) {
      return external(await this.resolve(source, importer.split("?")[0]));
    },
    renderDynamicImport({ getTargetChunkImports }) {
      const isShared = ({ chunk }) => !chunk?.isEntry && !chunk?.isDynamicEntry;
      const others = (getTargetChunkImports() ?? []).filter(isShared);
      const imports = others.map(({ resolvedImportPath }) => `import(${resolvedImportPath})`);
      if (imports.length === 0) return null;
      return { left: "Promise.all([import(", right: `),${imports.join()}]).then(([part])=>part)` };
    },
  };
};

/** A script tag is in a page: it needs no stand-in for one, and the browser follows redirects. */
const IN_PAGE = new Map([
  [resolve("dist/ui/import-lit.js"), ""],
  [
    resolve("dist/core/http/redirects.js"),
    "export const followSafely = (fetch, url, init) => fetch(url, init);",
  ],
]);

const inPage = {
  name: "in-page",
  load: (id) => IN_PAGE.get(id.replace(/\?.*/, "")) ?? null,
};

const plugins = (module) => [
  inRequests,
  nodeResolve(RESOLUTION),
  literalsHtmlCssMinifier({
    include: /\/dist\/(elements|sign-in|ui)\/.*\.js/,
    // Without its slash, an element of an `svg` template would contain those after it.
    options: { minifyOptions: { keepClosingSlash: true } },
  }),
  {
    name: "compress",
    renderChunk(code, { isEntry }) {
      const options = { passes: 3, ecma: 2022, keep_fargs: false };
      const format = { comments: false, preamble: isEntry ? banner : "/*! LICENSES.txt */" };
      return compress(code, { module, compress: options, mangle: false, sourceMap: true, format });
    },
  },
  // Of all minifiers, SWC compresses best. But Oxc uses the same short names in each class.
  {
    name: "mangle",
    renderChunk: (code, { fileName }) =>
      mangle(fileName, code, {
        module,
        compress: { target: "es2022" },
        mangle: { toplevel: module },
        codegen: { legalComments: "inline" },
        sourcemap: true,
      }),
  },
];
/** Lit's `css` has no effect but its result, and no getter has one: unused styles and texts are left out. */
const treeshake = { manualPureFunctions: ["css"], propertyReadSideEffects: false };
const output = { sourcemap: true, format: "es", name: "MatrixAuthElements" };

/** What refreshes a session's tokens is another file: most pages close before they need it. */
const withRefresh = { ...output, dir: "dist/cdn", chunkFileNames: "[name].js" };

const standsAlone = ([module, file]) => ({
  input: `dist/${module}`,
  preserveEntrySignatures: "allow-extension",
  treeshake,
  output:
    file === "session.js"
      ? withRefresh
      : { ...output, file: `dist/cdn/${file}`, inlineDynamicImports: true },
  // Other runtimes can import the core from there, too.
  plugins: [file !== "core.js" && inPage, inOtherFiles(`dist/${module}`, file), ...plugins(true)],
});

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
    manualChunks: (id) =>
      id.includes("?") ? sharingPart(id)?.replace(/\.js$/, "") : `${folder}${entry}`,
  },
  plugins: [inPage, inOtherFiles("dist/script-tag/-"), copiesPerPart(), ...plugins(true)],
});

/** One file without modules, which loads no other, so that one hash covers it. */
const classic = (input, file) => ({
  input: `dist/${input}`,
  treeshake,
  output: { ...output, file: `dist/cdn/${file}`, format: "iife", inlineDynamicImports: true },
  plugins: [inPage, ...plugins(false)],
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
