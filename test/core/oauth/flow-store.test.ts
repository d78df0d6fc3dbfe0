import { expect } from "@open-wc/testing";
import {
  OidcError,
  completeAuthorizationCodeGrant,
  flowOfRecord,
  storeFlow,
  type OidcErrorCode,
} from "matrix-auth-elements/core";
import { everyTextIn, expectFlowError } from "../../support/rejection.ts";
import { networkFailure } from "../../support/scripted-fetch.ts";
import {
  ISSUER,
  ScriptedProvider,
  type ProviderResponse,
} from "../../support/scripted-provider.ts";
import { blockStorage, fillStorage, moveClock, restoreStubs, stub } from "../../support/stub.ts";
import { logIn, startLogin } from "../login.ts";

const MINUTE = 60 * 1000;

/** The keys of the flows in this tab's storage. */
const keptFlows = (): readonly string[] =>
  Object.keys(sessionStorage).filter((key) => sessionStorage.getItem(key)?.includes("state"));

describe("A sign-in that waits for its response", () => {
  let provider: ScriptedProvider;
  const complete = ({ code, state }: ProviderResponse) =>
    completeAuthorizationCodeGrant(code, state, { fetch: provider.server.fetch });

  const expectNoFlow = (code: OidcErrorCode, call: Parameters<typeof expectFlowError>[0]) =>
    expectFlowError(call, OidcError.MissingOrInvalidStoredState, code);

  beforeEach(async () => {
    sessionStorage.clear();
    provider = await ScriptedProvider.create();
  });
  afterEach(() => {
    restoreStubs();
    sessionStorage.clear();
  });

  it("is stored only in this tab", async () => {
    localStorage.clear();
    await startLogin(provider);

    expect(sessionStorage).to.have.length(1);
    expect(localStorage).to.have.length(0);
  });

  it("takes little space, even if the issuer has much metadata", async () => {
    Object.assign(provider.metadata, { padding: "x".repeat(500_000) });
    await startLogin(provider);

    expect(JSON.stringify({ ...sessionStorage }).length).to.be.below(5000);
  });

  it("is completed once, however many calls run at the same time", async () => {
    const response = await logIn(provider);
    const first = complete(response);

    await expectNoFlow("flow_unknown", complete(response));
    await first;
    expect(provider.server.to(`${ISSUER}token`)).to.have.length(1);
  });

  it("is removed from the storage before its code is sent", async () => {
    const response = await logIn(provider);
    let kept = keptFlows();
    provider.server.routes[`POST ${ISSUER}token`] = (request) => {
      kept = keptFlows();
      return provider.exchange(request);
    };

    await complete(response);

    expect(kept).to.be.empty;
  });

  it("doesn't affect another sign-in", async () => {
    const first = await logIn(provider, { homeserverUrl: "https://one.example" });
    const second = await logIn(provider, { homeserverUrl: "https://two.example" });

    expect((await complete(first)).homeserverUrl).to.equal("https://one.example");
    expect((await complete(second)).homeserverUrl).to.equal("https://two.example");
  });

  for (const state of ["", "unknown", "__proto__", "constructor", "length"]) {
    it(`is not found under the state "${state}"`, async () => {
      await startLogin(provider);

      await expectNoFlow(
        "flow_unknown",
        completeAuthorizationCodeGrant("code", state, { fetch: provider.server.fetch }),
      );
      expect(keptFlows()).to.have.length(1);
    });
  }

  it("can be completed for an hour, but not a millisecond longer", async () => {
    let now = Date.now();
    stub(Date, "now", { value: () => now });
    const [first, second] = [await logIn(provider), await logIn(provider)];
    now += 60 * MINUTE;
    await complete(first);
    now += 1;

    await expectNoFlow("flow_expired", complete(second));
  });

  for (const [what, by] of [
    ["after an hour", 61 * MINUTE],
    ["if the clock was set back by more than an hour", -61 * MINUTE],
  ] as const) {
    it(`has expired ${what}, and sends no request`, async () => {
      const response = await logIn(provider);
      moveClock(by);

      await expectNoFlow("flow_expired", complete(response));
      expect(provider.server.log).to.be.empty;
      expect(keptFlows()).to.be.empty;
    });
  }

  it("is removed by the next sign-in when it has expired", async () => {
    await startLogin(provider);
    const [old] = keptFlows();
    moveClock(61 * MINUTE);
    await startLogin(provider);

    expect(keptFlows()).to.have.length(1).and.not.to.include(old);
  });

  it("stays when the next sign-in removes invalid records", async () => {
    await startLogin(provider);
    const [good = ""] = keptFlows();
    const broken = good.slice(0, -4) + "oops";
    sessionStorage.setItem(broken, '{"state":');
    sessionStorage.setItem("of-the-page", '{"state":');
    await startLogin(provider);

    expect(keptFlows()).to.have.length(3).and.to.include(good).and.not.to.include(broken);
    expect(sessionStorage.getItem("of-the-page")).not.to.be.null;
  });

  const having =
    (members: Record<string, unknown>) =>
    (flow: Record<string, unknown>): unknown => ({ ...flow, ...members });
  const withMetadata =
    (members: Record<string, unknown>) =>
    (flow: Record<string, unknown>): unknown => ({
      ...flow,
      metadata: { ...(flow.metadata as Record<string, unknown>), ...members },
    });
  const edits: Record<string, (flow: Record<string, unknown>) => unknown> = {
    "no object": () => "text",
    "a list": () => [],
    "another state": having({ state: "other" }),
    "no metadata": having({ metadata: undefined }),
    "no verifier": having({ codeVerifier: undefined }),
    "a verifier that is not a string": having({ codeVerifier: {} }),
    "a client id that is not a string": having({ clientId: 5 }),
    "no date": having({ createdAt: "yesterday" }),
    "another response mode": having({ responseMode: "form_post" }),
    "a nonce that is not a string": having({ nonce: 5 }),
    "a token endpoint over http": withMetadata({ token_endpoint: "http://a.example/" }),
    "a token endpoint that is a script": withMetadata({ token_endpoint: "javascript:1" }),
    "keys over http": withMetadata({ jwks_uri: "http://idp.example/jwks" }),
    "an issuer that is not a URL": withMetadata({ issuer: "idp" }),
    "grants that are not strings": withMetadata({
      grant_types_supported: ["authorization_code", 5],
    }),
    "grants that are not a list": withMetadata({ grant_types_supported: 5 }),
    "algorithms that are not a list": withMetadata({
      id_token_signing_alg_values_supported: "RS256",
    }),
  };
  const spoiled: Record<string, (record: string) => string> = {
    ...Object.fromEntries(
      Object.entries(edits).map(([what, edit]) => [
        what,
        (record) => JSON.stringify(edit(JSON.parse(record) as Record<string, unknown>)),
      ]),
    ),
    "broken JSON": (record) => record.slice(1),
    "members only of a prototype": (record) => `{"__proto__":${record}}`,
  };
  for (const [what, spoil] of Object.entries(spoiled)) {
    it(`is rejected with flow_invalid if other code of the page wrote ${what} to it`, async () => {
      const response = await logIn(provider);
      const [key = ""] = keptFlows();
      const record = sessionStorage.getItem(key) ?? "";
      sessionStorage.setItem(key, spoil(record));

      const error = await expectNoFlow("flow_invalid", complete(response));
      expect(everyTextIn(error))
        .not.to.include((JSON.parse(record) as { readonly codeVerifier: string }).codeVerifier)
        .and.not.to.include(response.code);
      expect(provider.server.log).to.be.empty;
    });
  }

  it("cannot be completed if the browser forbids storage", async () => {
    const response = await logIn(provider);
    blockStorage("sessionStorage");

    const { cause } = await expectFlowError(
      complete(response),
      OidcError.StorageUnavailable,
      "storage_unavailable",
    );
    expect(cause).to.have.property("name", "SecurityError");
  });

  for (const [what, spoil] of [
    ["forbids storage", () => blockStorage("sessionStorage")],
    ["is full", () => fillStorage(sessionStorage)],
  ] as const) {
    it(`reports the reason that the exchange failed, even if the browser has since ${what}`, async () => {
      const response = await logIn(provider);
      provider.server.routes[`POST ${ISSUER}token`] = () => {
        spoil();
        return networkFailure();
      };

      await expectFlowError(complete(response), OidcError.CodeExchangeFailed, "network_error");
    });
  }

  it("can be stored and read by a caller with a custom store", async () => {
    const response = await logIn(provider);
    const record = sessionStorage.getItem(keptFlows()[0] ?? "");
    sessionStorage.clear();

    const flow = flowOfRecord(response.state, record);
    expect(flow).to.include({ state: response.state, clientId: provider.clientId });

    storeFlow(flow);
    await complete(response);
  });

  it("is unknown to a caller whose store has no record", () =>
    expectNoFlow("flow_unknown", () => flowOfRecord("state", null)));

  it("isn't used for the response to another state", async () => {
    await startLogin(provider);
    const record = sessionStorage.getItem(keptFlows()[0] ?? "");

    await expectNoFlow("flow_invalid", () => flowOfRecord("another", record));
  });
});
