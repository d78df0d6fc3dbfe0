import { expect } from "@open-wc/testing";
import {
  HomeserverClient,
  OidcError,
  completeAuthorizationCodeGrantFromUrl,
  discoverHomeserver,
  discoverIssuer,
  registerOidcClient,
  validateAuthMetadata,
  type OidcFlowError,
} from "matrix-auth-elements/core";
import { rejectionOf } from "../support/rejection.ts";
import { held, inSequence, json, networkFailure, never } from "../support/scripted-fetch.ts";
import { ISSUER, ScriptedProvider } from "../support/scripted-provider.ts";
import { HOMESERVER, REDIRECT_URI, logIn } from "./login.ts";

interface Options {
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
}

const API = `${HOMESERVER}/_matrix/client`;
const WELL_KNOWN = `GET ${HOMESERVER}/.well-known/matrix/client`;
const DOCUMENT = `GET ${ISSUER}.well-known/openid-configuration`;
const KEYS = `GET ${ISSUER}jwks`;
const client = new HomeserverClient({ baseUrl: HOMESERVER });

/** Each request that a call can be waiting for when it is aborted. */
const WAITS: readonly (readonly [
  call: string,
  routes: readonly string[],
  run: (options: Options, provider: ScriptedProvider) => Promise<unknown>,
  message?: OidcError,
])[] = [
  [
    "discoverHomeserver()",
    [WELL_KNOWN],
    (options) => discoverHomeserver(HOMESERVER, options),
    OidcError.General,
  ],
  ["discoverIssuer()", [DOCUMENT], (options) => discoverIssuer(ISSUER, options), OidcError.General],
  [
    "getAuthMetadata()",
    [
      `GET ${API}/v1/auth_metadata`,
      `GET ${API}/unstable/org.matrix.msc2965/auth_metadata`,
      `GET ${API}/unstable/org.matrix.msc2965/auth_issuer`,
      WELL_KNOWN,
      DOCUMENT,
      KEYS,
    ],
    (options) => client.getAuthMetadata(options),
    OidcError.General,
  ],
  ["whoami()", [`GET ${API}/v3/account/whoami`], (options) => client.whoami(options)],
  [
    "registerOidcClient()",
    [`POST ${ISSUER}register`],
    (options, { metadata }) =>
      registerOidcClient(
        validateAuthMetadata(metadata),
        { clientUri: "https://app.example", redirectUris: [REDIRECT_URI] },
        options,
      ),
    OidcError.DynamicRegistrationFailed,
  ],
  [
    "completeAuthorizationCodeGrantFromUrl()",
    [`POST ${ISSUER}token`, KEYS],
    async (options, provider) =>
      completeAuthorizationCodeGrantFromUrl((await logIn(provider)).url, options),
    OidcError.CodeExchangeFailed,
  ],
];

describe("The core's calls", () => {
  let provider: ScriptedProvider;

  beforeEach(async () => {
    sessionStorage.clear();
    provider = await ScriptedProvider.create();
  });

  for (const [call, routes, run, message] of WAITS) {
    for (const route of routes) {
      it(`${call} rejects with aborted when it is aborted at ${route}`, async () => {
        const { server } = provider;
        // The homeserver names its issuer only in the last document that the library requests.
        for (const other of WAITS.flatMap(([, routes]) => routes)) {
          server.routes[other] ??= json({}, 404);
        }
        server.routes[WELL_KNOWN] = json({
          "m.homeserver": { base_url: HOMESERVER },
          "m.authentication": { issuer: ISSUER },
        });
        const waiting = held(never);
        // After the tokens, the keys are requested again if the first request for them failed.
        const isSecond = message === OidcError.CodeExchangeFailed && route === KEYS;
        server.routes[route] = isSecond
          ? inSequence(networkFailure, waiting.respond)
          : waiting.respond;
        const controller = new AbortController();

        const rejected = rejectionOf(
          run({ signal: controller.signal, fetch: server.fetch }, provider),
        );
        await waiting.asked;
        controller.abort();

        const error = (await rejected) as Pick<OidcFlowError, "code" | "message">;
        expect(error.code).to.equal("aborted");
        if (message !== undefined && !isSecond) expect(error.message).to.equal(message);
      });
    }
  }
});
