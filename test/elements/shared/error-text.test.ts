import { expect } from "@open-wc/testing";
import {
  LoginError,
  MatrixError,
  NoAuthFlowFoundError,
  OidcError,
  OidcFlowError,
  UiaError,
  errorText,
} from "matrix-auth-elements";

describe("errorText()", () => {
  afterEach(() => {
    document.documentElement.lang = "en";
  });

  const unreachable = new OidcFlowError(OidcError.General, "network_error");
  const timeout = new OidcFlowError(OidcError.DynamicRegistrationFailed, "timeout");
  const matrixError = (status: number, errcode = "M_UNKNOWN"): MatrixError =>
    new MatrixError({
      status,
      // This mark must not end the isolation of the words.
      body: { errcode, error: "own\u2069 words" },
      headers: new Headers(),
    });
  const awaitingApproval = matrixError(403, "ORG.MATRIX.MSC3866_USER_AWAITING_APPROVAL");
  for (const [what, error, sentence] of [
    ["a homeserver's rejection", matrixError(403), "The homeserver rejected this request."],
    ["a homeserver's failure", matrixError(502), "Something went wrong on the server."],
    ["a gateway's time limit", matrixError(408), "Something went wrong on the server."],
    ["a request that was too early", matrixError(425), "Something went wrong on the server."],
    [
      "an account that awaits approval",
      awaitingApproval,
      "The homeserver’s administrator must approve",
    ],
  ] as const) {
    it(`is a sentence and the server's message for ${what}`, async () => {
      const text = await errorText(error);
      expect(text).to.match(new RegExp(`^${sentence}`));
      expect(text).to.match(/ \u2068own words\u2069$/);
    });
  }

  const inLogin = new LoginError("login_refused", "secret", {
    errcode: "M_RESOURCE_LIMIT_EXCEEDED",
    reason: "own words",
  });
  for (const [what, error, sentence] of [
    ["a locked account", matrixError(401, "M_USER_LOCKED"), "This account is locked."],
    ["a deactivated account", matrixError(403, "M_USER_DEACTIVATED"), "This account"],
    ["a token of a locked account", matrixError(401, "M_UNKNOWN_TOKEN"), "The homeserver doesn’t"],
    [
      "a session whose new tokens are rejected",
      new OidcFlowError(OidcError.RefreshTokenFailed, "token_refused"),
      "The homeserver doesn’t",
    ],
    ["a full homeserver", matrixError(403, "M_RESOURCE_LIMIT_EXCEEDED"), "This homeserver has"],
    ["a sign-in at a full homeserver", inLogin, "This homeserver has reached its limit"],
    ["a rate limit", matrixError(429), "Too many attempts."],
  ] as const) {
    it(`is a complete sentence for ${what}`, async () => {
      const text = await errorText(error);
      expect(text).to.match(new RegExp(`^${sentence}`));
      expect(text).not.to.contain("own words");
    });
  }

  for (const [what, error, sentence] of [
    ["an OAuth 2.0 error", unreachable, "Can’t reach the server."],
    ["a slow provider", timeout, "The server is taking too long to respond."],
    ["a legacy login's error", new LoginError("user_locked", "secret"), "This account is locked."],
    ["no flow", new NoAuthFlowFoundError("secret", [], []), "The homeserver rejected"],
    ["a page without a handler", new UiaError("no_handler", "none"), "This page isn’t configured"],
    ["anything else", new TypeError("x is undefined"), "Something went wrong."],
    ["a value that is not an error", "secret", "Something went wrong."],
  ] as const) {
    it(`is a sentence for ${what}`, async () => {
      expect(await errorText(error)).to.match(new RegExp(`^${sentence}`));
      expect(await errorText(error)).not.to.contain("secret");
    });
  }

  it("is empty when the user has cancelled", async () => {
    expect(await errorText(new UiaError("cancelled", "cancelled"))).to.equal("");
  });

  it("is in the given language, otherwise in the document's, otherwise in English", async () => {
    await import("matrix-auth-elements/locales/de");
    await import("matrix-auth-elements/locales/fr");
    document.documentElement.lang = "fr";
    expect(await errorText(unreachable, "de-AT")).to.contain("ist nicht erreichbar");
    expect(await errorText(unreachable)).to.match(/^Le serveur/);
    expect(await errorText(unreachable, "tlh")).to.contain("Can’t reach the server.");
  });
});
