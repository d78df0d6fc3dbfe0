// The documentation's examples: compiled, bundled, and run in pages.
import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { describe, it } from "node:test";
import { build } from "esbuild";
import ts from "typescript";
import { startPages } from "../../demo/server/pages.js";
import { startChromium } from "../e2e/driver/puppeteer.js";
import type { Tab } from "../e2e/driver/driver.js";
import { allBlocks, type Block } from "./blocks.js";

const blocks = await allBlocks();
const inLanguage = (...languages: readonly string[]): readonly Block[] =>
  blocks.filter(({ language, partOf }) => languages.includes(language) && partOf === undefined);

/**
 * The languages of blocks that these tests do not run: commands, diagrams, screen-reader output, old code,
 * and the configuration of servers. `npm test interop` uses Synapse's configuration.
 */
const OTHERS = ["", "nginx", "sh", "text", "toml", "yaml"];

/** The declarations for all examples. */
const AMBIENT = ["test/docs/ambient.d.ts", "test/docs/modules.d.ts"];

/** The names that the text declares for the rest of its page. */
function namesIn(text: string): readonly string[] {
  const { statements } = ts.createSourceFile("block.ts", text, ts.ScriptTarget.ESNext);
  return statements.flatMap((statement): readonly string[] => {
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.flatMap(({ name }) => bound(name));
    }
    const isNamed = ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement);
    return isNamed && statement.name ? [statement.name.text] : [];
  });
}

const bound = (name: ts.BindingName): readonly string[] =>
  ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap((element) => (ts.isBindingElement(element) ? bound(element.name) : []));

/**
 * The type checker's errors in the blocks. Each is a module, which can use the names that its page
 * declares in earlier blocks.
 */
