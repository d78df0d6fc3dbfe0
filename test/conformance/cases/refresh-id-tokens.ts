import type { Bend, Members, Patch, SessionRow } from "../bend.js";

const CORE =
  "OpenID Connect Core 12.2, https://openid.net/specs/openid-connect-core-1_0.html#RefreshTokenResponse";
const tested = (test: string): string =>
  `${test}, https://openid.net/specs/openid-connect-core-1_0.html#RefreshTokenResponse`;

const claims = (patch: Patch): Bend => ({ refreshedClaims: patch });

/** The ID token of a refresh, changed. */
const idToken = (change: (compact: string) => unknown): Bend => ({
  refreshed: (_, { id_token }: Members) => ({ id_token: change(String(id_token)) }),
});

/** It is for someone other than the person who signed in here. */
const stranger: Pick<SessionRow, "refused" | "leaves" | "asked"> = {
  refused: { message: "SessionEnded", code: "session_ended", because: "id_token_invalid" },
  leaves: "signed-out",
  asked: ["refresh 0"],
};

/** The ID token that comes with new tokens: for the same person and application, or for nobody. */
export const REFRESH_ID_TOKENS: readonly SessionRow[] = [
  {
    id: "refreshed-id-token-sub-of-another",
    source: tested("oidcc-client-test-refresh-token-invalid-sub"),
    bent: claims({ sub: "mallory" }),
    ...stranger,
    // oidcc-client-test-refresh-token
    twin: { session: { deeds: ["refresh", "refresh"] } },
    twinAsked: ["refresh 0", "refresh 1"],
  },
  {
    id: "refreshed-id-token-sub-in-other-letters",
    source: tested("oidcc-client-test-refresh-token-invalid-sub"),
    bent: claims({ sub: "Alice" }),
    ...stranger,
    twin: claims({ sub: "alice" }),
  },
  {
    id: "refreshed-id-token-without-sub",
    source: CORE,
    bent: claims({ sub: undefined }),
    ...stranger,
    twin: idToken(() => undefined),
  },
  {
    id: "refreshed-id-token-sub-that-is-a-list",
    source: CORE,
    bent: claims({ sub: ["alice"] }),
    ...stranger,
    twin: {},
  },
  {
    id: "refreshed-id-token-iss-of-another",
    source: tested("oidcc-client-test-refresh-token-invalid-issuer"),
    bent: claims(({ other }) => ({ iss: `${other.origin}/` })),
    ...stranger,
    twin: claims(({ idp }) => ({ iss: `${idp.origin}/` })),
  },
  {
    id: "refreshed-id-token-iss-without-its-slash",
    source: tested("oidcc-client-test-refresh-token-invalid-issuer"),
    bent: claims(({ idp }) => ({ iss: idp.origin })),
    ...stranger,
    twin: {},
  },
  {
    id: "refreshed-id-token-without-iss",
    source: CORE,
    bent: claims({ iss: undefined }),
    ...stranger,
    twin: {},
  },
  {
    id: "refreshed-id-token-aud-of-another",
    source: tested("oidcc-client-test-refresh-token-invalid-aud"),
    bent: claims({ aud: "another-client" }),
    ...stranger,
    twin: claims((_, { aud }) => ({ aud: [aud] })),
  },
  {
    id: "refreshed-id-token-aud-of-others",
    source: tested("oidcc-client-test-refresh-token-invalid-aud"),
    bent: claims({ aud: ["another-client", "one-more"] }),
    ...stranger,
    twin: claims((_, { aud }) => ({ aud: ["another-client", aud], azp: aud })),
  },
  {
    id: "refreshed-id-token-without-aud",
    source: CORE,
    bent: claims({ aud: undefined }),
    ...stranger,
    twin: {},
  },
  {
    id: "refreshed-id-token-azp-of-another",
    source: CORE,
    bent: claims({ azp: "another-client" }),
    ...stranger,
    twin: claims((_, { aud }) => ({ azp: aud })),
  },
  {
    id: "refreshed-id-token-nonce-of-another-sign-in",
    source: CORE,
    bent: claims({ nonce: "another" }),
    ...stranger,
    twin: claims({ nonce: undefined }),
  },
  {
    id: "refreshed-id-token-that-is-none",
    source: "RFC 7519 section 7.2, https://www.rfc-editor.org/rfc/rfc7519#section-7.2",
    bent: idToken(() => "none"),
    ...stranger,
    // Nothing is taken from it, and it came from the token endpoint itself: 3.1.3.7, item 6.
    twin: idToken((compact) => compact.replace(/[^.]+$/, "c2lnbmF0dXJl")),
  },
  {
    id: "refreshed-id-token-of-no-json",
    source: "RFC 7519 section 7.2, https://www.rfc-editor.org/rfc/rfc7519#section-7.2",
    bent: idToken((compact) => compact.replace(/\.[^.]+\./, ".e30x.")),
    ...stranger,
    // The same holds for its times.
    twin: claims({ iat: 1, exp: 2 }),
  },
  {
    id: "refreshed-id-token-of-no-letters",
    source: "RFC 7515 section 2, https://www.rfc-editor.org/rfc/rfc7515#section-2",
    bent: idToken((compact) => compact.replace(/\.[^.]+\./, ".%%%.")),
    ...stranger,
    twin: {},
  },
  {
    id: "refreshed-id-token-of-a-list",
    source: "RFC 7519 section 7.2, https://www.rfc-editor.org/rfc/rfc7519#section-7.2",
    bent: idToken((compact) => compact.replace(/\.[^.]+\./, ".W10.")),
    ...stranger,
    twin: {},
  },
  {
    id: "refreshed-id-token-encrypted",
    source: "RFC 7516 section 3, https://www.rfc-editor.org/rfc/rfc7516#section-3",
    bent: idToken(() => "e30.e30.e30.e30.e30"),
    ...stranger,
    twin: {},
  },
  {
    id: "refreshed-id-token-that-is-no-text",
    source: CORE,
    bent: idToken((compact) => [compact]),
    refused: { message: "InvalidBearerTokenResponse", code: "token_response_invalid" },
    leaves: "signed-in",
    asked: ["refresh 0"],
    twin: {},
  },
  {
    id: "refreshed-id-token-empty",
    source: CORE,
    bent: idToken(() => ""),
    refused: { message: "InvalidBearerTokenResponse", code: "token_response_invalid" },
    leaves: "signed-in",
    asked: ["refresh 0"],
    twin: {},
  },
  {
    id: "refreshed-id-token-of-another-by-a-client-of-its-own",
    source: tested("oidcc-client-test-refresh-token-invalid-sub"),
    bent: {
      ...claims({ sub: "mallory" }),
      session: { deeds: ["refresh by a client of its own"] },
    },
    ...stranger,
    leaves: "signed-in",
    twin: { session: { deeds: ["refresh by a client of its own"] } },
  },
];
