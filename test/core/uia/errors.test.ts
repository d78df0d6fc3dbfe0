import { expect } from "@open-wc/testing";
import { NoAuthFlowFoundError, UiaError } from "matrix-auth-elements/core";

describe("UiaError and NoAuthFlowFoundError", () => {
  /** An error of another copy of the library. */
  const copyOf = (name: string): Error =>
    Object.assign(new Error("a copy"), { name, [Symbol.for("matrix-auth-elements/error")]: true });
  class Special extends UiaError {}
  class SpecialFlow extends NoAuthFlowFoundError {}

  for (const [what, make, classes] of [
    ["a UiaError", () => new UiaError("cancelled", "text"), [UiaError]],
    ["another copy's UiaError", () => copyOf("UiaError"), [UiaError]],
    [
      "a NoAuthFlowFoundError",
      () => new NoAuthFlowFoundError("text", [], []),
      [UiaError, NoAuthFlowFoundError],
    ],
    [
      "another copy's NoAuthFlowFoundError",
      () => copyOf("NoAuthFlowFoundError"),
      [UiaError, NoAuthFlowFoundError],
    ],
    ["the page's own class", () => new Special("cancelled", "text"), [UiaError, Special]],
    ["another error", () => new Error("text"), []],
    ["null", () => null, []],
    ["undefined", () => undefined, []],
  ] as const) {
    it(`identify ${what} as one of them`, () => {
      const error: unknown = make();
      const known = [UiaError, NoAuthFlowFoundError, Special, SpecialFlow];

      expect(known.filter((each) => error instanceof each)).to.deep.equal(classes);
    });
  }
});
