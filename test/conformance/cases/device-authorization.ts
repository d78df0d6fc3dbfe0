import assert from "node:assert/strict";
import {
  changed,
  cutShort,
  endless,
  html,
  json,
  late,
  never,
  padded,
  redirect,
  status,
  text,
  unreadable,
} from "../answers.js";
import type { Answer, Bend, Patch, Row } from "../bend.js";

const RFC8628 = "RFC 8628 section 3.2, https://www.rfc-editor.org/rfc/rfc8628#section-3.2";
const REQUEST = "RFC 8628 section 3.1, https://www.rfc-editor.org/rfc/rfc8628#section-3.1";
const PHISHING = "RFC 8628 section 5.4, https://www.rfc-editor.org/rfc/rfc8628#section-5.4";
const XSS = "CWE-79, https://cwe.mitre.org/data/definitions/79.html";
const OWASP =
  "OWASP API4, https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/";

const login: Bend["login"] = { byDevice: true };

/** A sign-in by another device, where the person says yes. */
const honest: Bend = { login };

const started = (patch: Patch): Bend => ({ login, deviceAuthorization: patch });

const answered = (answer: Answer, more: object = {}): Bend => ({
  login: { ...login, ...more },
  endpoints: { "device authorization": answer },
});

const malformed: Pick<Row, "refused" | "reaches"> = {
  refused: { message: "InvalidDeviceAuthorizationResponse", code: "response_malformed" },
  reaches: "authorization",
};

const failed = (code: Row["refused"]["code"]): Pick<Row, "refused" | "reaches"> => ({
  refused: { message: "DeviceAuthorizationGrantFailed", code },
  reaches: "authorization",
});

/** The page waits as long as it can, once, and sends no request before that. */
const waitsLong: Row["also"] = ({ waits }) => {
  assert.equal(waits.length, 1, String(waits));
  assert.ok(waits.every((ms) => ms >= 300_000 && ms < 2 ** 31));
};

/** Addresses to which no person may be sent. */
const BAD_ADDRESSES = [
  ["a-script", "javascript:alert(document.domain)//"],
  ["a-script-in-other-letters", " \tJavaScript:alert(1)"],
  ["a-document-of-its-own", "data:text/html,<script>alert(1)</script>"],
  ["a-file", "file:///etc/passwd"],
  ["plain-http", "http://idp.example/link"],
  ["a-path", "/link"],
  ["a-host-without-scheme", "//idp.example/link"],
  ["a-user-name", "https://idp.example@evil.example/link"],
  ["a-list", ["https://idp.example/link"]],
  ["nothing", ""],
] as const;

