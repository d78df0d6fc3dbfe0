// A page can load an error class several times: each file of dist/cdn/ has copies, and an app's bundler makes
// another. `instanceof` must hold between them.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import * as library from "matrix-auth-elements";
import { build } from "esbuild";
import { startPages } from "../../demo/server/pages.js";
import { startChromium } from "../e2e/driver/puppeteer.js";

/** Every class of errors, with the classes that it extends. */
const CLASSES = {
  RequestError: ["RequestError"],
  MatrixError: ["MatrixError"],
  OidcFlowError: ["OidcFlowError"],
  LoginError: ["LoginError"],
  UiaError: ["UiaError"],
  NoAuthFlowFoundError: ["NoAuthFlowFoundError", "UiaError"],
};

/** The arguments of each constructor. */
const VALUES = {
  RequestError: ["timeout", ""],
  MatrixError: [{ status: 400, body: {} }],
  OidcFlowError: ["", "timeout"],
  LoginError: ["timeout", ""],
  UiaError: ["cancelled", ""],
  NoAuthFlowFoundError: ["", [], []],
};

type Name = keyof typeof CLASSES;

/** Makes an error of each class that a module exports. */
const MAKE_ALL = `${JSON.stringify(Object.keys(CLASSES))}.flatMap((name) =>
  name in module ? new module[name](...${JSON.stringify(VALUES)}[name]) : [])`;

/** The function body that returns the errors of each file. */
const SOURCES: readonly (readonly [file: string, names: readonly Name[], script: string])[] = [
  ["own/application.js", Object.keys(CLASSES) as Name[], `return ${MAKE_ALL};`],
  ["core.js", Object.keys(CLASSES) as Name[], `return ${MAKE_ALL};`],
  ["session.js", ["RequestError", "MatrixError", "OidcFlowError"], `return ${MAKE_ALL};`],
  [
    "login.js",
    ["OidcFlowError", "RequestError"],
    `const login = document.body.appendChild(document.createElement("oidc-login"));
     Object.assign(login, { homeserver: "https://hs.example", redirectUri: "/" });
     window.fetch = async () => { throw new TypeError(); };
     await login.login();
     return [login.error, login.error.cause];`,
  ],
  [
    "callback.js",
    ["OidcFlowError"],
    `const callback = document.body.appendChild(document.createElement("oidc-callback"));
     const { detail } = await new Promise((done) =>
       callback.addEventListener("oidc-error", done, { once: true }));
     return [detail.error];`,
  ],
  [
    "login-completion.js",
    ["OidcFlowError"],
    `return [(await module.LoginCompletion.of(undefined).settled()).error];`,
  ],
  [
    "uia.js",
    ["UiaError", "NoAuthFlowFoundError"],
    `const dialog = document.body.appendChild(document.createElement("uia-dialog"));
     const fail = (flows) => dialog.authenticate(() => {
       throw Object.assign(new Error(), { httpStatus: 401, data: { session: "s", flows } });
     }).catch((error) => error);
     const cancelled = fail([{ stages: ["m.login.password"] }]);
     while (dialog.state !== "awaiting-input") await new Promise(requestAnimationFrame);
     dialog.cancel();
     return [await cancelled, await fail([])];`,
  ],
];

/** Runs in the page: finds errors that are instances of another class, or not of their own. */
const script = `(async () => {
  await import("/matrix-auth-elements.js");
  const classes = [];
  const errors = [];
  for (const [file, names, get] of [${SOURCES.map(
    ([file, names, get]) => `["${file}", ${JSON.stringify(names)}, async (module) => { ${get} }]`,
  ).join(", ")}]) {
    const module = await import("/" + file);
    const found = await get(module);
    for (const [nth, name] of names.entries()) {
      const error = found[nth];
      if (error?.name !== name) throw new Error(file + ": " + name + " is " + error);
      const isOwn = error.constructor === module[name] || error.stack.includes("/" + file);
      if (!isOwn) throw new Error(file + ": " + error.stack);
      errors.push([file, error]);
      classes.push([file, name, error.constructor]);
    }
  }
  const bases = ${JSON.stringify(CLASSES)};
  return {
    copies: new Set(classes.map(([, , Class]) => Class)).size,
    faults: errors.flatMap(([from, error]) => classes.flatMap(([file, name, Class]) =>
      error instanceof Class === bases[error.name].includes(name) ? [] :
        from + "'s " + error.name + ", " + file + "'s " + name)),
  };
})()`;

describe("instanceof between copies of an error's class", () => {
  it("instanceof is true for the errors of every file in dist/cdn/ and of an app's bundle, and false for other classes", async () => {
    const folder = await mkdtemp(join(tmpdir(), "matrix-auth-elements-"));
    await writeFile(join(folder, "index.html"), "<!doctype html><link rel=icon href=data:,>");
    await build({
      stdin: { contents: 'export * from "matrix-auth-elements";', resolveDir: process.cwd() },
      bundle: true,
      format: "esm",
      outfile: join(folder, "application.js"),
    });
    const { origin, close } = await startPages({
      roots: { "/": resolve("dist/cdn"), "/own/": folder },
    });
    const driver = await startChromium();
    try {
      const tab = await (await driver.newProfile()).newTab();
      // The response belongs to no sign-in of this page.
      await tab.goto(`${origin}/own/?code=code&state=mae-unknown`);
      // login.js, callback.js and login-completion.js share the OidcFlowError of matrix-auth-elements.js.
      const shared = 2;
      assert.deepEqual(await tab.run(script), {
        copies: SOURCES.flatMap(([, names]) => names).length - shared,
        faults: [],
      });
    } finally {
      await driver.close();
      await close();
      await rm(folder, { recursive: true });
    }
  });

  for (const name of Object.keys(CLASSES) as Name[]) {
    it(`instanceof is false for a page's own subclass of ${name}`, async () => {
      const other = await import(pathToFileURL("dist/cdn/core.js").href);
      const [Base, Copy] = [library, other].map(
        (module) => module[name] as new (...values: readonly unknown[]) => Error,
      );
      assert.ok(Base && Copy);
      class Own extends Base {}
      for (const Class of [Base, Copy]) {
        assert.ok(!(new Class(...VALUES[name]) instanceof Own));
        assert.ok(new Own(...VALUES[name]) instanceof Class);
      }
      assert.ok(new Own(...VALUES[name]) instanceof Own);
    });

    it(`instanceof ${name} is false for other values and errors`, () => {
      for (const value of [undefined, null, name, {}, new Error(name), () => name]) {
        assert.ok(!(value instanceof library[name]), String(value));
      }
    });
  }

  for (const [name, own] of [
    ["RequestError", { code: "ECONNRESET" }],
    ["MatrixError", { code: "M_FORBIDDEN" }],
    ["LoginError", { code: "login_failed" }],
  ] as const) {
    it(`instanceof is false for another library's error with the name ${name}`, () => {
      const error = Object.assign(new Error(), { name }, own);
      assert.ok(!(error instanceof library[name]));
    });
  }
});
