import { expect } from "@open-wc/testing";
import {
  OidcError,
  OidcSession,
  completeAuthorizationCodeGrantFromUrl,
  validateAuthMetadata,
  type OidcRegistrationClientMetadata,
  type ValidatedAuthMetadata,
} from "matrix-auth-elements/core";
// Only <oidc-login> needs these functions, so they are not public.
/* eslint-disable @typescript-eslint/no-restricted-imports */
import { findClient, registerClient } from "../../../dist/core/oauth/client-cache.js";
import { REGISTRATION_STATE } from "../../../dist/core/oauth/dropped-client.js";
/* eslint-enable @typescript-eslint/no-restricted-imports */
import { expectFlowError, rejectionOf } from "../../support/rejection.ts";
import { json } from "../../support/scripted-fetch.ts";
import { ISSUER, ScriptedProvider } from "../../support/scripted-provider.ts";
import { blockStorage, fillStorage, moveClock, restoreStubs } from "../../support/stub.ts";
import { HOMESERVER, logIn, startLogin } from "../login.ts";
import { REVOKE, TOKEN, signIn } from "../session/support.ts";

const CLIENT: OidcRegistrationClientMetadata = {
  clientUri: "https://app.example/",
  redirectUris: ["https://app.example/callback"],
};

describe("The client ID of an app", () => {
  let provider: ScriptedProvider;
  let metadata: ValidatedAuthMetadata;
  const registrantOf = (
    policy: "per-login" | "reuse",
    named: ValidatedAuthMetadata = metadata,
    clientMetadata = CLIENT,
    homeserverUrl = HOMESERVER,
  ) => ({
    provider: { named, confirm: () => Promise.resolve(named) },
    homeserverUrl,
    clientMetadata,
    policy,
  });
  const register = (policy: "per-login" | "reuse") =>
    registerClient(registrantOf(policy), { fetch: provider.server.fetch });
  /** Starts a sign-in with the client. */
  const startWith = ({ fingerprint }: { readonly fingerprint: string }) =>
    startLogin(provider, { appState: { [REGISTRATION_STATE]: fingerprint } });
  const completed = (url: string) =>
    completeAuthorizationCodeGrantFromUrl(url, { fetch: provider.server.fetch });

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

  it("is undefined before the registration", () => {
    expect(findClient(registrantOf("per-login"))).to.be.undefined;
    expect(findClient(registrantOf("reuse"))).to.be.undefined;
  });

  it("is registered again for each sign-in, as the specification requires", async () => {
    await register("per-login");

    expect(findClient(registrantOf("per-login"))).to.be.undefined;
    expect(localStorage).to.have.length(0);
  });

  it("is stored under a key that no other code of the page uses", async () => {
    await register("reuse");

    expect(Object.keys(localStorage)).to.have.length(1);
    expect(Object.keys(localStorage)[0]).to.match(/^matrix-auth-elements:client:/);
  });

  it("is reused while a sign-in with it is pending", async () => {
    const registered = await register("per-login");
    await startWith(registered);

    expect(findClient(registrantOf("per-login"))).to.deep.equal(registered);
  });

  it("is not reused when the pending sign-in has expired", async () => {
    await startWith(await register("per-login"));
    moveClock(2 * 60 * 60 * 1000);

    expect(findClient(registrantOf("per-login"))).to.be.undefined;
  });

  it("isn't read from a pending sign-in that didn't register it", async () => {
    await startLogin(provider, { clientId: "known-beforehand" });

    expect(findClient(registrantOf("per-login"))).to.be.undefined;
  });

  it("isn't read from the data of other code, or from an invalid record", async () => {
    await startWith(await register("per-login"));
    const [[key, record] = ["", ""]] = Object.entries({ ...sessionStorage }) as [string, string][];
    sessionStorage.setItem("copy-of-the-page", record);
    sessionStorage.setItem(key, record.slice(1));

    expect(findClient(registrantOf("per-login"))).to.be.undefined;
  });

  it("is kept permanently with reuse", async () => {
    const registered = await register("reuse");
    sessionStorage.clear();
    moveClock(365 * 24 * 60 * 60 * 1000);

    expect(findClient(registrantOf("reuse"))).to.deep.equal(registered);
  });

  it("is discarded with reuse after two sign-ins without a response, and then the new one is kept", async () => {
    const dead = await register("reuse");
    await startWith(dead);
    expect(findClient(registrantOf("reuse")), "after one").to.deep.equal(dead);
    await startWith(dead);
    expect(findClient(registrantOf("reuse")), "after two").to.be.undefined;

    provider.server.routes[`POST ${ISSUER}register`] = json({ client_id: "new" }, 201);
    const registered = await register("reuse");
    const appState = { [REGISTRATION_STATE]: dead.fingerprint };
    await startLogin(provider, { appState, clientId: "new" });

    expect(registered.clientId).to.equal("new");
    expect(findClient(registrantOf("reuse"))).to.deep.equal(registered);
  });

  it("is kept with reuse after an abandoned sign-in, if another one got its response", async () => {
    const registered = await register("reuse");
    const appState = { [REGISTRATION_STATE]: registered.fingerprint };
    await startLogin(provider, { appState });
    const { url } = await logIn(provider, { appState });
    await completed(url);

    expect(findClient(registrantOf("reuse"))).to.deep.equal(registered);
  });

  it("is reused with reuse while a sign-in is pending, if the storage was full", async () => {
    fillStorage(localStorage);
    const registered = await register("reuse");
    await startWith(registered);

    expect(findClient(registrantOf("reuse"))).to.deep.equal(registered);
  });

  const NEW_NAME = { ...CLIENT, clientName: "New name" };
  const REGISTER_2 = { registration_endpoint: `${ISSUER}register/2` };
  for (const [what, registrant] of [
    ["another issuer", () => registrantOf("reuse", { ...metadata, issuer: "https://a.example/" })],
    ["another registration endpoint", () => registrantOf("reuse", { ...metadata, ...REGISTER_2 })],
    [
      "another homeserver, for which the user has not approved it",
      () => registrantOf("reuse", metadata, CLIENT, "https://other.example"),
    ],
    ["changed metadata of the app", () => registrantOf("reuse", metadata, NEW_NAME)],
    ["a page that registers for each sign-in", () => registrantOf("per-login")],
  ] as const) {
    it(`is not reused for ${what}`, async () => {
      await register("reuse");

      expect(findClient(registrant())).to.be.undefined;
    });
  }

  it("is not kept if the issuer's own document does not confirm the provider", async () => {
    const confirm = () => Promise.reject(new Error("unconfirmed"));
    const registrant = { ...registrantOf("reuse"), provider: { named: metadata, confirm } };
    const call = registerClient(registrant, { fetch: provider.server.fetch });

    expect(await rejectionOf(call)).to.have.property("message", "unconfirmed");
    expect(localStorage).to.have.length(0);
  });

  /** Signs in with this client. The issuer rejects it with this error. */
  const refusedLogin = async (
    { fingerprint }: { readonly fingerprint: string },
    error: "invalid_client" | "invalid_grant" = "invalid_client",
  ): Promise<{ readonly expectRefusal: () => Promise<unknown> }> => {
    const { url } = await logIn(provider, { appState: { [REGISTRATION_STATE]: fingerprint } });
    provider.server.routes[`POST ${ISSUER}token`] = json({ error }, 400);
    const code = error === "invalid_client" ? "token_request_refused" : "code_rejected";
    return {
      expectRefusal: () => expectFlowError(completed(url), OidcError.CodeExchangeFailed, code),
    };
  };

  for (const policy of ["per-login", "reuse"] as const) {
    it(`is removed with its other pending sign-ins when the issuer no longer accepts it: ${policy}`, async () => {
      const registered = await register(policy);
      await startWith(registered);
      await startLogin(provider, { clientId: "of another registration" });

      await (await refusedLogin(registered)).expectRefusal();

      expect(findClient(registrantOf(policy))).to.be.undefined;
      expect(sessionStorage, "the remains of other sign-ins").to.have.length(1);
    });
  }

  for (const [what, use] of [
    ["a refresh", (session: OidcSession) => rejectionOf(session.refresh())],
    ["a sign-out", (session: OidcSession) => session.signOut()],
  ] as const) {
    for (const [error, isKept] of [
      ["invalid_client", false],
      ["invalid_grant", true],
    ] as const) {
      it(`is ${isKept ? "kept" : "removed"} when the issuer rejects ${what} with ${error}`, async () => {
        const registered = await register("reuse");
        const { clientId } = registered;
        const { fetch, routes } = provider.server;
        routes[TOKEN] = routes[REVOKE] = json({ error }, 401);
        const result = { ...signIn(), oidcClientSettings: { clientId, issuer: ISSUER } };
        const session = new OidcSession(result, { fetch });

        await use(session);

        expect(findClient(registrantOf("reuse"))).to.deep.equal(isKept ? registered : undefined);
        session.close();
      });
    }
  }

  for (const policy of ["per-login", "reuse"] as const) {
    it(`is kept when another issuer no longer accepts the same ID: ${policy}`, async () => {
      const other = { ...metadata, issuer: "https://a.example/" };
      const registrant = registrantOf(policy, other);
      const kept = await registerClient(registrant, { fetch: provider.server.fetch });
      const appState = { [REGISTRATION_STATE]: kept.fingerprint };
      await startLogin(provider, { metadata: other, appState });

      await (await refusedLogin(await register(policy))).expectRefusal();
      const oidcClientSettings = { clientId: kept.clientId, issuer: ISSUER };
      const { fetch } = provider.server;
      const session = new OidcSession({ ...signIn(), oidcClientSettings }, { fetch });
      await rejectionOf(session.refresh());

      expect(findClient(registrant)).to.deep.equal(kept);
      session.close();
    });
  }

  it("keeps its other pending sign-ins if it doesn't come from a registration", async () => {
    await startLogin(provider);
    const { url } = await logIn(provider);
    provider.server.routes[`POST ${ISSUER}token`] = json({ error: "invalid_client" }, 400);

    const refused = "token_request_refused";
    await expectFlowError(completed(url), OidcError.CodeExchangeFailed, refused);

    expect(sessionStorage).to.have.length(1);
  });

  it("doesn't hide the rejection's error if blocked storage prevents its removal", async () => {
    const { expectRefusal } = await refusedLogin(await register("reuse"));
    const refusal = expectRefusal();
    blockStorage("localStorage");
    blockStorage("sessionStorage");

    await refusal;
  });

  it("is stored with a sign-in under a stable name", () => {
    expect(REGISTRATION_STATE).to.equal("registration");
  });

  it("is kept when the issuer rejects it for another reason", async () => {
    const registered = await register("reuse");

    await (await refusedLogin(registered, "invalid_grant")).expectRefusal();

    expect(findClient(registrantOf("reuse"))).to.deep.equal(registered);
  });

  for (const [what, prepare] of [
    ["there is no room", () => fillStorage(localStorage)],
    ["the browser forbids", () => blockStorage("localStorage")],
  ] as const) {
    it(`is used for the sign-in if ${what} to keep it`, async () => {
      prepare();

      expect((await register("reuse")).clientId).to.equal(provider.clientId);
      expect(findClient(registrantOf("reuse"))).to.be.undefined;
    });
  }

  it("cannot be looked up without storage", async () => {
    blockStorage("sessionStorage");

    await expectFlowError(
      () => findClient(registrantOf("per-login")),
      OidcError.StorageUnavailable,
      "storage_unavailable",
    );
  });

  it("is not kept if the registration fails", async () => {
    provider.server.routes[`POST ${ISSUER}register`] = json({}, 201);

    await expectFlowError(
      register("reuse"),
      OidcError.DynamicRegistrationFailed,
      "registration_invalid",
    );
    expect(localStorage).to.have.length(0);
  });
});
