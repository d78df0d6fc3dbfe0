import { expect } from "@open-wc/testing";
import { OidcError, completeAuthorizationCodeGrantFromUrl } from "matrix-auth-elements/core";
// Only the elements need this function, so it is not public.
// eslint-disable-next-line @typescript-eslint/no-restricted-imports
import { withoutAuthorizationResponse } from "../../../dist/core/oauth/response.js";
import { expectFlowError } from "../../support/rejection.ts";
import { ScriptedProvider } from "../../support/scripted-provider.ts";
import { blockStorage, restoreStubs } from "../../support/stub.ts";
import { logIn } from "../login.ts";

/** The ways in which routers with paths in the fragment start a fragment without a path. */
const HASH_ROUTES = ["#/", "#!/", "#!", "#/?", "#?"] as const;

describe("A URL without its response", () => {
  const parameters =
    "code state iss error error_description error_uri session_state id_token access_token token_type expires_in scope response";

  for (const [mode, mark] of [
    ["query", "?"],
    ["fragment", "#"],
  ] as const) {
    it(`has only the page's own parameters in the ${mode}`, () => {
      const url = `https://app.example/callback${mark}own=%41+b`;
      const response = parameters.split(" ").map((name) => `${name}=x`);

      expect(
        withoutAuthorizationResponse(`${url}&${response.join("&")}&tokens`, { mode }),
      ).to.equal(`${url}&tokens`);
    });
  }

  it("keeps the page's own path in the fragment", () => {
    const url = "https://app.example/callback";

    expect(
      withoutAuthorizationResponse(`${url}?code=x&state=y#/lat=1`, { mode: "query" }),
    ).to.equal(`${url}#/lat=1`);
  });

  for (const start of HASH_ROUTES) {
    it(`has no fragment if a router has made it ${start}code`, () => {
      const url = `https://app.example/callback${start}code=x&state=y`;

      expect(withoutAuthorizationResponse(url, { mode: "fragment" })).to.equal(
        "https://app.example/callback",
      );
    });
  }
});

describe("The response that the browser brings back", () => {
  let provider: ScriptedProvider;
  const complete = (url: string | URL) =>
    completeAuthorizationCodeGrantFromUrl(url, { fetch: provider.server.fetch });

  beforeEach(async () => {
    sessionStorage.clear();
    provider = await ScriptedProvider.create();
  });
  afterEach(restoreStubs);

  for (const url of [
    "https://app.example/callback",
    "https://app.example/callback?code=x",
    "https://app.example/callback?state=x",
    "https://app.example/callback?state=&code=x",
    "https://app.example/callback?error=access_denied",
    "https://app.example/callback#top",
    "/callback?code=x&state=y",
    "not an address",
    "",
  ]) {
    it(`is not found in "${url}"`, async () => {
      const { cause } = await expectFlowError(
        complete(url),
        OidcError.MissingOrInvalidStoredState,
        "flow_unknown",
      );
      expect(cause).to.have.property("message", "The URL contains no authorization response");
      expect(provider.server.log).to.be.empty;
    });
  }

  for (const start of HASH_ROUTES) {
    it(`is found if a router has made its fragment ${start}code`, async () => {
      const { url } = await logIn(provider, { responseMode: "fragment" });

      const { tokenResponse } = await complete(url.replace("#", start));
      expect(tokenResponse.access_token).to.equal(provider.accessToken);
    });
  }

  it("is rejected with storage_unavailable, not flow_unknown, when storage is blocked", async () => {
    const { url } = await logIn(provider);
    blockStorage("sessionStorage");

    await expectFlowError(complete(url), OidcError.StorageUnavailable, "storage_unavailable");
  });

  it("is rejected with the provider's error as the cause's message and error", async () => {
    const { url } = await logIn(provider);
    const refusal = new URL(url);
    refusal.searchParams.delete("code");
    refusal.searchParams.set("error", "made_up");

    const { cause } = await expectFlowError(
      complete(refusal),
      OidcError.CodeExchangeFailed,
      "authorization_failed",
    );
    expect(cause).to.include({ message: "made_up", error: "made_up" });
  });
});
