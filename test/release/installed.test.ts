// The package after `npm install matrix-auth-elements`.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { BUNDLERS, bundled } from "./bundlers.js";
import { entriesOf, install, type Installation } from "./installation.js";
import { openPages, type Pages } from "./pages.js";

const exec = promisify(execFile);

const TAGS = [
  "matrix-account",
  "matrix-login",
  "oidc-callback",
  "oidc-login",
  "uia-dialog",
  "uia-fallback-frame",
];

/** The elements that each entry registers; other entries register none. */
const REGISTERS: Record<string, readonly string[] | undefined> = {
  // It takes the response from the URL, and registers no element.
  "matrix-auth-elements/capture": [],
  "matrix-auth-elements/define": TAGS,
  "matrix-auth-elements/matrix-account": ["matrix-account"],
  "matrix-auth-elements/matrix-login": ["matrix-login"],
  "matrix-auth-elements/oidc-callback": ["oidc-callback"],
  "matrix-auth-elements/oidc-login": ["oidc-login"],
  "matrix-auth-elements/uia-dialog": ["uia-dialog", "uia-fallback-frame"],
  "matrix-auth-elements/uia-fallback-frame": ["uia-fallback-frame"],
};

/** Runs in a page: the registered elements. */
const REGISTERED = `${JSON.stringify(TAGS)}.filter((tag) => customElements.get(tag))`;

/** Strings that a bundle contains only with this code. Minifiers keep them. */
const MARKS = {
  Lit: "lit$",
  "ID token": "at_hash",
  "User-Interactive Authentication": "validation_invalid",
  // In quotes: the tag of the class, not the selector of a style.
  "uia-fallback-frame": '"uia-fallback-frame"',
};
const marksIn = (text: string): readonly string[] =>
  Object.entries(MARKS).flatMap(([name, mark]) => (text.includes(mark) ? [name] : []));

/** Browsers cannot load these: Node's modules, and React, which is CommonJS. */
const NOT_FOR_PAGES = ["node", "react", "react-session"].map(
  (entry) => `matrix-auth-elements/${entry}`,
);

let installation: Installation;
let entries: ReadonlyMap<string, string>;
let pages: Pages;

before(async () => {
  installation = await install();
  const root = join(installation.folder, "node_modules/matrix-auth-elements");
  const packageJson = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  entries = await entriesOf(packageJson, root);
  pages = await openPages(installation.folder, entries, packageJson.version);
});

after(async () => {
  await pages?.close();
  await installation?.remove();
});

describe("The package, installed in an empty project", () => {
  it("The installed package has every entry that the documentation imports", async () => {
    const pages = [
      "README.md",
      ...(await readdir("docs/get-started")).map((name) => `docs/get-started/${name}`),
    ];
    const texts = await Promise.all(pages.map((page) => readFile(page, "utf8")));
    const named = [...texts.join("\n").matchAll(/"(matrix-auth-elements[\w./-]*)"/g)];
    const missing = named.flatMap(([, name = ""]) =>
      entries.has(name) || name.endsWith(".js") ? [] : [name],
    );
    assert.deepEqual(missing, []);
    for (const entry of Object.keys(REGISTERS)) assert.ok(entries.has(entry), entry);
  });

  it("Node imports every entry of the installed package without output", async () => {
    const code = `
      const entries = ${JSON.stringify([...entries.keys()])};
      const modules = await Promise.all(entries.map((entry) => import(entry)));
      console.log(JSON.stringify(modules.map((module) => Object.keys(module).length)));`;
    const args = ["--input-type=module", "--eval", code];
    const { stdout, stderr } = await exec(process.execPath, args, { cwd: installation.folder });
    assert.equal(stderr, "");
    const exported = JSON.parse(stdout) as readonly number[];
    const empty = [...entries.keys()].filter((_, nth) => exported[nth] === 0);
    // The entries of types/ have no code to run.
    assert.ok(exported.length > 10);
    assert.deepEqual(
      empty.filter((entry) => !/\/(types\/|capture$)/.test(entry)),
      [],
    );
  });

  it("The installed package type-checks in a project that checks its libraries too", async () => {
    const code = `
      import { HomeserverClient } from "matrix-auth-elements/core";
      import "matrix-auth-elements/define";
      import { signInWithLoopback } from "matrix-auth-elements/node";
      export const user = (): Promise<string> =>
        signInWithLoopback({ homeserver: "example.org", clientId: "id" }).then(({ session }) => session.user.deviceId);
      document.addEventListener("oidc-success", ({ detail }) => detail.tokenResponse.access_token);
      export const delete_ = async (client: HomeserverClient): Promise<void> => {
        await document.querySelector("uia-dialog")?.authenticate((auth) => client.deleteDevice("ID", auth));
      };`;
    await writeFile(join(installation.folder, "use.ts"), code);
    const tsc = join(process.cwd(), "node_modules/@typescript/native/bin/tsc");
    for (const module of ["ESNext", "Node16"]) {
      const moduleResolution = module === "ESNext" ? "bundler" : "node16";
      const args = ["--noEmit", "--strict", "--target", "es2022", "--module", module];
      const { stdout } = await exec(
        process.execPath,
        [tsc, ...args, "--moduleResolution", moduleResolution, "use.ts"],
        { cwd: installation.folder },
      ).catch((error: { readonly stdout: string }) => error);
      assert.equal(stdout, "", moduleResolution);
    }
  });

  it("publint and “Are the types wrong?” find no fault in the tarball", async () => {
    for (const args of [
      ["publint/src/cli.js", "run", installation.tarball, "--strict"],
      ["@arethetypeswrong/cli/dist/index.js", installation.tarball, "--profile", "esm-only"],
    ]) {
      const [cli = "", ...rest] = args;
      const { code, stdout } = await exec(process.execPath, [join("node_modules", cli), ...rest])
        .then(({ stdout: text }) => ({ code: 0, stdout: text }))
        .catch((error: { readonly code: number; readonly stdout: string }) => error);
      assert.equal(code, 0, stdout);
    }
  });
});

