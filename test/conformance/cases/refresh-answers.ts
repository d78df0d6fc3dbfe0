import { changed, honestly, html, inTurn, json, text, withHeaders } from "../answers.js";
import type { Answer, Bend, Members, Patch, SessionRow } from "../bend.js";

const RFC6749 = "RFC 6749 section 5.1, https://www.rfc-editor.org/rfc/rfc6749#section-5.1";
const SCOPE = "RFC 6749 section 6, https://www.rfc-editor.org/rfc/rfc6749#section-6";

const API = "urn:matrix:client:api:*";
const OLD = "urn:matrix:org.matrix.msc2967.client:";

const refreshAnswer = (answer: Answer): Bend => ({ endpoints: { refresh: answer } });

const refreshed = (patch: Patch): Bend => ({ refreshed: patch });

/** It is told at once; the issuer may have meant something else, so the person stays signed in. */
const malformed: Pick<SessionRow, "refused" | "leaves" | "asked"> = {
  refused: { message: "InvalidBearerTokenResponse", code: "token_response_invalid" },
  leaves: "signed-in",
  asked: ["refresh 0"],
};

/** An unreadable answer counts as lost. */
const unreadable: Pick<SessionRow, "refused" | "leaves" | "asked"> = {
  refused: { message: "RefreshTokenFailed", code: "network_error" },
  leaves: "signed-in",
  asked: Array<string>(5).fill("refresh 0"),
};

/** Tokens for something else are of no use, and the refresh token is used up. */
const ungranted: Pick<SessionRow, "refused" | "leaves" | "asked"> = {
  refused: { message: "SessionEnded", code: "session_ended", because: "scope_not_granted" },
  leaves: "signed-out",
  asked: ["refresh 0"],
};

/** The device of the honest answer's scope. */
const deviceOf = ({ scope }: Members): string => /\bdevice:(\S+)/.exec(String(scope))?.[1] ?? "";

/** The scope that is granted, made of the device that was signed in. */
const granted = (scope: (device: string) => unknown): Bend =>
  refreshed((_, honest) => ({ scope: scope(deviceOf(honest)) }));