function faultsOf(checked: readonly Block[]): readonly string[] {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    noEmit: true,
    skipLibCheck: true,
    lib: ["lib.esnext.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    // Some of the examples run in Node.
    types: ["node"],
    // The examples are JavaScript: untyped values are any. Their arguments must be correct in
    // TypeScript too.
    strict: false,
    strictNullChecks: true,
  };
  const host = ts.createCompilerHost(options);
  const files = new Map(
    checked.map((block, nth) => [resolve("test/docs", `block-${nth}.ts`), block]),
  );
  const nameOf = new Map([...files].map(([name, block]) => [block, name]));
  const moduleOf = (block: Block): string => {
    const own = namesIn(block.text);
    const isExported = (name: string): boolean =>
      new RegExp(`^export .*\\b${name}\\b`, "m").test(block.text);
    const before = checked.filter(({ page, line }) => page === block.page && line < block.line);
    const known = new Map(before.flatMap((each) => namesIn(each.text).map((name) => [name, each])));
    const imports = [...known]
      .filter(
        ([name]) => !own.includes(name) && !new RegExp(`import.*\\b${name}\\b`).test(block.text),
      )
      .map(
        ([name, each]) => `import { ${name} } from "./${basename(nameOf.get(each) ?? "", ".ts")}";`,
      );
    const exported = own.filter((name) => !isExported(name));
    return `${imports.join(" ")}${block.text}\nexport { ${exported.join(", ")} };`;
  };
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => files.has(name) || fileExists.call(host, name);
  host.getSourceFile = (name, ...rest) => {
    const block = files.get(name);
    if (!block) return getSourceFile.call(host, name, ...rest);
    return ts.createSourceFile(name, moduleOf(block), ts.ScriptTarget.ESNext);
  };
  const program = ts.createProgram([...files.keys(), ...AMBIENT], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const block = files.get(file?.fileName ?? "");
    const line = (block?.line ?? 0) + 1 + (file?.getLineAndCharacterOfPosition(start).line ?? 0);
    return `${block?.page ?? file?.fileName}:${line} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}

describe("The documentation's examples", () => {
  it("The documentation's examples compile against the package's types", () => {
    const examples = inLanguage("js", "ts").filter(({ isApp }) => !isApp);
    assert.ok(examples.length > 15, String(examples.length));
    // The check must detect a fault, matrix-js-sdk's types included.
    const broken = [
      "import { HomeserverClient } from 'matrix-auth-elements'; new HomeserverClient({ baseUrl: '' }).deleteDevices();",
      "import { createClient } from 'matrix-js-sdk'; createClient({ baseUrl: '' }).deleteDevice('LAPTOP', null);",
      "import { restoreSession } from 'matrix-auth-elements'; (await restoreSession({})).signOut();",
    ].map((text) => ({
      page: "none.md",
      line: 1,
      language: "js",
      heading: "",
      text,
      isApp: false,
    }));
    const [first, second, third, ...faults] = faultsOf([...broken, ...examples]);
    assert.deepEqual(faults, []);
    assert.match(first ?? "", /^none\.md:2 .*deleteDevices/);
    assert.match(second ?? "", /^none\.md:2 .*'null' is not assignable/);
    assert.match(third ?? "", /^none\.md:2 .*possibly 'undefined'/);
  });

  it("The examples for the desktop and for mobile devices can be bundled", async () => {
    const examples = inLanguage("js").filter(
      ({ page }) => page === "docs/guides/desktop-and-mobile.md",
    );
    assert.ok(examples.length > 6, String(examples.length));
    for (const { text, page, line } of examples) {
      const isForNode = /from "(electron|node:.+|matrix-auth-elements\/node)"/.test(text);
      // The build fails if a page's example imports a module of Node.
      const { warnings } = await build({
        stdin: { contents: text, resolveDir: process.cwd() },
        bundle: true,
        format: "esm",
        platform: isForNode ? "node" : "browser",
        external: ["electron", "@tauri-apps/*", "@capacitor/*"],
        write: false,
        logLevel: "silent",
      });
      assert.deepEqual(warnings, [], `${page}:${line}`);
    }
  });

  it("Every example of the documentation is compiled or run somewhere", () => {
    const apps = blocks.filter(({ isApp, partOf }) => isApp && partOf === undefined);
    const elsewhere = [...new Set(apps.map(({ language }) => language))];
    const inQuickStarts = ["astro", "html", "js", "json", "jsx", "svelte", "ts", "tsx", "vue"];
    assert.deepEqual(elsewhere.sort(), inQuickStarts);
    const tried = ["js", "ts", "html", "css", ...elsewhere];
    const others = blocks.filter(({ language }) => !tried.includes(language));
    assert.deepEqual([...new Set(others.map(({ language }) => language))].sort(), OTHERS);
    // The tests above don't know the languages of frameworks. test/frameworks follows these sections and guides.
    const followed = /^docs\/(get-started|guides\/(react-|test-a-react-))/;
    const compiled = ["js", "ts", "html", "css", ...OTHERS];
    const missed = blocks.filter(
      ({ page, language, isApp }) => !isApp && !compiled.includes(language) && !followed.test(page),
    );
    assert.deepEqual(
      missed.map(({ page, line }) => `${page}:${line}`),
      [],
    );
  });

  it("The documentation's excerpts from the demo's apps equal them, except for indentation", async () => {
    const flat = (text: string): string => text.replaceAll(/^ +/gm, "");
    const parts = blocks.filter(({ partOf }) => partOf !== undefined);
    assert.ok(parts.length > 8, String(parts.length));
    for (const { partOf = "", text, page, line } of parts) {
      assert.match(partOf, /^demo\/(vue|react|angular|svelte|sveltekit|next|nuxt|astro|shared)\//);
      const whole = flat(await readFile(partOf, "utf8"));
      assert.ok(whole.includes(flat(text)), `${page}:${line} is not in ${partOf}`);
    }
  });

  it("The documentation's routeOf() returns a path of the app for any link", async () => {
    Object.assign(globalThis, { location: new URL("https://app.example/login") });
    const { outputFiles } = await build({
      entryPoints: ["demo/shared/all/session.ts"],
      bundle: true,
      format: "esm",
      alias: { "matrix-auth-elements/core": resolve("dist/core/index.js") },
      write: false,
    });
    const { routeOf } = (await import(
      `data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? "")}`
    )) as { readonly routeOf: (returnTo?: string) => string };
    for (const [returnTo, route] of [
      [undefined, "/"],
      ["/devices?a=b#c", "/devices?a=b#c"],
      ["https://app.example/devices", "/devices"],
      ["https://app.example/#/devices?a=b", "/devices?a=b"],
      ["https://other.example/devices", "/"],
      ["//other.example", "/"],
      ["/\t/other.example", "/"],
      ["\\\\other.example", "/"],
      ["https://app.example@other.example", "/"],
      ["blob:https://app.example/devices", "/"],
      ["blob:https://app.example/#/devices", "/"],
      ["javascript:javascript:alert(1)", "/"],
      ["http://[", "/"],
      ["blob:https://app.example/1f0e7c5a", "/"],
      ["blob:https://app.example/#/devices", "/"],
      ["filesystem:https://app.example/temporary/x", "/"],
      ["/.//other.example", "/other.example"],
      ["/#//other.example", "/other.example"],
      ["/#/\\other.example", "/other.example"],
    ] as const) {
      assert.equal(routeOf(returnTo), route, returnTo);
    }
  });

  it("The documentation's HTML runs as printed, and uses only existing attributes", async () => {
    // guides.test.ts runs the page whose reader fills in a hash.
    const examples = inLanguage("html").filter(
      ({ isApp, text }) => !isApp && !text.includes("{integrity}"),
    );
    assert.ok(examples.length > 8, String(examples.length));
    const texts = await Promise.all(
      examples.map(async ({ text }) => {
        if (text.includes("matrix-auth-elements.js")) return text;
        return text.includes('"matrix-auth-elements/define"')
          ? bundled(text)
          : `<script type="module" src="matrix-auth-elements.js"></script>\n${text}`;
      }),
    );
    await onPages(texts, async (tab, nth) => {
      const faults = await tab.run<readonly string[]>(`(${faultsOnPage.toString()})()`);
      assert.deepEqual(faults, [], `${examples[nth]?.page}:${examples[nth]?.line}`);
    });
  });

  it("The README's page shows the form of <matrix-login>", async () => {
    const [page] = inLanguage("html").filter((block) => block.page === "README.md");
    await onPages([await bundled(page?.text ?? "")], async (tab) => {
      await tab.waitForTrue(`document.querySelector("matrix-login:state(idle)") !== null`);
      await tab.waitForTrue(`document.querySelector("#signed-in").checkVisibility() === false`);
    });
  });

  it("The documentation's views of a stage, with and without Lit, receive the focus and submit the user's input", async () => {
    const guide = blocks.filter(({ page }) => page === "docs/guides/custom-stages.md");
    const textWith = (language: string, part: string): string => {
      const found = guide.find((each) => each.language === language && each.text.includes(part));
      assert.ok(found, part);
      return found.text;
    };
    const { outputFiles } = await build({
      stdin: {
        contents: `import "matrix-auth-elements/define";\n${textWith("js", "ContextConsumer")}`,
        resolveDir: process.cwd(),
      },
      bundle: true,
      format: "esm",
      write: false,
    });
    const views = [
      textWith("html", "customElements.define"),
      `${textWith("html", "autofocus")}<script type="module">${outputFiles[0]?.text ?? ""}</script>`,
    ];
    await onPages(views, async (tab) => {
      await tab.run(`(${requireInvitation.toString()})()`);
      await tab.waitForTrue(`document.querySelector("uia-dialog").state === "awaiting-input"`);
      await tab.waitForTrue(`(${focused.toString()})() === "input"`);
      await tab.type("invitation-code input", "from a friend");
      await tab.press("Enter");
      await tab.waitForTrue(`window.sent.length === 2`);
      assert.deepEqual(await tab.run("window.sent"), [
        null,
        { type: "m.login.registration_token", token: "from a friend", session: "s" },
      ]);
    });
  });

  it("The documentation's styles name custom properties, parts and states that exist", async () => {
    const manifest = await readFile("custom-elements.json", "utf8");
    const named = inLanguage("css").flatMap(({ text }) => [
      ...[...text.matchAll(/(--(?:oidc|uia)-[\w-]+)\s*:/g)].map(([, property]) => property),
      ...[...text.matchAll(/::part\(([\w-]+)\)/g)].map(([, part]) => part),
      ...[...text.matchAll(/:state\(([\w-]+)\)/g)].map(([, state]) => state),
    ]);
    assert.ok(named.length > 3, String(named.length));
    for (const name of named) assert.ok(manifest.includes(`"name": "${name}"`), name);
  });
});

/** Bundles a page's script, which imports from the npm package, like a development server. */
async function bundled(page: string): Promise<string> {
  const [, script = ""] = /<script type="module">([^]*?)<\/script>/.exec(page) ?? [];
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: process.cwd() },
    bundle: true,
    format: "esm",
    write: false,
  });
  return page.replace(
    script,
    () => outputFiles[0]?.text.replaceAll("</script", "<\\/script") ?? "",
  );
}

/** Serves texts as pages, next to the library, and visits each. Fails if a page reports an error. */
async function onPages(
  texts: readonly string[],
  visit: (tab: Tab, nth: number) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "matrix-auth-elements-"));
  await cp("dist/cdn", folder, { recursive: true });
  const theme = inLanguage("css").find((each) => each.text.startsWith("/* theme.css */"));
  await writeFile(join(folder, "theme.css"), theme?.text ?? "");
  const driver = await startChromium();
  const { origin, close } = await startPages({ roots: { "/": folder } });
  try {
    const profile = await driver.newProfile();
    const tab = await profile.newTab();
    for (const [nth, text] of texts.entries()) {
      await writeFile(join(folder, `${nth}.html`), text);
      await tab.goto(`${origin}/${nth}.html`);
      await tab.waitForTrue(`document.readyState === "complete"`);
      await visit(tab, nth);
    }
    // The browser logs that it cannot reach the servers that the examples name.
    const warnings = tab.warnings.filter((each) => !each.includes("Failed to load resource"));
    assert.deepEqual(warnings, []);
  } finally {
    await driver.close();
    await close();
    await rm(folder, { recursive: true });
  }
}

/** Runs in the page. */
const focused = (): string | undefined => {
  const { activeElement } = document;
  return (activeElement?.shadowRoot?.activeElement ?? activeElement)?.localName;
};

/** Runs in the page. */
function requireInvitation(): void {
  const sent: unknown[] = [];
  Object.assign(window, { sent });
  const flows = [{ stages: ["m.login.registration_token"] }];
  void document.querySelector("uia-dialog")?.authenticate(async (auth) => {
    sent.push(auth);
    if (!auth) {
      throw Object.assign(new Error(), { httpStatus: 401, data: { session: "s", flows } });
    }
  });
}

/** Runs in the page. */
function faultsOnPage(): readonly string[] {
  const tags = ["oidc-login", "oidc-callback", "uia-dialog", "uia-fallback-frame"];
  const elements = [...document.querySelectorAll(tags.join())];
  const global = new Set(["id", "class", "slot", "lang", "dir", "hidden", "style", "part"]);
  return elements.flatMap((element) => {
    const { observedAttributes } = element.constructor as { observedAttributes?: string[] };
    if (!observedAttributes) return [`<${element.localName}> is not defined`];
    return element
      .getAttributeNames()
      .filter((name) => !observedAttributes.includes(name) && !global.has(name))
      .map((name) => `<${element.localName}> has no ${name}`);
  });
}
