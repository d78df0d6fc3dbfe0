import { check } from "../check.js";
import { endpoint, member, oidcError } from "../deviations.js";
import { changed, html, json, text } from "../responses.js";
import { loginRows, type Deviation, type Patch, type Responder, type Row } from "../row.js";
import { CWE_PROTOTYPE_POLLUTION, CWE_SCRIPT_INJECTION, rfc } from "../sources.js";

const RESPONSE = rfc(8628, "3.2");
const PHISHING = rfc(8628, "5.4");
const TIMERS = "HTML, timers, https://html.spec.whatwg.org/multipage/timers-and-user-prompts.html#timers";

const BY_DEVICE = { byDevice: true };

/** A sign-in that the user allows on another device. */
const HONEST: Deviation = { login: BY_DEVICE };

const byDevice = (deviation: Deviation): Deviation => ({ ...HONEST, ...deviation });
const started = (patch: Patch): Deviation => byDevice({ deviceAuthorization: patch });
const responds = (respond: Responder): Deviation => endpoint("device authorization")(respond, BY_DEVICE);

const MALFORMED = { refused: oidcError("InvalidDeviceAuthorizationResponse", "response_malformed"), reaches: "authorization", control: HONEST } as const;
const REFUSED = { ...MALFORMED, refused: oidcError("DeviceAuthorizationGrantFailed", "token_request_refused") };
const ABORTED = { ...MALFORMED, refused: oidcError("DeviceAuthorizationGrantFailed", "aborted") };

/** The page waits as long as it can, once, and sends no request before that. */
const waitsLong: Row["also"] = ({ waits }) => {
  const [ms = 0] = waits;
  check(waits.length === 1 && ms >= 300_000 && ms < 2 ** 31, `The page waits ${String(waits)} ms`);
};

/** URLs to which no user may be sent. */
const BAD_URLS = [
  ["a-script", CWE_SCRIPT_INJECTION, "javascript:alert(document.domain)//"],
  ["a-script-in-mixed-case", CWE_SCRIPT_INJECTION, " \tJavaScript:alert(1)"],
  ["a-data-url", CWE_SCRIPT_INJECTION, "data:text/html,<script>alert(1)</script>"],
  ["a-file", PHISHING, "file:///etc/passwd"],
  ["plain-http", PHISHING, "http://idp.example/link"],
  ["a-path", PHISHING, "/link"],
  ["a-host-without-scheme", PHISHING, "//idp.example/link"],
  ["a-user-name", PHISHING, "https://idp.example@evil.example/link"],
  ["a-list", PHISHING, ["https://idp.example/link"]],
] as const;

/** Values that are not a number of seconds. */
const BAD_TIMES = [
  ["negative", -1],
  ["that-is-a-string-with-a-unit", "5 s"],
  ["that-is-a-list", [5]],
  ["that-is-true", true],
] as const;

/** A row for each of these values of a member. */
const each = (values: readonly (readonly [name: string, source: string, value: unknown])[], id: string, of: string, honest: unknown): readonly Row[] =>
  values.map(([name, source, value]) => ({
    ...MALFORMED,
    id: `${id}-${name}`,
    reason: new RegExp(of),
    source,
    deviation: started({ [of]: value }),
    control: started({ [of]: honest }),
  }));

const times = BAD_TIMES.map(([name, value]) => [name, RESPONSE, value] as const);