/** What a refresh is answered with. */
export const REFRESH_ANSWERS: readonly SessionRow[] = [
  {
    id: "refreshed-without-access-token",
    source: RFC6749,
    bent: refreshed({ access_token: undefined }),
    ...malformed,
    twin: refreshed({ note: "unknown members are none of ours" }),
    twinAsked: ["refresh 0"],
  },
  {
    id: "refreshed-empty-access-token",
    source: RFC6749,
    bent: refreshed({ access_token: "" }),
    ...malformed,
    twin: {},
  },
  {
    id: "refreshed-access-token-null",
    source: RFC6749,
    bent: refreshed({ access_token: null }),
    ...malformed,
    twin: {},
  },
  {
    id: "refreshed-access-token-that-is-a-list",
    source: RFC6749,
    bent: refreshed((_, { access_token }) => ({ access_token: [access_token] })),
    ...malformed,
    twin: {},
  },
  {
    id: "refreshed-without-token-type",
    source: RFC6749,
    bent: refreshed({ token_type: undefined }),
    ...malformed,
    twin: refreshed({ token_type: "bearer" }),
  },
  {
    id: "refreshed-token-type-of-a-bound-token",
    source: "RFC 9449 section 5, https://www.rfc-editor.org/rfc/rfc9449#section-5",
    bent: refreshed({ token_type: "DPoP" }),
    ...malformed,
    twin: refreshed({ token_type: "BEARER" }),
  },
  {
    id: "refreshed-token-type-mac",
    source: RFC6749,
    bent: refreshed({ token_type: "mac" }),
    ...malformed,
    twin: {},
  },
  {
    id: "refreshed-token-type-that-is-no-text",
    source: RFC6749,
    bent: refreshed({ token_type: ["Bearer"] }),
    ...malformed,
    twin: {},
  },
  {
    id: "refreshed-empty-refresh-token",
    source: SCOPE,
    bent: refreshed({ refresh_token: "" }),
    ...malformed,
    twin: refreshed({ refresh_token: undefined }),
  },
  {
    id: "refreshed-refresh-token-null",
    source: SCOPE,
    bent: refreshed({ refresh_token: null }),
    ...malformed,
    twin: refreshed({ refresh_token: undefined }),
  },
  {
    id: "refreshed-refresh-token-that-is-a-number",
    source: SCOPE,
    bent: refreshed({ refresh_token: 7 }),
    ...malformed,
    twin: refreshed({ refresh_token: "7" }),
  },
  {
    id: "refreshed-nothing-at-all",
    source: RFC6749,
    bent: refreshAnswer(json({})),
    ...malformed,
    twin: {},
  },
  {
    id: "refreshed-null",
    source: RFC6749,
    bent: refreshAnswer(json(null)),
    ...malformed,
    twin: {},
  },
  {
    id: "refreshed-a-list-of-answers",
    source: RFC6749,
    bent: refreshAnswer(changed((body) => `[${body}]`)),
    ...malformed,
    twin: refreshAnswer(changed((body) => ` ${body}\n`)),
  },
  {
    id: "refreshed-an-answer-in-a-text",
    source: RFC6749,
    bent: refreshAnswer(changed((body) => JSON.stringify(body))),
    ...malformed,
    twin: refreshAnswer(withHeaders({ "content-type": "text/plain" })),
  },
  {
    id: "refreshed-members-of-a-prototype",
    source: "CWE-1321, https://cwe.mitre.org/data/definitions/1321.html",
    bent: refreshAnswer(changed((body) => `{"__proto__":${body}}`)),
    ...malformed,
    twin: refreshAnswer(changed((body) => body.replace("{", '{"__proto__":{"polluted":1},'))),
  },
  {
    id: "refreshed-an-error-with-success",
    source: RFC6749,
    bent: refreshAnswer(json({ error: "invalid_grant" })),
    ...malformed,
    twin: {},
  },
  {
    id: "refreshed-no-json",
    source: RFC6749,
    bent: refreshAnswer(text("access_token=abc&token_type=bearer")),
    ...unreadable,
    twin: refreshAnswer(inTurn(text("access_token=abc"), honestly)),
    twinAsked: ["refresh 0", "refresh 0"],
  },
  {
    id: "refreshed-an-empty-answer",
    source: RFC6749,
    bent: refreshAnswer(text("")),
    ...unreadable,
    twin: refreshAnswer(inTurn(text(""), honestly)),
    twinAsked: ["refresh 0", "refresh 0"],
  },
  {
    id: "refreshed-no-content",
    source: RFC6749,
    bent: refreshAnswer(text("", 204)),
    ...unreadable,
    twin: {},
  },
  {
    id: "refreshed-a-web-page",
    source: RFC6749,
    bent: refreshAnswer(html()),
    ...unreadable,
    twin: refreshAnswer(inTurn(html(), honestly)),
    twinAsked: ["refresh 0", "refresh 0"],
  },
  {
    id: "refreshed-json-that-breaks-off",
    source: "RFC 8259 section 2, https://www.rfc-editor.org/rfc/rfc8259#section-2",
    bent: refreshAnswer(changed((body) => body.slice(0, -1))),
    ...unreadable,
    twin: refreshAnswer(
      inTurn(
        changed((body) => body.slice(0, -1)),
        honestly,
      ),
    ),
    twinAsked: ["refresh 0", "refresh 0"],
  },
  {
    id: "refreshed-two-answers",
    source: "RFC 8259 section 2, https://www.rfc-editor.org/rfc/rfc8259#section-2",
    bent: refreshAnswer(changed((body) => body + body)),
    ...unreadable,
    twin: {},
  },
  ...[
    ["below-nothing", -1, 0],
    ["that-is-a-word", "soon", "300"],
    ["that-is-a-float-in-a-text", "299.5", 299.5],
    ["below-nothing-in-a-text", "-300", "0"],
    ["with-an-exponent-in-a-text", "3e2", 3e2],
    ["that-is-not-a-number", "NaN", null],
    ["without-end-in-a-text", "Infinity", 1e15],
    ["of-five-hundred-digits", "9".repeat(500), "9".repeat(15)],
    ["that-is-yes", true, undefined],
    ["that-is-a-list", [300], 300],
    ["that-is-an-object", { seconds: 300 }, 300],
    ["that-is-empty", "", undefined],
  ].map(([name, bad, good]): SessionRow => ({
    id: `refreshed-lifetime-${String(name)}`,
    source: RFC6749,
    bent: refreshed({ expires_in: bad }),
    ...malformed,
    twin: {
      ...refreshed({ expires_in: good }),
      session: { deeds: ["refresh", "refresh"] },
    },
    twinAsked: ["refresh 0", "refresh 1"],
  })),
  {
    id: "refreshed-lifetime-beyond-every-number",
    source: "RFC 8259 section 6, https://www.rfc-editor.org/rfc/rfc8259#section-6",
    bent: refreshAnswer(changed((body) => body.replace('"expires_in":300', '"expires_in":1e999'))),
    ...malformed,
    twin: {
      ...refreshAnswer(changed((body) => body.replace('"expires_in":300', '"expires_in":1e308'))),
      session: { deeds: ["refresh", "access token"] },
    },
    twinAsked: ["refresh 0"],
  },
  {
    id: "refreshed-scope-without-the-homeserver",
    source: SCOPE,
    bent: granted((device) => `openid urn:matrix:client:device:${device}`),
    ...ungranted,
    twin: granted((device) => `${API} urn:matrix:client:device:${device}`),
  },
  {
    id: "refreshed-empty-scope",
    source: SCOPE,
    bent: granted(() => ""),
    ...ungranted,
    twin: granted(() => undefined),
  },
  {
    id: "refreshed-scope-that-is-a-list",
    source: RFC6749,
    bent: granted((device) => [API, `urn:matrix:client:device:${device}`]),
    ...malformed,
    twin: granted((device) => `urn:matrix:client:device:${device} ${API}`),
  },
  {
    id: "refreshed-scope-of-another-device",
    source: "Matrix, scope, https://spec.matrix.org/v1.16/client-server-api/#scope",
    bent: granted(() => `openid ${API} urn:matrix:client:device:OTHER12345`),
    ...ungranted,
    twin: granted((device) => `openid ${API} urn:matrix:client:device:${device} email profile`),
  },
  {
    id: "refreshed-scope-of-a-device-with-a-longer-name",
    source: "Matrix, scope, https://spec.matrix.org/v1.16/client-server-api/#scope",
    bent: granted((device) => `${API} urn:matrix:client:device:${device}2`),
    ...ungranted,
    twin: granted((device) => `${OLD}api:* ${OLD}device:${device}`),
  },
  {
    id: "refreshed-scope-of-the-device-in-other-letters",
    source: "RFC 6749 section 3.3, https://www.rfc-editor.org/rfc/rfc6749#section-3.3",
    bent: granted((device) => `${API} urn:matrix:client:device:${otherCase(device)}`),
    ...ungranted,
    twin: granted((device) => `  ${API}  urn:matrix:client:device:${device} `),
  },
  {
    id: "refreshed-scope-of-no-device",
    source: "Matrix, scope, https://spec.matrix.org/v1.16/client-server-api/#scope",
    bent: granted(() => `openid ${API}`),
    ...ungranted,
    twin: granted((device) => `openid ${API} urn:matrix:client:device:${device}`),
  },
  {
    id: "refreshed-scope-of-two-devices",
    source: "Matrix, scope, https://spec.matrix.org/v1.16/client-server-api/#scope",
    bent: granted(
      (device) => `${API} urn:matrix:client:device:OTHER12345 urn:matrix:client:device:${device}`,
    ),
    ...ungranted,
    twin: granted(
      (device) => `${API} urn:matrix:client:device:${device} urn:matrix:client:device:${device}`,
    ),
  },
  {
    id: "refreshed-scope-of-two-devices-the-other-last",
    source: "Matrix, scope, https://spec.matrix.org/v1.16/client-server-api/#scope",
    bent: granted(
      (device) => `${API} urn:matrix:client:device:${device} urn:matrix:client:device:OTHER12345`,
    ),
    ...ungranted,
    twin: granted((device) => `${API} urn:matrix:client:device:${device} ${OLD}device:${device}`),
  },
  {
    id: "refreshed-scope-of-part-of-the-homeserver",
    source: "Matrix, scope, https://spec.matrix.org/v1.16/client-server-api/#scope",
    bent: granted((device) => `${API}read urn:matrix:client:device:${device}`),
    ...ungranted,
    twin: granted((device) => `${API} urn:matrix:client:device:${device}`),
  },
];

/** The same letters, small where they were large and large where they were small. */
function otherCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}
