import { honestly, html, inSequence, json, redirect, status } from "../responses.js";
import type { Responder, Deviation, SessionRow } from "../row.js";
import { sessionRows } from "../row.js";
import { matrix, rfc } from "../sources.js";
import type { Sent } from "../session-steps.js";
import type { Environment } from "../environment.js";

const BEARER = rfc(6750, "5.3");
const COUNTERFEIT = rfc(9700, "4.9.1");
const REDIRECT = "Fetch, HTTP-redirect fetch, https://fetch.spec.whatwg.org/#http-redirect-fetch";
const MATRIX = matrix("using access tokens", "using-access-tokens");
const SOFT_LOGOUT = matrix("soft logout", "soft-logout");

const WHOAMI = "/_matrix/client/v3/account/whoami";

type Session = NonNullable<Deviation["session"]>;

/** One request through the session's `fetch`. */
const fetched =
  (where: (environment: Environment) => string, init: Omit<Sent, "url"> = {}): Session =>
  (environment) => ({ actions: [{ url: where(environment), ...init }] });

const toHomeserver = (init: Omit<Sent, "url"> = {}): Session => fetched(({ homeserver }) => homeserver.origin + WHOAMI, init);

const withExpiredToken: Session = ({ homeserver }) => ({ actions: [{ url: homeserver.origin + WHOAMI }], expired: true });

const api = (respond: Responder, init: Omit<Sent, "url"> = {}): Deviation => ({ endpoints: { api: respond }, session: toHomeserver(init) });

const honest: Pick<SessionRow, "control" | "controlRequests"> = { control: { session: toHomeserver() }, controlRequests: ["api 0"] };

const hostOf = ({ homeserver }: Environment): string => new URL(homeserver.origin).hostname;

/** Another server: the request is sent without the token, and the caller gets the response. */
const stranger = (where: (environment: Environment) => string): Omit<SessionRow, "id" | "source"> => ({
  deviation: { session: fetched((environment) => where(environment) + WHOAMI) },
  refused: { status: 401, errcode: "M_UNKNOWN_TOKEN" },
  leaves: "signed-in",
  requests: ["stranger: elsewhere"],
  sentWithToken: [false],
  ...honest,
});

const unknownToken = json({ errcode: "M_UNKNOWN_TOKEN", soft_logout: false }, 401);
const softly = json({ errcode: "M_UNKNOWN_TOKEN", soft_logout: true }, 401);

/** An error that a new token would not fix, so none is requested. */
const standing = (respond: Responder, errcode?: string, code = 401): Omit<SessionRow, "id" | "source"> => ({
  deviation: api(respond),
  refused: { status: code, ...(errcode !== undefined && { errcode }) },
  leaves: "signed-in",
  requests: ["api 0"],
  // Only this error can be fixed with a new token.
  control: api(inSequence(unknownToken, honestly)),
  controlRequests: ["api 0", "refresh 0", "api 1"],
});

/** The browser follows the redirect, but the token does not. */
const redirected = (code: number): SessionRow => ({
  id: `fetch-redirect-${code}-to-another-origin`,
  source: REDIRECT,
  needsHttp: true,
  deviation: api(redirect(code, (environment) => `${environment.stranger(`cdn.${hostOf(environment)}`)}/media`)),
  refused: { status: 401, errcode: "M_UNKNOWN_TOKEN" },
  leaves: "signed-in",
  requests: ["api 0", "stranger: elsewhere"],
  control: api(
    inSequence(
      redirect(code, ({ homeserver }) => homeserver.origin + WHOAMI),
      honestly,
    ),
  ),
  controlRequests: ["api 0", "api 0"],
});

