import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import * as vite from "vite";

const FIRST = "matrix-auth-elements.js";
/** The requests, the client, and the code that verifies tokens: two parts of one page share them. */
const REQUESTS = "requests.js";
const own = (file: string): string => `elements/${file}.js`;

/** The core's exports that an app needs to sign a user in with OAuth 2.0, and to keep the session. */
const SIGNED_IN = [
  "completeAuthorizationCodeGrantFromUrl",
  "discoverIssuer",
  "generateOidcAuthorizationUrl",
  "OidcSession",
  "secureRandomString",
];

describe("Size, minified, gzip -9", () => {
  const KB = 1024;
  const gzipped = async (file: string): Promise<number> =>
    gzipSync(await readFile(join("dist/cdn", file)), { level: 9 }).byteLength;

  /**
   * What a page loads, its files, and the limit in KB. test/e2e tests which files a page loads. Not reached yet: 40
   * on callback pages, 36 on pages with a dialog, and 74 on a visit.
   */
  const limits: readonly (readonly [string, readonly string[], number])[] = [
    ["before the first paint of <oidc-login>", [FIRST], 17],
    ["on a sign-in page until it is ready", [FIRST, "login.js"], 31],
    ["on a callback page until it has tokens and a client", [FIRST, "callback.js", REQUESTS], 41.7],
    [
      "on a callback page that stores the session",
      [FIRST, "callback.js", REQUESTS, "session.js"],
      55,
    ],
    ["on a page whose dialog asks for a password", [FIRST, "uia.js"], 40.1],
    [
      "on a page with <matrix-login> until its password form",
      [FIRST, "first-screen.js", "matrix.js"],
      42,
    ],
    ["by <matrix-login>'s own file before the first paint", [own("matrix-login")], 21],
    ["by <matrix-account>'s own file before the first paint", [own("matrix-account")], 12],
    [
      "by <matrix-account>'s own file until its devices",
      [own("matrix-account"), own("matrix-account/account")],
      40,
    ],
    [
      "on a visit that signs in, comes back, and confirms",
      [FIRST, "login.js", "authorization.js", "callback.js", REQUESTS, "uia.js"],
      80.1,
    ],
  ];
  for (const [what, files, most] of limits) {
    it(`the files loaded ${what} are at most ${most} KB in total`, async () => {
      const sizes = await Promise.all(files.map(gzipped));
      const bytes = sizes.reduce((sum, size) => sum + size, 0);
      assert.ok(bytes <= most * KB, `${bytes} bytes`);
    });
  }

  it("the documentation's sizes are those of the files, give or take 1 KB", async () => {
    const [readme = "", entryPoints = ""] = await Promise.all(
      ["README.md", "docs/reference/entry-points.md"].map((page) => readFile(page, "utf8")),
    );
    /** The file that a part needs, too. */
    const needsOf = (file: string): readonly string[] => {
      if (/^(elements\/oidc-callback\/callback|callback|session)$/.test(file)) return [REQUESTS];
      // It is loaded before the click.
      if (/(^|\/)login$/.test(file)) return [file.replace(/login$/, "authorization.js")];
      return file === "matrix" ? ["first-screen.js"] : [];
    };
    const sumOf = async (files: readonly string[]): Promise<number> => {
      const sizes = await Promise.all(files.map(gzipped));
      return sizes.reduce((sum, size) => sum + size, 0) / KB;
    };
    const inKb = (file: string): Promise<number> => sumOf([`${file}.js`, ...needsOf(file)]);
    const assertStated = async (
      what: string,
      stated: readonly string[],
      files: readonly (number | Promise<number>)[],
    ): Promise<void> => {
      const sizes = await Promise.all(files);
      assert.equal(stated.length, sizes.length, what);
      for (const [nth, size] of sizes.entries()) {
        const message = `${what}: ${size.toFixed(1)} KB, but ${stated[nth]} KB is stated`;
        assert.ok(Math.abs(Number(stated[nth]) - size) <= 1, message);
      }
    };
    const numbersIn = (row: string, pattern: RegExp): readonly string[] => {
      const [, cells = ""] =
        new RegExp(`^\\| \`${row}\` +\\|(.*)\\|$`, "m").exec(entryPoints) ?? [];
      return cells.match(pattern) ?? [];
    };
    for (const file of [
      "session",
      "core",
      "service-worker.global",
      "matrix-auth-elements.global",
    ]) {
      await assertStated(file, numbersIn(`${file}.js`, /\d+(?= KB)/g), [inKb(file)]);
    }
    for (const [element, part] of [
      ["matrix-login", "matrix"],
      ["matrix-account", "account"],
      ["oidc-login", "login"],
      ["oidc-callback", "callback"],
      ["uia-dialog", "uia"],
      ["uia-fallback-frame", "fallback"],
    ] as const) {
      const own = `elements/${element}`;
      const files = ["matrix-auth-elements", part, own, `${own}/${part}`].map(inKb);
      await assertStated(element, numbersIn(`<${element}>`, /\d+/g), files);
    }
    const inAll = sumOf([FIRST, "first-screen.js", "matrix.js", "session.js", REQUESTS]);
    await assertStated("README", readme.match(/\d+(?= KB)/g) ?? [], [sumOf([FIRST]), inAll]);
  });

  /** What the page of a Vite app with this code loads at once: what `import()` loads comes later. */
  const inVite = async (code: string): Promise<number> => {
    const input = join(process.cwd(), "app.js");
    const built = await vite.build({
      configFile: false,
      logLevel: "silent",
      plugins: [
        {
          name: "app",
          resolveId: (id: string) => (id === input ? id : null),
          load: (id: string) => (id === input ? code : null),
        },
      ],
      build: { write: false, rolldownOptions: { input, external: ["react"] } },
    });
    const chunks = [built]
      .flat()
      .flatMap((each) => ("output" in each ? each.output : []))
      .filter((each) => each.type === "chunk");
    const first = new Set(chunks.filter(({ isEntry }) => isEntry));
    for (const { imports } of first) {
      for (const chunk of chunks) if (imports.includes(chunk.fileName)) first.add(chunk);
    }
    assert.notEqual(first.size, 0);
    const sizes = [...first].map((chunk) => gzipSync(chunk.code, { level: 9 }).byteLength);
    return sizes.reduce((sum, size) => sum + size, 0);
  };
  const apps: readonly (readonly [string, string, number])[] = [
    [
      "a page of a signed-in user, with SessionWatcher, until a refresh is near",
      `import { SessionWatcher } from "matrix-auth-elements/core"; new SessionWatcher({}).current();`,
      11,
    ],
    ["matrix-auth-elements/capture", `import "matrix-auth-elements/capture";`, 1],
    [
      "matrix-auth-elements/react-session",
      `import { useMatrixSession } from "matrix-auth-elements/react-session"; globalThis.app = useMatrixSession;`,
      11.6,
    ],
    ["matrix-auth-elements/define", `import "matrix-auth-elements/define";`, 25],
    ["matrix-auth-elements/matrix-login", `import "matrix-auth-elements/matrix-login";`, 29.5],
    ["matrix-auth-elements/matrix-account", `import "matrix-auth-elements/matrix-account";`, 15.5],
    ["matrix-auth-elements/oidc-login", `import "matrix-auth-elements/oidc-login";`, 14.5],
    ["matrix-auth-elements/uia-dialog", `import "matrix-auth-elements/uia-dialog";`, 15.5],
  ];
  for (const [what, code, most] of apps) {
    it(`${what} is at most ${most} KB in a Vite build`, async () => {
      const bytes = await inVite(code);
      assert.ok(bytes <= most * KB, `${bytes} bytes`);
    });
  }

  it("the documentation states the limit of each import in a Vite build", async () => {
    const page = await readFile("docs/reference/entry-points.md", "utf8");
    const [, section = ""] = page.split("\n### Bundled apps\n");
    const rows = section.matchAll(/^\| `(matrix-auth-elements\/[\w-]+)` +\| ([\d.]+) KB +\|$/gm);
    assert.deepEqual(
      [...rows].map(([, name, most]) => [name, Number(most)]).sort(),
      apps.flatMap(([name, , most]) => (name.startsWith("matrix-") ? [[name, most]] : [])).sort(),
    );
  });

  it("the core that signs in and stays signed in is at most 26.1 KB in a Vite build, until shortly before a refresh", async () => {
    const imports = `import { ${SIGNED_IN.join(", ")} } from "matrix-auth-elements/core";`;
    const bytes = await inVite(`${imports} globalThis.app = [${SIGNED_IN.join(", ")}];`);
    assert.ok(bytes <= 26.1 * KB, `${bytes} bytes`);
  });
});
