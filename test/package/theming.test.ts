import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { themingDocs } from "../../scripts/docs/theming.mjs";

describe("docs/theming.md", () => {
  it("has the tables that custom-elements.json gives", async () => {
    const page = await readFile("docs/theming.md", "utf8");
    const fresh = await themingDocs(await readFile("custom-elements.json", "utf8"), page);
    assert.equal(page, fresh, "run `npm run docs` and commit docs/theming.md");
  });

  it("has tables that a change of custom-elements.json changes", async () => {
    const page = await readFile("docs/theming.md", "utf8");
    const manifest = (await readFile("custom-elements.json", "utf8")).replaceAll(
      "--oidc-focus-ring",
      "--oidc-other-ring",
    );
    assert.match(await themingDocs(manifest, page), /`--oidc-other-ring`/);
  });
});
