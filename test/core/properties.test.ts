// Any input from outside results in a valid value, or in an error of the library.
import { expect } from "@open-wc/testing";
import fc from "fast-check";
import {
  HomeserverClient,
  MatrixError,
  OidcError,
  OidcFlowError,
  OidcSession,
  RequestError,
  accountManagementUrl,
  completeAuthorizationCodeGrantFromUrl,
  completeFlow,
  discoverHomeserver,
  fetchAuthMetadata,
  flowOfRecord,
  registerOidcClient,
  validateAuthMetadata,
} from "matrix-auth-elements/core";
import { realPause } from "../support/real-pause.ts";
import { everyTextIn } from "../support/rejection.ts";
import { ScriptedFetch, text } from "../support/scripted-fetch.ts";
import { ISSUER, ScriptedProvider } from "../support/scripted-provider.ts";
import { HOMESERVER, REDIRECT_URI, logIn, startLogin } from "./login.ts";
import { TOKEN, signIn } from "./session/support.ts";

const anything = fc.jsonValue({ maxDepth: 3 });

/** Addresses, including some that code might confuse with others. */
const address = fc.oneof(
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc.constantFrom(
    `${ISSUER}elsewhere`,
    "https://idp.example:444/token",
    "https://idp.example.evil.example/token",
    "https://idp.example@evil.example/token",
    "https://user:password@idp.example/token",
    "http://idp.example/token",
    "http://localhost:8090/token",
    "http://127.0.0.1.evil.example/token",
    "javascript:alert(1)",
    "data:text/html,here",
    "blob:https://idp.example/1",
    "//idp.example/token",
    "https:idp.example",
    "https://idp.example\\@evil.example/",
    "",
  ),
);

const value = fc.oneof(anything, address, fc.string());

/** Members that replace those of a good response. Their names can be those of a prototype's members. */
const changesOf = (good: object) =>
  fc.dictionary(
    fc.constantFrom(...Object.keys(good), "__proto__", "constructor", "toString"),
    value,
    { maxKeys: 3 },
  );

/** A body: a good one with changes, any JSON, or text that is not JSON. */
const bodyLike = (good: object) =>
  fc.oneof(
    { weight: 6, arbitrary: changesOf(good).map((changes) => toJson({ ...good, ...changes })) },
    { weight: 2, arbitrary: anything.map(toJson) },
    { weight: 1, arbitrary: fc.string() },
  );

const toJson = (body: unknown): string => JSON.stringify(body);

type Outcome<T> = { readonly value: T } | { readonly error: unknown };

/** The outcome of a call. Fails if the call has changed a prototype. */
async function outcomeOf<T>(call: () => T | Promise<T>): Promise<Outcome<T>> {
  const outcome = await (async () => call())().then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  expect(Object.keys(Object.prototype)).to.deep.equal([]);
  expect(({} as Record<string, unknown>)["polluted"]).to.be.undefined;
  return outcome;
}

/** The value, or `undefined` if the call failed with one of these errors of the library. */
function valueOf<T>(outcome: Outcome<T>, ...messages: readonly OidcError[]): T | undefined {
  if ("value" in outcome) return outcome.value;
  const { error } = outcome;
  if (!(error instanceof OidcFlowError)) throw error;
  expect(error.message).to.be.oneOf(messages);
  expect(error.code).to.match(/^[a-z_]+$/);
  return undefined;
}

function isHttps(address: string | undefined): boolean {
  const { protocol, hostname, username } = new URL(address ?? "");
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  return (protocol === "https:" || (protocol === "http:" && isLoopback)) && username === "";
}

const runs = (numRuns: number) => ({ numRuns });

