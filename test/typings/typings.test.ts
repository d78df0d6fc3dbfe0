// The types of the packed package, checked as its users check them; fixtures have packages of their own.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import ts from "typescript";
import { elements, isSettable, type Named } from "../package/manifest.mjs";
import { right, wrong } from "./uses.js";

const FOLDER = resolve("test/typings");

/** TypeScript's own, read once. */
const libraries = new Map<string, ts.SourceFile | undefined>();

/**
 * What the compiler says of a few files, which nothing else is compiled with: what one of them declares
 * for all must not help another.
 *
 * @param files In test/typings.
 * @param options As in a tsconfig.json; over those of tsconfig.base.json.
 * @param written Files that exist only here, by name.
 */
function compile(
  files: readonly string[],
  options: object,
  written: Readonly<Record<string, string>> = {},
): readonly string[] {
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
  const diagnostics = [...config.errors, ...ts.getPreEmitDiagnostics(program)];
  return diagnostics.map((diagnostic) =>
    ts.formatDiagnostic(diagnostic, {
      getCurrentDirectory: () => FOLDER,
      getCanonicalFileName: (name) => name,
      getNewLine: () => "\n",
    }),
  );
}

/** `Wrong.tsx(11,15): error …`, `… ERROR "Wrong.svelte" 10:13 …`: the file, and the line. */
const ERROR = /(\w+\.(?:vue|svelte|tsx?))"?[ (](\d+)[:,]\d+.*/g;

/** Expects errors in those lines of a file, and no other. */
function assertErrors(file: string, errors: ReadonlyMap<number, string>, output: string): void {
  const found = new Set([...output.matchAll(ERROR)].map(([, where, line]) => `${where}:${line}`));
  const missing = [...errors].filter(([line]) => !found.delete(`${file}:${line}`));
  assert.deepEqual({ missing, others: [...found] }, { missing: [], others: [] }, output);
}

/** The two ways in which TypeScript finds packages today. */
const BUNDLER = { module: "ESNext", moduleResolution: "bundler" };
const NODE16 = { module: "Node16", moduleResolution: "Node16" };

for (const resolution of [BUNDLER, NODE16]) {
  describe(`With moduleResolution ${resolution.moduleResolution}`, () => {
    for (const file of readdirSync(join(FOLDER, "typescript"))) {
      it(`TypeScript accepts typescript/${file} by itself`, () => {
        const inNode = file === "node.ts" && { lib: ["ES2023"], types: ["node"] };
        // Its own declarations need newer libraries than these tests have.
        const withSdk = file === "matrix-js-sdk.ts" && { skipLibCheck: true };
        const options = { ...resolution, ...inNode, ...withSdk };
        assert.deepEqual(compile([`typescript/${file}`], options), []);
      });
    }

    for (const framework of ["react", "preact", "solid"] as const) {
      it(`JSX of ${framework} accepts what is right, and finds each error of what is wrong`, () => {
        const jsxImportSource = framework === "solid" ? "solid-js" : framework;
        const options = { ...resolution, jsx: "react-jsx", jsxImportSource };
        const { text, errors } = wrong(framework);
        const pages = { "Right.tsx": right(framework), "Wrong.tsx": text };
        assertErrors("Wrong.tsx", errors, compile(Object.keys(pages), options, pages).join("\n"));
      });
    }
  });
}

const SVELTE = "--workspace svelte --tsconfig ./tsconfig.json --output machine --threshold error";

for (const [framework, checker, args] of [
  ["vue", "vue-tsc", "--noEmit --project vue"],
  ["svelte", "svelte-check", SVELTE],
] as const) {
  it(`${checker} accepts what is right, and finds each error of what is wrong`, async () => {
    const { text, errors } = wrong(framework);
    writeFileSync(join(FOLDER, framework, `Right.${framework}`), right(framework));
    writeFileSync(join(FOLDER, framework, `Wrong.${framework}`), text);
    const command = join(FOLDER, "node_modules/.bin", checker);
    const { stdout } = await promisify(execFile)(command, args.split(" "), { cwd: FOLDER }).catch(
      (error: { readonly stdout: string }) => error,
    );
    assertErrors(`Wrong.${framework}`, errors, stdout);
  });
}

it("types/elements.d.ts has the names that custom-elements.json has", () => {
  /** @param type The names that it has to have. */
  const same = (named: readonly Named[], type: string): string => {
    const each = named.map(({ name }) => `"${name}": 0`);
    return `({ ${each.join(", ")} }) satisfies Record<${type}, 0>;`;
  };
  const lines = elements.flatMap(({ tagName: name, attributes, members, events }) => [
    same(attributes, `keyof Attributes<"${name}">`),
    same(members.filter(isSettable), `keyof Properties<"${name}">`),
    same(events, `keyof Listeners<"${name}", "">`),
  ]);
  const types = '"./node_modules/matrix-auth-elements/types/elements.js"';
  const text = [
    `import type { Attributes, Listeners, Properties, Tag } from ${types};`,
    same(
      elements.map(({ tagName: name }) => ({ name })),
      "Tag",
    ),
    ...lines,
  ].join("\n");
  assert.deepEqual(compile(["manifest.ts"], BUNDLER, { "manifest.ts": text }), []);
});
