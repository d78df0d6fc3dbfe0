import { expect } from "@open-wc/testing";
import { OidcError, validateAuthMetadata } from "matrix-auth-elements/core";
// Only the elements and Node's sign-in need this function, so it is not public.
// eslint-disable-next-line @typescript-eslint/no-restricted-imports
import { assertPrompt } from "../../../dist/core/oauth/metadata.js";
import { expectFlowError, faultsOf } from "../../support/rejection.ts";
import { restoreStubs, stub } from "../../support/stub.ts";

const GOOD = {
  issuer: "https://idp.example/",
  authorization_endpoint: "https://idp.example/authorize",
  token_endpoint: "https://idp.example/token",
  revocation_endpoint: "https://idp.example/revoke",
  response_types_supported: ["code"],
  code_challenge_methods_supported: ["S256"],
};
const EVERYTHING = {
  ...GOOD,
  registration_endpoint: "https://idp.example/register",
  device_authorization_endpoint: "https://idp.example/device",
  jwks_uri: "https://keys.example/jwks",
  account_management_uri: "https://account.example/",
  account_management_actions_supported: ["org.matrix.profile"],
  response_modes_supported: ["query", "fragment"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  prompt_values_supported: ["create"],
  id_token_signing_alg_values_supported: ["RS256"],
  authorization_response_iss_parameter_supported: true,
};

/** Members that no sign-in needs. */
const UNNEEDED = [
  "account_management_uri",
  "account_management_actions_supported",
  "prompt_values_supported",
];

async function faults(
  metadata: unknown,
  options?: Parameters<typeof validateAuthMetadata>[1],
): Promise<readonly string[]> {
  return faultsOf(
    await expectFlowError(
      () => validateAuthMetadata(metadata, options),
      OidcError.OpSupport,
      "metadata_invalid",
    ),
  );
}

describe("validateAuthMetadata", () => {
  it("accepts metadata with only the required members", () => {
    expect(validateAuthMetadata(GOOD)).to.deep.equal(GOOD);
  });

  it("accepts metadata with all members, and keeps unknown ones", () => {
    const metadata = { ...EVERYTHING, "org.example.extra": { nested: [1] } };

    expect(validateAuthMetadata(metadata)).to.deep.equal(metadata);
  });

  it("reports every fault in one error, and in the message of its cause", async () => {
    const { cause } = await expectFlowError(
      () => validateAuthMetadata({ ...GOOD, issuer: "", token_endpoint: "x" }),
      OidcError.OpSupport,
      "metadata_invalid",
    );

    expect(cause).to.have.property(
      "message",
      "issuer is missing; token_endpoint is not an HTTPS URL",
    );
  });

  it("doesn't change its argument", () => {
    const metadata = { ...GOOD, jwks_uri: null };

    validateAuthMetadata(metadata);

    expect(metadata).to.deep.equal({ ...GOOD, jwks_uri: null });
  });

  for (const member of UNNEEDED) {
    it(`omits an invalid ${member}, which no sign-in needs, with a warning`, () => {
      const warnings: unknown[] = [];
      stub(console, "warn", { value: (text: string) => warnings.push(text) });
      const { [member]: _, ...others } = EVERYTHING as Record<string, unknown>;
      for (const value of ["javascript:alert(1)", "http://idp.example/x", "/x", 5, {}, [5]]) {
        expect(validateAuthMetadata({ ...EVERYTHING, [member]: value })).to.deep.equal(others);
      }
      restoreStubs();
      expect(warnings).to.have.length(6);
      expect(warnings[0]).to.contain(`Ignoring the provider's ${member}`);
    });
  }

  it("accepts http only on this machine", () => {
    for (const host of ["localhost:8080", "127.0.0.1", "[::1]:1", "idp.localhost"]) {
      const origin = `http://${host}`;
      expect(
        validateAuthMetadata({
          ...GOOD,
          issuer: `${origin}/`,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          revocation_endpoint: `${origin}/revoke`,
        }).issuer,
      ).to.equal(`${origin}/`);
    }
  });

  for (const host of ["127.0.0.1.evil.example", "localhost.evil.example", "0.0.0.0", "10.0.0.1"]) {
    it(`doesn't treat ${host} as this machine`, async () => {
      expect(await faults({ ...GOOD, issuer: `http://${host}/` })).to.deep.equal([
        "issuer is not an HTTPS URL",
      ]);
    });
  }

  it("needs neither a registration endpoint nor the refresh grant", () => {
    const metadata = { ...GOOD, grant_types_supported: ["authorization_code"] };

    expect(validateAuthMetadata(metadata)).to.deep.equal(metadata);
  });

  it("collects every fault as a separate error", async () => {
    expect(
      await faults({
        issuer: "http://idp.example/",
        token_endpoint: "javascript:alert(1)",
        revocation_endpoint: "https://idp.example/revoke",
        registration_endpoint: 5,
        response_types_supported: ["token"],
        grant_types_supported: "authorization_code",
        response_modes_supported: [1],
      }),
    ).to.have.members([
      "issuer is not an HTTPS URL",
      "authorization_endpoint is missing",
      "token_endpoint is not an HTTPS URL",
      "registration_endpoint is not an HTTPS URL",
      "response_types_supported lacks code",
      "code_challenge_methods_supported is missing",
      "grant_types_supported is not a list of strings",
      "response_modes_supported is not a list of strings",
    ]);
  });
});

describe("assertPrompt", () => {
  const create = validateAuthMetadata(EVERYTHING);
  const other = validateAuthMetadata({ ...GOOD, prompt_values_supported: ["login"] });
  const none = validateAuthMetadata(GOOD);

  it("allows every prompt that needs no support, and create if the provider supports it", () => {
    for (const metadata of [create, other, none]) {
      for (const prompt of [undefined, "", "login"]) assertPrompt(metadata, prompt);
    }
    assertPrompt(create, "create");
  });

  for (const metadata of [other, none]) {
    it(`rejects create with ${String(metadata.prompt_values_supported)}`, () =>
      expectFlowError(
        () => assertPrompt(metadata, "create"),
        OidcError.OpSupport,
        "prompt_not_supported",
      ));
  }
});
