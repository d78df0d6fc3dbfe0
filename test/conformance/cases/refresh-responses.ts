import { changed, honestly, html, inSequence, json, text, withHeaders } from "../responses.js";
import type { Responder, Deviation, Members, Patch, SessionRow } from "../row.js";
import { sessionRows } from "../row.js";
import { CWE_PROTOTYPE_POLLUTION, matrix, rfc } from "../sources.js";

const RFC6749 = rfc(6749, "5.1");
const SCOPE = rfc(6749, "6");
const MATRIX = matrix("scope", "scope");

const API = "urn:matrix:client:api:*";
const DEVICE = "urn:matrix:client:device:";
const OLD = "urn:matrix:org.matrix.msc2967.client:";
const OTHER = "OTHER12345";

const refreshResponse = (respond: Responder): Deviation => ({ endpoints: { refresh: respond } });

const refreshed = (patch: Patch): Deviation => ({ refreshed: patch });

/** The error is reported immediately, and the user stays signed in. */
const malformed: Pick<SessionRow, "refused" | "leaves" | "requests"> = {
  refused: { message: "InvalidBearerTokenResponse", code: "token_response_invalid" },
  leaves: "signed-in",
  requests: ["refresh 0"],
};

/** An unreadable response counts as lost. */
const unreadable: Pick<SessionRow, "refused" | "leaves" | "requests"> = {
  refused: { message: "RefreshTokenFailed", code: "network_error" },
  leaves: "signed-in",
  requests: ["refresh 0", "document", ...Array<string>(4).fill("refresh 0")],
};

/** The device of the honest response's scope. */
const deviceOf = ({ scope }: Members): string => /\bdevice:(\S+)/.exec(String(scope))?.[1] ?? "";

/** Grants a scope, given the ID of the device that was signed in. */
const granted = (scope: (device: string) => unknown): Deviation => refreshed((_, honest) => ({ scope: scope(deviceOf(honest)) }));

/** A scope with the homeserver and a device. */
const ours = (device: string): string => `${API} ${DEVICE}${device}`;

type Ungranted = [name: string, source: string, scope: (device: string) => string, control: (device: string) => string];

/** Tokens for something else are revoked, and the refresh token is used up. */
const ungranted = ([name, source, scope, control]: Ungranted): SessionRow => ({
  ...{ id: `refreshed-scope-${name}`, source, deviation: granted(scope), control: granted(control) },
  refused: { message: "SessionEnded", code: "session_ended", cause: "scope_not_granted" },
  leaves: "signed-out",
  requests: ["refresh 0", "revocation refresh 1", "revocation access 1"],
});

