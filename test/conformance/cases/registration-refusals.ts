import { html, json, status } from "../responses.js";
import type { Responder, Deviation, Row } from "../row.js";
import { loginRows } from "../row.js";
import { matrix, rfc } from "../sources.js";

const failed = (code: Row["refused"]["code"]): Row["refused"] => ({
  message: "DynamicRegistrationFailed",
  code,
});

const NOT_SUPPORTED = {
  message: "DynamicRegistrationNotSupported",
  code: "registration_not_supported",
} as const;

const KNOWN_CLIENT = { clientId: "known-to-all" };

const responds = (registration: Responder, login: Deviation["login"] = {}): Deviation => ({
  endpoints: { registration },
  login,
});

const refuses = (error: unknown, httpStatus = 400): Deviation =>
  responds(json({ error, error_description: "<b>No.</b>" }, httpStatus));

/** A provider that has no registration, or refuses it: RFC 7591, section 3.2.2. */
export const REGISTRATION_REFUSALS = loginRows(
  { source: rfc(7591, "3.2.2"), refused: failed("registration_refused"), reaches: "registration" },
  [
    {
      id: "registration-no-endpoint",
      reason: "The issuer has no registration endpoint",
      source: rfc(8414, "2"),
      deviation: { metadata: { registration_endpoint: undefined } },
      refused: NOT_SUPPORTED,
      reaches: "discovery",
      // An application may be known to a provider beforehand.
      control: { metadata: { registration_endpoint: undefined }, login: KNOWN_CLIENT },
    },
    {
      id: "registration-without-the-refresh-grant",
      reason: "The issuer lacks a grant type of authorization_code, refresh_token",
      source: matrix("server metadata", "server-metadata-discovery"),
      deviation: { metadata: { grant_types_supported: ["authorization_code"] } },
      refused: NOT_SUPPORTED,
      reaches: "discovery",
      control: {
        metadata: { grant_types_supported: ["refresh_token", "authorization_code", "implicit"] },
      },
    },
    {
      id: "registration-where-grants-are-not-listed",
      source: rfc(8414, "2"),
      deviation: { metadata: { grant_types_supported: undefined } },
      refused: NOT_SUPPORTED,
      reaches: "discovery",
      // Without the list there are code and implicit grants, and no refreshing.
      control: { metadata: { grant_types_supported: undefined }, login: KNOWN_CLIENT },
    },
    {
      id: "registration-invalid-redirect-uri",
      reason: "invalid_redirect_uri: <b>No.</b>",
      deviation: refuses("invalid_redirect_uri"),
    },
    {
      id: "registration-invalid-client-metadata",
      deviation: refuses("invalid_client_metadata"),
      control: { registration: { client_name: "Another name than was asked for" } },
    },
    {
      id: "registration-unapproved-software-statement",
      deviation: refuses("unapproved_software_statement"),
    },
    {
      id: "registration-needs-a-token",
      source: rfc(7591, "3"),
      deviation: refuses("invalid_token", 401),
    },
    {
      id: "registration-refused-as-a-web-page",
      deviation: responds(html(403)),
      refused: failed("unexpected_status"),
    },
    {
      id: "registration-error-that-is-no-text",
      deviation: refuses({ code: 7 }),
      refused: failed("unexpected_status"),
    },
    {
      id: "registration-not-allowed",
      source: rfc(9110, "15.5.6"),
      deviation: responds(status(405)),
      refused: failed("unexpected_status"),
    },
    {
      id: "registration-rate-limit",
      source: rfc(6585, "4"),
      deviation: responds(json({ error: "slow_down" }, 429, { "retry-after": "3" })),
      refused: failed("rate_limited"),
      retryAfterMs: 3000,
    },
    {
      id: "registration-failure-of-the-server",
      source: rfc(9110, "15.6.1"),
      deviation: responds(json({ error: "invalid_client_metadata" }, 500)),
      refused: failed("server_error"),
    },
  ],
);
