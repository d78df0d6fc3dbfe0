import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const FIRST = "matrix-auth-elements.js";
/** The code that verifies tokens, which two parts of one page share. */
const OAUTH = "oauth4webapi.js";
const own = (file: string): string => `elements/${file}.js`;

/** The core's functions for signing in and out with OAuth 2.0. */
const SIGNING_IN = [
  "accountManagementUrl",
  "completeAuthorizationCodeGrant",
  "completeAuthorizationCodeGrantFromUrl",
  "completeDeviceAuthorizationGrant",
  "completeFlow",
  "createFlow",
  "discoverAndValidateOIDCIssuerWellKnown",
  "discoverHomeserver",
  "discoverIssuer",
  "fetchAuthMetadata",
  "flowOfRecord",
  "generateAuthorizationParams",
  "generateAuthorizationUrl",
  "generateOidcAuthorizationUrl",
  "generateScope",
  "registerOidcClient",
  "revokeTokens",
  "startDeviceAuthorization",
  "storeFlow",
  "validateAuthMetadata",
  "waitForDeviceAuthorization",
  "OidcError",
  "OidcErrorCode",
  "OidcFlowError",
];

describe("Size, minified, gzip -9", () => {
  const KB = 1024;
  const gzipped = async (file: string): Promise<number> =>
    gzipSync(await readFile(join("dist/cdn", file)), { level: 9 }).byteLength;

  /** The purpose, its files, and their maximum size in KB. test/e2e tests which files a page loads. */
  const budgets: readonly (readonly [string, readonly string[], number])[] = [
    ["before the first paint of <oidc-login>", [FIRST], 15],
    ["to go to the provider", [FIRST, "login.js"], 27.75],
    ["to have tokens and a client", [FIRST, "callback.js", OAUTH], 37],
    [
      "to have tokens, a client and a session that is kept",
      [FIRST, "callback.js", OAUTH, "session.js"],
      51.25,
    ],
    ["for a dialog that asks for a password", [FIRST, "uia.js"], 32.75],
    ["for <matrix-login> to ask for a password", [FIRST, "matrix.js"], 37],
    ["by <oidc-login>'s own file, before the first paint", [own("oidc-login")], 10],
    ["by <oidc-login>'s own file", [own("oidc-login"), own("oidc-login/login")], 23.5],
    [
      "by <oidc-callback>'s own file",
      [own("oidc-callback"), own("oidc-callback/callback"), OAUTH],
      33.5,
    ],
    ["by <uia-dialog>'s own file", [own("uia-dialog"), own("uia-dialog/uia")], 28.75],
    ["by <matrix-login>'s own file", [own("matrix-login"), own("matrix-login/matrix")], 34.25],
    ["by <matrix-account>'s own file, before the first paint", [own("matrix-account")], 10],
    [
      "by <matrix-account>'s own file",
      [own("matrix-account"), own("matrix-account/account")],
      26.75,
    ],
    [
      "by the frame's own file",
      [own("uia-fallback-frame"), own("uia-fallback-frame/fallback")],
      13.5,
    ],
    [
      "on a visit that signs in, comes back and confirms",
      [FIRST, "login.js", "callback.js", OAUTH, "uia.js"],
      67.75,
    ],
    ["to keep a user signed in", ["session.js", OAUTH], 22.25],
    ["to create an account or reset a password", ["account-form.js"], 2.25],
    ["to open the provider in a popup", ["popup-login.js"], 2.25],
    ["to complete a login in a popup", ["login-completion.js", OAUTH], 18],
    ["to open another site's page", ["fallback.js"], 4.25],
    ["for a registration's stages", ["registration-stages.js"], 2.25],
    ["for a phone number and its code", ["phone.js", "url.js"], 3.75],
    ["for the provider's metadata", ["auth-metadata.js"], 4.25],
    ["to make cross-signing keys", ["cross-signing.js"], 1.5],
    ["with all of /core", ["core.js"], 34.5],
    ["with everything in a classic script", ["matrix-auth-elements.global.js"], 95],
    ["in a service worker", ["service-worker.global.js"], 17],
  ];
  for (const [what, files, most] of budgets) {
    it(`the files loaded ${what} have at most ${most} KB`, async () => {
      const sizes = await Promise.all(files.map(gzipped));
      const bytes = sizes.reduce((sum, size) => sum + size, 0);
      assert.ok(bytes <= most * KB, `${bytes} bytes`);
      // If the files are smaller, the maximum must be lowered.
      assert.ok(bytes > (most - 0.5) * KB, `only ${bytes} bytes`);
    });
  }

  it("the documentation's sizes are those of the files, rounded up to KB", async () => {
    const [readme = "", entryPoints = ""] = await Promise.all(
      ["README.md", "docs/reference/entry-points.md"].map((page) => readFile(page, "utf8")),
    );
    /** The size of a part and of the shared file that it loads. */
    const inKb = async (file: string): Promise<string> => {
      const needs = /^(elements\/oidc-callback\/callback|callback|session)$/.test(file);
      const sizes = await Promise.all([`${file}.js`, ...(needs ? [OAUTH] : [])].map(gzipped));
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
    const signingIn = await Promise.all([FIRST, "matrix.js", "session.js", OAUTH].map(gzipped));
    const inAll = Math.ceil(signingIn.reduce((sum, size) => sum + size, 0) / KB);
    assert.deepEqual(readme.match(/\d+(?= KB)/g), [
      await inKb("matrix-auth-elements"),
      String(inAll),
    ]);
  });

  it("the core of signing in is at most 21 KB", async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: `export { ${SIGNING_IN.join(", ")} } from "./dist/core/index.js";`,
        resolveDir: process.cwd(),
      },
      bundle: true,
      minify: true,
      format: "esm",
      write: false,
    });
    const bytes = gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).byteLength;
    assert.ok(bytes > 10 * KB && bytes <= 21 * KB, `${bytes} bytes`);
  });
});
