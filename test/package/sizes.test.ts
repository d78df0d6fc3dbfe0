import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

describe("Size, minified, gzip -9", () => {
  const KB = 1024;
  const gzipped = async (file: string): Promise<number> =>
    gzipSync(await readFile(join("dist/cdn", file)), { level: 9 }).byteLength;

  /** What it is for, the file, and how many KB it may have. */
  const budgets = [
    [
      "what the browser loads before the first paint of <oidc-login>",
      "matrix-auth-elements.js",
      13.75,
    ],
    ["what <oidc-login> needs to go to the provider", "login.js", 13.25],
    ["what <matrix-login> needs, less what it shares with others", "matrix.js", 20.5],
    ["what creates an account or resets a password", "account-form.js", 2],
    ["what <oidc-callback> needs to get tokens, and its client", "callback.js", 16.75],
    ["what opens the provider in a popup", "popup-login.js", 2.5],
    ["what completes a login in a popup", "completion.js", 12.25],
    ["what keeps a user signed in", "session.js", 17],
    ["what <uia-dialog> needs", "uia.js", 16.75],
    ["what opens another site's page", "fallback.js", 4],
    ["what a registration's stages need", "registration-stages.js", 2.25],
    ["what asks for a phone", "phone.js", 1.5],
    ["what a phone's code needs", "threepid-client.js", 3.5],
    ["what makes cross-signing keys", "cross-signing.js", 1.5],
    ["all of /core, with sessions,", "core.js", 29.5],
    ["everything in a classic script", "matrix-auth-elements.global.js", 77],
    ["what a service worker needs", "service-worker.global.js", 13.5],
  ] as const;
  for (const [what, file, most] of budgets) {
    it(`${what} is at most ${most} KB`, async () => {
      const bytes = await gzipped(file);
      assert.ok(bytes <= most * KB, `${bytes} bytes`);
      // More room would mean a budget that needs to be lowered.
      assert.ok(bytes > (most - 0.5) * KB, `only ${bytes} bytes`);
    });
  }

  it("the documentation's sizes are those of the files, rounded up to KB", async () => {
    const [readme, files] = await Promise.all(
      ["README.md", "docs/installation.md"].map((page) => readFile(page, "utf8")),
    );
    const inKb = async (file: string): Promise<string> =>
      `${Math.ceil((await gzipped(`${file}.js`)) / KB)} KB`;
    for (const file of ["session", "core", "matrix-auth-elements.global"]) {
      const [, size] =
        new RegExp(`^\\| \`${file}.js\` .*\\| (.+?) +\\|$`, "m").exec(files ?? "") ?? [];
      assert.equal(size, await inKb(file), file);
    }
    const [first, login, uia, callback] = readme?.match(/\d+ KB(?= \(gzip\)| for)/g) ?? [];
    assert.deepEqual(
      [first, login, uia, callback],
      await Promise.all(["matrix-auth-elements", "login", "uia", "callback"].map(inKb)),
    );
  });

  it("the core of signing in is at most 13.25 KB", async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: `export * from "./dist/core/oidc/index.js";
          export { discoverHomeserver, fetchAuthMetadata } from "./dist/core/homeserver/index.js";`,
        resolveDir: process.cwd(),
      },
      bundle: true,
      minify: true,
      format: "esm",
      write: false,
    });
    const bytes = gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).byteLength;
    assert.ok(bytes > 10 * KB && bytes <= 13.25 * KB, `${bytes} bytes`);
  });
});
