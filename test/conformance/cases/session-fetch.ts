import assert from "node:assert/strict";
import { honestly, html, inTurn, json, redirect, status } from "../answers.js";
import type { Answer, Bend, SessionRow } from "../bend.js";
import type { Sent } from "../session-page.js";
import type { World } from "../world.js";

const BEARER = "RFC 6750 section 5.3, https://www.rfc-editor.org/rfc/rfc6750#section-5.3";
const COUNTERFEIT = "RFC 9700 section 4.9.1, https://www.rfc-editor.org/rfc/rfc9700#section-4.9.1";
const REDIRECT = "Fetch, HTTP-redirect fetch, https://fetch.spec.whatwg.org/#http-redirect-fetch";
const MATRIX =
  "Matrix, using access tokens, https://spec.matrix.org/v1.16/client-server-api/#using-access-tokens";
const SOFT_LOGOUT =
  "Matrix, soft logout, https://spec.matrix.org/v1.16/client-server-api/#soft-logout";

const WHOAMI = "/_matrix/client/v3/account/whoami";

type Session = NonNullable<Bend["session"]>;

/** One request by the session's `fetch`: where, and with what. */
const fetched =
  (where: (world: World) => string, init: Omit<Sent, "url"> = {}): Session =>
  (world) => ({ deeds: [{ url: where(world), ...init }] });

const toHomeserver = (init: Omit<Sent, "url"> = {}): Session =>
  fetched(({ homeserver }) => homeserver.origin + WHOAMI, init);

const api = (answer: Answer, init: Omit<Sent, "url"> = {}): Bend => ({
  endpoints: { api: answer },
  session: toHomeserver(init),
});

const honest: Pick<SessionRow, "twin" | "twinAsked"> = {
  twin: { session: toHomeserver() },
  twinAsked: ["api 0"],
};

const hostOf = ({ homeserver }: World): string => new URL(homeserver.origin).hostname;

/** Somebody else: the request is made, without the token, and the answer is the caller's. */
const stranger = (where: (world: World) => string): Omit<SessionRow, "id" | "source"> => ({
  bent: { session: fetched((world) => where(world) + WHOAMI) },
  refused: { status: 401, errcode: "M_UNKNOWN_TOKEN" },
  leaves: "signed-in",
  asked: ["stranger: elsewhere"],
  also: ({ sent }) => assert.ok(sent.length === 1 && sent.every(({ authorized }) => !authorized)),
  ...honest,
});

const unknownToken = json({ errcode: "M_UNKNOWN_TOKEN", soft_logout: false }, 401);
const softly = json({ errcode: "M_UNKNOWN_TOKEN", soft_logout: true }, 401);

/** A refusal of another kind: no new token would help, so none is asked for. */
const standing = (
  answer: Answer,
  errcode?: string,
  code = 401,
): Omit<SessionRow, "id" | "source"> => ({
  bent: api(answer),
  refused: { status: code, ...(errcode !== undefined && { errcode }) },
  leaves: "signed-in",
  asked: ["api 0"],
  // The one refusal that new tokens do help with.
  twin: api(inTurn(unknownToken, honestly)),
  twinAsked: ["api 0", "refresh 0", "api 1"],
});

/** The browser follows the redirect, but the token does not. */
const redirected = (code: number): SessionRow => ({
  id: `fetch-redirect-${code}-to-another-origin`,
  source: REDIRECT,
  bent: api(redirect(code, (world) => `${world.stranger(`cdn.${hostOf(world)}`)}/media`)),
  refused: { status: 401, errcode: "M_UNKNOWN_TOKEN" },
  leaves: "signed-in",
  asked: ["api 0", "stranger: elsewhere"],
  twin: api(
    inTurn(
      redirect(code, ({ homeserver }) => homeserver.origin + WHOAMI),
      honestly,
    ),
  ),
  twinAsked: ["api 0", "api 0"],
});

