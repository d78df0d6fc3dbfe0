import { expect } from "@open-wc/testing";
import { OidcError, generateScope } from "matrix-auth-elements/core";
import { expectFlowError } from "../../support/rejection.ts";

describe("generateScope", () => {
  it("contains an ID token, the client-server API, and one device", () => {
    expect(generateScope("DEVICE1234")).to.equal(
      "openid urn:matrix:client:api:* urn:matrix:client:device:DEVICE1234",
    );
  });

  it("generates a device ID of ten characters", () => {
    expect(generateScope()).to.match(
      /^openid urn:matrix:client:api:\* urn:matrix:client:device:[A-Za-z0-9]{10}$/,
    );
    expect(generateScope()).not.to.equal(generateScope());
  });

  it("omits openid without an ID token", () => {
    expect(generateScope("DEVICE1234", { openid: false })).to.equal(
      "urn:matrix:client:api:* urn:matrix:client:device:DEVICE1234",
    );
  });

  it("uses the unstable names for old servers, and never both", () => {
    expect(generateScope("DEVICE1234", { unstable: true })).to.equal(
      "openid urn:matrix:org.matrix.msc2967.client:api:* urn:matrix:org.matrix.msc2967.client:device:DEVICE1234",
    );
  });

  it("contains further scopes at the end", () => {
    expect(generateScope("DEVICE1234", { additional: ["urn:synapse:admin:*"] })).to.match(
      / urn:synapse:admin:\*$/,
    );
  });

  for (const deviceId of ["", "with space", 'with"quote', "with\\backslash", "ünïcode", "\u0000"]) {
    it(`rejects the device ID ${JSON.stringify(deviceId)}, with the reason`, async () => {
      const { cause } = await expectFlowError(
        () => generateScope(deviceId),
        OidcError.Misconfigured,
        "settings_invalid",
      );
      expect(cause).to.have.property(
        "message",
        "A device ID or scope contains characters that RFC 6749 does not allow",
      );
    });
  }

  for (const scope of ["", "two scopes", 'quo"te']) {
    it(`rejects the further scope ${JSON.stringify(scope)}`, () =>
      expectFlowError(
        () => generateScope("DEVICE1234", { additional: [scope] }),
        OidcError.Misconfigured,
        "settings_invalid",
      ));
  }
});
