import { expect } from "@open-wc/testing";
import { OidcError, completeAuthorizationCodeGrant, revokeTokens } from "matrix-auth-elements/core";
import { everyTextIn, expectFlowError } from "../../support/rejection.ts";
import { ScriptedFetch, json } from "../../support/scripted-fetch.ts";
import { ISSUER, ScriptedProvider } from "../../support/scripted-provider.ts";
import { logIn } from "../login.ts";

const TOKEN = "a+secret/token=with&every%kind";
const lowerCase = (text: string): string =>
  text.replace(/%[\dA-F]{2}/g, (escape) => escape.toLowerCase());

describe("The error for an issuer's rejection", () => {
  for (const [what, echo] of [
    ["as it is", TOKEN],
    ["percent-encoded", encodeURIComponent(TOKEN)],
    ["percent-encoded in lower case", lowerCase(encodeURIComponent(TOKEN))],
    ["as a form", new URLSearchParams({ token: TOKEN }).toString()],
    ["with a plus sign as it is", encodeURIComponent(TOKEN).replace("%2B", "+")],
    ["with every letter encoded", TOKEN.replace(/./g, hex)],
  ] as const) {
    for (const member of ["error", "error_description"]) {
      it(`contains no token that the issuer repeats ${what} in ${member}`, async () => {
        const body = { error: "invalid_request", [member]: `Not valid: ${echo}, try again` };
        const { fetch } = new ScriptedFetch({ [`POST ${ISSUER}revoke`]: json(body, 400) });
        const error = await expectFlowError(
          revokeTokens(
            { revocation_endpoint: `${ISSUER}revoke` },
            "client",
            { access_token: TOKEN },
            { fetch },
          ),
          OidcError.RevokeTokenFailed,
          "token_request_refused",
        );

        expect(everyTextIn(error)).not.to.contain(echo);
        expect(everyTextIn(error)).to.contain("…");
      });
    }
  }

  it("contains no code that the issuer repeats without the verifier", async () => {
    const provider = await ScriptedProvider.create();
    const { code, state } = await logIn(provider);
    const echo = code.replace(/./g, hex);
    const body = { error: "invalid_request", error_description: `Not valid: ${echo}, try again` };
    provider.server.routes[`POST ${ISSUER}token`] = json(body, 400);
    const error = await expectFlowError(
      completeAuthorizationCodeGrant(code, state, provider.server),
      OidcError.CodeExchangeFailed,
      "token_request_refused",
    );

    expect(everyTextIn(error)).not.to.contain(echo);
  });
});

function hex(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16)}`;
}
