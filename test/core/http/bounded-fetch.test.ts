import { expect } from "@open-wc/testing";
import {
  HomeserverClient,
  OidcError,
  discoverIssuer,
  loginWithPassword,
  registerOidcClient,
  type AuthMetadata,
  type OidcFlowError,
  type RequestError,
  type RequestOptions,
} from "matrix-auth-elements/core";
import { expectFlowError, rejectionOf } from "../../support/rejection.ts";
import {
  json,
  networkFailure,
  never,
  redirectTo,
  stalledBody,
  type Responder,
} from "../../support/scripted-fetch.ts";
import { ISSUER, ScriptedProvider } from "../../support/scripted-provider.ts";
import { restoreStubs, stub } from "../../support/stub.ts";
import { Clock, idle } from "../../support/clock.ts";

const CLIENT = { clientUri: "https://app.example", redirectUris: ["https://app.example/"] };
const PASSWORD = { identifier: { type: "m.id.user", user: "alice" }, password: "secret" } as const;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A caller's signal, and the number of its listeners. */
function listenedSignal(): {
  readonly signal: AbortSignal;
  readonly listeners: () => number;
  readonly abort: () => void;
} {
  const controller = new AbortController();
  const { signal } = controller;
  let count = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    count += 1;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    count -= 1;
    remove(...args);
  };
  return { signal, listeners: () => count, abort: () => controller.abort() };
}

