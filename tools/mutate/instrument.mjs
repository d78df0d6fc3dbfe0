// A build of the core with every mutant, switched with `__stryker__.activeMutant`, and the tests for it.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import { build } from "esbuild";

const TESTS = ["test/core", "test/matrix-js-sdk"];
const IN_PAGE = "tools/mutate/in-page.mjs";

/** The instrumenter reports only warnings. */
const LOG = {
  ...{ isTraceEnabled: () => false, isDebugEnabled: () => false, isInfoEnabled: () => false },
  ...{ trace: () => undefined, debug: () => undefined, info: () => undefined },
  ...{ isWarnEnabled: () => true, isErrorEnabled: () => true, isFatalEnabled: () => true },
  ...{ warn: console.warn, error: console.error, fatal: console.error },
};

/**
 * Tests import internal modules from the build. This replaces them with the instrumented ones, so that none
 * exists twice.
 *
 * @type {import("esbuild").Plugin}
 */
const FROM_SOURCES = {
  name: "from sources",
  setup(setup) {
    setup.onResolve({ filter: /\/dist\/core\/.*\.js$/ }, ({ path }) => ({
      path: resolve(path.replace(/^.*dist\/core\/(.*)\.js$/, "src/core/$1.ts")),
    }));
    setup.onResolve({ filter: /^matrix-auth-elements\/(core|matrix-js-sdk)$/ }, ({ path }) => ({
      path: resolve(path.replace("matrix-auth-elements", "src"), "index.ts"),
      sideEffects: false,
    }));
  },
};

const BUILD = /** @type {const} */ ({
  outdir: "/",
  outbase: ".",
  bundle: true,
  write: false,
  format: "esm",
  logLevel: "error",
});

/** @sinonjs/fake-timers requires the module only in Node. */
const external = ["util"];

/**
 * @typedef {object} Mutant
 * @property {string} id
 * @property {string} file
 * @property {number} line From 1.
 * @property {number} column From 1.
 * @property {number} start Its offset in the file.
 * @property {number} end
 * @property {string} mutator Stryker's name for this kind.
 * @property {string} original
 * @property {string} replacement
 */

/**
 * @param {readonly string[]} places Folders of sources, or source files.
 * @returns {Promise<{ mutants: Mutant[], sources: Map<string, string>, hashes: Record<string, string> }>}
 * `sources`: the mutated text by absolute path; `hashes`: of the original files.
 */
export async function instrument(places) {
  const names = await Promise.all(
    places.map((place) => (place.endsWith(".ts") ? [place] : filesOf(place, ".ts"))),
  );
  const files = await Promise.all(
    names
      .flat()
      .map(async (name) => ({ name, content: await readFile(name, "utf8"), mutate: true })),
  );
  const options = { plugins: null, excludedMutations: [], ignorers: [] };
  const result = await new Instrumenter(LOG).instrument(files, options);
  const contents = new Map(files.map(({ name, content }) => [name, content]));
  return {
    mutants: result.mutants.map((one) => described(one, contents.get(one.fileName) ?? "")),
    sources: new Map(result.files.map(({ name, content }) => [resolve(name), content])),
    hashes: Object.fromEntries(files.map(({ name, content }) => [name, hash(content)])),
  };
}

/** @param {string} text */
const hash = (text) => createHash("sha256").update(text).digest("hex");

/**
 * @param {import("@stryker-mutator/instrumenter").InstrumentResult["mutants"][number]} mutant
 * @param {string} content
 * @returns {Mutant}
 */
function described({ id, fileName, location, mutatorName, replacement }, content) {
  const lines = content.split("\n");
  const offset = (/** @type {{ line: number, column: number }} */ { line, column }) =>
    lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, column);
  const start = offset(location.start);
  const end = offset(location.end);
  return {
    id,
    file: fileName,
    line: location.start.line + 1,
    column: location.start.column + 1,
    start,
    end,
    mutator: mutatorName,
    original: content.slice(start, end),
    replacement,
  };
}

/**
 * Bundles the tests of the core against the instrumented sources, in memory.
 *
 * @param {ReadonlyMap<string, string>} sources
 * @returns {Promise<{ tests: string[], files: Map<string, Uint8Array> }>} `files`: by the requested path.
 */
export async function bundle(sources) {
  const all = (await Promise.all(TESTS.map((folder) => filesOf(folder, ".ts")))).flat();
  const tests = await reaching(
    [...sources.keys()],
    all.filter((name) => name.endsWith(".test.ts")),
  );
  const others = all.filter((name) => !name.endsWith(".test.ts"));
  const result = await build({
    ...BUILD,
    external,
    entryPoints: [...tests, ...others, IN_PAGE],
    splitting: true,
    target: "es2022",
    conditions: ["production"],
    plugins: [
      FROM_SOURCES,
      {
        name: "mutants",
        setup(setup) {
          setup.onLoad({ filter: /\/src\/(core|matrix-js-sdk)\/.*\.ts$/ }, ({ path }) => {
            const contents = sources.get(path);
            return contents === undefined ? undefined : { contents, loader: "ts" };
          });
        },
      },
    ],
  });
  const files = new Map(result.outputFiles.map(({ path, contents }) => [path, contents]));
  // Pages that a test opens, and the scripts that they load from the sources.
  for (const page of await filesOf("test/core", ".html"))
    files.set(`/${page}`, await readFile(page));
  for (const test of [...tests, ...others]) {
    const script = files.get(`/${test.replace(/ts$/, "js")}`);
    if (script) files.set(`/${test}`, script);
  }
  return { tests, files };
}

/**
 * The tests that contain code of these sources, directly or through imports. Other tests cannot detect a
 * mutant, so their failures do not matter.
 *
 * @param {readonly string[]} sources Absolute paths.
 * @param {readonly string[]} tests
 */
async function reaching(sources, tests) {
  const { metafile } = await build({
    ...BUILD,
    external,
    entryPoints: [...tests],
    plugins: [FROM_SOURCES],
    packages: "external",
    metafile: true,
  });
  const outputs = Object.values(metafile.outputs);
  return tests.filter((test) => {
    const inputs = outputs.find(({ entryPoint }) => entryPoint === test)?.inputs ?? {};
    return sources.some((source) => inputs[relative(".", source)]?.bytesInOutput);
  });
}

/**
 * @param {string} folder
 * @param {string} extension
 */
async function filesOf(folder, extension) {
  const names = await readdir(folder, { recursive: true });
  return names
    .filter((name) => name.endsWith(extension))
    .map((name) => join(folder, name))
    .sort();
}
