import { check } from "../check.js";
import {
  changed,
  cutInHeaders,
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
} from "../responses.js";
import type { Responder, Deviation, Patch, Row } from "../row.js";
import { loginRows } from "../row.js";
import {
  CWE_PROTOTYPE_POLLUTION,
  CWE_SCRIPT_INJECTION,
  FETCH_CORS,
  OWASP_RESOURCE_CONSUMPTION,
  rfc,
} from "../sources.js";

const RFC8628 = rfc(8628, "3.2");
const REQUEST = rfc(8628, "3.1");
const PHISHING = rfc(8628, "5.4");
const XSS = CWE_SCRIPT_INJECTION;
const OWASP = OWASP_RESOURCE_CONSUMPTION;

const login: Deviation["login"] = { byDevice: true };

/** A sign-in by another device, where the user says yes. */
const honest: Deviation = { login };

const started = (patch: Patch): Deviation => ({ login, deviceAuthorization: patch });

const responds = (respond: Responder, more: object = {}): Deviation => ({
  login: { ...login, ...more },
  endpoints: { "device authorization": respond },
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
  const [ms = 0] = waits;
  check(waits.length === 1 && ms >= 300_000 && ms < 2 ** 31, `The page waits ${String(waits)} ms`);
};

/** URLs to which no user may be sent. */
const BAD_URLS = [
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

/** The beginning of a sign-in that a user confirms on another device. */
export const DEVICE_AUTHORIZATION = loginRows({ control: honest, source: RFC8628, ...malformed }, [
  {
    id: "device-grant-where-the-issuer-has-none",
    reason: "The issuer has no such endpoint",
    source: rfc(8628, "4"),
    deviation: { login, metadata: { device_authorization_endpoint: undefined } },
    refused: { message: "DeviceAuthorizationGrantFailed", code: "metadata_invalid" },
    reaches: "registration",
  },
  {
    id: "device-authorization-endpoint-of-another",
    source: rfc(9700, "4.4"),
    deviation: {
      login,
      metadata: ({ other }) => ({ device_authorization_endpoint: `${other.origin}/device` }),
    },
    refused: { message: "OpSupport", code: "metadata_invalid" },
    reaches: "discovery",
    control: {
      login,
      metadata: ({ idp }) => ({ device_authorization_endpoint: `${idp.origin}/device?for=tv` }),
    },
  },
  {
    id: "device-authorization-refused",
    source: REQUEST,
    deviation: responds(json({ error: "unauthorized_client" }, 400)),
    ...failed("token_request_refused"),
    control: honest,
  },
  {
    id: "device-authorization-refused-with-what-it-was-sent",
    source: rfc(9700, "4.2.4"),
    deviation: responds(({ body }) => ({ status: 400, body: { error: body } })),
    ...failed("token_request_refused"),
    control: honest,
  },
  {
    id: "device-authorization-not-found",
    source: REQUEST,
    deviation: responds(status(404)),
    ...failed("unexpected_status"),
    control: honest,
  },
  {
    id: "device-authorization-unavailable",
    source: REQUEST,
    deviation: responds(html(503)),
    ...failed("server_error"),
    control: honest,
  },
  {
    id: "device-authorization-rate-limited",
    source: rfc(6585, "4"),
    deviation: responds(status(429, { "retry-after": "7" })),
    ...failed("rate_limited"),
    retryAfterMs: 7000,
    control: honest,
  },
  {
    id: "device-authorization-connection-cut",
    source: REQUEST,
    deviation: responds(cutInHeaders),
    ...failed("network_error"),
    control: honest,
  },
  {
    id: "device-authorization-response-that-no-page-may-read",
    source: FETCH_CORS,
    deviation: responds(unreadable),
    ...failed("network_error"),
    control: honest,
  },
  {
    id: "device-authorization-without-response",
    source: OWASP,
    deviation: responds(never, { timeoutMs: 1500 }),
    ...failed("timeout"),
    control: responds(late),
  },
  {
    id: "device-authorization-response-without-end",
    source: OWASP,
    deviation: responds(endless, { timeoutMs: 1500 }),
    ...failed("timeout"),
    control: responds(late),
  },
  {
    id: "device-authorization-response-of-ten-megabytes",
    source: OWASP,
    deviation: responds(padded(10 << 20)),
    ...failed("response_too_large"),
    control: responds(padded(1 << 19)),
  },
  {
    id: "device-authorization-redirect",
    source: rfc(9700, "4.12"),
    deviation: responds(redirect(307, ({ other }) => `${other.origin}/device`)),
    ...failed("unexpected_redirect"),
    otherIsAsked: false,
    control: honest,
  },
  { id: "device-authorization-as-a-web-page", deviation: responds(html()) },
  {
    id: "device-authorization-that-breaks-off",
    deviation: responds(changed((body) => body.slice(0, -1))),
    control: responds(changed((body) => `${body} `)),
  },
  { id: "device-authorization-of-nothing", deviation: responds(text("")) },
  { id: "device-authorization-null", deviation: responds(json(null)) },
  { id: "device-authorization-in-a-list", deviation: responds(changed((body) => `[${body}]`)) },
  {
    id: "device-authorization-as-members-of-a-prototype",
    source: CWE_PROTOTYPE_POLLUTION,
    deviation: responds(changed((body) => `{"__proto__":${body}}`)),
    control: responds(changed((body) => body.replace("{", '{"__proto__":{"polluted":1},'))),
  },
  ...(["device_code", "user_code", "verification_uri", "expires_in"] as const).map(
    (member): Row => ({
      id: `device-authorization-without-${member.replaceAll("_", "-")}`,
      source: RFC8628,
      deviation: started({ [member]: undefined }),
      ...malformed,
      control: started({
        verification_uri_complete: undefined,
        interval: undefined,
        note: "unknown",
      }),
    }),
  ),
  { id: "device-authorization-device-code-empty", deviation: started({ device_code: "" }) },
  {
    id: "device-authorization-device-code-that-is-a-list",
    deviation: started((_, { device_code }) => ({ device_code: [device_code] })),
  },
  {
    id: "device-authorization-user-code-empty",
    deviation: started({ user_code: "" }),
    control: started({ user_code: "<img src=x onerror=alert(1)>" }),
  },
  {
    id: "device-authorization-user-code-that-is-a-number",
    deviation: started({ user_code: 123456 }),
    control: started({ user_code: "123456" }),
  },
  ...BAD_URLS.flatMap(([name, url]): readonly Row[] => [
    {
      id: `device-verification-at-${name}`,
      source: name.includes("script") || name.includes("document") ? XSS : PHISHING,
      deviation: started({ verification_uri: url }),
      ...malformed,
      // RFC 8628 lets it be anywhere: it is shown to the user.
      control: started({ verification_uri: "https://link.example/" }),
    },
    {
      id: `device-verification-with-the-code-at-${name}`,
      source: name.includes("script") || name.includes("document") ? XSS : PHISHING,
      deviation: started({ verification_uri_complete: url }),
      ...malformed,
      control: started({ verification_uri_complete: "https://link.example/?code=WDJB-MJHT" }),
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
      deviation: started({ interval: value }),
      ...malformed,
      control: started({ interval: 0 }),
    },
    {
      id: `device-codes-lifetime-${String(name)}`,
      source: RFC8628,
      deviation: started({ expires_in: value }),
      ...malformed,
      control: started({ expires_in: 299.5 }),
    },
  ]),
  {
    id: "device-interval-beyond-every-number",
    source: rfc(8259, "6"),
    deviation: responds(changed((body) => body.replace('"interval":1', '"interval":1e999'))),
    control: responds(changed((body) => body.replace('"interval":1', '"interval":1e0'))),
  },
  {
    id: "device-codes-lifetime-beyond-every-number",
    source: rfc(8259, "6"),
    deviation: responds(changed((body) => body.replace('"expires_in":300', '"expires_in":1e999'))),
    control: responds(changed((body) => body.replace('"expires_in":300', '"expires_in":1e308'))),
  },
  // A timer that is set to more than 31 bits of milliseconds goes off at once, and again, and again.
  ...[2_147_484, 4_294_968, 1e12, 1e308].map((interval): Row => ({
    id: `device-interval-of-${String(interval).replace("+", "")}-seconds`,
    source:
      "HTML, timers, https://html.spec.whatwg.org/multipage/timers-and-user-prompts.html#timers",
    deviation: {
      login: { ...login, givesUpAfterMs: 500 },
      deviceAuthorization: { interval, expires_in: 1e308 },
    },
    ...failed("aborted"),
    also: waitsLong,
    control: started({ interval: 2, expires_in: 1e308 }),
  })),
  {
    id: "device-interval-longer-than-the-codes-last",
    deviation: {
      login: { ...login, givesUpAfterMs: 500 },
      deviceAuthorization: { interval: 3600, expires_in: 600 },
    },
    ...failed("aborted"),
    // The user is told when they end, not when the issuer wants to be asked.
    waits: [600_000],
    control: started({ interval: 2, expires_in: 600 }),
  },
  {
    id: "device-grant-given-up",
    source: rfc(8628, "3.3"),
    deviation: { login: { ...login, givesUpAfterMs: 0 }, deviceAuthorization: { interval: 60 } },
    ...failed("aborted"),
    control: { login: { ...login, givesUpAfterMs: 60_000 } },
  },
]);