/** The servers that get the access token from the session's `fetch`, and the responses that cause a refresh. */
export const SESSION_FETCH = sessionRows({ source: MATRIX, leaves: "signed-in", refused: "TypeError", requests: [], ...honest }, [
  { id: "fetch-from-another-host", source: COUNTERFEIT, ...stranger((environment) => environment.stranger("elsewhere.localhost")) },
  { id: "fetch-from-another-port", source: BEARER, ...stranger((environment) => environment.stranger(hostOf(environment), environment.otherPort)) },
  { id: "fetch-from-a-subdomain", source: BEARER, ...stranger((environment) => environment.stranger(`cdn.${hostOf(environment)}`)) },
  { id: "fetch-from-the-parent-domain", source: BEARER, ...stranger((environment) => environment.stranger(hostOf(environment).replace(/^[^.]+\./, ""))) },
  {
    id: "fetch-from-a-host-with-a-longer-name",
    source: BEARER,
    ...stranger((environment) => environment.stranger(`${hostOf(environment)}.elsewhere.localhost`)),
  },
  { id: "fetch-from-a-host-with-a-prefix", source: BEARER, ...stranger((environment) => environment.stranger(`not-${hostOf(environment)}`)) },
  {
    id: "fetch-from-the-issuer",
    source: BEARER,
    deviation: { session: fetched(({ idp }) => idp.origin + WHOAMI) },
    refused: { status: 404 },
    requests: ["elsewhere"],
  },
  {
    id: "fetch-another-scheme",
    source: BEARER,
    deviation: { session: fetched(({ homeserver }) => homeserver.origin.replace("http:", "https:") + WHOAMI) },
    sentWithToken: [false],
  },
  {
    id: "fetch-url-with-the-homeserver-as-user-name",
    source: "URL, credentials, https://url.spec.whatwg.org/#include-credentials",
    deviation: {
      session: fetched(({ homeserver, other }) => {
        const { host } = new URL(other.origin);
        return `${homeserver.origin}@${host}${WHOAMI}`;
      }),
    },
  },
  {
    id: "fetch-data-url",
    source: "Fetch, scheme fetch, https://fetch.spec.whatwg.org/#scheme-fetch",
    deviation: { session: fetched(() => "javascript:alert(1)") },
    sentWithToken: [false],
  },
  ...[301, 302, 307, 308].map(redirected),
  {
    id: "fetch-redirect-to-the-issuer",
    source: REDIRECT,
    deviation: api(redirect(307, ({ idp }) => `${idp.origin}/anything`)),
    refused: { status: 404 },
    requests: ["api 0", "elsewhere"],
  },
  {
    id: "fetch-redirect-with-redirect-error",
    source: REDIRECT,
    deviation: api(
      redirect(307, (environment) => environment.stranger(`cdn.${hostOf(environment)}`)),
      { redirect: "error" },
    ),
    requests: ["api 0"],
    control: { session: toHomeserver({ redirect: "error" }) },
    controlRequests: ["api 0"],
  },
  {
    id: "fetch-rejects-a-second-401-unknown-token",
    deviation: api(unknownToken),
    refused: { status: 401, errcode: "M_UNKNOWN_TOKEN" },
    renewed: true,
    requests: ["api 0", "refresh 0", "api 1"],
    control: api(inSequence(unknownToken, honestly)),
    controlRequests: ["api 0", "refresh 0", "api 1"],
  },
  { id: "fetch-401-missing-token-is-no-token-error", ...standing(json({ errcode: "M_MISSING_TOKEN" }, 401), "M_MISSING_TOKEN") },
  { id: "fetch-401-unauthorized-is-no-token-error", ...standing(json({ errcode: "M_UNAUTHORIZED" }, 401), "M_UNAUTHORIZED") },
  {
    id: "fetch-401-user-locked-keeps-the-session",
    source: matrix("account locking", "account-locking"),
    ...standing(json({ errcode: "M_USER_LOCKED", soft_logout: true }, 401), "M_USER_LOCKED"),
  },
  {
    id: "fetch-401-with-flows-is-no-token-error",
    source: matrix("user-interactive authentication", "user-interactive-authentication-api"),
    ...standing(json({ flows: [{ stages: ["m.login.password"] }], session: "s" }, 401)),
  },
  { id: "fetch-401-without-body-is-no-token-error", ...standing(status(401)) },
  { id: "fetch-401-html-is-no-token-error", ...standing(html(401)) },
  {
    id: "fetch-401-with-www-authenticate-is-no-token-error",
    source: rfc(6750, "3"),
    ...standing(json({ error: "invalid_token" }, 401, { "www-authenticate": 'Bearer error="invalid_token"' })),
  },
  {
    id: "fetch-unknown-token-with-another-status-is-no-token-error",
    // Only early versions of Synapse sent 403. HTTP uses it for a user who is known, but may not do this.
    source: matrix("HTTP 401 for an access token that is not valid", "using-access-tokens"),
    ...standing(json({ errcode: "M_UNKNOWN_TOKEN" }, 403), "M_UNKNOWN_TOKEN", 403),
  },
  { id: "fetch-401-lowercase-errcode-is-no-token-error", ...standing(json({ errcode: "m_unknown_token" }, 401), "m_unknown_token") },
  { id: "fetch-401-errcode-in-an-array-is-no-token-error", ...standing(json([{ errcode: "M_UNKNOWN_TOKEN" }], 401)) },
  { id: "fetch-server-error-is-no-token-error", ...standing(json({ errcode: "M_UNKNOWN" }, 500), "M_UNKNOWN", 500) },
  {
    id: "fetch-replaces-the-authorization-header",
    source: rfc(9110, "11.6.2"),
    deviation: { session: toHomeserver({ headers: { Authorization: "Bearer another" } }) },
    refused: { status: 401, errcode: "M_UNKNOWN_TOKEN" },
    requests: ["api ?"],
    control: { session: toHomeserver({ headers: { Accept: "application/json" } }) },
    controlRequests: ["api 0"],
  },
  {
    id: "fetch-replaces-the-lowercase-authorization-header",
    source: rfc(9110, "5.1"),
    deviation: { session: toHomeserver({ headers: { authorization: "Basic YTpi" } }) },
    refused: { status: 401, errcode: "M_UNKNOWN_TOKEN" },
    requests: ["api ?"],
  },
  {
    id: "fetch-replaces-an-empty-authorization-header",
    source: rfc(9110, "11.6.2"),
    deviation: { session: toHomeserver({ headers: { Authorization: "" } }) },
    refused: { status: 401, errcode: "M_MISSING_TOKEN" },
    requests: ["api"],
  },
  {
    id: "fetch-with-a-body-that-was-read",
    source: "Fetch, body unusable, https://fetch.spec.whatwg.org/#body-unusable",
    deviation: api(inSequence(unknownToken, honestly), { method: "POST", body: '{"a":1}', used: true }),
    // The second request is equal to the first.
    control: api(
      inSequence(unknownToken, ({ body, method, honest: respond }) => (body === '{"a":1}' && method === "POST" ? respond() : { status: 400 })),
      { method: "POST", body: '{"a":1}' },
    ),
    controlRequests: ["api 0", "refresh 0", "api 1"],
  },
  {
    id: "fetch-401-unknown-token-then-refresh-rejected",
    deviation: { endpoints: { api: unknownToken, refresh: json({ error: "invalid_grant" }, 400) }, session: toHomeserver() },
    refused: { status: 401, errcode: "M_UNKNOWN_TOKEN" },
    leaves: "signed-out",
    requests: ["api 0", "refresh 0"],
    control: api(inSequence(unknownToken, honestly)),
  },
  {
    id: "fetch-401-unknown-token-then-refresh-unreachable",
    deviation: { endpoints: { api: unknownToken, refresh: status(503) }, session: toHomeserver() },
    refused: { message: "RefreshTokenFailed", code: "server_error" },
    requests: ["api 0", ...Array<string>(5).fill("refresh 0")],
    control: { endpoints: { api: inSequence(unknownToken, honestly), refresh: inSequence(status(503), honestly) }, session: toHomeserver() },
    controlRequests: ["api 0", "refresh 0", "refresh 0", "api 1"],
  },
  {
    id: "fetch-soft-logout",
    source: SOFT_LOGOUT,
    deviation: { endpoints: { api: softly, refresh: json({ error: "invalid_grant" }, 400) }, session: toHomeserver() },
    refused: { status: 401, errcode: "M_UNKNOWN_TOKEN" },
    leaves: "soft-logout",
    requests: ["api 0", "refresh 0"],
    control: api(inSequence(softly, honestly)),
    controlRequests: ["api 0", "refresh 0", "api 1"],
  },
  {
    id: "fetch-soft-logout-as-a-string",
    source: SOFT_LOGOUT,
    deviation: {
      endpoints: { api: json({ errcode: "M_UNKNOWN_TOKEN", soft_logout: "true" }, 401), refresh: json({ error: "invalid_grant" }, 400) },
      session: toHomeserver(),
    },
    refused: { status: 401, errcode: "M_UNKNOWN_TOKEN" },
    leaves: "signed-out",
    requests: ["api 0", "refresh 0"],
    control: api(inSequence(softly, honestly)),
  },
  {
    id: "fetch-after-the-session-ended",
    deviation: { session: ({ homeserver }) => ({ actions: ["sign out", { url: homeserver.origin + WHOAMI }] }) },
    refused: { message: "SessionEnded", code: "session_ended" },
    leaves: "signed-out",
    requests: ["revocation refresh 0", "revocation access 0"],
  },
  {
    id: "fetch-expired-token-then-refresh-rejected",
    deviation: { endpoints: { refresh: json({ error: "invalid_grant" }, 400) }, session: withExpiredToken },
    refused: { message: "SessionEnded", code: "session_ended", cause: "token_request_refused" },
    leaves: "signed-out",
    requests: ["refresh 0"],
    control: { session: withExpiredToken },
    controlRequests: ["refresh 0", "api 1"],
  },
]);
