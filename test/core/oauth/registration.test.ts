import { expect } from "@open-wc/testing";
import {
  OidcError,
  registerOidcClient,
  validateAuthMetadata,
  type OidcRegistrationClientMetadata,
} from "matrix-auth-elements/core";
import { expectFlowError, faultsOf } from "../../support/rejection.ts";
import { json } from "../../support/scripted-fetch.ts";
import { ISSUER, ScriptedProvider } from "../../support/scripted-provider.ts";
import { restoreStubs, stub } from "../../support/stub.ts";

const REGISTER = `POST ${ISSUER}register`;
const LEAST: OidcRegistrationClientMetadata = {
  clientUri: "https://app.example/",
  redirectUris: ["https://app.example/callback"],
};
const EVERYTHING: OidcRegistrationClientMetadata = {
  clientName: "App",
  clientUri: "https://app.example/",
  logoUri: "https://app.example/logo.png",
  applicationType: "web",
  redirectUris: ["https://app.example/callback", "https://app.example/other"],
  contacts: ["admin@app.example"],
  tosUri: "https://www.app.example/terms",
  policyUri: "https://app.example:8443/privacy",
};

const GRANTS = ["authorization_code", "refresh_token"];
const GRANTS_WITH_DEVICE = [...GRANTS, "urn:ietf:params:oauth:grant-type:device_code"];

