import {
  changed,
  cutInBody,
  endless,
  html,
  json,
  late,
  never,
  padded,
  redirect,
  stalled,
  status,
  text,
  unreadable,
  withStatus,
} from "../responses.js";
import type { Responder, Deviation, Row } from "../row.js";
import { loginRows } from "../row.js";
import {
  FETCH_CORS,
  OWASP_PROTOTYPE_POLLUTION,
  OWASP_RESOURCE_CONSUMPTION,
  rfc,
} from "../sources.js";

const failed = (code: Row["refused"]["code"]): Row["refused"] => ({
  message: "DynamicRegistrationFailed",
  code,
});

const INVALID = failed("registration_invalid");

const responds = (registration: Responder, login: Deviation["login"] = {}): Deviation => ({
  endpoints: { registration },
  login,
});

/** Successful responses that are not registrations; and failures on the way there and back. */
export const REGISTRATION_RESPONSES = loginRows(
  { refused: INVALID, reaches: "registration", source: rfc(7591, "3.2.1") },
  [
    {
      id: "registration-without-client-id",
      reason: "The response has no client_id",
      source:
        "oidcc-client-test-dynamic-registration, https://www.rfc-editor.org/rfc/rfc7591#section-3.2.1",
      deviation: { registration: { client_id: undefined } },
      control: { registration: { client_id_issued_at: undefined } },
    },
    { id: "registration-client-id-empty", deviation: { registration: { client_id: "" } } },
    {
      id: "registration-client-id-a-number",
      deviation: { registration: { client_id: 42 } },
      control: { login: { clientId: "42" } },
    },
    {
      id: "registration-client-id-null",
      deviation: { registration: { client_id: null } },
      control: { registration: { client_secret: null } },
    },
    {
      id: "registration-client-id-a-list",
      deviation: { registration: (_, { client_id }) => ({ client_id: [client_id] }) },
      control: {
        registration: { client_secret: "not-for-a-public-client", client_secret_expires_at: 0 },
      },
    },
    {
      id: "registration-client-id-of-a-prototype",
      source: OWASP_PROTOTYPE_POLLUTION,
      deviation: responds(changed((body) => `{"__proto__":${body}}`)),
      control: { registration: { ["__proto__"]: { client_id: "a" }, constructor: { name: "a" } } },
    },
    {
      id: "registration-in-a-list",
      deviation: responds(changed((body) => `[${body}]`)),
      control: responds(changed((body) => ` ${body} `)),
    },
    { id: "registration-as-a-web-page", deviation: responds(html()) },
    {
      id: "registration-nothing",
      deviation: responds(text("", 201)),
      // Some providers respond with 200.
      control: responds(withStatus(200)),
    },
    {
      id: "registration-no-content",
      source: rfc(9110, "15.3.5"),
      deviation: responds(status(204)),
    },
    {
      id: "registration-that-breaks-off",
      source: rfc(8259, "2"),
      deviation: responds(changed((body) => body.slice(0, -1))),
      control: responds(changed((body) => `${body}\n`)),
    },
    {
      id: "registration-an-error-with-200",
      source: rfc(7591, "3.2.2"),
      deviation: responds(json({ error: "invalid_client_metadata" })),
      control: responds(withStatus(200)),
    },
    {
      id: "registration-redirect-temporary",
      source: rfc(9700, "4.12"),
      deviation: responds(redirect(307, ({ other }) => `${other.origin}/register`)),
      refused: failed("unexpected_redirect"),
      otherIsAsked: false,
    },
    {
      id: "registration-redirect-found",
      source: rfc(9700, "4.12"),
      deviation: responds(redirect(302, ({ other }) => `${other.origin}/register`)),
      refused: failed("unexpected_redirect"),
      otherIsAsked: false,
    },
    {
      id: "registration-response-of-ten-megabytes",
      source: OWASP_RESOURCE_CONSUMPTION,
      deviation: responds(padded(10 << 20)),
      refused: failed("response_too_large"),
      control: responds(padded(1 << 19)),
    },
    {
      id: "registration-response-without-end",
      source: OWASP_RESOURCE_CONSUMPTION,
      deviation: responds(endless, { timeoutMs: 1500 }),
      refused: failed("timeout"),
      control: responds(late),
    },
    {
      id: "registration-response-that-stalls",
      source: OWASP_RESOURCE_CONSUMPTION,
      deviation: responds(stalled, { timeoutMs: 1500 }),
      refused: failed("timeout"),
      control: responds(late),
    },
    {
      id: "registration-without-response",
      source: OWASP_RESOURCE_CONSUMPTION,
      deviation: responds(never, { timeoutMs: 1500 }),
      refused: failed("timeout"),
      control: responds(late),
    },
    {
      id: "registration-response-cut-off",
      source: rfc(9112, "8"),
      deviation: responds(cutInBody),
      refused: failed("network_error"),
    },
    {
      id: "registration-that-no-page-may-read",
      source: FETCH_CORS,
      deviation: responds(unreadable),
      refused: failed("network_error"),
    },
  ],
);
