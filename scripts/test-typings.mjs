// `npm run test:typings`, after a build: the types of the packed package, checked as its users check
// them. Fixtures are in test/typings, with a package.json of their own.
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import ts from "typescript";
import { main, run } from "./run.mjs";

const FOLDER = resolve("test/typings");

let passed = 0;
let failed = 0;

/** @param {string} title @param {readonly string[]} faults None: it passed. */
function report(title, faults) {
  if (faults.length === 0) passed += 1;
  else failed += 1;
  console.log([`${faults.length === 0 ? "✔" : "✖"} ${title}`, ...faults].join("\n    "));
}

/** Installs the frameworks, and the package as it would be published. */
async function install() {
  await run("npm ci", "npm", ["ci", "--prefix", FOLDER, "--no-audit", "--no-fund"]);
  const packed = await mkdtemp(join(tmpdir(), "typings-"));
  const target = join(FOLDER, "node_modules/matrix-auth-elements");
  try {
    await run("npm pack", "npm", ["pack", "--ignore-scripts", "--pack-destination", packed]);
    const [tarball = ""] = await readdir(packed);
    await mkdir(target);
    await run("Unpack", "tar", [
      "-xzf",
      join(packed, tarball),
      "-C",
      target,
      "--strip-components=1",
    ]);
  } finally {
    await rm(packed, { recursive: true });
  }
}

/** @type {Map<string, import("typescript").SourceFile | undefined>} TypeScript's own, read once. */
const libraries = new Map();

/**
 * What the compiler says of a few files, which nothing else is compiled with: what one of them declares
 * for all must not help another.
 *
 * @param {readonly string[]} files Below test/typings.
 * @param {object} options As in a tsconfig.json; over those of tsconfig.base.json.
 * @param {Record<string, string>} [written] Files that exist here alone, by name.
 * @returns {readonly string[]}
 */
function compile(files, options, written = {}) {
  const base = ts.readConfigFile(join(FOLDER, "tsconfig.base.json"), ts.sys.readFile);
  const json = { files, compilerOptions: { ...base.config.compilerOptions, ...options } };
  const config = ts.parseJsonConfigFileContent(json, ts.sys, FOLDER);
  const host = ts.createCompilerHost(config.options);
  const texts = new Map(Object.entries(written).map(([name, text]) => [join(FOLDER, name), text]));
  const { fileExists, getSourceFile } = host;
  host.fileExists = (name) => texts.has(name) || fileExists(name);
  host.getSourceFile = (name, version) => {
    const text = texts.get(name);
    if (text !== undefined) return ts.createSourceFile(name, text, version);
    if (!/\/typescript\/lib\/lib\.[\w.]+$/.test(name)) return getSourceFile(name, version);
    if (!libraries.has(name)) libraries.set(name, getSourceFile(name, version));
    return libraries.get(name);
  };
  const program = ts.createProgram(config.fileNames, config.options, host);
  return [...config.errors, ...ts.getPreEmitDiagnostics(program)].map((diagnostic) =>
    ts
      .formatDiagnostic(diagnostic, {
        getCurrentDirectory: () => FOLDER,
        getCanonicalFileName: (name) => name,
        getNewLine: () => "\n    ",
      })
      .trimEnd(),
  );
}

/** The two ways in which TypeScript finds packages today. */
const RESOLUTIONS = {
  bundler: { module: "ESNext", moduleResolution: "bundler" },
  node16: { module: "Node16", moduleResolution: "Node16" },
};

/** @param {string} title @param {readonly string[]} files @param {object} [options] */
function compileBothWays(title, files, options) {
  for (const [name, resolution] of Object.entries(RESOLUTIONS)) {
    report(`${title}, moduleResolution ${name}`, compile(files, { ...resolution, ...options }));
  }
}

/**
 * @typedef {{ name: string, kind?: string, static?: boolean, readonly?: boolean }} Named
 * @typedef {{ tagName?: string, attributes: Named[], members: Named[], events: Named[] }} Declaration
 */

/** Holds the names in types/elements.d.ts equal to those of the manifest. */
async function compareWithManifest() {
  /** @type {{ modules: { declarations?: Declaration[] }[] }} */
  const manifest = JSON.parse(await readFile("custom-elements.json", "utf8"));
  const elements = manifest.modules
    .flatMap(({ declarations = [] }) => declarations)
    .flatMap(({ tagName, ...rest }) => (tagName ? [{ ...rest, name: tagName }] : []));
  /** @param {readonly Named[]} named @param {string} type The names that it has to have. */
  const same = (named, type) => {
    const each = named.map(({ name }) => `"${name}": 0`);
    return `({ ${each.join(", ")} }) satisfies Record<${type}, 0>;`;
  };
  const lines = elements.flatMap(({ name, attributes, members, events }) => [
    same(attributes, `keyof Attributes<"${name}">`),
    same(
      members.filter((member) => member.kind === "field" && !member.static && !member.readonly),
      `keyof Properties<"${name}">`,
    ),
    same(events, `keyof Listeners<"${name}", "">`),
  ]);
  const types = '"./node_modules/matrix-auth-elements/types/elements.js"';
  const text = [
    `import type { Attributes, Listeners, Properties, Tag } from ${types};`,
    same(elements, "Tag"),
    ...lines,
  ].join("\n");
  const faults = compile(["manifest.ts"], RESOLUTIONS.bundler, { "manifest.ts": text });
  report("types/elements.d.ts names what custom-elements.json names", faults);
}

await main(async () => {
  await install();
  for (const file of await readdir(join(FOLDER, "typescript"))) {
    const inNode = { lib: ["ES2023"], types: ["node"] };
    compileBothWays(`typescript/${file}`, [`typescript/${file}`], file === "node.ts" ? inNode : {});
  }
  await compareWithManifest();
  compileBothWays("React 19", ["react/right.tsx", "react/wrong.tsx"], { jsx: "react-jsx" });
  console.log(`\n${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
});
