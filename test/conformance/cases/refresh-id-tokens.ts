import type { Deviation, Members, Patch, SessionRow } from "../row.js";
import { sessionRows } from "../row.js";
import { openid, rfc } from "../sources.js";

const CORE = openid("Core 12.2", "RefreshTokenResponse");
const tested = (test: string): string => `${test}, https://openid.net/specs/openid-connect-core-1_0.html#RefreshTokenResponse`;

const claims = (patch: Patch): Deviation => ({ refreshedClaims: patch });

/** The ID token of a refresh, changed. */
const idToken = (change: (compact: string) => unknown): Deviation => ({ refreshed: (_, { id_token }: Members) => ({ id_token: change(String(id_token)) }) });

/** Tokens for another user are revoked. */
const stranger: Pick<SessionRow, "refused" | "leaves" | "requests"> = {
  refused: { message: "SessionEnded", code: "session_ended", cause: "id_token_invalid" },
  leaves: "signed-out",
  requests: ["refresh 0", "revocation refresh 1", "revocation access 1"],
};

/** The ID token that comes with new tokens must be for the same user and app. */
export const REFRESH_ID_TOKENS = sessionRows({ source: CORE, ...stranger }, [
  {
    id: "refreshed-id-token-sub-of-another",
    source: tested("oidcc-client-test-refresh-token-invalid-sub"),
    deviation: claims({ sub: "mallory" }),
    // oidcc-client-test-refresh-token
    control: { session: { actions: ["refresh", "refresh"] } },
    controlRequests: ["refresh 0", "refresh 1"],
  },
  {
    id: "refreshed-id-token-sub-in-another-case",
    source: tested("oidcc-client-test-refresh-token-invalid-sub"),
    deviation: claims({ sub: "Alice" }),
    control: claims({ sub: "alice" }),
  },
  { id: "refreshed-id-token-without-sub", deviation: claims({ sub: undefined }), control: idToken(() => undefined) },
  { id: "refreshed-id-token-sub-that-is-a-list", deviation: claims({ sub: ["alice"] }) },
  {
    id: "refreshed-id-token-iss-of-another",
    source: tested("oidcc-client-test-refresh-token-invalid-issuer"),
    deviation: claims(({ other }) => ({ iss: `${other.origin}/` })),
    control: claims(({ idp }) => ({ iss: `${idp.origin}/` })),
  },
  {
    id: "refreshed-id-token-iss-without-its-slash",
    source: tested("oidcc-client-test-refresh-token-invalid-issuer"),
    deviation: claims(({ idp }) => ({ iss: idp.origin })),
  },
  { id: "refreshed-id-token-without-iss", deviation: claims({ iss: undefined }) },
  {
    id: "refreshed-id-token-aud-of-another",
    source: tested("oidcc-client-test-refresh-token-invalid-aud"),
    deviation: claims({ aud: "another-client" }),
    control: claims((_, { aud }) => ({ aud: [aud] })),
  },
  {
    id: "refreshed-id-token-aud-of-others",
    source: tested("oidcc-client-test-refresh-token-invalid-aud"),
    deviation: claims({ aud: ["another-client", "one-more"] }),
    control: claims((_, { aud }) => ({ aud: ["another-client", aud], azp: aud })),
  },
  { id: "refreshed-id-token-without-aud", deviation: claims({ aud: undefined }) },
  { id: "refreshed-id-token-azp-of-another", deviation: claims({ azp: "another-client" }), control: claims((_, { aud }) => ({ azp: aud })) },
  {
    id: "refreshed-id-token-azp-a-list",
    deviation: claims((_, { aud }) => ({ azp: [aud] })),
    // Some issuers write claims that are not set.
    control: claims({ azp: "", nonce: "", auth_time: null, at_hash: null, nbf: "" }),
  },
  { id: "refreshed-id-token-nonce-of-another-sign-in", deviation: claims({ nonce: "another" }), control: claims({ nonce: undefined }) },
  {
    id: "refreshed-id-token-not-a-jwt",
    source: rfc(7519, "7.2"),
    deviation: idToken(() => "none"),
    // The signature need not be checked for a token from the token endpoint: 3.1.3.7, item 6.
    control: idToken((compact) => compact.replace(/[^.]+$/, "c2lnbmF0dXJl")),
  },
  {
    id: "refreshed-id-token-payload-not-json",
    source: rfc(7519, "7.2"),
    deviation: idToken((compact) => compact.replace(/\.[^.]+\./, ".e30x.")),
    // Its times are not checked either.
    control: claims({ iat: 1, exp: 2 }),
  },
  { id: "refreshed-id-token-payload-not-base64url", source: rfc(7515, "2"), deviation: idToken((compact) => compact.replace(/\.[^.]+\./, ".%%%.")) },
  { id: "refreshed-id-token-payload-an-array", source: rfc(7519, "7.2"), deviation: idToken((compact) => compact.replace(/\.[^.]+\./, ".W10.")) },
  { id: "refreshed-id-token-encrypted", source: rfc(7516, "3"), deviation: idToken(() => "e30.e30.e30.e30.e30") },
  {
    id: "refreshed-id-token-not-a-string",
    deviation: idToken((compact) => [compact]),
    control: idToken(() => ""),
    refused: { message: "InvalidBearerTokenResponse", code: "token_response_invalid" },
    leaves: "signed-in",
    requests: ["refresh 0"],
  },
  {
    id: "refreshed-id-token-of-another-with-a-fixed-client",
    source: tested("oidcc-client-test-refresh-token-invalid-sub"),
    deviation: { ...claims({ sub: "mallory" }), session: { actions: ["refresh with a separate client"] } },
    leaves: "signed-in",
    control: { session: { actions: ["refresh with a separate client"] } },
  },
]);
