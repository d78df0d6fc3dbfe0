import { expect } from "@open-wc/testing";
import {
  OidcError,
  OidcErrorCode,
  OidcFlowError,
  RequestErrorCode,
} from "matrix-auth-elements/core";

describe("OidcError", () => {
  it("has the messages that apps compare", () => {
    expect(OidcError).to.include({
      NotSupported: "OIDC authentication not supported",
      Misconfigured: "OIDC is misconfigured",
      General: "Something went wrong with OIDC discovery",
      OpSupport: "Configured OIDC OP does not support required functions",
      DynamicRegistrationNotSupported: "Dynamic registration not supported",
      DynamicRegistrationFailed: "Dynamic registration failed",
      DynamicRegistrationInvalid: "Dynamic registration invalid response",
      CodeExchangeFailed: "Failed to exchange code for token",
      InvalidBearerTokenResponse: "Invalid bearer token response",
      InvalidIdToken: "Invalid ID token",
      MissingOrInvalidStoredState: "State required to finish logging in is not found in storage.",
    });
  });

  it("has a distinct value for each message", () => {
    expect(new Set(Object.values(OidcError)).size).to.equal(Object.keys(OidcError).length);
  });
});

describe("OidcErrorCode", () => {
  it("has stable values in snake case, because slots are named after them", () => {
    for (const [member, value] of Object.entries(OidcErrorCode)) {
      expect(value).to.equal(member.replace(/(?!^)[A-Z]/g, "_$&").toLowerCase());
    }
  });

  it("contains every code of a request", () => {
    expect(OidcErrorCode).to.include(RequestErrorCode);
  });
});

describe("OidcFlowError", () => {
  it("is an Error with message, code and cause", () => {
    const cause = new Error("beneath");
    const error = new OidcFlowError(OidcError.General, "timeout", cause);

    expect(error).to.be.instanceOf(Error);
    expect(error).to.include({ name: "OidcFlowError", message: OidcError.General, cause });
    expect(error.code).to.equal("timeout");
    expect(String(error)).to.equal(`OidcFlowError: ${OidcError.General}`);
  });

  it("is recognized if it comes from another copy of the library, but not as a subclass", () => {
    class OidcFlowErrorCopy extends Error {
      override name = "OidcFlowError";
    }
    class Special extends OidcFlowError {}
    const brand = { [Symbol.for("matrix-auth-elements/error")]: true };
    const copy = Object.assign(new OidcFlowErrorCopy(), brand);
    const own = new OidcFlowError(OidcError.General, "timeout");

    expect(
      [copy, own, new Error(), undefined].map((each) => each instanceof OidcFlowError),
    ).to.deep.equal([true, true, false, false]);
    expect([copy, own].map((each) => each instanceof Special)).to.deep.equal([false, false]);
    expect(new Special(OidcError.General, "timeout")).to.be.instanceOf(Special);
  });

  it("has no time to wait if the server sent none", () => {
    for (const cause of [undefined, null, "text", new Error("beneath")]) {
      expect(new OidcFlowError(OidcError.General, "timeout", cause).retryAfterMs).to.be.undefined;
    }
  });

  it("is retryable if another attempt might succeed", () => {
    const retryable = Object.values(OidcErrorCode).filter(
      (code) => new OidcFlowError(OidcError.General, code).retryable,
    );

    expect(retryable).to.have.members([
      "network_error",
      "timeout",
      "aborted",
      "rate_limited",
      "server_error",
      "response_not_json",
      "keys_unavailable",
    ]);
  });
});