/** The beginning of a sign-in that a person confirms on another device. */
export const DEVICE_AUTHORIZATION: readonly Row[] = [
  {
    id: "device-grant-where-the-issuer-has-none",
    source: "RFC 8628 section 4, https://www.rfc-editor.org/rfc/rfc8628#section-4",
    bent: { login, metadata: { device_authorization_endpoint: undefined } },
    refused: { message: "DeviceAuthorizationGrantFailed", code: "metadata_invalid" },
    reaches: "registration",
    twin: honest,
  },
  {
    id: "device-authorization-endpoint-of-another",
    source: "RFC 9700 section 4.4, https://www.rfc-editor.org/rfc/rfc9700#section-4.4",
    bent: {
      login,
      metadata: ({ other }) => ({ device_authorization_endpoint: `${other.origin}/device` }),
    },
    refused: { message: "OpSupport", code: "metadata_invalid" },
    reaches: "discovery",
    twin: {
      login,
      metadata: ({ idp }) => ({ device_authorization_endpoint: `${idp.origin}/device?for=tv` }),
    },
  },
  {
    id: "device-authorization-refused",
    source: REQUEST,
    bent: answered(json({ error: "unauthorized_client" }, 400)),
    ...failed("token_request_refused"),
    twin: honest,
  },
  {
    id: "device-authorization-refused-with-what-it-was-sent",
    source: "RFC 9700 section 4.2.4, https://www.rfc-editor.org/rfc/rfc9700#section-4.2.4",
    bent: answered(({ body }) => ({ status: 400, body: { error: body } })),
    ...failed("token_request_refused"),
    twin: honest,
  },
  {
    id: "device-authorization-not-found",
    source: REQUEST,
    bent: answered(status(404)),
    ...failed("unexpected_status"),
    twin: honest,
  },
  {
    id: "device-authorization-unavailable",
    source: REQUEST,
    bent: answered(html(503)),
    ...failed("server_error"),
    twin: honest,
  },
  {
    id: "device-authorization-rate-limited",
    source: "RFC 6585 section 4, https://www.rfc-editor.org/rfc/rfc6585#section-4",
    bent: answered(status(429, { "retry-after": "7" })),
    ...failed("rate_limited"),
    also: ({ retryAfterMs }) => assert.equal(retryAfterMs, 7000),
    twin: honest,
  },
  {
    id: "device-authorization-connection-cut",
    source: REQUEST,
    bent: answered(cutShort),
    ...failed("network_error"),
    twin: honest,
  },
  {
    id: "device-authorization-answer-that-no-page-may-read",
    source: "Fetch, CORS protocol, https://fetch.spec.whatwg.org/#http-cors-protocol",
    bent: answered(unreadable),
    ...failed("network_error"),
    twin: honest,
  },
  {
    id: "device-authorization-never-answered",
    source: OWASP,
    bent: answered(never, { timeoutMs: 1500 }),
    ...failed("timeout"),
    twin: answered(late),
  },
  {
    id: "device-authorization-answer-without-end",
    source: OWASP,
    bent: answered(endless, { timeoutMs: 1500 }),
    ...failed("timeout"),
    twin: answered(late),
  },
  {
    id: "device-authorization-answer-of-ten-megabytes",
    source: OWASP,
    bent: answered(padded(10 << 20)),
    ...failed("response_too_large"),
    twin: answered(padded(1 << 19)),
  },
  {
    id: "device-authorization-redirect",
    source: "RFC 9700 section 4.12, https://www.rfc-editor.org/rfc/rfc9700#section-4.12",
    bent: answered(redirect(307, ({ other }) => `${other.origin}/device`)),
    ...failed("unexpected_redirect"),
    also: ({ world }) => assert.ok(world.requests.every(({ to }) => to !== "other")),
    twin: honest,
  },
  {
    id: "device-authorization-as-a-web-page",
    source: RFC8628,
    bent: answered(html()),
    ...malformed,
    twin: honest,
  },
  {
    id: "device-authorization-that-breaks-off",
    source: RFC8628,
    bent: answered(changed((body) => body.slice(0, -1))),
    ...malformed,
    twin: answered(changed((body) => `${body} `)),
  },
  {
    id: "device-authorization-of-nothing",
    source: RFC8628,
    bent: answered(text("")),
    ...malformed,
    twin: honest,
  },
  {
    id: "device-authorization-null",
    source: RFC8628,
    bent: answered(json(null)),
    ...malformed,
    twin: honest,
  },
  {
    id: "device-authorization-in-a-list",
    source: RFC8628,
    bent: answered(changed((body) => `[${body}]`)),
    ...malformed,
    twin: honest,
  },
  {
    id: "device-authorization-as-members-of-a-prototype",
    source: "CWE-1321, https://cwe.mitre.org/data/definitions/1321.html",
    bent: answered(changed((body) => `{"__proto__":${body}}`)),
    ...malformed,
    twin: answered(changed((body) => body.replace("{", '{"__proto__":{"polluted":1},'))),
  },
  ...(["device_code", "user_code", "verification_uri", "expires_in"] as const).map(
    (member): Row => ({
      id: `device-authorization-without-${member.replaceAll("_", "-")}`,
      source: RFC8628,
      bent: started({ [member]: undefined }),
      ...malformed,
      twin: started({ verification_uri_complete: undefined, interval: undefined, note: "unknown" }),
    }),
  ),
  {
    id: "device-authorization-device-code-empty",
    source: RFC8628,
    bent: started({ device_code: "" }),
    ...malformed,
    twin: honest,
  },
  {
    id: "device-authorization-device-code-that-is-a-list",
    source: RFC8628,
    bent: started((_, { device_code }) => ({ device_code: [device_code] })),
    ...malformed,
    twin: honest,
  },
  {
    id: "device-authorization-user-code-empty",
    source: RFC8628,
    bent: started({ user_code: "" }),
    ...malformed,
    twin: started({ user_code: "<img src=x onerror=alert(1)>" }),
  },
  {
    id: "device-authorization-user-code-that-is-a-number",
    source: RFC8628,
    bent: started({ user_code: 123456 }),
    ...malformed,
    twin: started({ user_code: "123456" }),
  },
  ...BAD_ADDRESSES.flatMap(([name, address]): readonly Row[] => [
    {
      id: `device-verification-at-${name}`,
      source: name.includes("script") || name.includes("document") ? XSS : PHISHING,
      bent: started({ verification_uri: address }),
      ...malformed,
      // RFC 8628 lets it be anywhere: it is shown to the person.
      twin: started({ verification_uri: "https://link.example/" }),
    },
    {
      id: `device-verification-with-the-code-at-${name}`,
      source: name.includes("script") || name.includes("document") ? XSS : PHISHING,
      bent: started({ verification_uri_complete: address }),
      ...malformed,
      twin: started({ verification_uri_complete: "https://link.example/?code=WDJB-MJHT" }),
    },
  ]),
  ...[
    ["below-nothing", -1],
    ["that-is-a-text", "5"],
    ["that-is-a-list", [5]],
    ["that-is-yes", true],
  ].flatMap(([name, value]): readonly Row[] => [
    {
      id: `device-interval-${String(name)}`,
      source: RFC8628,
      bent: started({ interval: value }),
      ...malformed,
      twin: started({ interval: 0 }),
    },
    {
      id: `device-codes-lifetime-${String(name)}`,
      source: RFC8628,
      bent: started({ expires_in: value }),
      ...malformed,
      twin: started({ expires_in: 299.5 }),
    },
  ]),
  {
    id: "device-interval-beyond-every-number",
    source: "RFC 8259 section 6, https://www.rfc-editor.org/rfc/rfc8259#section-6",
    bent: answered(changed((body) => body.replace('"interval":1', '"interval":1e999'))),
    ...malformed,
    twin: answered(changed((body) => body.replace('"interval":1', '"interval":1e0'))),
  },
  {
    id: "device-codes-lifetime-beyond-every-number",
    source: "RFC 8259 section 6, https://www.rfc-editor.org/rfc/rfc8259#section-6",
    bent: answered(changed((body) => body.replace('"expires_in":300', '"expires_in":1e999'))),
    ...malformed,
    twin: answered(changed((body) => body.replace('"expires_in":300', '"expires_in":1e308'))),
  },
  // A timer that is set to more than 31 bits of milliseconds goes off at once, and again, and again.
  ...[2_147_484, 4_294_968, 1e12, 1e308].map((interval): Row => ({
    id: `device-interval-of-${String(interval).replace("+", "")}-seconds`,
    source:
      "HTML, timers, https://html.spec.whatwg.org/multipage/timers-and-user-prompts.html#timers",
    bent: {
      login: { ...login, givesUpAfterMs: 500 },
      deviceAuthorization: { interval, expires_in: 1e308 },
    },
    ...failed("aborted"),
    also: waitsLong,
    twin: started({ interval: 2, expires_in: 1e308 }),
  })),
  {
    id: "device-interval-longer-than-the-codes-last",
    source: RFC8628,
    bent: {
      login: { ...login, givesUpAfterMs: 500 },
      deviceAuthorization: { interval: 3600, expires_in: 600 },
    },
    ...failed("aborted"),
    // The person is told when they end, not when the issuer wants to be asked.
    also: ({ waits }) => assert.deepEqual(waits, [600_000]),
    twin: started({ interval: 2, expires_in: 600 }),
  },
  {
    id: "device-grant-given-up",
    source: "RFC 8628 section 3.3, https://www.rfc-editor.org/rfc/rfc8628#section-3.3",
    bent: { login: { ...login, givesUpAfterMs: 0 }, deviceAuthorization: { interval: 60 } },
    ...failed("aborted"),
    twin: { login: { ...login, givesUpAfterMs: 60_000 } },
  },
];
