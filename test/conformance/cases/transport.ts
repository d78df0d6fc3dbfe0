import { oidcError } from "../deviations.js";
import type { Environment } from "../environment.js";
import type { LoginSettings } from "../login-steps.js";
import { cutInBody, cutInHeaders, drop, endless, honestly, html, inSequence, json, late, never, padded, stalled, status, unreadable } from "../responses.js";
import type { Deviation, Endpoint, Responder, Row } from "../row.js";
import { FETCH_CORS, OWASP_RESOURCE_CONSUMPTION, rfc } from "../sources.js";

type Code = Row["refused"]["code"];

/** A fault of any request and its response. */
interface Fault {
  readonly name: string;
  readonly source: string;
  readonly code: Code;
  readonly respond: Responder;
  /** The nearest response that is accepted. Default: the honest one. */
  readonly accepted?: Responder;
  readonly retryAfterMs?: number;
}

/** An endpoint, and the outcome of a sign-in if a request to it fails. */
interface Place {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly message: Row["refused"]["message"];
  readonly reaches: Row["reaches"];
  /** Replaces the fault's own code. */
  readonly code?: Code;
  readonly login?: (environment: Environment) => LoginSettings;
  /** Faults that may pass: the sign-in succeeds after that many tries. */
  readonly passing?: readonly Fault[];
  readonly tries?: number;
}

/** Long enough for the requests before, over HTTP on a very busy machine. In a page, no test waits so long. */
const TIMEOUT_MS = 20_000;

const redirect =
  (code: number): Responder =>
  ({ environment, path }) => ({ status: code, headers: { location: `${environment.other.origin}${path}` } });

const redirected = (name: string, code: number): Fault => ({
  name: `redirect-${name}`,
  source: rfc(9700, "4.12"),
  code: "unexpected_redirect",
  respond: redirect(code),
});

const tooLong = (name: string, respond: Responder): Fault => ({ name, source: OWASP_RESOURCE_CONSUMPTION, code: "timeout", respond, accepted: late });

const lost = (name: string, respond: Responder): Fault => ({ name, source: rfc(9112, "8"), code: "network_error", respond });

const REDIRECTS = [redirected("found", 302), redirected("temporary", 307), redirected("permanent", 308)];

/** The connection is cut before the request is handled. */
const CONNECTION_CUT = lost("connection-cut", drop);
const RATE_LIMIT: Fault = {
  name: "rate-limit",
  source: rfc(6585, "4"),
  code: "rate_limited",
  respond: json({ error: "slow_down" }, 429, { "retry-after": "7" }),
  retryAfterMs: 7000,
};
const FAILURES: readonly Fault[] = [
  { name: "failure-of-the-server", source: rfc(9110, "15.6.1"), code: "server_error", respond: status(500) },
  { name: "failure-of-a-gateway", source: rfc(9110, "15.6.3"), code: "server_error", respond: html(502) },
  { name: "request-timeout", source: rfc(9110, "15.5.9"), code: "server_error", respond: json({ error: "invalid_grant" }, 408) },
  { name: "too-early", source: rfc(8470, "5.2"), code: "server_error", respond: status(425) },
];
const REFUSED: readonly Fault[] = [
  { name: "not-found", source: rfc(8414, "2"), code: "unexpected_status", respond: status(404) },
  { name: "refused-as-a-web-page", source: rfc(9110, "15.5.4"), code: "unexpected_status", respond: html(403) },
];

/** Faults that any request can have. */
const FAULTS: readonly Fault[] = [
  { name: "response-of-ten-megabytes", source: OWASP_RESOURCE_CONSUMPTION, code: "response_too_large", respond: padded(10 << 20), accepted: padded(1 << 19) },
  tooLong("response-without-end", endless),
  tooLong("response-that-stalls", stalled),
  tooLong("without-response", never),
  CONNECTION_CUT,
  lost("response-cut-in-its-headers", cutInHeaders),
  lost("response-cut-off", cutInBody),
  { ...lost("response-without-cors", unreadable), source: FETCH_CORS },
  RATE_LIMIT,
  ...FAILURES,
];

const rowOf = (place: Place, { name, source, code, respond, accepted, ...more }: Fault): Row => {
  const responds = (responder: Responder, settings: LoginSettings): Deviation => ({
    endpoints: { [place.endpoint]: responder },
    login: (environment) => ({ ...place.login?.(environment), ...settings }),
  });
  const isPassing = place.passing?.some((fault) => fault.name === name);
  return {
    id: `${place.name}-${name}`,
    source,
    refused: oidcError(place.message, place.code ?? code),
    reaches: place.reaches,
    otherIsAsked: false,
    deviation: responds(respond, code === "timeout" ? { timeoutMs: TIMEOUT_MS } : {}),
    control: isPassing ? responds(inSequence(respond, honestly), { tries: place.tries ?? 1 }) : responds(accepted ?? honestly, {}),
    ...more,
  };
};

const rowsOf = (place: Place, faults: readonly Fault[]): readonly Row[] => faults.map((fault) => rowOf(place, fault));

/** Requests with a secret, or with side effects, must never follow a redirect. */
const POSTED = [...REDIRECTS, ...FAULTS, ...REFUSED];

/** The connection to each endpoint: redirects, limits of size and time, lost connections, failures. */
export const DISCOVERY_TRANSPORT = [
  // Without this file, the server itself is the homeserver: `homeserver-base-missing`.
  ...rowsOf({ name: "homeserver-file", endpoint: "well-known", message: "General", reaches: "discovery" }, FAULTS),
  // If this endpoint is missing, the homeserver has no provider: `homeserver-without-a-provider`.
  ...rowsOf({ name: "homeserver-metadata", endpoint: "auth_metadata", message: "General", reaches: "discovery", passing: FAILURES }, FAULTS),
  ...rowsOf({ name: "issuer-document", endpoint: "document", message: "General", reaches: "discovery", login: ({ idp }) => ({ issuer: idp.origin }) }, [
    ...FAULTS,
    ...REFUSED,
  ]),
];

export const REGISTRATION_TRANSPORT = rowsOf(
  { name: "registration", endpoint: "registration", message: "DynamicRegistrationFailed", reaches: "registration" },
  POSTED,
);

/** Without JSON, it is not the provider's response, which is lost. */
const NOT_THE_PROVIDERS = REFUSED.map((fault): Fault => ({ ...fault, code: "network_error" }));

export const TOKEN_TRANSPORT = rowsOf(
  {
    name: "token",
    endpoint: "token",
    message: "CodeExchangeFailed",
    reaches: "token",
    passing: [CONNECTION_CUT, RATE_LIMIT, ...FAILURES, ...NOT_THE_PROVIDERS],
    tries: 2,
  },
  [...REDIRECTS, ...FAULTS, ...NOT_THE_PROVIDERS],
);

export const KEYS_TRANSPORT = rowsOf(
  {
    name: "keys",
    endpoint: "keys",
    message: "InvalidIdToken",
    reaches: "token",
    code: "keys_unavailable",
    // The keys are requested once more, as if they had been rotated.
    passing: FAILURES,
  },
  [...FAULTS, ...REFUSED],
);

export const DEVICE_TRANSPORT = rowsOf(
  {
    name: "device-authorization",
    endpoint: "device authorization",
    message: "DeviceAuthorizationGrantFailed",
    reaches: "authorization",
    login: () => ({ byDevice: true }),
  },
  POSTED,
);
