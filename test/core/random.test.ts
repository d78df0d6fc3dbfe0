import { expect } from "@open-wc/testing";
import { secureRandomString } from "matrix-auth-elements/core";

describe("secureRandomString", () => {
  it("gives as many letters and digits as asked for", () => {
    expect(secureRandomString(64)).to.match(/^[A-Za-z0-9]{64}$/);
  });
});
