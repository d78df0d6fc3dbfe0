import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

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
   * What a page loads, its files, and the limit in KB. test/e2e tests which files a page loads. The rules of security
   * have added 2 to 7 KB: sign-in pages should have 31 again, callback pages 40 and 55, dialogs 36, `<matrix-login>` 42,
   * and a visit 74.
   */
  const limits: readonly (readonly [string, readonly string[], number])[] = [
    ["before the first paint of <oidc-login>", [FIRST], 17],
    ["on a sign-in page until it is ready", [FIRST, "login.js"], 34.5],
    ["on a callback page until it has tokens and a client", [FIRST, "callback.js", REQUESTS], 45],
    [
      "on a callback page that stores the session",
      [FIRST, "callback.js", REQUESTS, "session.js"],
      57.5,
    ],
    ["on a page whose dialog asks for a password", [FIRST, "uia.js"], 38.5],
    ["on a page with <matrix-login> until its password form", [FIRST, "matrix.js"], 45.5],
    ["by <matrix-account>'s own file before the first paint", [own("matrix-account")], 12],
    [
      "by <matrix-account>'s own file until its devices",
      [own("matrix-account"), own("matrix-account/account")],
      40,
    ],
    [
      "on a visit that signs in, comes back, and confirms",
      [FIRST, "login.js", "callback.js", REQUESTS, "uia.js"],
      84,
    ],
  ];
  for (const [what, files, most] of limits) {
    it(`the files loaded ${what} have at most ${most} KB`, async () => {
      const sizes = await Promise.all(files.map(gzipped));
      const bytes = sizes.reduce((sum, size) => sum + size, 0);
      assert.ok(bytes <= most * KB, `${bytes} bytes`);
    });
  }

  it("the documentation's sizes are those of the files, rounded up to KB", async () => {
    const [readme = "", entryPoints = ""] = await Promise.all(
      ["README.md", "docs/reference/entry-points.md"].map((page) => readFile(page, "utf8")),
    );
    /** The size of a part and of the shared file that it loads. */
    const inKb = async (file: string): Promise<string> => {
      const needs = /^(elements\/oidc-callback\/callback|callback|session)$/.test(file);
      const sizes = await Promise.all([`${file}.js`, ...(needs ? [REQUESTS] : [])].map(gzipped));
      return `${Math.ceil(sizes.reduce((sum, size) => sum + size, 0) / KB)}`;
    };
    const together = async (part: string): Promise<string> =>
      `${await inKb("matrix-auth-elements")} + ${await inKb(part)}`;
    const alone = async (element: string, part: string): Promise<string> =>
      `${await inKb(`elements/${element}`)} + ${await inKb(`elements/${element}/${part}`)}`;
    const cellsOf = (row: string): readonly string[] => {
      const [, cells = ""] =
        new RegExp(`^\\| \`${row}\` +\\|(.*)\\|$`, "m").exec(entryPoints) ?? [];
      return cells.split("|").map((cell) => cell.trim());
    };
    for (const file of [
      "session",
      "core",
      "service-worker.global",
      "matrix-auth-elements.global",
    ]) {
      assert.equal(cellsOf(`${file}.js`)[1], `${await inKb(file)} KB`, file);
    }
    for (const [element, part] of [
      ["matrix-login", "matrix"],
      ["matrix-account", "account"],
      ["oidc-login", "login"],
      ["oidc-callback", "callback"],
      ["uia-dialog", "uia"],
      ["uia-fallback-frame", "fallback"],
    ] as const) {
      const sums = [await together(part), await alone(element, part)];
      assert.deepEqual(cellsOf(`<${element}>`).slice(0, 2), sums, element);
    }
    const signingIn = await Promise.all([FIRST, "matrix.js", "session.js", REQUESTS].map(gzipped));
    const inAll = Math.ceil(signingIn.reduce((sum, size) => sum + size, 0) / KB);
    assert.deepEqual(readme.match(/\d+(?= KB)/g), [
      await inKb("matrix-auth-elements"),
      String(inAll),
    ]);
  });

  it("the core of signing in and staying signed in has at most 28.5 KB", async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: `export { ${SIGNED_IN.join(", ")} } from "./dist/core/index.js";`,
        resolveDir: process.cwd(),
      },
      bundle: true,
      minify: true,
      format: "esm",
      write: false,
    });
    const bytes = gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).byteLength;
    assert.ok(bytes <= 28.5 * KB, `${bytes} bytes`);
  });
});
