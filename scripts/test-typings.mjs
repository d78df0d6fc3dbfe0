// `npm run test:typings`, after a build: the types of the packed package, checked as its users check
// them. Fixtures are in test/typings, with a package.json of their own.
import { spawnSync } from "node:child_process";
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
 * @param {Record<string, string>} [written] Files that exist only here, by name.
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

/** `vue/Wrong.vue(11,15): error …`, `… ERROR "Wrong.svelte" 10:13 …`: the file, and the line. */
const ERROR = /(\w+\.(?:vue|svelte|ts))"?[ (](\d+)[:,]\d+.*/g;

/**
 * Has a framework's own checker read templates: it may find nothing in the right ones, and has to find
 * the line after each comment of the wrong ones.
 *
 * @param {string} framework
 * @param {string} checker
 * @param {readonly string[]} args
 */
async function checkTemplates(framework, checker, args) {
  const command = join(FOLDER, "node_modules/.bin", checker);
  const { stdout, stderr, error } = spawnSync(command, args, { cwd: FOLDER, encoding: "utf8" });
  if (error) throw error;
  const wrongFile = `Wrong.${framework}`;
  const found = [...stdout.matchAll(ERROR)].map(([text, file, line]) => ({ text, file, line }));
  const wrong = found.filter(({ file }) => file === wrongFile);
  const lines = (await readFile(join(FOLDER, framework, wrongFile), "utf8")).split("\n");
  const template = lines.lastIndexOf("</script>");
  const expected = lines.flatMap((text, index) =>
    index > template && text.trimStart().startsWith("<!--") ? [index + 2] : [],
  );
  report(`${framework}: what is right compiles`, [
    ...(found.length > 0 ? [] : [`${checker} found nothing at all: ${stdout}${stderr}`]),
    ...found.flatMap(({ file, text }) => (file === wrongFile ? [] : [text])),
  ]);
  report(`${framework}: what is wrong does not`, [
    ...expected.flatMap((each) =>
      wrong.some(({ line }) => line === String(each)) ? [] : [`${wrongFile}:${each} is no error`],
    ),
    ...wrong.flatMap(({ line, text }) => (expected.includes(Number(line)) ? [] : [text])),
  ]);
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
  for (const jsxImportSource of ["react", "preact", "solid-js"]) {
    const folder = jsxImportSource.split("-", 1)[0];
    const files = [`${folder}/right.tsx`, `${folder}/wrong.tsx`];
    compileBothWays(folder ?? "", files, { jsx: "react-jsx", jsxImportSource });
  }
  await checkTemplates("vue", "vue-tsc", ["--noEmit", "--project", "vue"]);
  await checkTemplates("svelte", "svelte-check", [
    ...[
      "--workspace",
      "svelte",
      "--tsconfig",
      "./tsconfig.json",
      "--output",
      "machine",
      "--threshold",
      "error",
    ],
  ]);
  console.log(`\n${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
});
