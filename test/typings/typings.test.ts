// Checks the types of the packed package in its users' tools. Fixtures have their own packages.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import ts from "typescript";
import { elements, isSettable, type Named } from "../package/manifest.mjs";
import { blocksOf } from "../docs/blocks.js";
import { right, wrong } from "./uses.table.js";

const FOLDER = resolve("test/typings");

/** The TypeScript of older apps, which resolves packages without `exports`. */
const ts49 = createRequire(join(FOLDER, "package.json"))("typescript-4.9") as typeof ts;

/** Parsed declarations of packages, which no test changes. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/**
 * The compiler's errors for a few files. They are compiled without others, whose global declarations could
 * hide errors.
 *
 * @param files Their paths in test/typings.
 * @param options Compiler options, which override those of tsconfig.base.json.
 * @param written The text of files that exist only during the check, by name.
 * @param compiler The TypeScript version to use.
 */
function compile(
  files: readonly string[],
  options: object,
  written: Readonly<Record<string, string>> = {},
  compiler = ts,
): readonly string[] {
  const base = compiler.readConfigFile(join(FOLDER, "tsconfig.base.json"), ts.sys.readFile);
  const json = { files, compilerOptions: { ...base.config.compilerOptions, ...options } };
  const config = compiler.parseJsonConfigFileContent(json, compiler.sys, FOLDER);
  const host = compiler.createCompilerHost(config.options);
  const texts = new Map(Object.entries(written).map(([name, text]) => [join(FOLDER, name), text]));
  const { fileExists, getSourceFile } = host;
  host.fileExists = (name) => texts.has(name) || fileExists(name);
  host.getSourceFile = (name, version) => {
    const text = texts.get(name);
    if (text !== undefined) return compiler.createSourceFile(name, text, version);
    if (!/\/node_modules\/.*\.d\.[cm]?ts$/.test(name)) return getSourceFile(name, version);
    // Parsing depends on the compiler, and on whether it treats the file as a module.
    const key = [name, compiler.version, JSON.stringify(version)].join(" ");
    if (!parsed.has(key)) parsed.set(key, getSourceFile(name, version));
    return parsed.get(key);
  };
  const program = compiler.createProgram(config.fileNames, config.options, host);
  // Errors inside other packages' declarations are ignored.
  const ours = program
    .getSourceFiles()
    .filter(({ fileName }) => !/node_modules\/(?!matrix-auth-elements\/)/.test(fileName));
  const diagnostics = [
    ...config.errors,
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...ours.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]),
  ];
  return diagnostics.map((diagnostic) =>
    compiler.formatDiagnostic(diagnostic, {
      getCurrentDirectory: () => FOLDER,
      getCanonicalFileName: (name) => name,
      getNewLine: () => "\n",
    }),
  );
}

/** `Wrong.tsx(11,15): error …`, `… ERROR "Wrong.svelte" 10:13 …`: the file, and the line. */
const ERROR = /(\w+\.(?:vue|svelte|tsx?))"?[ (](\d+)[:,]\d+.*/g;

/** Expects errors in these lines of a file, and no others. */
function assertErrors(file: string, errors: ReadonlyMap<number, string>, output: string): void {
  const found = new Set([...output.matchAll(ERROR)].map(([, where, line]) => `${where}:${line}`));
  const missing = [...errors].filter(([line]) => !found.delete(`${file}:${line}`));
  assert.deepEqual({ missing, others: [...found] }, { missing: [], others: [] }, output);
}

/** The two ways in which TypeScript finds packages today. */
const BUNDLER = { module: "ESNext", moduleResolution: "bundler" };
const NODE16 = { module: "Node16", moduleResolution: "Node16" };

/** The older way. Lit's declarations need a newer TypeScript, so apps set `skipLibCheck` too. */
const NODE10 = { module: "ESNext", moduleResolution: "node", skipLibCheck: true };

describe("With moduleResolution bundler", () => {
  for (const file of readdirSync(join(FOLDER, "typescript"))) {
    it(`TypeScript accepts typescript/${file} on its own`, () => {
      const inNode = file === "node.ts" && { lib: ["ES2023"], types: ["node"] };
      assert.deepEqual(compile([`typescript/${file}`], { ...BUNDLER, ...inNode }), []);
    });
  }

  for (const framework of ["react", "preact", "solid"] as const) {
    it(`JSX of ${framework} accepts correct code, and finds each error of incorrect code`, () => {
      const jsxImportSource = framework === "solid" ? "solid-js" : framework;
      const options = { ...BUNDLER, jsx: "react-jsx", jsxImportSource };
      const { text, errors } = wrong(framework);
      const pages = { "Right.tsx": right(framework), "Wrong.tsx": text };
      assertErrors("Wrong.tsx", errors, compile(Object.keys(pages), options, pages).join("\n"));
    });
  }
});

