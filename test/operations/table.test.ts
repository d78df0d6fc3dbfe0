// The last step of .ci/run, after every tier has recorded its operations.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { faultsOfRecords, PAGE, withTable } from "./table.mjs";

describe("The table of operations", () => {
  it("has a check mark for every tested operation, and a reason for every other one", async () => {
    assert.deepEqual(await faultsOfRecords(), []);
  });

  it("is up to date in docs/reference/compatibility.md (`npm run table` writes it)", async () => {
    const page = await readFile(PAGE, "utf8");
    assert.equal(page, await withTable(page));
  });
});