/** The response to a refresh. */
export const REFRESH_RESPONSES = sessionRows({ source: RFC6749, ...malformed }, [
  {
    id: "refreshed-without-access-token",
    deviation: refreshed({ access_token: undefined }),
    control: refreshed({ note: "unknown members are ignored" }),
    controlRequests: ["refresh 0"],
  },
  { id: "refreshed-empty-access-token", deviation: refreshed({ access_token: "" }) },
  { id: "refreshed-access-token-null", deviation: refreshed({ access_token: null }) },
  { id: "refreshed-access-token-that-is-a-list", deviation: refreshed((_, { access_token }) => ({ access_token: [access_token] })) },
  ...[
    ["a-line-break", "\nX-Evil: 1"],
    ["non-ascii-letters", "é"],
  ].map(([name, end]): SessionRow => ({
    id: `refreshed-access-token-with-${String(name)}`,
    source: rfc(6750, "2.1"),
    ...malformed,
    deviation: refreshed((_, { access_token }) => ({ access_token: `${String(access_token)}${String(end)}` })),
    control: {},
  })),
  { id: "refreshed-without-token-type", deviation: refreshed({ token_type: undefined }), control: refreshed({ token_type: "bearer" }) },
  {
    id: "refreshed-token-type-of-a-bound-token",
    source: rfc(9449, "5"),
    deviation: refreshed({ token_type: "DPoP" }),
    control: refreshed({ token_type: "BEARER" }),
  },
  { id: "refreshed-token-type-mac", deviation: refreshed({ token_type: "mac" }) },
  { id: "refreshed-token-type-not-a-string", deviation: refreshed({ token_type: ["Bearer"] }) },
  // A member that is not set may be missing, null, or empty.
  ...[
    ["a-list", ["7"], undefined],
    ["an-object", { token: "7" }, null],
    ["yes", true, ""],
  ].map(([name, bad, good]): SessionRow => ({
    id: `refreshed-refresh-token-that-is-${String(name)}`,
    source: SCOPE,
    ...malformed,
    deviation: refreshed({ refresh_token: bad }),
    control: refreshed({ refresh_token: good }),
  })),
  { id: "refreshed-refresh-token-that-is-a-number", source: SCOPE, deviation: refreshed({ refresh_token: 7 }), control: refreshed({ refresh_token: "7" }) },
  { id: "refreshed-nothing-at-all", deviation: refreshResponse(json({})) },
  { id: "refreshed-null", deviation: refreshResponse(json(null)) },
  {
    id: "refreshed-a-list-of-responses",
    deviation: refreshResponse(changed((body) => `[${body}]`)),
    control: refreshResponse(changed((body) => ` ${body}\n`)),
  },
  {
    id: "refreshed-a-response-as-a-string",
    deviation: refreshResponse(changed((body) => JSON.stringify(body))),
    control: refreshResponse(withHeaders({ "content-type": "text/plain" })),
  },
  {
    id: "refreshed-members-in-the-prototype",
    source: CWE_PROTOTYPE_POLLUTION,
    deviation: refreshResponse(changed((body) => `{"__proto__":${body}}`)),
    control: refreshResponse(changed((body) => body.replace("{", '{"__proto__":{"polluted":1},'))),
  },
  {
    id: "refreshed-not-json",
    deviation: refreshResponse(text("access_token=abc&token_type=bearer")),
    ...unreadable,
    control: refreshResponse(inSequence(text("access_token=abc"), honestly)),
    controlRequests: ["refresh 0", "document", "refresh 0"],
  },
  {
    id: "refreshed-an-empty-response",
    deviation: refreshResponse(text("")),
    ...unreadable,
    control: refreshResponse(inSequence(text(""), honestly)),
    controlRequests: ["refresh 0", "document", "refresh 0"],
  },
  { id: "refreshed-no-content", deviation: refreshResponse(text("", 204)), ...unreadable, control: {} },
  {
    id: "refreshed-html",
    deviation: refreshResponse(html()),
    ...unreadable,
    control: refreshResponse(inSequence(html(), honestly)),
    controlRequests: ["refresh 0", "document", "refresh 0"],
  },
  {
    id: "refreshed-truncated-json",
    source: rfc(8259, "2"),
    deviation: refreshResponse(changed((body) => body.slice(0, -1))),
    ...unreadable,
    control: refreshResponse(
      inSequence(
        changed((body) => body.slice(0, -1)),
        honestly,
      ),
    ),
    controlRequests: ["refresh 0", "document", "refresh 0"],
  },
  { id: "refreshed-two-responses", source: rfc(8259, "2"), deviation: refreshResponse(changed((body) => body + body)), ...unreadable, control: {} },
  ...[
    ["negative", -1, 0],
    ["that-is-a-word", "soon", "300"],
    ["that-is-a-float-in-a-string", "299.5", 299.5],
    ["negative-in-a-string", "-300", "0"],
    ["with-an-exponent-in-a-string", "3e2", 3e2],
    ["that-is-not-a-number", "NaN", null],
    ["infinite-in-a-string", "Infinity", 1e15],
    ["of-five-hundred-digits", "9".repeat(500), "9".repeat(15)],
    ["that-is-true", true, undefined],
    ["that-is-a-number-and-a-unit", "300 s", ""],
    ["that-is-a-list", [300], 300],
    ["that-is-an-object", { seconds: 300 }, 300],
  ].map(([name, bad, good]): SessionRow => ({
    id: `refreshed-lifetime-${String(name)}`,
    source: RFC6749,
    deviation: refreshed({ expires_in: bad }),
    ...malformed,
    control: { ...refreshed({ expires_in: good }), session: { actions: ["refresh", "refresh"] } },
    controlRequests: ["refresh 0", "refresh 1"],
  })),
  {
    id: "refreshed-lifetime-infinite",
    source: rfc(8259, "6"),
    deviation: refreshResponse(changed((body) => body.replace('"expires_in":300', '"expires_in":1e999'))),
    control: {
      ...refreshResponse(changed((body) => body.replace('"expires_in":300', '"expires_in":1e308'))),
      session: { actions: ["refresh", "access token"] },
    },
    controlRequests: ["refresh 0"],
  },
  { id: "refreshed-scope-that-is-a-number", source: SCOPE, deviation: granted(() => 1), control: granted(() => null) },
  { id: "refreshed-scope-that-is-a-list", deviation: granted((device) => [API, DEVICE + device]), control: granted((device) => `${DEVICE}${device} ${API}`) },
  ...(
    [
      ["of-spaces", SCOPE, () => " ", () => ""],
      ["without-the-homeserver", SCOPE, (device) => `openid ${DEVICE}${device}`, ours],
      ["of-part-of-the-homeserver", MATRIX, (device) => `${API}read ${DEVICE}${device}`, ours],
      ["of-another-device", MATRIX, () => `openid ${ours(OTHER)}`, (device) => `openid ${ours(device)} email profile`],
      ["of-a-device-with-a-longer-name", MATRIX, (device) => ours(`${device}2`), (device) => `${OLD}api:* ${OLD}device:${device}`],
      ["device-in-another-case", rfc(6749, "3.3"), (device) => ours(otherCase(device)), (device) => `  ${API}  ${DEVICE}${device} `],
      ["of-two-devices", MATRIX, (device) => `${ours(OTHER)} ${DEVICE}${device}`, (device) => `${ours(device)} ${DEVICE}${device}`],
      ["of-two-devices-the-other-last", MATRIX, (device) => `${ours(device)} ${DEVICE}${OTHER}`, (device) => `${ours(device)} ${OLD}device:${device}`],
    ] satisfies Ungranted[]
  ).map(ungranted),
  {
    ...ungranted(["of-no-device", MATRIX, () => `openid ${API}`, ours]),
    // The sign-in was for no device, too.
    control: { tokens: { scope: `openid ${API}` }, ...granted(() => `openid ${API}`) },
  },
]);

/** The text with upper and lower case swapped. */
function otherCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()));
}
