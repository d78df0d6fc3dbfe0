import { expect } from "@open-wc/testing";
import {
  OidcError,
  completeAuthorizationCodeGrantFromUrl,
  validateAuthMetadata,
  type OidcRegistrationClientMetadata,
  type ValidatedAuthMetadata,
} from "matrix-auth-elements/core";
// Only <oidc-login> needs these, so they are not public.
/* eslint-disable @typescript-eslint/no-restricted-imports */
import {
  REGISTRATION_STATE,
  findClient,
  registerClient,
} from "../../../dist/core/oauth/client-cache.js";
/* eslint-enable @typescript-eslint/no-restricted-imports */
import { expectFlowError } from "../../support/rejection.ts";
import { json } from "../../support/scripted-fetch.ts";
import { ISSUER, ScriptedProvider } from "../../support/scripted-provider.ts";
import { blockStorage, fillStorage, moveClock, restoreStubs } from "../../support/stub.ts";
import { logIn, startLogin } from "../login.ts";

const CLIENT: OidcRegistrationClientMetadata = {
  clientUri: "https://app.example/",
  redirectUris: ["https://app.example/callback"],
};

describe("The client id of an application", () => {
  let provider: ScriptedProvider;
  let metadata: ValidatedAuthMetadata;
  const register = (policy: "per-login" | "reuse") =>
    registerClient(metadata, CLIENT, policy, { fetch: provider.server.fetch });

  beforeEach(async () => {
    localStorage.clear();
    sessionStorage.clear();
    provider = await ScriptedProvider.create();
    metadata = validateAuthMetadata(provider.metadata);
  });
  afterEach(() => {
    restoreStubs();
    localStorage.clear();
  });

  it("is not known before it registers", () => {
    expect(findClient(metadata, CLIENT, "per-login")).to.be.undefined;
    expect(findClient(metadata, CLIENT, "reuse")).to.be.undefined;
  });

  it("is registered anew for each login, as the specification asks", async () => {
    await register("per-login");

    expect(findClient(metadata, CLIENT, "per-login")).to.be.undefined;
    expect(localStorage).to.have.length(0);
  });

  it("is kept under a name that no other code of the page uses", async () => {
    await register("reuse");

    expect(Object.keys(localStorage)).to.have.length(1);
    expect(Object.keys(localStorage)[0]).to.match(/^matrix-auth-elements:client:/);
  });

  it("is given again while a login with it is still pending", async () => {
    const registered = await register("per-login");
    await startLogin(provider, { appState: { [REGISTRATION_STATE]: registered.fingerprint } });

    expect(findClient(metadata, CLIENT, "per-login")).to.deep.equal(registered);
  });

  it("is not given again when the pending login has expired", async () => {
    const { fingerprint } = await register("per-login");
    await startLogin(provider, { appState: { [REGISTRATION_STATE]: fingerprint } });
    moveClock(2 * 60 * 60 * 1000);

    expect(findClient(metadata, CLIENT, "per-login")).to.be.undefined;
  });

  it("is not taken from a pending login that did not register it", async () => {
    await startLogin(provider, { clientId: "known-beforehand" });

    expect(findClient(metadata, CLIENT, "per-login")).to.be.undefined;
  });

  it("is not taken from what other code of the page keeps, nor from what is broken", async () => {
    const { fingerprint } = await register("per-login");
    await startLogin(provider, { appState: { [REGISTRATION_STATE]: fingerprint } });
    const [[key, record] = ["", ""]] = Object.entries({ ...sessionStorage }) as [string, string][];
    sessionStorage.setItem("copy-of-the-page", record);
    sessionStorage.setItem(key, record.slice(1));

    expect(findClient(metadata, CLIENT, "per-login")).to.be.undefined;
  });

  it("is kept for good with reuse", async () => {
    const registered = await register("reuse");
    sessionStorage.clear();
    moveClock(365 * 24 * 60 * 60 * 1000);

    expect(findClient(metadata, CLIENT, "reuse")).to.deep.equal(registered);
  });

  it("is given up with reuse after two logins from which nobody came back, and then kept anew", async () => {
    const dead = await register("reuse");
    const appState = { [REGISTRATION_STATE]: dead.fingerprint };
    await startLogin(provider, { appState });
    expect(findClient(metadata, CLIENT, "reuse"), "after one").to.deep.equal(dead);
    await startLogin(provider, { appState });
    expect(findClient(metadata, CLIENT, "reuse"), "after two").to.be.undefined;

    provider.server.routes[`POST ${ISSUER}register`] = json({ client_id: "new" }, 201);
    const registered = await register("reuse");
    await startLogin(provider, { appState, clientId: "new" });

    expect(registered.clientId).to.equal("new");
    expect(findClient(metadata, CLIENT, "reuse")).to.deep.equal(registered);
  });

  it("is kept with reuse although somebody went back, where another login had its response", async () => {
    const registered = await register("reuse");
    const appState = { [REGISTRATION_STATE]: registered.fingerprint };
    await startLogin(provider, { appState });
    const { url } = await logIn(provider, { appState });
    await completeAuthorizationCodeGrantFromUrl(url, { fetch: provider.server.fetch });

    expect(findClient(metadata, CLIENT, "reuse")).to.deep.equal(registered);
  });

  it("is given again with reuse where there was no room to keep it", async () => {
    fillStorage(localStorage);
    const registered = await register("reuse");
    await startLogin(provider, { appState: { [REGISTRATION_STATE]: registered.fingerprint } });

    expect(findClient(metadata, CLIENT, "reuse")).to.deep.equal(registered);
  });

  it("is not given to a page that registers per login, where it was kept", async () => {
    await register("reuse");

    expect(findClient(metadata, CLIENT, "per-login")).to.be.undefined;
  });

  for (const [what, other] of [
    ["another issuer", { issuer: "https://other.example/" }],
    ["another registration endpoint", { registration_endpoint: `${ISSUER}register/2` }],
  ] as const) {
    it(`is not given to ${what}`, async () => {
      await register("reuse");

      expect(findClient({ ...metadata, ...other }, CLIENT, "reuse")).to.be.undefined;
    });
  }

  it("is not given again when the application tells something else of itself", async () => {
    await register("reuse");

    expect(findClient(metadata, { ...CLIENT, clientName: "New name" }, "reuse")).to.be.undefined;
  });

  /** Logs in as this client; the issuer refuses with this error. */
  const refusedLogin = async (
    { fingerprint }: { readonly fingerprint: string },
    error: "invalid_client" | "invalid_grant" = "invalid_client",
  ): Promise<{ readonly expectRefusal: () => Promise<unknown> }> => {
    const { url } = await logIn(provider, { appState: { [REGISTRATION_STATE]: fingerprint } });
    provider.server.routes[`POST ${ISSUER}token`] = json({ error }, 400);
    const code = error === "invalid_client" ? "token_request_refused" : "code_rejected";
    const { fetch } = provider.server;
    const expectRefusal = () =>
      expectFlowError(
        completeAuthorizationCodeGrantFromUrl(url, { fetch }),
        OidcError.CodeExchangeFailed,
        code,
      );
    return { expectRefusal };
  };

  for (const policy of ["per-login", "reuse"] as const) {
    it(`is forgotten with its other pending logins when the issuer no longer knows it: ${policy}`, async () => {
      const registered = await register(policy);
      await startLogin(provider, { appState: { [REGISTRATION_STATE]: registered.fingerprint } });
      await startLogin(provider, { clientId: "of another registration" });

      await (await refusedLogin(registered)).expectRefusal();

      expect(findClient(metadata, CLIENT, policy)).to.be.undefined;
      expect(sessionStorage, "what is left of other logins").to.have.length(1);
    });
  }

  it("leaves the refusal to be told where it cannot be forgotten, because storage is blocked", async () => {
    const { expectRefusal } = await refusedLogin(await register("reuse"));
    const refusal = expectRefusal();
    blockStorage("localStorage");
    blockStorage("sessionStorage");

    await refusal;
  });

  it("comes back with a login under a name that stays the same", () => {
    expect(REGISTRATION_STATE).to.equal("registration");
  });

  it("is kept when the issuer refuses for another reason", async () => {
    const registered = await register("reuse");

    await (await refusedLogin(registered, "invalid_grant")).expectRefusal();

    expect(findClient(metadata, CLIENT, "reuse")).to.deep.equal(registered);
  });

  for (const [what, prepare] of [
    ["there is no room", () => fillStorage(localStorage)],
    ["the browser forbids", () => blockStorage("localStorage")],
  ] as const) {
    it(`serves the login where ${what} to keep it`, async () => {
      prepare();

      expect((await register("reuse")).clientId).to.equal(provider.clientId);
      expect(findClient(metadata, CLIENT, "reuse")).to.be.undefined;
    });
  }

  it("cannot be looked up where this tab has no storage", async () => {
    blockStorage("sessionStorage");

    await expectFlowError(
      () => findClient(metadata, CLIENT, "per-login"),
      OidcError.StorageUnavailable,
      "storage_unavailable",
    );
  });

  it("is not kept where the registration fails", async () => {
    provider.server.routes[`POST ${ISSUER}register`] = json({}, 201);

    await expectFlowError(
      register("reuse"),
      OidcError.DynamicRegistrationFailed,
      "registration_invalid",
    );
    expect(localStorage).to.have.length(0);
  });
});