/** One entry for each file, and one language for all, because they are alike. */
const forPages = (): readonly string[] =>
  [
    ...new Map(
      [...entries].map(([entry, file]) => [entry.includes("/locales/") ? "locale" : file, entry]),
    ).values(),
  ].filter((entry) => !NOT_FOR_PAGES.includes(entry));

describe("In a browser, with an import map", () => {
  it("Every entry, imported through an import map, registers only its elements, without warnings", async () => {
    for (const entry of forPages()) {
      const { result, logged } = await pages.run(`await import("${entry}"); return ${REGISTERED};`);
      assert.deepEqual({ result, logged }, { result: REGISTERS[entry] ?? [], logged: [] }, entry);
    }
  });

  it("Every element, imported through an import map, loads its parts when they are needed", async () => {
    const { result, logged } = await pages.run(`
      const { OidcLoginElement, UiaDialogElement } = await import("matrix-auth-elements");
      UiaDialogElement.define();
      OidcLoginElement.define();
      const dialog = document.body.appendChild(document.createElement("uia-dialog"));
      const login = document.body.appendChild(document.createElement("oidc-login"));
      await login.login();
      return [await dialog.authenticate(() => Promise.resolve("done")), login.error.code];`);
    assert.deepEqual({ result, logged }, { result: ["done", "homeserver_missing"], logged: [] });
  });
});

for (const bundler of BUNDLERS) {
  describe(`Bundled by ${bundler}`, () => {
    const bundle = (code: string): ReturnType<typeof bundled> =>
      bundled(bundler, code, installation.folder);

    it(`Every entry, bundled by ${bundler}, registers its elements and no others`, async () => {
      for (const entry of forPages()) {
        const { path, text } = await bundle(`import "${entry}";`);
        const registered = REGISTERS[entry];
        if (!registered && !entry.includes("/locales/")) {
          // The app uses none of it, so the bundle is empty.
          assert.ok(text.length < 100, `${entry}: ${text.slice(0, 500)}`);
          continue;
        }
        const { result, logged } = await pages.run(
          `await import("/one${path}"); return ${REGISTERED};`,
        );
        assert.deepEqual({ result, logged }, { result: registered ?? [], logged: [] }, entry);
      }
    });

    it(`One element, bundled with ${bundler}, doesn't contain the others`, async () => {
      for (const code of [
        `import "matrix-auth-elements/oidc-login";`,
        `import "matrix-auth-elements/oidc-callback";`,
        `import { OidcLoginElement } from "matrix-auth-elements"; OidcLoginElement.define();`,
      ]) {
        const { text } = await bundle(code);
        // The whole core is loaded later; webpack puts it into a separate file.
        assert.ok(marksIn(text).includes("Lit"), code);
        assert.ok(!marksIn(text).includes("uia-fallback-frame"), code);
      }
    });

    it(`InteractiveAuth, bundled with ${bundler}, doesn't contain Lit and sign-in`, async () => {
      const { text } = await bundle(
        `import { InteractiveAuth } from "matrix-auth-elements/core";
         globalThis.attempt = (options) => new InteractiveAuth(options).attemptAuth();`,
      );
      assert.deepEqual(marksIn(text), ["User-Interactive Authentication"]);
    });

    it(`A bundle that uses everything contains everything, bundled by ${bundler}`, async () => {
      const { text } = await bundle(
        `import * as all from "matrix-auth-elements"; globalThis.all = all;`,
      );
      assert.deepEqual(marksIn(text), Object.keys(MARKS));
    });
  });
}

