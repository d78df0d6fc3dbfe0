import { expect } from "@open-wc/testing";
import fc from "fast-check";
import {
  OidcError,
  OidcFlowError,
  OidcSession,
  startDeviceAuthorization,
  validateAuthMetadata,
  completeDeviceAuthorizationGrant,
  waitForDeviceAuthorization,
  type DeviceAuthorization,
  type DeviceGrantOptions,
} from "matrix-auth-elements/core";
import { expectFlowError, rejectionOf } from "../../support/rejection.ts";
import {
  inSequence,
  json,
  networkFailure,
  never,
  type Responder,
  ScriptedFetch,
  type ScriptedRequest,
} from "../../support/scripted-fetch.ts";
import { restoreStubs, stub } from "../../support/stub.ts";
import { Clock, until } from "../../support/clock.ts";
import { CLIENT_ID, HOMESERVER, ISSUER, SCOPE, TOKEN } from "../session/support.ts";

const DEVICE = `POST ${ISSUER}device`;
const CODES = {
  device_code: "secret-device-code",
  user_code: "WDJB-MJHT",
  verification_uri: "https://idp.example/link",
  verification_uri_complete: "https://idp.example/link?code=WDJB-MJHT",
  expires_in: 600,
  interval: 3,
};
const TOKENS = {
  access_token: "secret-access",
  refresh_token: "secret-refresh",
  token_type: "bearer",
  expires_in: 300,
  scope: SCOPE,
};

/** The length distinguishes it from the pauses between two polls. */
const REQUEST_TIMEOUT_MS = 12_345;