describe("boundedFetch", () => {
  let provider: ScriptedProvider;

  beforeEach(async () => {
    provider = await ScriptedProvider.create();
  });
  afterEach(restoreStubs);

  /** Calls discoverIssuer(), with this response to its request. */
  const request = (respond: Responder, options: RequestOptions = {}) => {
    const { routes, fetch } = provider.server;
    routes[`GET ${ISSUER}.well-known/openid-configuration`] = respond;
    return discoverIssuer(ISSUER, { fetch, ...options });
  };

  it("sends no cookie, no referrer and no header that needs a preflight", async () => {
    await request(json(provider.metadata));

    const [sent] = provider.server.requests;
    expect(sent).to.include({ credentials: "omit", referrerPolicy: "no-referrer" });
    expect([...(sent?.headers ?? [])]).to.deep.equal([["accept", "application/json"]]);
  });

  it("uses the page's fetch at the time of the call", async () => {
    stub(globalThis, "fetch", { value: provider.server.fetch });

    expect((await request(json(provider.metadata), { fetch: undefined })).issuer).to.equal(ISSUER);
  });

  it("does not abort the request when the caller's signal aborts after the response", async () => {
    const { signal, ...caller } = listenedSignal();
    let sent: AbortSignal | null | undefined;
    const fetch: typeof globalThis.fetch = (url, init) => {
      sent = init?.signal;
      return provider.server.fetch(url, init);
    };
    await request(json(provider.metadata), { fetch, signal });
    expect(caller.listeners()).to.equal(0);

    caller.abort();

    expect(sent?.aborted).to.be.false;
  });

  it("follows a redirect of a public request", async () => {
    const elsewhere = "https://idp.example/moved";
    provider.server.routes[`GET ${elsewhere}`] = json(provider.metadata);

    expect((await request(redirectTo(elsewhere))).issuer).to.equal(ISSUER);
  });

  it("rejects with network_error and without a status when no response arrives", async () => {
    const error = await expectFlowError(
      request(networkFailure),
      OidcError.General,
      "network_error",
    );

    expect(error.cause).to.include({ name: "RequestError", httpStatus: undefined });
  });

  for (const [what, fetch] of [
    [
      "throws",
      () => {
        throw new ReferenceError("config is not defined");
      },
    ],
    ["rejects with its own error", () => Promise.reject(new Error("config is not defined"))],
    ["has a fault", () => Promise.reject(new TypeError("config is not defined"))],
    ["resolves to nothing", () => Promise.resolve(undefined as unknown as Response)],
  ] as const) {
    it(`rejects with unexpected, with the error as its cause, when the app's fetch ${what}`, async () => {
      const call = discoverIssuer(ISSUER, { fetch });

      const error = await expectFlowError(call, OidcError.Unexpected, "unexpected");

      expect(error).to.include({ retryable: false });
      const cause = error.cause as RequestError;
      expect(cause).to.include({ name: "RequestError", code: "unexpected" });
      expect(cause.cause).to.be.an("error");
      expect(cause.message).to.contain((cause.cause as Error).message);
    });
  }

  for (const [what, error] of [
    ["Safari's message", new TypeError("Load failed")],
    ["Node's message", new TypeError("fetch failed")],
    ["Deno's message", new TypeError("error reading a body from connection")],
    ["the message of Cloudflare Workers", new Error("Network connection lost.")],
    ...["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT"].map(
      (code) => [`Bun's code ${code}`, Object.assign(new TypeError("No"), { code })] as const,
    ),
    ["a time limit", new DOMException("signal timed out", "TimeoutError")],
    ["an abort", new DOMException("The user aborted a request.", "AbortError")],
    ["a client's name for it", Object.assign(new Error("offline"), { name: "FetchError" })],
  ] as const) {
    it(`rejects with network_error when the app's fetch passes on ${what}`, () =>
      expectFlowError(
        request(() => Promise.reject(error)),
        OidcError.General,
        "network_error",
      ));
  }

  it("rejects with network_error for any error of the platform's fetch", () => {
    stub(globalThis, "fetch", {
      value: () => Promise.reject(new TypeError("Geladen wird nichts")),
    });

    return expectFlowError(discoverIssuer(ISSUER), OidcError.General, "network_error");
  });

  describe("with a body", () => {
    it("decodes characters that are split between chunks", async () => {
      const bytes = new TextEncoder().encode(
        JSON.stringify({ ...provider.metadata, note: "żółć" }),
      );
      const pieces = new ReadableStream<Uint8Array>({
        start(body) {
          for (const byte of bytes) body.enqueue(Uint8Array.of(byte));
          body.close();
        },
      });

      expect((await request(() => new Response(pieces)))["note"]).to.equal("żółć");
    });
  });

  describe("with a time limit", () => {
    let clock: Clock;
    beforeEach(() => (clock = new Clock()));

    for (const [what, respond, options] of [
      ["the headers never come", never, {}],
      ["the body stalls", stalledBody, {}],
      ["fetch ignores its signal", never, { fetch: () => new Promise<never>(() => undefined) }],
    ] as const) {
      it(`rejects with timeout after the time limit when ${what}`, async () => {
        const rejected = rejectionOf(request(respond, { timeoutMs: 5000, ...options }));
        await idle();
        expect(clock.pending).to.deep.equal([5000]);
        await clock.run();

        expect((await rejected) as OidcFlowError).to.include({ code: "timeout" });
      });
    }

    for (const [what, seconds, method, path, call] of [
      [
        "a document",
        10,
        "GET",
        ".well-known/openid-configuration",
        () => discoverIssuer(ISSUER, provider.server),
      ],
      [
        "a registration",
        30,
        "POST",
        "register",
        () =>
          registerOidcClient(provider.metadata as unknown as AuthMetadata, CLIENT, provider.server),
      ],
      [
        "a sign-in with a password",
        30,
        "POST",
        "_matrix/client/v3/login",
        () => loginWithPassword({ homeserverUrl: ISSUER, ...PASSWORD }, provider.server),
      ],
      [
        "a request with a token",
        30,
        "GET",
        "_matrix/client/v3/account/whoami",
        () =>
          new HomeserverClient({ baseUrl: ISSUER, accessToken: "t", ...provider.server }).whoami(),
      ],
    ] as const) {
      it(`limits ${what} to ${seconds} seconds, including its preflight`, async () => {
        provider.server.routes[`${method} ${ISSUER}${path}`] = never;
        const rejected = rejectionOf(call());
        await idle();
        expect(clock.pending).to.include(seconds * 1000);
        await clock.run();

        expect(await rejected).to.include({ code: "timeout" });
        expect(provider.server.requests[0]?.signal.aborted).to.be.true;
      });
    }

    it("keeps no timer for the time limit after the response", async () => {
      await request(json(provider.metadata), { timeoutMs: 5000 });

      expect(clock.pending).to.deep.equal([]);
    });

    for (const timeoutMs of [Infinity, LONGEST_TIMER_MS + 1]) {
      it(`waits for a timer's maximum time when the time limit is ${timeoutMs}`, async () => {
        const rejected = rejectionOf(request(never, { timeoutMs }));
        await idle();
        expect(clock.pending).to.deep.equal([LONGEST_TIMER_MS]);
        await clock.run();
        await rejected;
      });
    }
  });

  describe("with a signal", () => {
    it("sends nothing and rejects with aborted when the signal has already aborted", async () => {
      const reason = new Error("The element left the page");
      const call = request(json(provider.metadata), { signal: AbortSignal.abort(reason) });

      const error = await expectFlowError(call, OidcError.General, "aborted");

      expect((error.cause as RequestError).cause).to.equal(reason);
      expect(provider.server.log).to.be.empty;
    });

    it("leaves no listener on the signal after the response", async () => {
      const { signal } = new AbortController();
      const listeners = new Set<unknown>();
      stub(signal, "addEventListener", {
        value: (_type: string, listener: unknown) => listeners.add(listener),
      });
      stub(signal, "removeEventListener", {
        value: (_type: string, listener: unknown) => listeners.delete(listener),
      });

      await request(json(provider.metadata), { signal });

      expect(listeners.size).to.equal(0);
    });
  });
});
