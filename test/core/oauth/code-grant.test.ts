import { expect } from "@open-wc/testing";
import {
  OidcError,
  completeAuthorizationCodeGrant,
  completeAuthorizationCodeGrantFromUrl,
  completeFlow,
  flowOfRecord,
  type CompletionOptions,
  type PendingFlow,
} from "matrix-auth-elements/core";
import { expectFlowError } from "../../support/rejection.ts";
import { held, inSequence, json, networkFailure, never } from "../../support/scripted-fetch.ts";
import {
  ISSUER,
  ScriptedProvider,
  type ProviderResponse,
} from "../../support/scripted-provider.ts";
import { Clock, idle, until } from "../../support/clock.ts";
import { moveClock, restoreStubs, stub } from "../../support/stub.ts";
import { HOMESERVER, REDIRECT_URI, logIn } from "../login.ts";

const TOKEN = `POST ${ISSUER}token`;
const KEYS = `GET ${ISSUER}jwks`;

function withoutNonce(flow: PendingFlow): PendingFlow {
  const { nonce: _, ...rest } = flow;
  return rest;
}

function withoutKeys(flow: PendingFlow): PendingFlow {
  const { jwks_uri: _, ...metadata } = flow.metadata;
  return { ...flow, metadata };
}

describe("The exchange of a code", () => {
  let provider: ScriptedProvider;
  const complete = ({ code, state }: ProviderResponse, options: CompletionOptions = {}) =>
    completeAuthorizationCodeGrant(code, state, { fetch: provider.server.fetch, ...options });

  const expectNoKeys = (login: ProviderResponse) =>
    expectFlowError(complete(login), OidcError.InvalidIdToken, "keys_unavailable");

  /** A sign-in whose flow the caller keeps. Resolves to the function that completes it. */
  const keepFlow = async (change = (flow: PendingFlow) => flow) => {
    const { state, code } = await logIn(provider);
    const flow = change(flowOfRecord(state, Object.values(sessionStorage)[0] as string));
    sessionStorage.clear();
    const { fetch } = provider.server;
    return (response: object = {}) =>
      completeFlow(flow, new URLSearchParams({ state, code, ...response }), { fetch });
  };

  beforeEach(async () => {
    sessionStorage.clear();
    provider = await ScriptedProvider.create();
  });
  afterEach(restoreStubs);

  it("returns tokens, client settings, homeserver, device, scope and verified claims", async () => {
    const response = await logIn(provider, { deviceId: "DEVICE1234" });
    const now = Math.floor(Date.now() / 1000);
    stub(Date, "now", { value: () => now * 1000 });

    const { tokenResponse, idTokenClaims, ...rest } = await complete(response);

    const { id_token, ...tokens } = tokenResponse;
    expect(id_token).to.match(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    const scope = "openid urn:matrix:client:api:* urn:matrix:client:device:DEVICE1234";
    expect(tokens).to.deep.equal({
      access_token: provider.accessToken,
      token_type: "Bearer",
      refresh_token: provider.refreshToken,
      expires_in: 300,
      expires_at: now + 300,
      scope,
    });
    expect(rest).to.deep.equal({
      oidcClientSettings: { clientId: provider.clientId, issuer: ISSUER },
      metadata: {
        issuer: ISSUER,
        token_endpoint: `${ISSUER}token`,
        revocation_endpoint: `${ISSUER}revoke`,
      },
      homeserverUrl: HOMESERVER,
      deviceId: "DEVICE1234",
      scope,
    });
    expect(idTokenClaims).to.deep.include({
      iss: ISSUER,
      sub: "alice",
      aud: provider.clientId,
      nonce: "nonce-of-this-test",
    });
  });

  it("returns the options of the sign-in", async () => {
    const response = await logIn(provider, {
      identityServerUrl: "https://identity.example",
      urlState: "room",
      appState: { returnTo: "/room" },
    });

    const result = await complete(response);

    expect(result).to.deep.include({
      identityServerUrl: "https://identity.example",
      urlState: "room",
      appState: { returnTo: "/room" },
    });
  });

  it("returns the same result for the whole URL", async () => {
    const { url } = await logIn(provider, { deviceId: "DEVICE1234" });

    const result = await completeAuthorizationCodeGrantFromUrl(new URL(url), {
      fetch: provider.server.fetch,
    });

    expect(result).to.include({ homeserverUrl: HOMESERVER, deviceId: "DEVICE1234" });
    expect(result.idTokenClaims?.sub).to.equal("alice");
  });

  it("returns the same result to a caller that keeps the flow itself", async () => {
    const completeKept = await keepFlow();
    const { homeserverUrl } = await completeKept();

    expect(homeserverUrl).to.equal(HOMESERVER);
    expect(sessionStorage).to.have.length(0);
  });

  it("returns the granted scope if it differs from the requested one", async () => {
    const scope = "openid  urn:matrix:client:api:* email urn:matrix:client:device:DEVICE1234";
    provider.tokens = { scope };

    expect(await complete(await logIn(provider, { deviceId: "DEVICE1234" }))).to.include({
      scope,
      deviceId: "DEVICE1234",
    });
  });

  it("returns the requested device and scope if the response contains none", async () => {
    provider.tokens = { scope: undefined };
    const response = await logIn(provider, { deviceId: "DEVICE1234" });

    expect(await complete(response)).to.include({
      scope: "openid urn:matrix:client:api:* urn:matrix:client:device:DEVICE1234",
      deviceId: "DEVICE1234",
    });
  });

  it("returns the device from an old server's scope names", async () => {
    provider.tokens = {
      scope:
        "openid urn:matrix:org.matrix.msc2967.client:api:* urn:matrix:org.matrix.msc2967.client:device:OLD1234567",
    };

    const response = await logIn(provider, { deviceId: "OLD1234567" });
    expect(await complete(response)).to.include({ deviceId: "OLD1234567" });
  });

  it("returns the requested device if the grant names none", async () => {
    provider.tokens = { scope: "openid urn:matrix:client:api:*" };

    expect(await complete(await logIn(provider, { deviceId: "DEVICE1234" }))).to.include({
      deviceId: "DEVICE1234",
    });
  });

  it("sends only the code, the verifier, the client and the redirect URI", async () => {
    const response = await logIn(provider);
    await complete(response);

    const [request] = provider.server.to(`${ISSUER}token`);
    const { code_verifier, ...body } = Object.fromEntries(new URLSearchParams(request?.body));
    expect(body).to.deep.equal({
      grant_type: "authorization_code",
      code: response.code,
      redirect_uri: REDIRECT_URI,
      client_id: provider.clientId,
    });
    expect(code_verifier).to.match(/^[A-Za-z0-9]{43,128}$/);
  });

  it("sends no header that needs a preflight, no cookie and no referrer", async () => {
    await complete(await logIn(provider));

    const [request] = provider.server.to(`${ISSUER}token`);
    expect([...(request?.headers ?? [])]).to.deep.equal([
      ["accept", "application/json"],
      ["content-type", "application/x-www-form-urlencoded;charset=UTF-8"],
    ]);
    expect(request).to.include({ credentials: "omit", referrerPolicy: "no-referrer" });
  });

  it("requests the tokens and the keys once, both at the same time", async () => {
    const token = held(provider.exchange);
    const keys = held(json({ keys: provider.publishedKeys }));
    Object.assign(provider.server.routes, { [TOKEN]: token.respond, [KEYS]: keys.respond });
    const result = complete(await logIn(provider));
    // Both requests are sent before either has a response.
    await Promise.all([token.asked, keys.asked]);
    keys.release();
    token.release();
    await result;

    expect([...provider.server.log].sort()).to.deep.equal([KEYS, TOKEN]);
  });

  const API = "openid urn:matrix:client:api:*";
  for (const [title, tokens, code, deviceId] of [
    ["grants no client-server API", { scope: "openid" }, "scope_not_granted"],
    ["grants no additional scope", { scope: API }, "scope_not_granted"],
    ["is not a valid response", { token_type: "mac" }, "token_response_invalid"],
    // Its other session might be in use.
    ["is for a device that the caller named", { scope: API }, "scope_not_granted", "LAPTOP"],
  ] as const) {
    it(`revokes ${deviceId ? "no" : "the"} tokens of a response that ${title}`, async () => {
      provider.tokens = tokens;
      const additionalScopes = ["urn:synapse:admin:*"];
      const login = await logIn(provider, { additionalScopes, ...(deviceId && { deviceId }) });
      await expectFlowError(complete(login), OidcError.InvalidBearerTokenResponse, code);

      const forms = provider.server.to(`${ISSUER}revoke`).map(({ body }) => body ?? "");
      expect(forms.map((body) => new URLSearchParams(body).get("token"))).to.deep.equal(
        deviceId ? [] : [provider.refreshToken, provider.accessToken],
      );
    });
  }

  it("requests no keys if the issuer has none", async () => {
    delete provider.metadata.jwks_uri;
    await complete(await logIn(provider));

    expect(provider.server.log).to.deep.equal([TOKEN]);
  });

  for (const [what, change] of [
    ["requested no ID token", withoutNonce],
    ["knows of none", withoutKeys],
  ] as const) {
    it(`requests no keys if a flow that the caller keeps ${what}`, async () => {
      const completeKept = await keepFlow(change);
      const result = await completeKept();

      expect(result).to.have.property("idTokenClaims", undefined);
      expect(provider.server.log).to.deep.equal([TOKEN]);
    });
  }

  for (const found of ["fragment", { mode: "fragment" }] as const) {
    it(`rejects with response_malformed for ${JSON.stringify(found)} if the query was requested`, async () => {
      const { code, state } = await logIn(provider);

      await expectFlowError(
        completeAuthorizationCodeGrant(code, state, found),
        OidcError.CodeExchangeFailed,
        "response_malformed",
      );
    });
  }

  it("completes a sign-in whose response is in the requested part of the URL, with matrix-js-sdk's arguments", async () => {
    const { code, state } = await logIn(provider, { responseMode: "fragment" });
    stub(globalThis, "fetch", { value: provider.server.fetch });

    const { tokenResponse } = await completeAuthorizationCodeGrant(code, state, "fragment");

    expect(tokenResponse.token_type).to.equal("Bearer");
  });

  it("rejects with unexpected_redirect if the caller's fetch shows redirects", async () => {
    const { code, state } = await logIn(provider);
    const fetch = (): Promise<Response> =>
      Promise.resolve(new Response(null, { status: 302, headers: { Location: "https://e.x" } }));

    await expectFlowError(
      completeAuthorizationCodeGrant(code, state, { fetch }),
      OidcError.CodeExchangeFailed,
      "unexpected_redirect",
    );
  });

  it("rejects with aborted if the caller cancels, and completes at the next attempt", async () => {
    const token = held(never);
    provider.server.routes[TOKEN] = inSequence(token.respond, provider.exchange);
    const login = await logIn(provider);
    const controller = new AbortController();

    const failed = expectFlowError(
      complete(login, { signal: controller.signal }),
      OidcError.CodeExchangeFailed,
      "aborted",
    );
    await token.asked;
    controller.abort();
    await failed;

    const { tokenResponse } = await complete(login);
    expect(tokenResponse.access_token).to.equal(provider.accessToken);
  });

  it("rejects with keys_unavailable, and completes later without a second token request", async () => {
    provider.server.routes[KEYS] = networkFailure;
    const login = await logIn(provider);

    const error = await expectNoKeys(login);
    expect(error.retryable).to.be.true;

    provider.server.routes[KEYS] = json({ keys: provider.publishedKeys });
    const { tokenResponse } = await complete(login);
    expect(tokenResponse.access_token).to.equal(provider.accessToken);
    expect(provider.server.to(`${ISSUER}token`)).to.have.length(1);
  });

  it("accepts keys long after the tokens: an ID token is verified with the time of its request", async () => {
    provider.server.routes[KEYS] = networkFailure;
    const login = await logIn(provider);
    await expectNoKeys(login);

    moveClock(50 * 60 * 1000);
    provider.server.routes[KEYS] = json({ keys: provider.publishedKeys });
    const { tokenResponse } = await complete(login);
    expect(tokenResponse.access_token).to.equal(provider.accessToken);
  });

  it("is equally strict whether the keys arrive late or in time", async () => {
    provider.server.routes[KEYS] = networkFailure;
    const login = await logIn(provider);
    await expectNoKeys(login);

    provider.server.routes[KEYS] = json({ keys: [] });
    await expectFlowError(complete(login), OidcError.InvalidIdToken, "id_token_signature");
    await expectFlowError(complete(login), OidcError.MissingOrInvalidStoredState, "flow_unknown");
  });

  describe("revokes tokens that couldn't be verified without the keys", () => {
    const revoked = (): readonly (string | null)[] =>
      provider.server
        .to(`${ISSUER}revoke`)
        .map(({ body }) => new URLSearchParams(body))
        .filter((form) => form.get("token_type_hint") === "access_token")
        .map((form) => form.get("token"));
    const logInInVain = async (): Promise<void> => {
      provider.server.routes[KEYS] = networkFailure;
      await expectNoKeys(await logIn(provider));
    };
    const leave = (persisted: boolean): boolean =>
      dispatchEvent(new PageTransitionEvent("pagehide", { persisted }));
    afterEach(() => leave(false));

    it("once their flow is too old to be completed", async () => {
      const clock = new Clock();
      await logInInVain();
      await clock.pass(60 * 60_000 - 1);
      expect(revoked()).to.be.empty;
      await clock.pass(1);
      await until(() => revoked().length > 0);
      expect(revoked()).to.deep.equal([provider.accessToken]);
    });

    it("once the user has left the page permanently", async () => {
      await logInInVain();
      leave(true);
      expect(revoked()).to.be.empty;
      leave(false);
      await until(() => revoked().length > 0);
      expect(revoked()).to.deep.equal([provider.accessToken]);
    });

    it("once there are more than four, the oldest first", async () => {
      for (let logins = 0; logins < 5; logins += 1) {
        provider.tokens = { access_token: `secret-${logins}` };
        await logInInVain();
      }
      expect(revoked()).to.deep.equal(["secret-0"]);
      leave(false);
      await until(() => revoked().length === 5);
      expect(revoked()).to.deep.equal([0, 1, 2, 3, 4].map((nth) => `secret-${nth}`));
    });
  });

  it("rejects the response to another request before it uses the code", async () => {
    const completeKept = await keepFlow();
    const completing = completeKept({ state: "another" });
    await expectFlowError(completing, OidcError.CodeExchangeFailed, "response_malformed");
    expect(provider.server.to(`${ISSUER}token`)).to.be.empty;
  });

  it("rejects tokens with an invalid ID token", async () => {
    const completeKept = await keepFlow();
    provider.claims = { sub: "" };
    await expectFlowError(completeKept(), OidcError.InvalidIdToken, "id_token_invalid");
    await expectFlowError(completeKept(), OidcError.CodeExchangeFailed, "code_rejected");

    expect(provider.server.to(`${ISSUER}token`)).to.have.length(2);
  });

  it("requests keys once more automatically, bypassing the HTTP cache", async () => {
    provider.server.routes[KEYS] = inSequence(
      json({}, 500),
      json({ keys: provider.publishedKeys }),
    );

    await complete(await logIn(provider));

    expect(
      provider.server
        .to(`${ISSUER}jwks`)
        .map(({ cache }) => cache)
        .at(-1),
    ).to.equal("reload");
  });

  it("leaves no rejection unhandled if tokens and keys both fail", async () => {
    const unhandled: unknown[] = [];
    const note = (event: PromiseRejectionEvent): number => unhandled.push(event.reason);
    window.addEventListener("unhandledrejection", note);
    provider.server.routes[KEYS] = networkFailure;
    provider.server.routes[TOKEN] = json({ error: "invalid_grant" }, 400);

    await expectFlowError(
      complete(await logIn(provider)),
      OidcError.CodeExchangeFailed,
      "code_rejected",
    );
    // The browser reports unhandled rejections in a later task.
    await idle();
    window.removeEventListener("unhandledrejection", note);

    expect(unhandled).to.have.length(0);
  });
});
