import { expect } from "@open-wc/testing";
import { OidcError, fetchAuthMetadata, type AuthMetadataOptions } from "matrix-auth-elements/core";
import { waitFor } from "../../elements/support/wait-for.ts";
import { expectFlowError } from "../../support/rejection.ts";
import {
  ScriptedFetch,
  held,
  html,
  inSequence,
  json,
  networkFailure,
  type Responder,
} from "../../support/scripted-fetch.ts";
import { ISSUER, ScriptedProvider } from "../../support/scripted-provider.ts";

const unrecognized = json({ errcode: "M_UNRECOGNIZED", error: "No such endpoint" }, 404);
const ISSUER_DOCUMENT = `GET ${ISSUER}.well-known/openid-configuration`;

let homeservers = 0;

// Hostile homeservers are rows of test/conformance/cases/{homeservers,metadata,origins}.ts.
describe("fetchAuthMetadata", () => {
  let provider: ScriptedProvider;
  let server: ScriptedFetch;
  let homeserver: string;
  let stable: string;
  let unstable: string;
  let authIssuer: string;
  let wellKnown: string;

  /** Serves these routes. The homeserver responds to all others with 404. */
  const serve = (routes: Record<string, Responder>): void => {
    for (const route of [stable, unstable, authIssuer, wellKnown]) {
      server.routes[route] = unrecognized;
    }
    Object.assign(server.routes, routes);
  };
  const wellKnownOf = (issuer?: string): Responder =>
    json({
      "m.homeserver": { base_url: homeserver },
      "org.matrix.msc2965.authentication": { issuer },
    });
  const fetchMetadata = (options: AuthMetadataOptions = {}) =>
    fetchAuthMetadata(homeserver, { fetch: server.fetch, ...options });
  const cacheModes = (): readonly string[] =>
    server.requests.filter(({ url }) => stable.endsWith(url)).map(({ cache }) => cache);

  beforeEach(async () => {
    provider = await ScriptedProvider.create();
    ({ server } = provider);
    // Each test has another homeserver, because the next request after a failure bypasses the cache.
    homeserver = `https://hs${++homeservers}.example`;
    stable = `GET ${homeserver}/_matrix/client/v1/auth_metadata`;
    unstable = `GET ${homeserver}/_matrix/client/unstable/org.matrix.msc2965/auth_metadata`;
    authIssuer = `GET ${homeserver}/_matrix/client/unstable/org.matrix.msc2965/auth_issuer`;
    wellKnown = `GET ${homeserver}/.well-known/matrix/client`;
  });

  it("requests only the stable endpoint when that responds, and then its issuer's document", async () => {
    serve({ [stable]: json(provider.metadata) });

    expect(await fetchMetadata()).to.deep.equal(provider.metadata);
    expect(server.log).to.deep.equal([stable, ISSUER_DOCUMENT]);
  });

  it("prefers the stable endpoint over the issuer that the caller names", async () => {
    serve({ [stable]: json(provider.metadata) });

    expect(await fetchMetadata({ issuer: "https://other.example/" })).to.deep.equal(
      provider.metadata,
    );
    const other = "GET https://other.example/.well-known/openid-configuration";
    expect(server.log).to.deep.equal([other, stable, ISSUER_DOCUMENT]);
  });

  it("requests the document of the issuer that the caller names once, at the same time", async () => {
    const { respond, asked, release } = held(json(provider.metadata));
    serve({ [stable]: respond });
    const call = fetchMetadata({ issuer: ISSUER });
    await asked;

    expect(server.log).to.deep.equal([ISSUER_DOCUMENT, stable]);
    release();
    expect(await call).to.deep.equal(provider.metadata);
    expect(server.log).to.deep.equal([ISSUER_DOCUMENT, stable]);
  });

  // Responses and ID tokens contain the provider's spelling.
  it("returns the provider's spelling of its issuer if the homeserver leaves out the slash at its end", async () => {
    serve({ [stable]: json({ ...provider.metadata, issuer: ISSUER.slice(0, -1) }) });

    expect(await fetchMetadata()).to.deep.equal(provider.metadata);
  });

  it("trusts the homeserver for URLs below an issuer without a document", async () => {
    serve({ [stable]: json(provider.metadata), [ISSUER_DOCUMENT]: json({}, 404) });

    expect(await fetchMetadata()).to.deep.equal(provider.metadata);
  });

  it("requests the three older sources in parallel", async () => {
    const { respond, release } = held(json(provider.metadata));
    serve({ [unstable]: respond });
    const call = fetchMetadata();

    await waitFor(() => server.log.length === 4);
    expect(server.log).to.deep.equal([stable, unstable, authIssuer, wellKnown]);
    release();
    expect(await call).to.deep.equal(provider.metadata);
    expect(server.log.at(-1)).to.equal(ISSUER_DOCUMENT);
  });

  it("prefers the unstable endpoint when the issuer's sources fail", async () => {
    serve({
      [unstable]: json(provider.metadata),
      [authIssuer]: networkFailure,
      [wellKnown]: networkFailure,
    });

    expect(await fetchMetadata()).to.deep.equal(provider.metadata);
    expect(server.log.at(-1)).to.equal(ISSUER_DOCUMENT);
  });

  it("prefers the issuer of auth_issuer over that of the well-known file", async () => {
    serve({
      [authIssuer]: json({ issuer: ISSUER }),
      [wellKnown]: wellKnownOf("https://other.example/"),
    });

    expect(await fetchMetadata()).to.deep.equal(provider.metadata);
    expect(server.log).to.deep.equal([stable, unstable, authIssuer, wellKnown, ISSUER_DOCUMENT]);
  });

  it("requests the document of the well-known file's issuer last", async () => {
    serve({ [wellKnown]: wellKnownOf(ISSUER) });

    expect(await fetchMetadata()).to.deep.equal(provider.metadata);
    expect(server.log).to.deep.equal([stable, unstable, authIssuer, wellKnown, ISSUER_DOCUMENT]);
  });

  it("does not request a well-known file when the caller names its issuer", async () => {
    serve({});

    expect(await fetchMetadata({ issuer: ISSUER })).to.deep.equal(provider.metadata);
    expect(server.log).to.deep.equal([ISSUER_DOCUMENT, stable, unstable, authIssuer]);
  });

  // If the API has its own host, pages often cannot even read a 404 for the file there.
  for (const [what, respond] of [
    ["names no issuer", () => wellKnownOf()],
    ["is missing", () => unrecognized],
    ["cannot be read", () => networkFailure],
    ["is a web page", () => html()],
  ] as const) {
    it(`rejects with oidc_not_supported when the well-known file ${what}`, async () => {
      serve({ [wellKnown]: respond() });

      await expectFlowError(fetchMetadata(), OidcError.NotSupported, "oidc_not_supported");
      expect(server.log).to.deep.equal([stable, unstable, authIssuer, wellKnown]);
    });
  }

  for (const [what, respond] of [
    ["405", json({ errcode: "M_UNRECOGNIZED" }, 405)],
    ["400 M_UNRECOGNIZED", json({ errcode: "M_UNRECOGNIZED" }, 400)],
    ["401 M_MISSING_TOKEN", json({ errcode: "M_MISSING_TOKEN" }, 401)],
    ["403 without JSON", html(403)],
    ["404 without JSON", html(404)],
    ["501 without JSON", html(501)],
  ] as const) {
    it(`requests the older sources after ${what}`, async () => {
      serve({ [stable]: respond, [unstable]: json(provider.metadata) });

      expect(await fetchMetadata()).to.deep.equal(provider.metadata);
    });
  }

  for (const body of [{}, { issuer: 5 }, { issuer: "" }, [], null]) {
    it(`ignores auth_issuer when its body is ${JSON.stringify(body)}`, async () => {
      serve({ [authIssuer]: json(body) });

      expect(await fetchMetadata({ issuer: ISSUER })).to.deep.equal(provider.metadata);
    });
  }

  for (const slash of ["", "/"]) {
    it(`requests below the path of the base URL when that ends with "matrix${slash}"`, async () => {
      const route = `GET ${homeserver}/matrix/_matrix/client/v1/auth_metadata`;
      server.routes[route] = json(provider.metadata);

      await fetchAuthMetadata(`${homeserver}/matrix${slash}`, { fetch: server.fetch });

      expect(server.log).to.deep.equal([route, ISSUER_DOCUMENT]);
    });
  }

  it("rejects with homeserver_invalid, without any request, for plain HTTP", async () => {
    const call = fetchAuthMetadata("http://hs.example", { fetch: server.fetch });

    await expectFlowError(call, OidcError.General, "homeserver_invalid");
    expect(server.log).to.be.empty;
  });

  describe("after a failure", () => {
    for (const status of [500, 502, 503]) {
      it(`bypasses the HTTP cache once after HTTP ${status}`, async () => {
        serve({ [stable]: inSequence(json({}, status), json(provider.metadata)) });

        expect(await fetchMetadata()).to.deep.equal(provider.metadata);
        expect(server.log).to.deep.equal([stable, stable, ISSUER_DOCUMENT]);
        expect(cacheModes()).to.deep.equal(["default", "reload"]);
      });
    }

    it("sends one request, and rejects with rate_limited and the time to wait", async () => {
      serve({ [stable]: json({ errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 800 }, 429) });

      const error = await expectFlowError(fetchMetadata(), OidcError.General, "rate_limited");
      expect(error).to.include({ retryAfterMs: 800, retryable: true });
      expect(server.log).to.deep.equal([stable]);
    });

    it("bypasses the HTTP cache in the next calls until a successful response", async () => {
      serve({ [stable]: inSequence(json({}, 500), json({}, 500), json(provider.metadata)) });

      await expectFlowError(fetchMetadata(), OidcError.General, "server_error");
      expect(server.log).to.deep.equal([stable, stable]);
      await fetchMetadata();
      await fetchMetadata();

      expect(cacheModes()).to.deep.equal(["default", "reload", "reload", "default"]);
    });

    it("bypasses the HTTP cache in the next call after a response without JSON", async () => {
      serve({ [stable]: html(), [unstable]: json(provider.metadata) });

      await fetchMetadata();
      await fetchMetadata();

      expect(cacheModes()).to.deep.equal(["default", "reload"]);
    });

    it("uses the HTTP cache when another request is in flight or was aborted", async () => {
      serve({ [stable]: json(provider.metadata) });
      const aborted = fetchMetadata({ signal: AbortSignal.abort() });
      await expectFlowError(aborted, OidcError.General, "aborted");

      await Promise.all([fetchMetadata(), fetchMetadata()]);

      expect(cacheModes()).to.deep.equal(["default", "default"]);
    });

    it("uses the HTTP cache again after a hundred other failures", async () => {
      serve({ [stable]: networkFailure });
      await expectFlowError(fetchMetadata(), OidcError.General, "network_error");
      for (let i = 0; i < 100; i++) {
        await fetchAuthMetadata(`https://many${i}.example`, { fetch: server.fetch }).catch(
          () => undefined,
        );
      }
      server.routes[stable] = json(provider.metadata);

      await fetchMetadata();

      expect(cacheModes().at(-1)).to.equal("default");
    });

    it("requests no older source after a network error", async () => {
      serve({ [stable]: networkFailure, [unstable]: json(provider.metadata) });

      await expectFlowError(fetchMetadata(), OidcError.General, "network_error");
      expect(server.log).to.deep.equal([stable]);
    });
  });

  it("rejects with metadata_invalid and requests no older source for faulty metadata", async () => {
    serve({ [stable]: json({ ...provider.metadata, issuer: 5, token_endpoint: "" }) });

    await expectFlowError(fetchMetadata(), OidcError.OpSupport, "metadata_invalid");
    expect(server.log).to.deep.equal([stable]);
  });
});