describe("Two copies on one page", () => {
  const at = (copy: string, path: string): string =>
    `import("/${copy}/node_modules/matrix-auth-elements/dist/${path}")`;

  for (const path of ["define/index.js", "cdn/matrix-auth-elements.js"]) {
    it(`Two copies of one version of ${path} work without a warning`, async () => {
      const { result, logged } = await pages.run(`
        const one = await ${at("one", path)};
        const classes = ${JSON.stringify(TAGS)}.map((tag) => customElements.get(tag));
        const two = await ${at("two", path)};
        return [one !== two, ${JSON.stringify(TAGS)}.every((tag, i) => customElements.get(tag) === classes[i])];`);
      assert.deepEqual({ result, logged }, { result: [true, true], logged: [] });
    });

    it(`Two versions of ${path} log one warning, and the first stays`, async () => {
      const { result, logged } = await pages.run(`
        await ${at("older", path)};
        await ${at("one", path)};
        return ${JSON.stringify(TAGS)}.map((tag) => customElements.get(tag).version);`);
      assert.deepEqual(
        result,
        TAGS.map(() => "0.0.1"),
      );
      assert.equal(logged.length, 1, logged.join("\n"));
      assert.match(logged.join(), /0\.0\.1/);
    });
  }

  for (const path of ["index.js", "cdn/matrix-auth-elements.js"]) {
    for (const [provider, consumer] of [
      ["one", "two"],
      ["two", "one"],
    ]) {
      it(`Two copies of ${path} provide contexts for each other: ${provider ?? ""} for ${consumer ?? ""}`, async () => {
        const { result, logged } = await pages.run(`
          const provider = await ${at(provider ?? "", path)};
          const consumer = await ${at(consumer ?? "", path)};
          consumer.UiaFallbackFrameElement.define("other-frame");
          const section = document.body.appendChild(document.createElement("section"));
          const frame = section.appendChild(document.createElement("other-frame"));
          provider.provideAuthClient(section, {
            getFallbackAuthUrl: (stage, session) => \`https://hs.example/\${stage}/\${session}\`,
          });
          Object.assign(frame, { stage: "m.login.sso", session: "abc" });
          const opened = new Promise((resolve) => {
            frame.addEventListener("uia-fallback-open", (event) => {
              event.preventDefault();
              resolve(event.detail.url);
            });
          });
          while (!frame.shadowRoot.querySelector("[part=open]")) await new Promise(requestAnimationFrame);
          frame.open();
          return opened;`);
        assert.deepEqual(
          { result, logged },
          { result: "https://hs.example/m.login.sso/abc", logged: [] },
        );
      });
    }

    it(`Two copies of ${path} show the stages of each other's dialog`, async () => {
      const { result, logged } = await pages.run(`
        const one = await ${at("one", path)};
        const two = await ${at("two", path)};
        one.UiaDialogElement.define();
        two.UiaFallbackFrameElement.define("other-frame");
        document.body.innerHTML =
          '<uia-dialog><other-frame slot="org.example.stage"></other-frame></uia-dialog>';
        const [dialog, frame] = document.querySelectorAll("uia-dialog, other-frame");
        dialog.client = {
          getFallbackAuthUrl: (stage, session) => \`https://hs.example/\${stage}/\${session}\`,
        };
        const asked = { session: "abc", flows: [{ stages: ["org.example.stage"] }], params: {} };
        dialog.doRequest = () => Promise.reject({ httpStatus: 401, data: asked });
        dialog.attemptAuth().catch(() => undefined);
        const opened = new Promise((resolve) => {
          frame.addEventListener("uia-fallback-open", (event) => {
            event.preventDefault();
            resolve(event.detail.url);
          });
        });
        while (!dialog.session || !frame.shadowRoot.querySelector("[part=open]")) {
          await new Promise(requestAnimationFrame);
        }
        frame.open();
        return opened;`);
      assert.deepEqual(
        { result, logged },
        { result: "https://hs.example/org.example.stage/abc", logged: [] },
      );
    });
  }
});
