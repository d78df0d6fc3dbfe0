import { expect } from "@open-wc/testing";
import {
  OidcError,
  completeAuthorizationCodeGrant,
  flowOfRecord,
  storeFlow,
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

describe("A login that waits for its response", () => {
  let provider: ScriptedProvider;
  const complete = ({ code, state }: ProviderResponse) =>
    completeAuthorizationCodeGrant(code, state, { fetch: provider.server.fetch });

  beforeEach(async () => {
    sessionStorage.clear();
    provider = await ScriptedProvider.create();
  });
  afterEach(() => {
    restoreStubs();
    sessionStorage.clear();
  });

  it("is kept in this tab alone", async () => {
    localStorage.clear();
    await startLogin(provider);

    expect(sessionStorage).to.have.length(1);
    expect(localStorage).to.have.length(0);
  });

  it("takes little room, however much the issuer says of itself", async () => {
    Object.assign(provider.metadata, { padding: "x".repeat(500_000) });
    await startLogin(provider);

    expect(JSON.stringify({ ...sessionStorage }).length).to.be.below(5000);
  });

  it("is completed once: a second response finds nothing", async () => {
    const response = await logIn(provider);
    await complete(response);

    await expectFlowError(
      complete(response),
      OidcError.MissingOrInvalidStoredState,
      "flow_unknown",
    );
    expect(keptFlows()).to.be.empty;
  });

  it("is completed once, however many ask at the same time", async () => {
    const response = await logIn(provider);
    const first = complete(response);

    await expectFlowError(
      complete(response),
      OidcError.MissingOrInvalidStoredState,
      "flow_unknown",
    );
    await first;
    expect(provider.server.to(`${ISSUER}token`)).to.have.length(1);
  });

  it("is out of the storage before its code is sent", async () => {
    const response = await logIn(provider);
    let kept = keptFlows();
    provider.server.routes[`POST ${ISSUER}token`] = (request) => {
      kept = keptFlows();
      return provider.exchange(request);
    };

    await complete(response);

    expect(kept).to.be.empty;
  });

  it("does not get in the way of another one", async () => {
    const first = await logIn(provider, { homeserverUrl: "https://one.example" });
    const second = await logIn(provider, { homeserverUrl: "https://two.example" });

    expect((await complete(first)).homeserverUrl).to.equal("https://one.example");
    expect((await complete(second)).homeserverUrl).to.equal("https://two.example");
  });

  for (const state of ["", "unknown", "__proto__", "constructor", "length"]) {
    it(`is not found under the state "${state}"`, async () => {
      await startLogin(provider);

      await expectFlowError(
        completeAuthorizationCodeGrant("code", state, { fetch: provider.server.fetch }),
        OidcError.MissingOrInvalidStoredState,
        "flow_unknown",
      );
      expect(keptFlows()).to.have.length(1);
    });
  }

  it("can be completed after 59 minutes", async () => {
    const response = await logIn(provider);
    moveClock(59 * MINUTE);

    expect((await complete(response)).tokenResponse.access_token).to.equal(provider.accessToken);
  });

  it("can be completed for an hour, and not a millisecond longer", async () => {
    let now = Date.now();
    stub(Date, "now", { value: () => now });
    const [first, second] = [await logIn(provider), await logIn(provider)];
    now += 60 * MINUTE;
    await complete(first);
    now += 1;

    await expectFlowError(complete(second), OidcError.MissingOrInvalidStoredState, "flow_expired");
  });

  for (const [what, by] of [
    ["after an hour", 61 * MINUTE],
    ["where the clock was set back meanwhile by more than an hour", -61 * MINUTE],
  ] as const) {
    it(`has expired ${what}, and sends no request`, async () => {
      const response = await logIn(provider);
      moveClock(by);

      await expectFlowError(
        complete(response),
        OidcError.MissingOrInvalidStoredState,
        "flow_expired",
      );
      expect(provider.server.log).to.be.empty;
      expect(keptFlows()).to.be.empty;
    });
  }

  it("is swept out by the next login when it has expired", async () => {
    await startLogin(provider);
    const [old] = keptFlows();
    moveClock(61 * MINUTE);
    await startLogin(provider);

    expect(keptFlows()).to.have.length(1).and.not.to.include(old);
  });

  it("stays when the next login sweeps out broken ones", async () => {
    await startLogin(provider);
    const [good = ""] = keptFlows();
    const broken = good.slice(0, -4) + "oops";
    sessionStorage.setItem(broken, '{"state":');
    sessionStorage.setItem("of-the-page", '{"state":');
    await startLogin(provider);

    expect(keptFlows()).to.have.length(3).and.to.include(good).and.not.to.include(broken);
    expect(sessionStorage.getItem("of-the-page")).not.to.be.null;
  });

  describe("is refused where other code of the page wrote to it:", () => {
    const edits: Record<string, (flow: Record<string, unknown>) => unknown> = {
      "no object": () => "text",
      "a list": () => [],
      "another state": (flow) => ({ ...flow, state: "other" }),
      "no metadata": (flow) => ({ ...flow, metadata: undefined }),
      "no verifier": (flow) => ({ ...flow, codeVerifier: undefined }),
      "a verifier that is no text": (flow) => ({ ...flow, codeVerifier: {} }),
      "a client id that is no text": (flow) => ({ ...flow, clientId: 5 }),
      "no date": (flow) => ({ ...flow, createdAt: "yesterday" }),
      "another response mode": (flow) => ({ ...flow, responseMode: "form_post" }),
      "a nonce that is no text": (flow) => ({ ...flow, nonce: 5 }),
      "a token endpoint over http": (flow) => change(flow, { token_endpoint: "http://a.example/" }),
      "a token endpoint that is a script": (flow) =>
        change(flow, { token_endpoint: "javascript:1" }),
      "keys over http": (flow) => change(flow, { jwks_uri: "http://idp.example/jwks" }),
      "an issuer that is no address": (flow) => change(flow, { issuer: "idp" }),
      "grants that are no texts": (flow) =>
        change(flow, { grant_types_supported: ["authorization_code", 5] }),
      "grants that are no list": (flow) => change(flow, { grant_types_supported: 5 }),
      "algorithms that are no list": (flow) =>
        change(flow, { id_token_signing_alg_values_supported: "RS256" }),
    };
    const change = (
      flow: Record<string, unknown>,
      metadata: Record<string, unknown>,
    ): Record<string, unknown> => ({
      ...flow,
      metadata: { ...(flow.metadata as Record<string, unknown>), ...metadata },
    });

    for (const [what, edit] of Object.entries(edits)) {
      it(what, async () => {
        const response = await logIn(provider);
        const [key = ""] = keptFlows();
        const flow = JSON.parse(sessionStorage.getItem(key) ?? "") as Record<string, unknown>;
        sessionStorage.setItem(key, JSON.stringify(edit(flow)));

        const error = await expectFlowError(
          complete(response),
          OidcError.MissingOrInvalidStoredState,
          "flow_invalid",
        );
        expect(everyTextIn(error))
          .not.to.include(flow.codeVerifier)
          .and.not.to.include(response.code);
        expect(provider.server.log).to.be.empty;
      });
    }

    for (const [what, spoil] of [
      ["broken JSON", (record: string) => record.slice(1)],
      ["members of a prototype alone", (record: string) => `{"__proto__":${record}}`],
    ] as const) {
      it(what, async () => {
        const response = await logIn(provider);
        const [key = ""] = keptFlows();
        sessionStorage.setItem(key, spoil(sessionStorage.getItem(key) ?? ""));

        await expectFlowError(
          complete(response),
          OidcError.MissingOrInvalidStoredState,
          "flow_invalid",
        );
      });
    }
  });

  it("cannot be completed where the browser forbids storage", async () => {
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
    ["has no room left", () => fillStorage(sessionStorage)],
  ] as const) {
    it(`tells why the exchange failed, also where the browser meanwhile ${what}`, async () => {
      const response = await logIn(provider);
      provider.server.routes[`POST ${ISSUER}token`] = () => {
        spoil();
        return networkFailure();
      };

      await expectFlowError(complete(response), OidcError.CodeExchangeFailed, "network_error");
    });
  }

  it("can be kept and read by a caller with a store of its own", async () => {
    const response = await logIn(provider);
    const record = sessionStorage.getItem(keptFlows()[0] ?? "");
    sessionStorage.clear();

    const flow = flowOfRecord(response.state, record);
    expect(flow).to.include({ state: response.state, clientId: provider.clientId });

    storeFlow(flow);
    await complete(response);
  });

  it("is unknown to a caller whose store has no record", () =>
    expectFlowError(
      () => flowOfRecord("state", null),
      OidcError.MissingOrInvalidStoredState,
      "flow_unknown",
    ));

  it("is not taken for the response to another state", async () => {
    await startLogin(provider);
    const record = sessionStorage.getItem(keptFlows()[0] ?? "");

    await expectFlowError(
      () => flowOfRecord("another", record),
      OidcError.MissingOrInvalidStoredState,
      "flow_invalid",
    );
  });
});