describe("For all responses,", () => {
  let provider: ScriptedProvider;

  before(async () => {
    provider = await ScriptedProvider.create("ES256");
  });
  beforeEach(() => sessionStorage.clear());

  it("a homeserver's name results in an https URL or an error", () =>
    fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string(), fc.domain(), address, fc.string({ unit: "binary" })),
        bodyLike({ "m.homeserver": { base_url: HOMESERVER }, "m.identity_server": {} }),
        async (name, body) => {
          const fetch = async (): Promise<Response> => new Response(body);
          const outcome = await outcomeOf(() => discoverHomeserver(name, { fetch }));
          const found = valueOf(outcome, OidcError.General);
          if (!found) return;
          expect(isHttps(found.baseUrl), found.baseUrl).to.be.true;
          expect(found.baseUrl).not.to.match(/[?#]|\/$/);
          if (found.issuer !== undefined) expect(isHttps(found.issuer)).to.be.true;
          if (found.identityServerUrl !== undefined) {
            expect(isHttps(found.identityServerUrl)).to.be.true;
          }
        },
      ),
      runs(400),
    ));

  it("metadata has every endpoint on one trustworthy origin, or is rejected", () =>
    fc.assert(
      fc.asyncProperty(changesOf(provider.metadata), async (changes) => {
        const outcome = await outcomeOf(() =>
          validateAuthMetadata({ ...provider.metadata, ...changes }),
        );
        const metadata = valueOf(outcome, OidcError.OpSupport);
        if (!metadata) return;
        const { authorization_endpoint, token_endpoint, revocation_endpoint } = metadata;
        const { registration_endpoint = token_endpoint } = metadata;
        const endpoints = [authorization_endpoint, token_endpoint, revocation_endpoint];
        endpoints.push(registration_endpoint);
        for (const endpoint of endpoints) expect(isHttps(endpoint), endpoint).to.be.true;
        expect(new Set(endpoints.map((endpoint) => new URL(endpoint).origin))).to.have.length(1);
      }),
      runs(500),
    ));

  it("a homeserver's data about its provider results in metadata or an error", () =>
    fc.assert(
      fc.asyncProperty(bodyLike(provider.metadata), bodyLike({ issuer: ISSUER }), (first, other) =>
        outcomeOf(() => {
          const { fetch } = new ScriptedFetch({
            [`GET ${HOMESERVER}/_matrix/client/v1/auth_metadata`]: text(first),
            [`GET ${ISSUER}.well-known/openid-configuration`]: text(other),
          });
          return fetchAuthMetadata(HOMESERVER, { fetch });
        }).then((outcome) => {
          const all = [OidcError.OpSupport, OidcError.NotSupported, OidcError.General];
          valueOf(outcome, ...all);
        }),
      ),
      runs(300),
    ));

  it("a registration returns a client ID, or fails", () =>
    fc.assert(
      fc.asyncProperty(
        bodyLike({ client_id: "client", error: "invalid_client_metadata" }),
        fc.constantFrom(200, 201, 400, 403, 418, 500),
        async (body, status) => {
          const { fetch } = new ScriptedFetch({
            [`POST ${ISSUER}register`]: text(body, { status }),
          });
          const client = { clientUri: "https://app.example", redirectUris: [REDIRECT_URI] };
          const metadata = validateAuthMetadata(provider.metadata);
          const outcome = await outcomeOf(() => registerOidcClient(metadata, client, { fetch }));
          const id = valueOf(outcome, OidcError.DynamicRegistrationFailed);
          if (id !== undefined) expect(id).to.be.a("string").and.not.equal("");
        },
      ),
      runs(300),
    ));

  describe("a URL that the browser returns to", () => {
    const parameter = fc.tuple(
      fc.constantFrom("code", "state", "iss", "error", "error_description", "__proto__", "mine"),
      fc.oneof(fc.string(), address, fc.constant("STATE")),
    );
    const place = fc.constantFrom("?", "#");

    it("completes no other sign-in, and results in an error if it belongs to no sign-in", () =>
      fc.assert(
        fc.asyncProperty(fc.array(parameter, { maxLength: 6 }), place, async (entries, mark) => {
          sessionStorage.clear();
          await startLogin(provider);
          const url = `${REDIRECT_URI}${mark}${new URLSearchParams(entries).toString()}`;
          const outcome = await outcomeOf(() =>
            completeAuthorizationCodeGrantFromUrl(url, { fetch: provider.server.fetch }),
          );
          expect("error" in outcome).to.be.true;
          valueOf(outcome, ...Object.values(OidcError));
          expect(sessionStorage.length).to.equal(1);
        }),
        runs(200),
      ));

    it("with the state of a sign-in signs in only with the sign-in's code, or results in an error", () =>
      fc.assert(
        fc.asyncProperty(fc.array(parameter, { maxLength: 3 }), async (entries) => {
          sessionStorage.clear();
          const { url, state, code } = await logIn(provider);
          const more = entries.map(([name, text]) => [name, text === "STATE" ? state : text]);
          const whole = `${url}&${new URLSearchParams(more).toString()}`;
          const outcome = await outcomeOf(() =>
            completeAuthorizationCodeGrantFromUrl(whole, { fetch: provider.server.fetch }),
          );
          const result = valueOf(outcome, ...Object.values(OidcError));
          const names = entries.map(([name]) => name);
          if (result) {
            expect(result.tokenResponse.access_token).to.equal(provider.accessToken);
            expect(names).not.to.include.members(["code"]).and.not.include.members(["error"]);
          } else if ("error" in outcome) {
            expect(everyTextIn(outcome.error)).not.to.contain(code);
          }
        }),
        runs(200),
      ));
  });

  it("an exchange returns tokens of the requested kind, or an error without them", async () => {
    const scope = "openid urn:matrix:client:api:* urn:matrix:client:device:DEVICE1234";
    const good = { access_token: "", token_type: "", refresh_token: "", expires_in: 1, scope };
    await fc.assert(
      fc.asyncProperty(
        changesOf({ ...good, id_token: "" }),
        changesOf({ iss: "", sub: "", aud: "", azp: "", exp: 1, iat: 1, nonce: "", at_hash: "" }),
        async (tokens, claims) => {
          sessionStorage.clear();
          const { url } = await logIn(provider, { deviceId: "DEVICE1234" });
          Object.assign(provider, { tokens, claims });
          const outcome = await outcomeOf(() =>
            completeAuthorizationCodeGrantFromUrl(url, { fetch: provider.server.fetch }),
          );
          Object.assign(provider, { tokens: {}, claims: {} });
          const result = valueOf(outcome, ...Object.values(OidcError));
          if (result) {
            const { tokenResponse, idTokenClaims } = result;
            expect(tokenResponse.access_token).to.be.a("string").and.not.equal("");
            expect(tokenResponse.token_type).to.equal("Bearer");
            expect(tokenResponse.expires_at ?? 0).to.satisfy(Number.isFinite);
            expect(result.deviceId).to.equal("DEVICE1234");
            expect(idTokenClaims?.iss).to.equal(ISSUER);
            expect(idTokenClaims?.["nonce"]).to.equal("nonce-of-this-test");
          } else if ("error" in outcome) {
            expect(everyTextIn(outcome.error)).not.to.match(/secret-(access|refresh|code)/);
          }
        },
      ),
      runs(250),
    );
  });

  it("the store returns the stored flow, or an error", async () => {
    await startLogin(provider);
    const record = sessionStorage.getItem(sessionStorage.key(0) ?? "") ?? "";
    const flow = JSON.parse(record) as { readonly state: string };
    await fc.assert(
      fc.asyncProperty(bodyLike(flow), async (kept) => {
        const outcome = await outcomeOf(() => flowOfRecord(flow.state, kept));
        const read = valueOf(outcome, OidcError.MissingOrInvalidStoredState);
        if (!read) return;
        // If the record is accepted, the completion can throw only the library's errors.
        const fetch = async (): Promise<Response> => Response.json({});
        const end = await outcomeOf(() =>
          completeFlow(read, new URLSearchParams({ code: "code", state: flow.state }), { fetch }),
        );
        expect("error" in end).to.be.true;
        valueOf(end, ...Object.values(OidcError));
      }),
      runs(300),
    );
  });

  it("a refresh returns a token, or an error that shows whether the session continues", () =>
    fc.assert(
      fc.asyncProperty(
        bodyLike({ access_token: "new", token_type: "Bearer", refresh_token: "r", expires_in: 9 }),
        fc.constantFrom(200, 400, 401, 403),
        async (body, status) => {
          const { fetch } = new ScriptedFetch({ [TOKEN]: text(body, { status }) });
          const session = new OidcSession(signIn(), { fetch });
          // This makes one attempt; a session's refresh would retry.
          const outcome = await outcomeOf(() =>
            Promise.race([session.refresh(), realPause(50).then(() => undefined)]),
          );
          const token = valueOf(outcome, ...Object.values(OidcError));
          if (token !== undefined) expect(token).to.not.equal("");
          if ("error" in outcome) {
            expect(everyTextIn(outcome.error)).not.to.match(/secret-(access|refresh)/);
          }
          expect(session.state).to.be.oneOf(["signed-in", "signed-out"]);
          session.close();
        },
      ),
      runs(150),
    ));

  it("a homeserver's response has the requested type, or is an error with its code", () =>
    fc.assert(
      fc.asyncProperty(
        bodyLike({ user_id: "@a:b", device_id: "D", devices: [], login_token: "t", sid: "1" }),
        fc.constantFrom(200, 400, 401, 403, 404, 429, 500),
        fc.oneof(fc.constantFrom("1", "-1", "1e9", "Wed, 21 Oct 2015 07:28:00 GMT"), fc.string()),
        async (body, status, retryAfter) => {
          const headers = new Headers();
          try {
            headers.set("Retry-After", retryAfter);
          } catch {
            // A server cannot send this header either.
          }
          const fetch = async (): Promise<Response> => new Response(body, { status, headers });
          const client = new HomeserverClient({ baseUrl: HOMESERVER, accessToken: "t", fetch });
          for (const call of [
            async () => expect((await client.whoami()).user_id).to.be.a("string"),
            async () => expect((await client.getDevices()).devices).to.be.an("array"),
            async () => client.deleteDevice("D"),
            async () => client.requestLoginToken(),
          ]) {
            const outcome = await outcomeOf<unknown>(call);
            if (!("error" in outcome)) continue;
            const { error } = outcome;
            if (!(error instanceof MatrixError || error instanceof RequestError)) throw error;
            const wait = error.retryAfterMs;
            if (wait !== undefined) expect(wait >= 0 && Number.isFinite(wait)).to.be.true;
          }
        },
      ),
      runs(200),
    ));

  it("a link to the account is undefined, or a trustworthy URL that contains the action", () =>
    fc.assert(
      fc.asyncProperty(
        address,
        fc.oneof(fc.array(fc.string()), anything),
        fc.string(),
        fc.string(),
        async (uri, actions, action, deviceId) => {
          const metadata = {
            account_management_uri: uri,
            account_management_actions_supported: actions as readonly string[],
          };
          const outcome = await outcomeOf(() => {
            const checked = validateAuthMetadata({ ...provider.metadata, ...metadata });
            return accountManagementUrl(checked, action, { deviceId });
          });
          const link = valueOf(outcome, OidcError.OpSupport);
          if (link === undefined) return;
          expect(isHttps(link), link).to.be.true;
          expect(new URL(link).searchParams.getAll("action")).to.include(action);
        },
      ),
      runs(300),
    ));
});