describe("registerOidcClient", () => {
  let provider: ScriptedProvider;
  let warnings: string[];

  const register = (client: OidcRegistrationClientMetadata = LEAST) =>
    registerOidcClient(validateAuthMetadata(provider.metadata), client, {
      fetch: provider.server.fetch,
    });
  /** The bodies of all attempts. */
  const attempts = (): readonly Record<string, unknown>[] =>
    provider.server
      .to(`${ISSUER}register`)
      .map(({ body }) => JSON.parse(body ?? "") as Record<string, unknown>);
  const sentBody = async (client: OidcRegistrationClientMetadata): Promise<unknown> => {
    await register(client);
    return attempts().at(-1);
  };
  const expectRefused = (
    code: "registration_refused" | "unexpected_status" | "server_error",
    client?: OidcRegistrationClientMetadata,
  ) => expectFlowError(register(client), OidcError.DynamicRegistrationFailed, code);

  const expectMisconfigured = (client: OidcRegistrationClientMetadata) =>
    expectFlowError(register(client), OidcError.Misconfigured, "settings_invalid");

  beforeEach(async () => {
    provider = await ScriptedProvider.create();
    warnings = [];
    stub(console, "warn", { value: (warning: string) => warnings.push(warning) });
  });
  afterEach(restoreStubs);

  it("returns the client ID", async () => {
    expect(await register()).to.equal(provider.clientId);
    expect(provider.server.log).to.deep.equal([REGISTER]);
  });

  it("sends all of the app's metadata", async () => {
    expect(await sentBody(EVERYTHING)).to.deep.equal({
      client_name: "App",
      client_uri: "https://app.example/",
      logo_uri: "https://app.example/logo.png",
      application_type: "web",
      redirect_uris: ["https://app.example/callback", "https://app.example/other"],
      contacts: ["admin@app.example"],
      tos_uri: "https://www.app.example/terms",
      policy_uri: "https://app.example:8443/privacy",
      response_types: ["code"],
      grant_types: ["authorization_code", "refresh_token"],
      token_endpoint_auth_method: "none",
    });
    expect(warnings).to.be.empty;
  });

  it("omits metadata that the app doesn't have", async () => {
    const least = {
      client_uri: "https://app.example/",
      application_type: "web",
      redirect_uris: ["https://app.example/callback"],
      response_types: ["code"],
      grant_types: ["authorization_code", "refresh_token"],
      token_endpoint_auth_method: "none",
    };

    expect(await sentBody(LEAST)).to.deep.equal(least);
    expect(
      await sentBody({ ...LEAST, clientName: "", logoUri: "", contacts: [], tosUri: undefined }),
    ).to.deep.equal(least);
  });

  it("sends the app's metadata for a language", async () => {
    const body = await sentBody({
      ...LEAST,
      clientName: "My client",
      "clientName#fr": "Mon client",
      "clientName#pt-BR": "",
      "logoUri#fr": "https://app.example/logo.fr.png",
      "tosUri#fr": "https://app.example/conditions",
      "policyUri#fr": "https://elsewhere.example/vie-privee",
    });

    expect(body).to.include({
      client_name: "My client",
      "client_name#fr": "Mon client",
      "logo_uri#fr": "https://app.example/logo.fr.png",
      "tos_uri#fr": "https://app.example/conditions",
    });
    expect(body).not.to.have.any.keys("client_name#pt-BR", "policy_uri#fr");
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.contain("policy_uri#fr is omitted");
  });

  it("rejects two names for one language, before anything is sent", async () => {
    const names = { "clientName#pt-BR": "Meu cliente", "clientName#pt-br": "O meu cliente" };
    const error = await expectMisconfigured({ ...LEAST, ...names });

    expect(String(error.cause)).to.contain("A language tag occurs twice");
    expect(provider.server.log).to.be.empty;
  });

  for (const language of ["", "french_language", "f"]) {
    it(`rejects a name for the language "${language}", before anything is sent`, async () => {
      const name = `clientName#${language}` as const;
      const error = await expectMisconfigured({ ...LEAST, [name]: "Mon client" });

      expect(String(error.cause)).to.contain(`${name} contains no language tag`);
      expect(provider.server.log).to.be.empty;
    });
  }

  it("sends and accepts JSON, and sends no other header", async () => {
    await register();

    expect([...(provider.server.requests[0]?.headers ?? [])]).to.deep.equal([
      ["accept", "application/json"],
      ["content-type", "application/json"],
    ]);
  });

  it("requests the device grant too if the issuer lists it", async () => {
    provider.metadata.grant_types_supported = GRANTS_WITH_DEVICE;

    expect(await sentBody(LEAST)).to.have.deep.property("grant_types", GRANTS_WITH_DEVICE);
  });

  for (const member of ["logoUri", "tosUri", "policyUri"] as const) {
    for (const address of [
      "https://elsewhere.example/x",
      "https://app.example.evil.example/x",
      "https://notapp.example/x",
      "http://app.example/x",
      "javascript:alert(1)",
      "not an address",
    ]) {
      it(`omits ${member} of ${address}, with a warning`, async () => {
        const body = await sentBody({ ...EVERYTHING, [member]: address });

        expect(body).not.to.have.property(member.replace("Uri", "_uri"));
        expect(warnings).to.have.length(1);
        expect(warnings[0]).to.contain(member.replace("Uri", "_uri")).and.to.contain(address);
      });
    }
  }

  it("rejects with only the error code if the issuer gives no explanation", async () => {
    const body = { error: "invalid_client_metadata", error_description: 5 };
    provider.server.routes[REGISTER] = json(body, 400);

    const error = await expectRefused("registration_refused");

    expect((error.cause as Error).message).to.equal("invalid_client_metadata");
  });

  it("rejects with the issuer's message, after one request, if the issuer responds like a homeserver", async () => {
    const body = { errcode: "M_FORBIDDEN", error: "Registration is closed" };
    provider.server.routes[REGISTER] = json(body, 403);

    const error = await expectRefused("registration_refused");

    expect(error.reason).to.equal(body.error);
    expect((error.cause as Error).message).to.equal(body.error);
  });

  describe("that the issuer rejects", () => {
    const everything = { ...EVERYTHING, redirectUris: ["http://127.0.0.1:8080/callback"] };
    const registered = json({ client_id: "me" }, 201);
    const REFUSALS: readonly (readonly [error: string, status: number])[] = [
      ["invalid_client_metadata", 400],
      ["invalid_redirect_uri", 400],
      ["invalid_client_uri", 400],
      ["access_denied", 403],
      ["", 403],
      // tuwunel accepts at most 4 KB.
      ["", 413],
      // Some frameworks send this response to unknown members.
      ["", 422],
    ];
    beforeEach(() => (provider.metadata.grant_types_supported = GRANTS_WITH_DEVICE));

    for (const [error, status] of REFUSALS) {
      const refusal = json(error ? { error } : "<h1>No</h1>", status);

      it(`is retried without a port after the error ${error || "none"} (${status})`, async () => {
        provider.server.routes[REGISTER] = (request) =>
          (request.body?.includes(":8080") ? refusal : registered)(request);

        expect(await register(everything)).to.equal("me");
        expect(attempts().at(-1)).to.deep.include({ redirect_uris: ["http://127.0.0.1/callback"] });
      });

      it(`is retried without optional members after the error ${error || "none"} (${status})`, async () => {
        provider.server.routes[REGISTER] = (request) =>
          (/_uri"|#|contacts/.test(request.body?.replace("client_uri", "") ?? "")
            ? refusal
            : registered)(request);

        expect(await register(everything)).to.equal("me");
        expect(attempts()).to.have.length(4);
        expect(attempts().at(-1)).to.have.all.keys(
          ...["client_name", "client_uri", "application_type", "redirect_uris"],
          ...["response_types", "grant_types", "token_endpoint_auth_method"],
        );
      });

      it(`is tried at most four times with the error ${error || "none"} (${status})`, async () => {
        provider.server.routes[REGISTER] = refusal;
        const code = error ? "registration_refused" : "unexpected_status";
        const rejected = await expectRefused(code, everything);
        expect(rejected.httpStatus).to.equal(status);
        expect(new Set(attempts().map((body) => JSON.stringify(body)))).to.have.property("size", 4);
        expect(attempts()).to.have.length(4);
      });
    }

    const WITH_PORT = ["http://127.0.0.1/a", "http://127.0.0.1:8080/a", "https://app.example/b"];
    const WITHOUT_PORT = ["http://127.0.0.1/a", "https://app.example/b"];
    const withoutPort = [WITHOUT_PORT, GRANTS_WITH_DEVICE];
    for (const [what, refuses, ...repeated] of [
      ["the port", /:8080/, withoutPort],
      ["the device grant", /device_code/, [WITH_PORT, GRANTS]],
      ["both", /:8080|device_code/, withoutPort, [WITHOUT_PORT, GRANTS]],
    ] as const) {
      it(`is repeated only without what it rejects: ${what}`, async () => {
        provider.server.routes[REGISTER] = (request) => {
          const [reason] = refuses.exec(request.body ?? "") ?? [];
          const error = `invalid_${reason === ":8080" ? "redirect_uri" : "client_metadata"}`;
          return (reason ? json({ error }, 400) : registered)(request);
        };
        const redirectUris = ["http://127.0.0.1:8080/a", "https://app.example/b"];

        expect(await register({ ...LEAST, redirectUris })).to.equal("me");

        expect(
          attempts().map(({ redirect_uris, grant_types }) => [redirect_uris, grant_types]),
        ).to.deep.equal([[WITH_PORT, GRANTS_WITH_DEVICE], ...repeated]);
      });
    }

    it("is tried once if it has no optional members", async () => {
      provider.metadata.grant_types_supported = GRANTS;
      provider.server.routes[REGISTER] = json({ error: "invalid_client_metadata" }, 400);
      await expectRefused("registration_refused");
      expect(attempts()).to.have.length(1);
    });

    it("is tried once if the issuer fails", async () => {
      provider.server.routes[REGISTER] = json({ error: "server_error" }, 500);
      await expectRefused("server_error", everything);
      expect(attempts()).to.have.length(1);
    });
  });

  it("sends a URI with another URI in its query, and any language tag", async () => {
    const redirectUri = "https://app.example/callback?from=http://localhost:8080/";
    const names = { "clientName#de-1996": "Anwendung", "xclientName#fr": "no member" };

    const body = await sentBody({ ...LEAST, ...names, redirectUris: [redirectUri] });

    expect(body).to.have.deep.property("redirect_uris", [redirectUri]);
    expect(body).to.have.property("client_name#de-1996", "Anwendung");
    expect(JSON.stringify(body)).not.to.contain("no member");
  });

  const bad = {
    "no clientUri": { clientUri: "" },
    "a clientUri over http": { clientUri: "http://app.example/" },
    "a clientUri with a password": { clientUri: "https://a:b@app.example/" },
    "a clientUri that is a script": { clientUri: "javascript:alert(1)" },
    "no redirect URIs": { redirectUris: [] },
    "a redirect URI over http": { redirectUris: ["http://app.example/callback"] },
    "a redirect URI with a fragment": { redirectUris: ["https://app.example/callback#x"] },
    "a redirect URI with an empty fragment": { redirectUris: ["https://app.example/callback#"] },
    "a redirect URI with a password": { redirectUris: ["https://a:b@app.example/callback"] },
    "a redirect URI that is a path": { redirectUris: ["/callback"] },
    "a redirect URI that is a script": { redirectUris: ["javascript:alert(1)"] },
    "a redirect URI that is not a string": { redirectUris: [5 as unknown as string] },
  };
  for (const [what, change] of Object.entries(bad)) {
    it(`rejects with settings_invalid and sends nothing for ${what}`, async () => {
      const error = await expectMisconfigured({ ...LEAST, ...change });

      expect(faultsOf(error)).to.have.length(1);
      expect(provider.server.log).to.be.empty;
    });
  }

  it("rejects with settings_invalid for redirect URIs that are not a list", async () => {
    const client = { clientUri: "https://app.example/" } as OidcRegistrationClientMetadata;

    const error = await expectMisconfigured(client);
    expect(faultsOf(error)).to.deep.equal(["redirectUris is empty"]);
  });

  it("rejects with every fault in one error", async () => {
    const error = await expectMisconfigured({
      clientUri: "",
      redirectUris: ["/a", "https://app.example/b", "/c"],
    });

    const faults = [
      "clientUri is not an HTTPS URL",
      "The redirect URI /a is not an HTTPS URL, or has a fragment",
      "The redirect URI /c is not an HTTPS URL, or has a fragment",
    ];
    expect(faultsOf(error)).to.deep.equal(faults);
    expect(error.cause).to.have.property("message", faults.join("; "));
  });

  for (const [title, redirectUris, sent = redirectUris] of [
    [
      "without and with its port for one on a loopback host",
      ["http://localhost:8080/callback?a=b", "http://127.0.0.1:8080", "http://[::1]:8080/"],
      [
        ...["http://localhost/callback?a=b", "http://localhost:8080/callback?a=b"],
        ...["http://127.0.0.1", "http://127.0.0.1:8080", "http://[::1]/", "http://[::1]:8080/"],
      ],
    ],
    ["once for one on a loopback host without port", ["http://localhost/callback"]],
    [
      "once without port for two that differ in it",
      ["http://127.0.0.1:1/", "http://127.0.0.1:2/"],
      ["http://127.0.0.1/", "http://127.0.0.1:1/", "http://127.0.0.1:2/"],
    ],
    ["as it is for a scheme that is the client URI's host in reverse", ["example.app:/callback"]],
    [
      "as it is for a scheme below the client URI's host, without a slash",
      ["example.app.mobile2:callback"],
    ],
    [
      "unchanged for https next to a loopback host",
      ["https://app.example:8443/callback", "http://localhost/callback"],
    ],
  ] as readonly (readonly [string, readonly string[], (readonly string[])?])[]) {
    it(`registers a native app, and the redirect URI ${title}`, async () => {
      for (const applicationType of [undefined, "web", "native"] as const) {
        const body = await sentBody({ ...LEAST, applicationType, redirectUris });

        expect(body).to.include({ application_type: "native" });
        expect(body).to.have.deep.property("redirect_uris", sent);
      }
    });
  }

  it("lets the app decide whether it is native when each redirect URI is https", async () => {
    expect(await sentBody({ ...LEAST, applicationType: "native" })).to.include({
      application_type: "native",
    });
    expect(await sentBody(LEAST)).to.include({ application_type: "web" });
  });

  for (const script of ["javascript:alert(1)", "javascript:com.example.app:/callback"]) {
    it(`rejects a script URL as a native app's redirect URI: ${script}`, () =>
      expectMisconfigured({ ...LEAST, applicationType: "native", redirectUris: [script] }));
  }

  it("omits an HTTPS page of an app that uses HTTP on this machine", async () => {
    const client = { ...LEAST, clientUri: "http://localhost:8080/" };

    expect(await sentBody({ ...client, tosUri: "https://localhost/terms" })).not.to.have.property(
      "tos_uri",
    );
    expect(warnings).to.have.length(1);
  });
});