const metadata = validateAuthMetadata({
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}authorize`,
  token_endpoint: `${ISSUER}token`,
  revocation_endpoint: `${ISSUER}revoke`,
  device_authorization_endpoint: `${ISSUER}device`,
  response_types_supported: ["code"],
  code_challenge_methods_supported: ["S256"],
});
const refused = (error: string): Responder => json({ error }, 400);
const pending = refused("authorization_pending");

const membersOf = (request: ScriptedRequest | undefined): object =>
  Object.fromEntries(new URLSearchParams(request?.body));

const without = <T extends object, K extends keyof T>(all: T, name: K): Omit<T, K> => {
  const rest = { ...all };
  delete (rest as Partial<T>)[name];
  return rest;
};

describe("The device authorization grant", () => {
  let server: ScriptedFetch;

  const start = (options: object = {}): Promise<DeviceAuthorization> =>
    startDeviceAuthorization({ metadata, clientId: CLIENT_ID, ...options }, server);
  const scopeSent = (): string => new URLSearchParams(server.requests[0]?.body).get("scope") ?? "";

  beforeEach(() => {
    server = new ScriptedFetch({ [DEVICE]: json(CODES), [TOKEN]: json(TOKENS) });
  });
  afterEach(restoreStubs);

  it("starts with the code and URL for the user, and their expiry", async () => {
    new Clock();
    const now = Math.floor(Date.now() / 1000);

    expect(await start({ scope: SCOPE })).to.deep.equal({
      ...CODES,
      expires_at: now + 600,
      scope: SCOPE,
      isDeviceNamed: true,
    });
    expect(membersOf(server.requests[0])).to.deep.equal({ client_id: CLIENT_ID, scope: SCOPE });
  });

  it("starts for a new device each time, without a given scope", async () => {
    const { scope } = await start();

    expect(scope).to.match(/^urn:matrix:client:api:\* urn:matrix:client:device:[A-Za-z0-9]{10}$/);
    expect(scopeSent()).to.equal(scope);
    expect((await start()).scope).not.to.equal(scope);
  });

  describe("after the provider has rejected a named device", () => {
    afterEach(() => sessionStorage.clear());

    const expectNewDevice = async (): Promise<void> => {
      server.routes[DEVICE] = json(CODES);
      const { scope, isDeviceNamed } = await start({ scope: SCOPE });
      const [, device] = /^(?:\S+ )*urn:matrix:client:device:(\w{10})$/.exec(scope) ?? [];
      expect(SCOPE).not.to.contain(device);
      expect(scope.replace(device ?? "", "")).to.equal(SCOPE.replace(/\w+$/, ""));
      expect(isDeviceNamed).to.equal(false);
    };

    it("requests a new one if it was rejected with invalid_scope at the start", async () => {
      server.routes[DEVICE] = refused("invalid_scope");
      await rejectionOf(start({ scope: SCOPE }));
      await expectNewDevice();
    });

    it("requests a new one if it was rejected with invalid_scope while it polls", async () => {
      const clock = new Clock();
      const session = await start({ scope: SCOPE });
      server.routes[TOKEN] = refused("invalid_scope");
      const options = { session, metadata, clientId: CLIENT_ID, homeserverUrl: HOMESERVER };
      const outcome = rejectionOf(completeDeviceAuthorizationGrant(options, server));
      await clock.passUntil(outcome);
      await expectNewDevice();
    });

    it("requests the same one again after another error, and from another provider", async () => {
      server.routes[DEVICE] = refused("invalid_request");
      await rejectionOf(start({ scope: SCOPE }));
      server.routes[DEVICE] = refused("invalid_scope");
      await rejectionOf(start({ scope: SCOPE, metadata: { ...metadata, issuer: "https://a.b" } }));
      server.routes[DEVICE] = json(CODES);
      expect((await start({ scope: SCOPE })).scope).to.equal(SCOPE);
    });
  });

  it("starts, or rejects with an error of the library, for any response", async () => {
    const anything = fc.jsonValue({ maxDepth: 2 });
    const member = fc.constantFrom(...Object.keys(CODES), "__proto__");
    await fc.assert(
      fc.asyncProperty(fc.dictionary(member, anything), async (changes) => {
        server.routes[DEVICE] = json({ ...CODES, ...changes });
        const result = await start().catch((error: unknown) => error);
        if (result instanceof OidcFlowError) {
          expect(result.message).to.equal(OidcError.InvalidDeviceAuthorizationResponse);
        } else {
          expect(result).to.have.property("interval").that.is.at.least(1);
        }
      }),
    );
  });

  describe("waits", () => {
    let clock: Clock;

    beforeEach(() => {
      clock = new Clock();
    });

    const waitFor = (
      session: DeviceGrantOptions["session"],
      options: object = {},
      more: object = {},
    ): ReturnType<typeof completeDeviceAuthorizationGrant> =>
      completeDeviceAuthorizationGrant(
        { session, metadata, clientId: CLIENT_ID, homeserverUrl: HOMESERVER, ...more },
        { fetch: server.fetch, timeoutMs: REQUEST_TIMEOUT_MS, ...options },
      );
    /** Waits until so many polls have a response. Resolves to the pause before the next one, in seconds. */
    const nextIn = async (asked: number): Promise<number> => {
      const pauses = (): readonly number[] =>
        clock.pending.filter((ms) => ms !== REQUEST_TIMEOUT_MS);
      await until(() => server.to(`${ISSUER}token`).length === asked && pauses().length === 1);
      return (pauses()[0] ?? NaN) / 1000;
    };
    /** Lets the pauses before the polls pass, each of which must have these seconds. */
    const passPauses = async (...pauses: readonly number[]): Promise<void> => {
      for (const [asked, seconds] of pauses.entries()) {
        expect(await nextIn(asked)).to.equal(seconds);
        await clock.pass(seconds * 1000);
      }
    };
    const respond = (...responders: readonly Responder[]): void => {
      server.routes[TOKEN] = inSequence(...responders);
    };

    it("waits until the user approves, and returns the same result as other sign-ins", async () => {
      respond(pending, json(TOKENS));
      const session = await start({ scope: SCOPE });
      const result = waitFor(session, {}, { identityServerUrl: "https://identity.example" });
      await passPauses(3, 3);

      expect(await result).to.deep.equal({
        tokenResponse: {
          ...TOKENS,
          token_type: "Bearer",
          expires_at: Math.floor(Date.now() / 1000) + 300,
        },
        oidcClientSettings: { clientId: CLIENT_ID, issuer: ISSUER },
        metadata: {
          issuer: ISSUER,
          token_endpoint: `${ISSUER}token`,
          revocation_endpoint: `${ISSUER}revoke`,
        },
        homeserverUrl: HOMESERVER,
        identityServerUrl: "https://identity.example",
        idTokenClaims: undefined,
        deviceId: "DEVICE1234",
        scope: SCOPE,
      });
      expect(membersOf(server.requests.at(-1))).to.deep.equal({
        grant_type: "urn:ietf:params:oauth:grant-type:device_code",
        device_code: "secret-device-code",
        client_id: CLIENT_ID,
      });
    });

    it("returns tokens that a session accepts", async () => {
      const result = waitFor(await start({ scope: SCOPE }));
      await passPauses(3);

      expect(await new OidcSession(await result).accessToken()).to.equal("secret-access");
    });

    it("returns the requested scope if the issuer names none", async () => {
      respond(json({ ...TOKENS, scope: undefined }));
      const result = waitFor(await start({ scope: SCOPE }));
      await passPauses(3);

      expect(await result).to.include({ scope: SCOPE, deviceId: "DEVICE1234" });
    });

    for (const [what, scope, deviceId] of [
      ["the requested device", SCOPE, "DEVICE1234"],
      ["no device if none was requested", "urn:matrix:client:api:*", ""],
    ] as const) {
      it(`returns ${what} if the issuer names none`, async () => {
        respond(json({ ...TOKENS, scope: "urn:matrix:client:api:*" }));
        const result = waitFor(await start({ scope }));
        await passPauses(3);

        expect(await result).to.have.property("deviceId", deviceId);
      });
    }

    it("returns no unverified ID token", async () => {
      respond(json({ ...TOKENS, id_token: "secret-id-token" }));
      const result = waitFor(await start({ scope: SCOPE }));
      await passPauses(3);

      expect((await result).tokenResponse).not.to.have.property("id_token");
    });

    it("doubles the wait after each failed request, up to a minute, and then uses the initial wait again", async () => {
      respond(...Array<Responder>(6).fill(networkFailure), pending, json(TOKENS));
      const result = waitFor(await start({ scope: SCOPE }));
      await passPauses(3, 6, 12, 24, 48, 60, 60, 3);

      expect(await result).to.have.property("tokenResponse");
    });

    for (const [what, last] of [
      ["no user has responded", pending],
      ["the issuer is out of reach", networkFailure],
    ] as const) {
      it(`rejects with flow_expired when the code has expired and ${what}`, async () => {
        respond(last);
        server.routes[DEVICE] = json({ ...CODES, expires_in: 4 });
        const failed = rejectionOf(waitFor(await start()));
        await nextIn(0);
        await clock.pass(3000);
        await nextIn(1);
        await clock.pass(6000);

        expect(await failed).to.include({
          message: OidcError.DeviceAuthorizationGrantFailed,
          code: "flow_expired",
        });
        expect(server.to(`${ISSUER}token`)).to.have.length(2);
      });
    }

    it("rejects with flow_expired at the exact second", async () => {
      clock.jump(1000 - (Date.now() % 1000));
      respond(pending);
      server.routes[DEVICE] = json({ ...CODES, expires_in: 3 });
      const failed = rejectionOf(waitFor(await start()));
      await passPauses(3);

      expect(await failed).to.include({ code: "flow_expired" });
    });

    it("polls once more after the laptop has slept, because the user might have already approved", async () => {
      const result = waitFor(await start({ scope: SCOPE }));
      await nextIn(0);
      clock.jump(3_600_000);
      await clock.pass(3000);

      expect(await result).to.have.property("tokenResponse");
    });

    it("rejects with aborted, without a poll, if the caller has already aborted", async () => {
      await expectFlowError(
        waitFor(await start(), { signal: AbortSignal.abort() }),
        OidcError.DeviceAuthorizationGrantFailed,
        "aborted",
      );
      expect(clock.pending).to.be.empty;
      expect(server.log).not.to.include(TOKEN);
    });

    it("rejects with aborted if the caller aborts between two polls", async () => {
      const controller = new AbortController();
      const failed = rejectionOf(waitFor(await start(), { signal: controller.signal }));
      await nextIn(0);
      const reason = new Error("The dialog was closed");
      controller.abort(reason);

      expect(await failed).to.include({
        message: OidcError.DeviceAuthorizationGrantFailed,
        code: "aborted",
        cause: reason,
      });
      expect(clock.pending).to.be.empty;
    });

    it("rejects with aborted if the caller aborts when the code expires", async () => {
      respond(never);
      server.routes[DEVICE] = json({ ...CODES, expires_in: 4 });
      const controller = new AbortController();
      const failed = rejectionOf(waitFor(await start(), { signal: controller.signal }));
      await passPauses(3);
      await until(() => server.log.includes(TOKEN));
      clock.jump(2000);
      controller.abort();

      expect(await failed).to.include({ code: "aborted" });
    });

    it("polls with the page's fetch by default", async () => {
      stub(globalThis, "fetch", { value: server.fetch });
      const session = await start({ scope: SCOPE });
      const result = completeDeviceAuthorizationGrant({
        ...{ session, metadata, clientId: CLIENT_ID, homeserverUrl: HOMESERVER },
      });
      await passPauses(3);

      expect(await result).to.have.property("tokenResponse");
    });

    it("rejects with aborted if the caller aborts during a poll", async () => {
      respond(never);
      const controller = new AbortController();
      const failed = rejectionOf(waitFor(await start(), { signal: controller.signal }));
      await passPauses(3);
      await until(() => server.log.includes(TOKEN));
      controller.abort();

      expect(await failed).to.include({
        message: OidcError.DeviceAuthorizationGrantFailed,
        code: "aborted",
      });
    });

    describe("given an unchanged response", () => {
      const raw = without(CODES, "interval");

      it("polls every five seconds when the response has no interval", async () => {
        respond(pending, pending, json(TOKENS));
        const result = waitFor(raw);
        await passPauses(5, 5, 5);

        expect(await result).to.include({ scope: SCOPE, deviceId: "DEVICE1234" });
      });

      it("has an empty scope and no device when neither request nor response names them", async () => {
        respond(json(without(TOKENS, "scope")));
        const result = waitFor(raw);
        await passPauses(5);

        expect(await result).to.include({ scope: "", deviceId: "" });
      });

      it("rejects with flow_expired when expires_in has passed since the call", async () => {
        respond(pending);
        const failed = rejectionOf(waitFor({ ...raw, expires_in: 8 }));
        await passPauses(5, 5);

        expect(await failed).to.include({ code: "flow_expired" });
        expect(server.to(`${ISSUER}token`)).to.have.length(2);
      });

      for (const [title, session, fault] of [
        ["nothing", undefined, /./],
        ["null", null, /./],
        ["an OAuth error", { error: "invalid_client" }, /^device_code is missing/],
        ["an interval that is none", { ...raw, interval: "soon" }, /^interval is not a number/],
        ["a scope that is not text", { ...raw, scope: ["a"] }, /^scope is not text/],
      ] as const) {
        it(`rejects with response_malformed, without a request, for ${title}`, async () => {
          const error = await expectFlowError(
            waitFor(session as never),
            OidcError.InvalidDeviceAuthorizationResponse,
            "response_malformed",
          );

          expect(error.cause).to.have.property("message").that.matches(fault);
          expect(server.log).to.be.empty;
        });
      }
    });

    const BOTH = [TOKENS.refresh_token, TOKENS.access_token];
    for (const [whose, session, revoked] of [
      ["for a new device", () => start(), BOTH],
      ["for a device that the app named", () => start({ scope: SCOPE }), []],
      ["for a scope of the app without a device", () => start({ scope: "openid" }), BOTH],
      ["for a device that the app's own request named", () => ({ ...CODES, scope: SCOPE }), []],
      ["after the app's own request without a device", () => CODES, BOTH],
    ] as const) {
      it(`revokes ${revoked.length ? "" : "no "}tokens without access to the client-server API, ${whose}`, async () => {
        respond(json({ ...TOKENS, scope: "openid" }));
        const failed = rejectionOf(waitFor(await session()));
        await passPauses(3);

        expect(await failed).to.include({ code: "scope_not_granted" });
        const forms = server.to(`${ISSUER}revoke`).map(({ body }) => new URLSearchParams(body));
        expect(forms.map((form) => form.get("token"))).to.deep.equal(revoked);
      });
    }

    describe("with matrix-js-sdk's contract", () => {
      const waitAsSdk = (session: object, options: object = {}): Promise<unknown> =>
        waitForDeviceAuthorization(
          { session: session as never, metadata, clientId: CLIENT_ID },
          { fetch: server.fetch, timeoutMs: REQUEST_TIMEOUT_MS, ...options },
        );

      it("resolves to the token response when the user approves", async () => {
        respond(pending, json(TOKENS));
        const result = waitAsSdk(CODES);
        await passPauses(3, 3);

        expect(await result).to.deep.include({ ...TOKENS, token_type: "Bearer" });
      });

      for (const [response, expected] of [
        [{ error: "access_denied" }, { error: "access_denied" }],
        [
          { error: "access_denied", error_description: "No." },
          { error: "access_denied", error_description: "No." },
        ],
        [
          { error: "access_denied", error_description: "access_denied" },
          { error: "access_denied" },
        ],
        [{ error: "expired_token" }, { error: "expired_token" }],
        [{ error: "invalid_grant" }, { error: "invalid_grant" }],
      ] as const) {
        it(`resolves with ${JSON.stringify(expected)} when the issuer responds with ${JSON.stringify(response)}`, async () => {
          respond(json(response, 403));
          const result = waitAsSdk(CODES);
          await passPauses(3);

          expect(await result).to.deep.equal(expected);
        });
      }

      it("resolves to the error expired when the user doesn't respond in time", async () => {
        respond(pending);
        const result = waitAsSdk({ ...CODES, expires_in: 2 });
        await passPauses(2);

        expect(await result).to.deep.equal({ error: "expired" });
      });

      it("rejects with aborted when the caller aborts", async () => {
        const controller = new AbortController();
        const failed = rejectionOf(waitAsSdk(CODES, { signal: controller.signal }));
        await nextIn(0);
        controller.abort();

        expect(await failed).to.include({ code: "aborted" });
      });
    });
  });
});