/** A file that imports every entry that has types. */
function everyEntry(): string {
  const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as {
    readonly exports: Readonly<Record<string, null | string | { readonly types?: string }>>;
  };
  const entries = Object.entries(exports)
    .filter(([, target]) => typeof target === "object" && target?.types !== undefined)
    .map(([name]) => name.replace(/^\./, "matrix-auth-elements").replace("*", "de"));
  assert.ok(entries.length > 12, String(entries.length));
  const names = entries.map((_, nth) => `typeof e${nth}`).join(", ");
  // An import without a name would not be resolved.
  return `${entries.map((entry, nth) => `import type * as e${nth} from "${entry}";`).join("\n")}
    export type All = [${names}];`;
}

it("TypeScript finds the types of every entry with moduleResolution Node16, without errors", () => {
  assert.deepEqual(compile(["all.ts"], NODE16, { "all.ts": everyEntry() }), []);
});

describe('With TypeScript 4.9 and moduleResolution "node"', () => {
  for (const file of readdirSync(join(FOLDER, "typescript"))) {
    // matrix-js-sdk's declarations need a newer TypeScript.
    if (file === "matrix-js-sdk.ts") continue;
    it(`TypeScript 4.9 accepts typescript/${file} on its own`, () => {
      const inNode = file === "node.ts" && { lib: ["ES2022"], types: ["node"] };
      assert.deepEqual(compile([`typescript/${file}`], { ...NODE10, ...inNode }, {}, ts49), []);
    });
  }

  it("TypeScript 4.9 finds the types of every entry of the package", () => {
    const found = compile(["all.ts"], NODE10, { "all.ts": everyEntry() }, ts49);
    assert.deepEqual(
      found.filter((each) => /TS(2307|7016)/.test(each)),
      [],
    );
  });

  it("TypeScript 4.9 parses every declaration of the package", () => {
    const options = { ...NODE10, skipLibCheck: false };
    const found = compile(["all.ts"], options, { "all.ts": everyEntry() }, ts49);
    // The frameworks' declarations need a newer TypeScript.
    const ours = found.filter((each) => /matrix-auth-elements\/(dist|types\/elements)/.test(each));
    assert.deepEqual(ours, []);
  });
});

describe("The components for React", () => {
  for (const [react, compiler, resolution] of [
    ["react-17", ts, BUNDLER],
    ["react-18", ts, BUNDLER],
    ["react-18", ts49, NODE10],
    ["react", ts, BUNDLER],
  ] as const) {
    it(`The components for React accept correct code, and find each error of incorrect code, with @types/${react} and TypeScript ${compiler.version}`, () => {
      const types = `./node_modules/@types/${react}`;
      const options = {
        ...resolution,
        jsx: "react-jsx",
        paths: { react: [types], "react/jsx-runtime": [`${types}/jsx-runtime`] },
      };
      const { text, errors } = wrong("react-components");
      const pages = { "Right.tsx": right("react-components"), "Wrong.tsx": text };
      const output = compile(Object.keys(pages), options, pages, compiler).join("\n");
      assertErrors("Wrong.tsx", errors, output);
    });
  }
});

/** A quick start's component. */
const quickStart = async (page: string, file: string): Promise<string> =>
  (await blocksOf(`docs/get-started/${page}.md`)).find((block) => block.file === file)?.text ?? "";

it("TypeScript accepts the quick start of React", async () => {
  const written = {
    "App.tsx": await quickStart("react", "src/App.tsx"),
    "SignIn.tsx": await quickStart("react", "src/SignIn.tsx"),
  };
  assert.match(written["SignIn.tsx"], /<MatrixLogin/);
  const options = { ...BUNDLER, jsx: "react-jsx" };
  assert.deepEqual(compile(Object.keys(written), options, written), []);
});

const SVELTE = "--workspace svelte --tsconfig ./tsconfig.json --output machine --threshold error";

for (const [framework, checker, args] of [
  ["vue", "vue-tsc", "--noEmit --project vue"],
  ["svelte", "svelte-check", SVELTE],
] as const) {
  it(`${checker} accepts correct code, including the quick start, and finds each error of incorrect code`, async () => {
    const { text, errors } = wrong(framework);
    const app = await quickStart(framework, `src/App.${framework}`);
    assert.match(app, /<matrix-login/);
    writeFileSync(join(FOLDER, framework, `QuickStart.${framework}`), app);
    writeFileSync(join(FOLDER, framework, `Right.${framework}`), right(framework));
    writeFileSync(join(FOLDER, framework, `Wrong.${framework}`), text);
    const command = join(FOLDER, "node_modules/.bin", checker);
    const { stdout } = await promisify(execFile)(command, args.split(" "), { cwd: FOLDER }).catch(
      (error: { readonly stdout: string }) => error,
    );
    assertErrors(`Wrong.${framework}`, errors, stdout);
  });
}

it("types/elements.d.ts has the same names as custom-elements.json", () => {
  /** @param type The type with the expected names. */
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