/** Whom the session's `fetch` sends the access token, and when it asks for another. */
export const SESSION_FETCH: readonly SessionRow[] = [
  {
    id: "fetch-from-another-host",
    source: COUNTERFEIT,
    ...stranger((world) => world.stranger("elsewhere.localhost")),
  },
  {
    id: "fetch-from-another-port",
    source: BEARER,
    ...stranger((world) => world.stranger(hostOf(world), world.otherPort)),
  },
  {
    id: "fetch-from-a-subdomain",
    source: BEARER,
    ...stranger((world) => world.stranger(`cdn.${hostOf(world)}`)),
  },
  {
    id: "fetch-from-the-domain-above",
    source: BEARER,
    ...stranger((world) => world.stranger(hostOf(world).replace(/^[^.]+\./, ""))),
  },
  {
    id: "fetch-from-a-host-whose-name-goes-on",
    source: BEARER,
    ...stranger((world) => world.stranger(`${hostOf(world)}.elsewhere.localhost`)),
  },
  {
    id: "fetch-from-a-host-whose-name-begins-earlier",
    source: BEARER,
    ...stranger((world) => world.stranger(`not-${hostOf(world)}`)),
  },
  {
    id: "fetch-from-the-issuer",
    source: BEARER,
    bent: { session: fetched(({ idp }) => idp.origin + WHOAMI) },
    refused: { status: 404 },
    leaves: "signed-in",
    asked: ["elsewhere"],
    ...honest,
  },
  {
    id: "fetch-by-another-scheme",
    source: BEARER,
    bent: {
      session: fetched(({ homeserver }) => homeserver.origin.replace("http:", "https:") + WHOAMI),
    },
    refused: "TypeError",
    leaves: "signed-in",
    asked: [],
    also: ({ sent }) =>
      assert.deepEqual(
        sent.map(({ authorized }) => authorized),
        [false],
      ),
    ...honest,
  },
  {
    id: "fetch-with-the-homeserver-as-a-user-name",
    source: "URL, credentials, https://url.spec.whatwg.org/#include-credentials",
    bent: {
      session: fetched(({ homeserver, other }) => {
        const { host } = new URL(other.origin);
        return `${homeserver.origin}@${host}${WHOAMI}`;
      }),
    },
    refused: "TypeError",
    leaves: "signed-in",
    asked: [],
    ...honest,
  },
  {
    id: "fetch-by-data",
    source: "Fetch, scheme fetch, https://fetch.spec.whatwg.org/#scheme-fetch",
    bent: { session: fetched(() => "javascript:alert(1)") },
    refused: "TypeError",
    leaves: "signed-in",
    asked: [],
    also: ({ sent }) =>
      assert.deepEqual(
        sent.map(({ authorized }) => authorized),
        [false],
      ),
    ...honest,
  },
  ...[301, 302, 307, 308].map(redirected),
  {
    id: "fetch-redirect-to-the-issuer",
    source: REDIRECT,
    bent: api(redirect(307, ({ idp }) => `${idp.origin}/anything`)),
    refused: { status: 404 },
    leaves: "signed-in",
    asked: ["api 0", "elsewhere"],
    ...honest,
  },
  {
    id: "fetch-redirect-where-none-is-wanted",
    source: REDIRECT,
    bent: api(
      redirect(307, (world) => world.stranger(`cdn.${hostOf(world)}`)),
      {
        redirect: "error",
      },
    ),
    refused: "TypeError",
    leaves: "signed-in",
    asked: ["api 0"],
    twin: { session: toHomeserver({ redirect: "error" }) },
    twinAsked: ["api 0"],
  },
  {
    id: "fetch-of-an-unknown-token-twice",
    source: MATRIX,
    bent: api(unknownToken),
    refused: { status: 401, errcode: "M_UNKNOWN_TOKEN" },
    leaves: "signed-in",
    renewed: true,
    asked: ["api 0", "refresh 0", "api 1"],
    twin: api(inTurn(unknownToken, honestly)),
    twinAsked: ["api 0", "refresh 0", "api 1"],
  },
  {
    id: "fetch-of-a-missing-token",
    source: MATRIX,
    ...standing(json({ errcode: "M_MISSING_TOKEN" }, 401), "M_MISSING_TOKEN"),
  },
  {
    id: "fetch-of-what-is-not-allowed",
    source: MATRIX,
    ...standing(json({ errcode: "M_UNAUTHORIZED" }, 401), "M_UNAUTHORIZED"),
  },
  {
    id: "fetch-of-a-locked-person",
    source:
      "Matrix, account locking, https://spec.matrix.org/v1.16/client-server-api/#account-locking",
    ...standing(json({ errcode: "M_USER_LOCKED", soft_logout: true }, 401), "M_USER_LOCKED"),
  },
  {
    id: "fetch-of-what-has-to-be-proved",
    source:
      "Matrix, user-interactive authentication, https://spec.matrix.org/v1.16/client-server-api/#user-interactive-authentication-api",
    ...standing(json({ flows: [{ stages: ["m.login.password"] }], session: "s" }, 401)),
  },
  {
    id: "fetch-of-a-refusal-without-body",
    source: MATRIX,
    ...standing(status(401)),
  },
  {
    id: "fetch-of-a-refusal-as-a-web-page",
    source: MATRIX,
    ...standing(html(401)),
  },
  {
    id: "fetch-of-a-challenge",
    source: "RFC 6750 section 3, https://www.rfc-editor.org/rfc/rfc6750#section-3",
    ...standing(
      json({ error: "invalid_token" }, 401, { "www-authenticate": 'Bearer error="invalid_token"' }),
    ),
  },
  {
    id: "fetch-of-an-unknown-token-by-another-status",
    source: MATRIX,
    ...standing(json({ errcode: "M_UNKNOWN_TOKEN" }, 403), "M_UNKNOWN_TOKEN", 403),
  },
  {
    id: "fetch-of-an-unknown-token-in-small-letters",
    source: MATRIX,
    ...standing(json({ errcode: "m_unknown_token" }, 401), "m_unknown_token"),
  },
  {
    id: "fetch-of-an-unknown-token-in-a-list",
    source: MATRIX,
    ...standing(json([{ errcode: "M_UNKNOWN_TOKEN" }], 401)),
  },
  {
    id: "fetch-of-a-failure",
    source: MATRIX,
    ...standing(json({ errcode: "M_UNKNOWN" }, 500), "M_UNKNOWN", 500),
  },
  {
    id: "fetch-with-an-authorization-of-its-own",
    source: "RFC 9110 section 11.6.2, https://www.rfc-editor.org/rfc/rfc9110#section-11.6.2",
    bent: { session: toHomeserver({ headers: { Authorization: "Bearer another" } }) },
    refused: { status: 401, errcode: "M_UNKNOWN_TOKEN" },
    leaves: "signed-in",
    asked: ["api ?"],
    twin: { session: toHomeserver({ headers: { Accept: "application/json" } }) },
    twinAsked: ["api 0"],
  },
  {
    id: "fetch-with-an-authorization-of-its-own-in-small-letters",
    source: "RFC 9110 section 5.1, https://www.rfc-editor.org/rfc/rfc9110#section-5.1",
    bent: { session: toHomeserver({ headers: { authorization: "Basic YTpi" } }) },
    refused: { status: 401, errcode: "M_UNKNOWN_TOKEN" },
    leaves: "signed-in",
    asked: ["api ?"],
    ...honest,
  },
  {
    id: "fetch-with-an-empty-authorization-of-its-own",
    source: "RFC 9110 section 11.6.2, https://www.rfc-editor.org/rfc/rfc9110#section-11.6.2",
    bent: { session: toHomeserver({ headers: { Authorization: "" } }) },
    refused: { status: 401, errcode: "M_MISSING_TOKEN" },
    leaves: "signed-in",
    asked: ["api"],
    ...honest,
  },
  {
    id: "fetch-with-a-body-that-was-read",
    source: "Fetch, body unusable, https://fetch.spec.whatwg.org/#body-unusable",
    bent: api(inTurn(unknownToken, honestly), { method: "POST", body: '{"a":1}', used: true }),
    refused: "TypeError",
    leaves: "signed-in",
    asked: [],
    // What is sent again is the same.
    twin: api(
      inTurn(unknownToken, ({ body, method, honest: answer }) =>
        body === '{"a":1}' && method === "POST" ? answer() : { status: 400 },
      ),
      { method: "POST", body: '{"a":1}' },
    ),
    twinAsked: ["api 0", "refresh 0", "api 1"],
  },
  {
    id: "fetch-with-a-token-that-fits-in-no-header",
    source: "RFC 6750 section 2.1, https://www.rfc-editor.org/rfc/rfc6750#section-2.1",
    bent: {
      tokens: (_, { access_token }) => ({ access_token: `${String(access_token)}\nX-Evil: 1` }),
      session: toHomeserver(),
    },
    refused: "TypeError",
    leaves: "signed-in",
    asked: [],
    ...honest,
  },
  {
    id: "fetch-with-a-token-of-other-letters",
    source: "RFC 6750 section 2.1, https://www.rfc-editor.org/rfc/rfc6750#section-2.1",
    bent: {
      tokens: (_, { access_token }) => ({ access_token: `${String(access_token)}é` }),
      session: toHomeserver(),
    },
    refused: "TypeError",
    leaves: "signed-in",
    asked: [],
    ...honest,
  },
  {
    id: "fetch-of-an-unknown-token-and-refused-by-the-issuer",
    source: MATRIX,
    bent: {
      endpoints: { api: unknownToken, refresh: json({ error: "invalid_grant" }, 400) },
      session: toHomeserver(),
    },
    refused: { status: 401, errcode: "M_UNKNOWN_TOKEN" },
    leaves: "signed-out",
    asked: ["api 0", "refresh 0"],
    twin: api(inTurn(unknownToken, honestly)),
  },
  {
    id: "fetch-of-an-unknown-token-while-the-issuer-is-out-of-reach",
    source: MATRIX,
    bent: {
      endpoints: { api: unknownToken, refresh: status(503) },
      session: toHomeserver(),
    },
    refused: { message: "RefreshTokenFailed", code: "server_error" },
    leaves: "signed-in",
    asked: ["api 0", ...Array<string>(5).fill("refresh 0")],
    twin: {
      endpoints: { api: inTurn(unknownToken, honestly), refresh: inTurn(status(503), honestly) },
      session: toHomeserver(),
    },
    twinAsked: ["api 0", "refresh 0", "refresh 0", "api 1"],
  },
  {
    id: "fetch-soft-logout",
    source: SOFT_LOGOUT,
    bent: {
      endpoints: { api: softly, refresh: json({ error: "invalid_grant" }, 400) },
      session: toHomeserver(),
    },
    refused: { status: 401, errcode: "M_UNKNOWN_TOKEN" },
    leaves: "soft-logout",
    asked: ["api 0", "refresh 0"],
    twin: api(inTurn(softly, honestly)),
    twinAsked: ["api 0", "refresh 0", "api 1"],
  },
  {
    id: "fetch-soft-logout-that-is-a-text",
    source: SOFT_LOGOUT,
    bent: {
      endpoints: {
        api: json({ errcode: "M_UNKNOWN_TOKEN", soft_logout: "true" }, 401),
        refresh: json({ error: "invalid_grant" }, 400),
      },
      session: toHomeserver(),
    },
    refused: { status: 401, errcode: "M_UNKNOWN_TOKEN" },
    leaves: "signed-out",
    asked: ["api 0", "refresh 0"],
    twin: api(inTurn(softly, honestly)),
  },
  {
    id: "fetch-after-the-end",
    source: MATRIX,
    bent: {
      session: ({ homeserver }) => ({
        deeds: ["sign out", { url: homeserver.origin + WHOAMI }],
      }),
    },
    refused: { message: "SessionEnded", code: "session_ended" },
    leaves: "signed-out",
    asked: ["revocation refresh 0", "revocation access 0"],
    ...honest,
  },
  {
    id: "fetch-with-a-token-that-ended-and-refused-by-the-issuer",
    source: MATRIX,
    bent: {
      tokens: { expires_in: 0 },
      endpoints: { refresh: json({ error: "invalid_grant" }, 400) },
      session: toHomeserver(),
    },
    refused: { message: "SessionEnded", code: "session_ended", because: "token_request_refused" },
    leaves: "signed-out",
    asked: ["refresh 0"],
    twin: { tokens: { expires_in: 0 }, session: toHomeserver() },
    twinAsked: ["refresh 0", "api 1"],
  },
  {
    id: "fetch-from-a-homeserver-over-plain-http",
    source: BEARER,
    bent: {
      session: {
        homeserverUrl: "http://homeserver.example",
        deeds: [{ url: `http://homeserver.example${WHOAMI}` }],
      },
    },
    refused: "TypeError",
    leaves: "signed-in",
    asked: [],
    also: ({ sent }) =>
      assert.deepEqual(
        sent.map(({ authorized }) => authorized),
        [false],
      ),
    ...honest,
  },
];
