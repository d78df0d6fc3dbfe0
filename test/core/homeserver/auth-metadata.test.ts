import { expect, waitUntil } from "@open-wc/testing";
import { OidcError, fetchAuthMetadata, type AuthMetadataOptions } from "matrix-auth-elements/core";
import { expectFlowError } from "../../support/rejection.ts";
import {
  ScriptedFetch,
  held,
  html,
  inTurn,
  json,
  networkFailure,
  type Responder,
} from "../../support/scripted-fetch.ts";
import { ISSUER, ScriptedProvider } from "../../support/scripted-provider.ts";

const unrecognized = json({ errcode: "M_UNRECOGNIZED", error: "No such endpoint" }, 404);
const ISSUER_DOCUMENT = `GET ${ISSUER}.well-known/openid-configuration`;

let homeservers = 0;

describe("fetchAuthMetadata", () => {
  let provider: ScriptedProvider;
  let server: ScriptedFetch;
  let homeserver: string;
  let stable: string;
  let unstable: string;
  let authIssuer: string;
  let wellKnown: string;

  /** A homeserver that says 404 to everything but these. */
  const answers = (routes: Record<string, Responder>): void => {
    for (const route of [stable, unstable, authIssuer, wellKnown]) {
      server.routes[route] = unrecognized;
    }
    Object.assign(server.routes, routes);
  };
  const ask = (options: AuthMetadataOptions = {}) =>
    fetchAuthMetadata(homeserver, { fetch: server.fetch, ...options });

  beforeEach(async () => {
    provider = await ScriptedProvider.create();
    ({ server } = provider);
    // Another one each time, because what failed before is asked for differently.
    homeserver = `https://hs${++homeservers}.example`;
    stable = `GET ${homeserver}/_matrix/client/v1/auth_metadata`;
    unstable = `GET ${homeserver}/_matrix/client/unstable/org.matrix.msc2965/auth_metadata`;
    authIssuer = `GET ${homeserver}/_matrix/client/unstable/org.matrix.msc2965/auth_issuer`;
    wellKnown = `GET ${homeserver}/.well-known/matrix/client`;
  });

  it("asks the stable endpoint alone where it answers", async () => {
    answers({ [stable]: json(provider.metadata) });

    expect(await ask()).to.deep.equal(provider.metadata);
    expect(server.log).to.deep.equal([stable]);
  });

  it("asks for everything older next, side by side", async () => {
    const { answer, release } = held(json(provider.metadata));
    answers({ [unstable]: answer });
    const call = ask();

    await waitUntil(() => server.log.length === 4);
    expect(server.log).to.deep.equal([stable, unstable, authIssuer, wellKnown]);
    release();
    expect(await call).to.deep.equal(provider.metadata);
  });

  it("believes the unstable endpoint first, whatever becomes of the others", async () => {
    answers({
      [unstable]: json(provider.metadata),
      [authIssuer]: networkFailure,
      [wellKnown]: networkFailure,
    });

    expect(await ask()).to.deep.equal(provider.metadata);
    expect(server.log).not.to.include(ISSUER_DOCUMENT);
  });

  it("believes the issuer that is told next, and asks it for its document", async () => {
    answers({
      [authIssuer]: json({ issuer: ISSUER }),
      [wellKnown]: json({
        "m.homeserver": { base_url: homeserver },
        "org.matrix.msc2965.authentication": { issuer: "https://other.example/" },
      }),
    });

    expect(await ask()).to.deep.equal(provider.metadata);
    expect(server.log).to.deep.equal([stable, unstable, authIssuer, wellKnown, ISSUER_DOCUMENT]);
  });

  it("believes the well-known file last", async () => {
    answers({
      [wellKnown]: json({
        "m.homeserver": { base_url: homeserver },
        "org.matrix.msc2965.authentication": { issuer: ISSUER },
      }),
    });

    expect(await ask()).to.deep.equal(provider.metadata);
    expect(server.log).to.deep.equal([stable, unstable, authIssuer, wellKnown, ISSUER_DOCUMENT]);
  });

  it("does not ask for a well-known file that the caller has read", async () => {
    answers({});

    expect(await ask({ issuer: ISSUER })).to.deep.equal(provider.metadata);
    expect(server.log).to.deep.equal([stable, unstable, authIssuer, ISSUER_DOCUMENT]);
  });

  it("believes the homeserver's own answer over the issuer of the well-known file", async () => {
    answers({ [stable]: json(provider.metadata) });

    const metadata = await ask({ issuer: "https://other.example/" });

    expect(metadata.issuer).to.equal(ISSUER);
  });

  it("says NotSupported where nothing names an issuer", async () => {
    answers({ [wellKnown]: json({ "m.homeserver": { base_url: homeserver } }) });

    await expectFlowError(ask(), OidcError.NotSupported, "oidc_not_supported");
    expect(server.log).to.deep.equal([stable, unstable, authIssuer, wellKnown]);
  });

  // If the API has its own host, pages often cannot even read a 404 for the file there.
  for (const [what, answer] of [
    ["there is none", unrecognized],
    ["it cannot be read", networkFailure],
    ["it is broken", html()],
  ] as const) {
    it(`says NotSupported where nothing names an issuer before the well-known file, and ${what}`, async () => {
      answers({ [wellKnown]: answer });

      await expectFlowError(ask(), OidcError.NotSupported, "oidc_not_supported");
    });
  }

  for (const [what, answer] of [
    ["405", json({ errcode: "M_UNRECOGNIZED" }, 405)],
    ["400 M_UNRECOGNIZED", json({ errcode: "M_UNRECOGNIZED" }, 400)],
    ["401 M_MISSING_TOKEN", json({ errcode: "M_MISSING_TOKEN" }, 401)],
    ["403 without JSON", html(403)],
    ["404 without JSON", html(404)],
    ["a web page", html()],
  ] as const) {
    it(`takes ${what} for a server that does not know the endpoint`, async () => {
      answers({ [stable]: answer, [unstable]: json(provider.metadata) });

      expect(await ask()).to.deep.equal(provider.metadata);
    });
  }

  for (const body of [{}, { issuer: 5 }, [], null]) {
    it(`takes an auth_issuer of ${JSON.stringify(body)} for none`, async () => {
      answers({ [authIssuer]: json(body) });

      expect(await ask({ issuer: ISSUER })).to.deep.equal(provider.metadata);
    });
  }

  it("asks below the path of a base URL, with and without a slash at its end", async () => {
    for (const base of [`${homeserver}/matrix`, `${homeserver}/matrix/`]) {
      const route = `GET ${homeserver}/matrix/_matrix/client/v1/auth_metadata`;
      server.routes[route] = json(provider.metadata);

      await fetchAuthMetadata(base, { fetch: server.fetch });

      expect(server.log.at(-1)).to.equal(route);
    }
  });

  it("refuses a homeserver over plain http, without any request", async () => {
    const call = fetchAuthMetadata("http://hs.example", { fetch: server.fetch });

    await expectFlowError(call, OidcError.General, "homeserver_invalid");
    expect(server.log).to.be.empty;
  });

  describe("after a failure", () => {
    const cacheModes = (): readonly string[] => server.requests.map(({ cache }) => cache);

    for (const status of [500, 502, 503]) {
      it(`asks once more past the HTTP cache on HTTP ${status}, which may be an old answer`, async () => {
        answers({ [stable]: inTurn(json({}, status), json(provider.metadata)) });

        expect(await ask()).to.deep.equal(provider.metadata);
        expect(server.log).to.deep.equal([stable, stable]);
        expect(cacheModes()).to.deep.equal(["default", "reload"]);
      });
    }

    it("does not ask again at once on a rate limit", async () => {
      answers({ [stable]: json({ retry_after_ms: 2000 }, 429) });

      const error = await expectFlowError(ask(), OidcError.General, "rate_limited");
      expect(error.retryAfterMs).to.equal(2000);
      expect(server.log).to.deep.equal([stable]);
    });

    it("asks twice, not thrice", async () => {
      answers({ [stable]: json({}, 500) });

      await expectFlowError(ask(), OidcError.General, "server_error");
      expect(server.log).to.deep.equal([stable, stable]);
    });

    it("goes past the HTTP cache in the next call too, until there was a good answer", async () => {
      answers({
        [stable]: inTurn(json({}, 500), json({}, 500), json(provider.metadata)),
      });

      await expectFlowError(ask(), OidcError.General, "server_error");
      await ask();
      await ask();

      expect(cacheModes()).to.deep.equal(["default", "reload", "reload", "default"]);
    });

    it("goes past the HTTP cache where the last answer was no JSON", async () => {
      answers({ [stable]: html(), [unstable]: json(provider.metadata) });

      await ask();
      await ask();

      const modes = server.requests
        .filter((request) => stable.endsWith(request.url))
        .map(({ cache }) => cache);
      expect(modes).to.deep.equal(["default", "reload"]);
    });

    it("does not take a request that is still under way for a failure", async () => {
      answers({ [stable]: json(provider.metadata) });

      await Promise.all([ask(), ask()]);

      expect(cacheModes()).to.deep.equal(["default", "default"]);
    });

    it("does not take a request that was called off for a failure", async () => {
      answers({ [stable]: json(provider.metadata) });
      const calledOff = { signal: AbortSignal.abort(), fetch: server.fetch };
      await expectFlowError(fetchAuthMetadata(homeserver, calledOff), OidcError.General, "aborted");

      await ask();

      expect(cacheModes()).to.deep.equal(["default"]);
    });

    it("does not remember failures without limit", async () => {
      answers({ [stable]: networkFailure });
      await expectFlowError(ask(), OidcError.General, "network_error");
      for (let i = 0; i < 100; i++) {
        await fetchAuthMetadata(`https://many${i}.example`, { fetch: server.fetch }).catch(
          () => undefined,
        );
      }
      server.routes[stable] = json(provider.metadata);

      await ask();

      expect(cacheModes().at(-1)).to.equal("default");
    });

    it("does not go on to the other endpoints, as if the server knew no better", async () => {
      answers({ [stable]: networkFailure, [unstable]: json(provider.metadata) });

      await expectFlowError(ask(), OidcError.General, "network_error");
      expect(server.log).to.deep.equal([stable]);
    });
  });

  describe("with metadata that a hostile homeserver could have made", () => {
    it("fails with every fault, and asks no other endpoint", async () => {
      answers({ [stable]: json({ ...provider.metadata, issuer: 5, token_endpoint: "" }) });

      await expectFlowError(ask(), OidcError.OpSupport, "metadata_invalid");
      expect(server.log).to.deep.equal([stable]);
    });

    /** Metadata whose endpoints are all on one origin, which is not the issuer's. */
    const elsewhere = (): Record<string, unknown> => ({
      ...provider.metadata,
      authorization_endpoint: "https://login.example/authorize",
      token_endpoint: "https://login.example/token",
      revocation_endpoint: "https://login.example/revoke",
      registration_endpoint: "https://login.example/register",
    });

    it("asks the issuer itself where its endpoints are on another origin", async () => {
      answers({ [stable]: json(elsewhere()), [ISSUER_DOCUMENT]: json(elsewhere()) });

      expect(await ask()).to.deep.equal(elsewhere());
      expect(server.log).to.deep.equal([stable, ISSUER_DOCUMENT]);
    });

    it("refuses endpoints of another origin where the issuer is out of reach", async () => {
      answers({ [stable]: json(elsewhere()), [ISSUER_DOCUMENT]: networkFailure });

      await expectFlowError(ask(), OidcError.General, "network_error");
    });

    it("takes endpoints of another origin without asking, where the caller allows it by name", async () => {
      answers({ [stable]: json(elsewhere()) });

      await ask({ allowedOrigins: ["https://login.example"] });

      expect(server.log).to.deep.equal([stable]);
    });
  });
});
