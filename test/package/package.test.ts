import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { cwd } from "node:process";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { parseAst } from "rollup/parseAst";
import ts from "typescript";
import { APPS, copyApp } from "../../demo/copy.js";

const exec = promisify(execFile);

const packageJson = JSON.parse(await readFile("package.json", "utf8")) as {
  readonly version: string;
  readonly dependencies: Record<string, string>;
};

const filesBelow = async (folder: string, ending: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true }))
    .filter((file) => file.endsWith(ending))
    .map((file) => join(folder, file));

const ELEMENTS = [
  "matrix-login",
  "matrix-account",
  "oidc-login",
  "oidc-callback",
  "uia-dialog",
  "uia-fallback-frame",
];

describe("Script-tag files", () => {
  it("The core's file loads cross-signing on demand, which loads Ed25519 on demand", async () => {
    const core = await readFile("dist/cdn/core.js", "utf8");
    assert.ok(!core.includes("self_signing"));
    assert.ok(core.includes("import(`./cross-signing.js`)"));
    const crossSigning = await readFile("dist/cdn/cross-signing.js", "utf8");
    assert.ok(crossSigning.length < 5120);
    assert.ok(crossSigning.includes("import(`./optional/ed25519.js`)"));
  });

  it("The script-tag files, except core.js, share the code of requests in one file", async () => {
    const files = await filesBelow("dist/cdn", ".js");
    const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
    const having = (mark: RegExp): readonly string[] =>
      files.filter((_, nth) => mark.test(texts[nth] ?? "")).map((file) => basename(file));
    assert.deepEqual([...having(/OAUTH_KEY_SELECTION_FAILED/)].sort(), [
      "core.js",
      "matrix-auth-elements.global.js",
      "requests.js",
    ]);
    assert.deepEqual([...new Set(having(/from ?"[./]+requests\.js"/))].sort(), [
      "callback.js",
      "confirm-user.js",
      "login-completion.js",
      "session.js",
      "sso-login.js",
      "token-refresh.js",
    ]);
  });

  it("The script-tag files import only each other, and a part statically imports only files that have loaded it or were loaded with it", async () => {
    const files = await filesBelow("dist/cdn", ".js");
    /** The files that import each file dynamically. */
    const loaders = new Map<string, string[]>(files.map((file) => [file, []]));
    /** The static imports of each file. */
    const needs = new Map<string, string[]>();
    for (const file of files) {
      const code = await readFile(file, "utf8");
      const at = (path: unknown): string => join(dirname(file), String(path));
      const from = parseAst(code).body.flatMap((statement) =>
        "source" in statement && statement.source ? [at(statement.source.value)] : [],
      );
      needs.set(file, from);
      for (const [, path] of code.matchAll(/\bimport\(\s*["'`]([^"'`]+)/g)) {
        const known = path?.startsWith(".") ? loaders.get(at(path)) : undefined;
        assert.ok(known, `${file} loads ${path}`);
        known.push(file);
      }
    }
    /** Whether the file is loaded whenever the part is. */
    const isThere = (file: string, part: string): boolean => {
      const by = loaders.get(part) ?? [];
      const isWithIt = (loader: string): boolean => loaders.get(file)?.includes(loader) ?? false;
      return (
        by.length > 0 &&
        by.every((loader) => loader === file || isWithIt(loader) || isThere(file, loader))
      );
    };
    // If a page loads session.js by itself, this file is loaded after it.
    const shared = "dist/cdn/requests.js";
    assert.deepEqual(needs.get(shared), []);
    const parts = [...needs]
      .map(([file, from]) => [file, from.filter((each) => each !== shared)] as const)
      .filter(([, from]) => from.length > 0);
    assert.ok(parts.length > 20);
    for (const [part, from] of parts) {
      for (const file of from) assert.ok(isThere(file, part), `${part} from ${file}`);
    }
  });

  it("An element's own script-tag file registers no other element, and exports its class", async () => {
    for (const element of ELEMENTS) {
      const code = await readFile(join("dist/cdn/elements", `${element}.js`), "utf8");
      const tags = [...code.matchAll(/static tag=`([^`]+)`/g)].map(([, tag]) => tag);
      // The dialog contains the frame.
      const expected = element === "uia-dialog" ? ["uia-fallback-frame", element] : [element];
      assert.deepEqual(tags.sort(), expected.sort());
      assert.match(code, /export\{[^}]*\w+Element\b[^}]*registerTranslation/);
    }
  });

  it("core.js creates cross-signing keys with and without WebCrypto's Ed25519", async (context) => {
    const core = pathToFileURL("dist/cdn/core.js").href;
    const { HomeserverClient } = (await import(core)) as typeof import("matrix-auth-elements/core");
    const client = new HomeserverClient({
      baseUrl: "https://hs.example",
      userId: "@a:b",
      fetch: () => Promise.resolve(Response.json({})),
    });
    for (const lacking of [false, true]) {
      if (lacking) {
        context.mock.method(crypto.subtle, "generateKey", () => Promise.reject(new Error()));
      }
      const { keys, masterKey } = await client.bootstrapCrossSigning();
      assert.match(masterKey, /^[A-Za-z0-9+/]{43}$/);
      assert.match(Object.keys(keys.master_key.keys).join(), /^ed25519:[A-Za-z0-9+/]{43}$/);
    }
  });

  it("The classic script defines window.MatrixAuthElements", async () => {
    const code = await readFile("dist/cdn/matrix-auth-elements.global.js", "utf8");
    assert.match(code.slice(0, 200), /\bvar MatrixAuthElements=/);
  });

  it("The script-tag files contain Lit without its development warnings", async () => {
    for (const file of await filesBelow("dist/cdn", ".js")) {
      assert.ok(!(await readFile(file, "utf8")).includes("Lit is in dev mode"), file);
    }
  });

  it("In the script-tag files' SVG images, every shape is closed, so that no shape contains another", async () => {
    for (const file of await filesBelow("dist/cdn", ".js")) {
      const open = /<(?:circle|ellipse|line|path|polygon|polyline|rect)\b[^<>`]*[^/]>(?!<\/)/;
      assert.doesNotMatch(await readFile(file, "utf8"), open, file);
    }
  });

  it("The script-tag files set markup only with Lit's templates", async () => {
    const allowed = 1; // Lit's own template element, from the package's output.
    const code = await readFile("dist/cdn/matrix-auth-elements.js", "utf8");
    assert.equal([...code.matchAll(/\.innerHTML\s*=/g)].length, allowed);
    assert.equal(/outerHTML|insertAdjacentHTML|\beval\(|new Function/.exec(code)?.[0], undefined);
  });
});

describe("An app's bundler", () => {
  /**
   * The sources that a page loads for a part, in addition to the loaded ones, by the chunk's
   * static imports.
   */
  const sourcesOf = async (part: string): Promise<readonly string[]> => {
    const { metafile } = await build({
      entryPoints: ["dist/define/index.js"],
      bundle: true,
      splitting: true,
      format: "esm",
      outdir: "nowhere",
      write: false,
      metafile: true,
    });
    const found = new Set<string>();
    const visit = (path: string): void => {
      const output = metafile.outputs[path];
      if (!output || found.has(path)) return;
      found.add(path);
      for (const each of output.imports) if (each.kind === "import-statement") visit(each.path);
    };
    const entry = Object.entries(metafile.outputs).find(
      ([, { entryPoint }]) => entryPoint === `dist/elements/${part}.js`,
    );
    visit(entry?.[0] ?? "");
    return [...found].flatMap((path) => Object.keys(metafile.outputs[path]?.inputs ?? {}));
  };

  it("A production build contains Lit without its development warnings, and a development build contains them", async () => {
    const saysSo = async (condition: string): Promise<boolean> => {
      const { outputFiles } = await build({
        entryPoints: ["dist/define/index.js"],
        bundle: true,
        format: "esm",
        conditions: [condition],
        write: false,
      });
      return outputFiles.some(({ text }) => text.includes("Lit is in dev mode"));
    };
    assert.deepEqual([await saysSo("production"), await saysSo("development")], [false, true]);
  });

  it("A bundler's chunk for the sign-in contains no code of the callback, and the dialog's contains no sign-in code", async () => {
    const login = [
      ...(await sourcesOf("oidc-login/view")),
      ...(await sourcesOf("oidc-login/authorization")),
    ];
    assert.ok(login.includes("dist/core/oauth/registration.js"));
    assert.deepEqual(
      login.filter((path) => /id-token|session\/|core\/uia|matrix\/client\.js/.test(path)),
      [],
    );
    const uia = await sourcesOf("uia-dialog/view");
    assert.ok(uia.includes("dist/core/uia/interactive-auth.js"));
    assert.deepEqual(
      uia.filter((path) =>
        /core\/(oauth\/(?!errors|error-codes|flow-error)|session|matrix\/(?!error))/.test(path),
      ),
      [],
    );
    const callback = await sourcesOf("oidc-callback/view");
    assert.ok(callback.some((path) => path.endsWith("oauth/id-token.js")));
    assert.deepEqual(
      callback.filter((path) => /session\/session\.js|core\/uia|registration\.js/.test(path)),
      [],
    );
  });
});

describe("The demo's pages", () => {
  /** Follows every import through this map as a browser does, including dynamic ones. */
  const follow = async (entry: string, imports: Record<string, string>): Promise<string[]> => {
    const unresolved: string[] = [];
    const resolve = (specifier: string): string | undefined => {
      const key = Object.keys(imports)
        .filter((each) => each === specifier || (each.endsWith("/") && specifier.startsWith(each)))
        .sort((a, b) => b.length - a.length)[0];
      return key === undefined ? undefined : `${imports[key]}${specifier.slice(key.length)}`;
    };
    await build({
      stdin: { contents: `import "./${entry}";`, resolveDir: "demo/pages" },
      bundle: true,
      write: false,
      format: "esm",
      plugins: [
        {
          name: "import-map",
          setup: ({ onResolve }) =>
            onResolve({ filter: /^[^./]/ }, ({ path }) => {
              const target = resolve(path);
              if (target === undefined) unresolved.push(path);
              return target === undefined ? { external: true } : { path: join(cwd(), target) };
            }),
        },
      ],
    });
    return unresolved;
  };

  it("The demo's import map resolves every import, including those of code that is loaded later", async () => {
    const map = await readFile("demo/pages/import-map.js", "utf8");
    const pairs = [...map.matchAll(/^ {2}"?(.+?)"?: "(.+)",$/gm)];
    const imports = Object.fromEntries(pairs.map(([, name, path]) => [name, path]));
    let followed = 0;
    for (const page of await filesBelow("demo/pages", ".html")) {
      const html = await readFile(page, "utf8");
      const [, entry] = /<script type="module" src="([^"]+)"/.exec(html) ?? [];
      if (entry === undefined) continue;
      assert.ok(html.includes('<script src="/import-map.js">'), page);
      assert.deepEqual(await follow(entry, imports), [], page);
      followed += 1;
    }
    assert.ok(followed > 3);
  });
});

describe("The demo's apps", () => {
  for (const app of Object.keys(APPS)) {
    it(`The app ${app}, copied out of the repository, has all files that it imports, and depends on this package`, async () => {
      const folder = await mkdtemp(join(tmpdir(), "demo-"));
      try {
        await copyApp(app, folder);
        const sources = await filesBelow(join(folder, "src"), "");
        const found = sources.filter((file) => /\.(astro|svelte|ts|tsx|vue)$/.test(file));
        assert.ok(found.length > 1);
        for (const file of found) {
          const text = await readFile(file, "utf8");
          for (const [, path = ""] of text.matchAll(/\b(?:from|import) ?\(?"(\.[^"]+)"/g)) {
            if (path === "./$types") continue;
            const target = join(dirname(file), path);
            const isThere = sources.some((each) => /^(\.tsx?)?$/.test(each.replace(target, "")));
            assert.ok(isThere, `${file} imports ${path}`);
          }
        }
        for (const file of ["package.json", "package-lock.json"]) {
          const text = await readFile(join(folder, file), "utf8");
          const paths = [...text.matchAll(/"file:([^"]+)"/g)].map(([, path = ""]) => path);
          assert.ok(paths.length > 0);
          for (const path of paths) assert.equal(resolve(folder, path), cwd());
        }
      } finally {
        await rm(folder, { recursive: true });
      }
    });
  }
});

describe("The npm package", () => {
  it("The package depends on lit, @lit/context, oauth4webapi, and two packages that are loaded on demand", () => {
    assert.deepEqual(Object.keys(packageJson.dependencies).sort(), [
      "@lit/context",
      "@noble/ed25519",
      "libphonenumber-js",
      "lit",
      "oauth4webapi",
    ]);
  });

  it("The core exports at most 123 names, types included, and the main entry at most 190", () => {
    const limits = new Map([
      ["dist/core/index.d.ts", 123],
      ["dist/index.d.ts", 190],
    ]);
    const program = ts.createProgram([...limits.keys()], {
      module: ts.ModuleKind.NodeNext,
      types: [],
    });
    const checker = program.getTypeChecker();
    for (const [path, limit] of limits) {
      const source = program.getSourceFile(path);
      const entry = source && checker.getSymbolAtLocation(source);
      assert.ok(entry, path);
      const names = checker.getExportsOfModule(entry).map(({ name }) => name);
      assert.ok(names.includes("InteractiveAuth"), path);
      assert.ok(names.length <= limit, `${path} exports ${names.length} names`);
    }
  });

  it("The icons of identity providers equal those of Simple Icons", async () => {
    const text = await readFile("src/elements/matrix-login/brand-icons.ts", "utf8");
    const paths = [...text.matchAll(/^ {2}(\w+):\s*"(m.+)",$/gim)].map(([, brand, path]) => [
      brand,
      path,
    ]);
    const { siApple, siFacebook, siGithub, siGitlab, siGoogle, siX } = await import("simple-icons");
    const icons = [siApple, siFacebook, siGithub, siGitlab, siGoogle, siX];
    assert.deepEqual(
      paths,
      icons.map(({ slug, path }) => [slug, path]),
    );
  });

  it("The elements' version equals that in package.json", async () => {
    const { OidcLoginElement } = await import("matrix-auth-elements");
    assert.equal(OidcLoginElement.version, packageJson.version);
  });

  it("The main entry registers no element, and /define registers all six", async () => {
    const { stdout: counts } = await exec(process.execPath, [
      "--input-type=module",
      "--eval",
      `let defined = 0;
       globalThis.customElements = { get: () => undefined, define: () => { defined += 1; } };
       await import("matrix-auth-elements");
       console.log(defined);
       await import("matrix-auth-elements/define");
       console.log(defined);`,
    ]);
    assert.deepEqual(counts.trim().split("\n"), ["0", "6"]);
  });
});