/** The beginning of a sign-in that a user confirms on another device. */
export const DEVICE_AUTHORIZATION = [
  ...loginRows({ control: HONEST }, [
    {
      id: "device-grant-not-supported",
      reason: /device_authorization_endpoint/,
      source: rfc(8628, "4"),
      deviation: byDevice({ metadata: { device_authorization_endpoint: undefined } }),
      refused: oidcError("DeviceAuthorizationGrantFailed", "metadata_invalid"),
      reaches: "registration",
    },
    {
      id: "device-authorization-endpoint-of-another",
      source: rfc(9700, "4.4"),
      deviation: byDevice(member("metadata", "device_authorization_endpoint")(({ other }) => `${other.origin}/device`)),
      refused: oidcError("OpSupport", "metadata_invalid"),
      reaches: "discovery",
      control: byDevice(member("metadata", "device_authorization_endpoint")(({ idp }) => `${idp.origin}/device?for=tv`)),
    },
  ]),
  ...loginRows({ ...REFUSED, deviationOf: responds }, [
    ["device-authorization-refused", rfc(8628, "3.1"), json({ error: "unauthorized_client" }, 400)],
    ["device-authorization-rejection-echoes-the-request", rfc(9700, "4.2.4"), ({ body }) => ({ status: 400, body: { error: body } })],
  ]),
  // Without JSON, it is not the provider's response, which is lost.
  ...loginRows({ ...REFUSED, source: RESPONSE, deviationOf: responds, refused: oidcError("DeviceAuthorizationGrantFailed", "network_error") }, [
    ["device-authorization-as-a-web-page", html()],
    ["device-authorization-truncated", changed((body) => body.slice(0, -1)), changed((body) => `${body} `)],
    ["device-authorization-empty", text("")],
  ]),
  ...loginRows({ ...MALFORMED, source: RESPONSE, deviationOf: responds }, [
    ["device-authorization-null", json(null)],
    ["device-authorization-in-a-list", changed((body) => `[${body}]`)],
    {
      id: "device-authorization-members-in-the-prototype",
      source: CWE_PROTOTYPE_POLLUTION,
      deviation: responds(changed((body) => `{"__proto__":${body}}`)),
      control: responds(changed((body) => body.replace("{", '{"__proto__":{"polluted":1},'))),
    },
    {
      id: "device-interval-infinite",
      source: rfc(8259, "6"),
      deviation: responds(changed((body) => body.replace('"interval":1', '"interval":1e999'))),
      control: responds(changed((body) => body.replace('"interval":1', '"interval":1e0'))),
    },
    {
      id: "device-codes-lifetime-infinite",
      source: rfc(8259, "6"),
      deviation: responds(changed((body) => body.replace('"expires_in":300', '"expires_in":1e999'))),
      control: responds(changed((body) => body.replace('"expires_in":300', '"expires_in":1e308'))),
    },
  ]),
  ...loginRows(
    { ...MALFORMED, source: RESPONSE, deviationOf: started },
    ["device_code", "user_code", "verification_uri", "expires_in"].map((name) => [
      `device-authorization-without-${name.replaceAll("_", "-")}`,
      { [name]: undefined },
      { verification_uri_complete: undefined, interval: undefined, note: "unknown" },
    ]),
  ),
  ...loginRows({ ...MALFORMED, source: RESPONSE, deviationOf: started }, [
    { id: "device-authorization-device-code-empty", reason: /device_code/, deviation: started({ device_code: "" }) },
    ["device-authorization-device-code-that-is-a-list", (_, { device_code }) => ({ device_code: [device_code] })],
    ["device-authorization-user-code-empty", { user_code: "" }, { user_code: "<img src=x onerror=alert(1)>" }],
    ["device-authorization-user-code-that-is-a-number", { user_code: 123456 }, { user_code: "123456" }],
  ]),
  // RFC 8628 allows any URL, because it is shown to the user.
  ...each(BAD_URLS, "device-verification-at", "verification_uri", "https://link.example/"),
  ...each(BAD_URLS, "device-verification-with-the-code-at", "verification_uri_complete", "https://link.example/?code=WDJB-MJHT"),
  ...each(times, "device-interval", "interval", 0),
  ...each(times, "device-codes-lifetime", "expires_in", 299.5),
  ...loginRows(ABORTED, [
    // A timer of more than 31 bits of milliseconds fires immediately, so the page would poll without a pause.
    ...[2_147_484, 4_294_968, 1e12, 1e308].map((interval) => ({
      id: `device-interval-of-${String(interval).replace("+", "")}-seconds`,
      source: TIMERS,
      deviation: { login: { ...BY_DEVICE, givesUpAfterMs: 500 }, deviceAuthorization: { interval, expires_in: 1e308 } },
      also: waitsLong,
      control: started({ interval: 2, expires_in: 1e308 }),
    })),
    {
      id: "device-interval-exceeds-the-codes-lifetime",
      source: RESPONSE,
      deviation: { login: { ...BY_DEVICE, givesUpAfterMs: 500 }, deviceAuthorization: { interval: 3600, expires_in: 600 } },
      // The page waits until the codes expire, although the interval is longer.
      waits: [600_000],
      control: started({ interval: 2, expires_in: 600 }),
    },
    {
      id: "device-grant-given-up",
      source: rfc(8628, "3.3"),
      deviation: { login: { ...BY_DEVICE, givesUpAfterMs: 0 }, deviceAuthorization: { interval: 60 } },
      control: { login: { ...BY_DEVICE, givesUpAfterMs: 60_000 } },
    },
  ]),
];
