import { expect } from "@open-wc/testing";
import { secureRandomString } from "matrix-auth-elements/core";
import { restoreStubs, stub } from "../support/stub.ts";

describe("secureRandomString", () => {
  afterEach(restoreStubs);

  for (const length of [1, 2, 43, 128, 65_536]) {
    it(`returns ${length} letters and digits for a length of ${length}`, () => {
      expect(secureRandomString(length))
        .to.match(/^[A-Za-z0-9]+$/)
        .and.to.have.length(length);
    });
  }

  it("returns a different string each time", () => {
    const many = Array.from({ length: 1000 }, () => secureRandomString(10));

    expect(new Set(many)).to.have.property("size", 1000);
  });

  it("uses all 62 letters and digits", () => {
    expect(new Set(secureRandomString(65_536))).to.have.property("size", 62);
  });

  it("skips characters other than letters and digits", () => {
    const text = Array.from("9A-_", (character) => character.charCodeAt(0));
    const draws = [text, [], text];
    stub(crypto, "getRandomValues", {
      value: (bytes: Uint8Array) => {
        bytes.fill(255).set(draws.shift() ?? []);
        return bytes;
      },
    });

    expect(secureRandomString(4)).to.equal("9A9A");
  });

  for (const length of [0, -1, 1.5, NaN, Infinity, 65_537]) {
    it(`throws a RangeError for a length of ${length}`, () => {
      expect(() => secureRandomString(length)).to.throw(RangeError);
    });
  }
});
