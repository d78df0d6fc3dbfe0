import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { OidcErrorCode } from "matrix-auth-elements/core";
import { ROWS } from "./cases/index.js";

describe("The table of hostile providers", () => {
  it("has 120 rows at least", () => {
    assert.ok(ROWS.length >= 120, `${ROWS.length} rows`);
  });

  it("calls each row by a name of its own", () => {
    const ids = ROWS.map(({ id }) => id);
    assert.deepEqual(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      [],
    );
    for (const id of ids) assert.match(id, /^[a-z0-9-]+$/);
  });

  for (const { id, source, bent, refused, twin } of ROWS) {
    it(`${id} has a source with an address, something bent, a known error and another twin`, () => {
      assert.match(source, /^.*\S, https:\/\/[^\s]+$/);
      assert.ok(URL.canParse(source.slice(source.lastIndexOf(" ") + 1)));
      assert.notEqual(Object.keys(bent).length, 0);
      assert.ok(Object.values<string>(OidcErrorCode).includes(refused.code));
      assert.notEqual(twin, bent);
    });
  }
});
