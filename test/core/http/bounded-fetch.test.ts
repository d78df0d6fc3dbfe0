import { expect } from "@open-wc/testing";
import {
  HomeserverClient,
  OidcError,
  RequestError,
  type OidcFlowError,
  completeAuthorizationCodeGrantFromUrl,
  discoverHomeserver,
  discoverIssuer,
  registerOidcClient,
  validateAuthMetadata,
} from "matrix-auth-elements/core";
import { expectFlowError, rejectionOf } from "../../support/rejection.ts";
import {
  endlessBody,
  held,
  html,
  hugeBody,
  inTurn,
  json,
  networkFailure,
  never,
  redirectTo,
  stalledBody,
  truncatedJson,
  type Responder,
} from "../../support/scripted-fetch.ts";
import { ISSUER, ScriptedProvider } from "../../support/scripted-provider.ts";
import { restoreStubs, stub } from "../../support/stub.ts";
import { HOMESERVER, REDIRECT_URI, logIn } from "../login.ts";

const MEGABYTE = 1 << 20;

describe("A request", () => {
  let provider: ScriptedProvider;
  const document = `${ISSUER}.well-known/openid-configuration`;

  beforeEach(async () => {
    sessionStorage.clear();
    provider = await ScriptedProvider.create();
  });
  afterEach(restoreStubs);

  const discover = (
    answer: Responder,
    options: { timeoutMs?: number; signal?: AbortSignal } = {},
  ) => {
    provider.server.routes[`GET ${document}`] = answer;
    return discoverIssuer(ISSUER, { ...options, fetch: provider.server.fetch });
  };

  it("sends no cookie and no referrer", async () => {
    await discover(json(provider.metadata));

    const [request] = provider.server.requests;
    expect(request?.credentials).to.equal("omit");
    expect(request?.referrerPolicy).to.equal("no-referrer");
  });

  it("reads an answer that comes in several pieces", async () => {
    const bytes = new TextEncoder().encode(JSON.stringify({ ...provider.metadata, note: "żółć" }));
    const pieces = new ReadableStream<Uint8Array>({
      start(body) {
        for (const byte of bytes) body.enqueue(Uint8Array.of(byte));
        body.close();
      },
    });
    const config = await discover(() => new Response(pieces));

    expect(config["note"]).to.equal("żółć");
  });

  it("sends no header that needs a preflight where it only reads", async () => {
    await discover(json(provider.metadata));

    expect([...(provider.server.requests[0]?.headers ?? [])]).to.deep.equal([
      ["accept", "application/json"],
    ]);
  });

  it("uses the fetch that the page has at the time of the call", async () => {
    stub(globalThis, "fetch", { value: provider.server.fetch });

    const metadata = await discoverIssuer(ISSUER);

    expect(metadata.issuer).to.equal(ISSUER);
  });

  it("ends at its time limit where no answer comes", () =>
    expectFlowError(discover(never, { timeoutMs: 5 }), OidcError.General, "timeout"));

  it("ends at its time limit where the body of an answer stops half way", () =>
    expectFlowError(discover(stalledBody, { timeoutMs: 5 }), OidcError.General, "timeout"));

  it("ends at its time limit where the fetch of the caller pays no heed to its signal", () =>
    expectFlowError(
      discoverIssuer(ISSUER, { timeoutMs: 5, fetch: () => new Promise(() => undefined) }),
      OidcError.General,
      "timeout",
    ));

  for (const timeoutMs of [Infinity, 2 ** 31]) {
    it(`waits for an answer where its time limit is longer than a timer may be: ${timeoutMs}`, async () => {
      const later: Responder = async (request) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return json(provider.metadata)(request);
      };

      expect((await discover(later, { timeoutMs })).issuer).to.equal(ISSUER);
    });
  }

  it("tells the fetch of the caller to stop at its time limit", async () => {
    await rejectionOf(discover(never, { timeoutMs: 5 }));

    expect(provider.server.requests[0]?.signal.aborted).to.be.true;
  });

  it("is not ended by a time limit that passes after its answer", async () => {
    await discover(json(provider.metadata), { timeoutMs: 50 });
    await new Promise((resolve) => setTimeout(resolve, 60));

    expect(provider.server.requests[0]?.signal.aborted).to.be.false;
  });

  it("is not sent at all where the caller gave up before", async () => {
    const call = discover(json(provider.metadata), { signal: AbortSignal.abort() });

    await expectFlowError(call, OidcError.General, "aborted");
    expect(provider.server.log).to.be.empty;
  });

  it("tells the caller's own reason for giving up as the cause", async () => {
    const reason = new Error("The element left the page");

    const error = await expectFlowError(
      discover(never, { signal: AbortSignal.abort(reason) }),
      OidcError.General,
      "aborted",
    );

    expect((error.cause as RequestError).cause).to.equal(reason);
  });

  it("leaves no listener on the caller's signal behind", async () => {
    const { signal } = new AbortController();
    const listeners = new Set<unknown>();
    stub(signal, "addEventListener", {
      value: (_type: string, listener: unknown) => listeners.add(listener),
    });
    stub(signal, "removeEventListener", {
      value: (_type: string, listener: unknown) => listeners.delete(listener),
    });

    await discover(json(provider.metadata), { signal });

    expect(listeners.size).to.equal(0);
  });

  it("fails as network_error where there is no answer", async () => {
    const error = await expectFlowError(
      discover(networkFailure),
      OidcError.General,
      "network_error",
    );

    expect(error.cause).to.be.instanceOf(RequestError);
    expect((error.cause as RequestError).httpStatus).to.be.undefined;
  });

  it("does not read a body of ten megabytes", () =>
    expectFlowError(discover(hugeBody(10 * MEGABYTE)), OidcError.General, "response_too_large"));

  it("reads a body of a megabyte", async () => {
    const padded = { ...provider.metadata, padding: "" };
    padded.padding = "x".repeat(MEGABYTE - JSON.stringify(padded).length);

    const metadata = await discover(json(padded));

    expect(metadata.issuer).to.equal(ISSUER);
  });

  it("stops reading an endless body soon after its limit, and tells the server to stop", async () => {
    const { answer, taken, cancelled } = endlessBody();

    await expectFlowError(discover(answer), OidcError.General, "response_too_large");

    expect(taken()).to.be.lessThan(2 * MEGABYTE);
    expect(cancelled()).to.be.true;
  });

  it("takes HTML for no answer, whatever its status says", () =>
    expectFlowError(discover(html()), OidcError.General, "response_not_json"));

  it("takes JSON that breaks off for no answer", () =>
    expectFlowError(
      discover(truncatedJson(provider.metadata)),
      OidcError.General,
      "response_not_json",
    ));

  it("takes an empty answer for none", () =>
    expectFlowError(
      discover(() => new Response(null, { status: 204 })),
      OidcError.General,
      "response_not_json",
    ));

  it("follows a redirect where it only reads what is public", async () => {
    const elsewhere = "https://idp.example/moved";
    provider.server.routes[`GET ${elsewhere}`] = json(provider.metadata);

    const metadata = await discover(redirectTo(elsewhere));

    expect(metadata.issuer).to.equal(ISSUER);
  });

  for (const [status, code] of [
    [400, "unexpected_status"],
    [403, "unexpected_status"],
    [404, "unexpected_status"],
    [429, "rate_limited"],
    [500, "server_error"],
    [503, "server_error"],
  ] as const) {
    it(`fails as ${code} on HTTP ${status}`, async () => {
      const error = await expectFlowError(
        discover(json(provider.metadata, status)),
        OidcError.General,
        code,
      );

      expect((error.cause as RequestError).httpStatus).to.equal(status);
    });
  }

  describe("that the caller aborts", () => {
    const API = `${HOMESERVER}/_matrix/client`;
    const WELL_KNOWN = `${HOMESERVER}/.well-known/matrix/client`;
    interface Options {
      readonly signal: AbortSignal;
      readonly fetch: typeof fetch;
    }
    const getAuthMetadata = (options: Options): Promise<unknown> =>
      new HomeserverClient({ baseUrl: HOMESERVER }).getAuthMetadata(options);

    /** Each request that a call can be waiting for when the caller gives up. */
    const waits: readonly (readonly [
      call: string,
      at: string,
      run: (options: Options) => Promise<unknown>,
      message?: OidcError,
    ])[] = [
      [
        "discoverHomeserver",
        `GET ${WELL_KNOWN}`,
        (options) => discoverHomeserver(HOMESERVER, options),
        OidcError.General,
      ],
      [
        "discoverIssuer",
        `GET ${ISSUER}.well-known/openid-configuration`,
        (options) => discoverIssuer(ISSUER, options),
        OidcError.General,
      ],
      ...[
        `GET ${API}/v1/auth_metadata`,
        `GET ${API}/unstable/org.matrix.msc2965/auth_metadata`,
        `GET ${API}/unstable/org.matrix.msc2965/auth_issuer`,
        `GET ${WELL_KNOWN}`,
        `GET ${ISSUER}.well-known/openid-configuration`,
        `GET ${ISSUER}jwks`,
      ].map((at) => ["getAuthMetadata", at, getAuthMetadata, OidcError.General] as const),
      [
        "whoami",
        `GET ${API}/v3/account/whoami`,
        (options) => new HomeserverClient({ baseUrl: HOMESERVER }).whoami(options),
      ],
      [
        "registerOidcClient",
        `POST ${ISSUER}register`,
        (options) =>
          registerOidcClient(
            validateAuthMetadata(provider.metadata),
            { clientUri: "https://app.example", redirectUris: [REDIRECT_URI] },
            options,
          ),
        OidcError.DynamicRegistrationFailed,
      ],
      [
        "completeAuthorizationCodeGrantFromUrl",
        `POST ${ISSUER}token`,
        async (options) =>
          completeAuthorizationCodeGrantFromUrl((await logIn(provider)).url, options),
        OidcError.CodeExchangeFailed,
      ],
    ];

    for (const [call, at, run, message] of waits) {
      it(`makes ${call} reject with aborted, waiting at ${at}`, async () => {
        const { routes, fetch } = provider.server;
        // A homeserver that tells of its issuer in the last place that is asked.
        for (const route of waits.map(([, route]) => route)) routes[route] ??= json({}, 404);
        routes[`GET ${WELL_KNOWN}`] = json({
          "m.homeserver": { base_url: HOMESERVER },
          "m.authentication": { issuer: ISSUER },
        });
        const waiting = held(never);
        routes[at] = waiting.answer;
        const controller = new AbortController();

        const rejected = rejectionOf(run({ signal: controller.signal, fetch }));
        await waiting.asked;
        controller.abort();

        const error = (await rejected) as Pick<OidcFlowError, "code" | "message">;
        expect(error.code).to.equal("aborted");
        if (message !== undefined) expect(error.message).to.equal(message);
      });
    }

    it("makes completeAuthorizationCodeGrantFromUrl reject with aborted, waiting for the keys alone", async () => {
      // The second request for the keys goes out when the tokens are here.
      const waiting = held(never);
      provider.server.routes[`GET ${ISSUER}jwks`] = inTurn(networkFailure, waiting.answer);
      const { url } = await logIn(provider);
      const controller = new AbortController();
      const { signal } = controller;
      const { fetch } = provider.server;

      const rejected = rejectionOf(completeAuthorizationCodeGrantFromUrl(url, { signal, fetch }));
      await waiting.asked;
      controller.abort();

      expect(((await rejected) as OidcFlowError).code).to.equal("aborted");
    });
  });
});
