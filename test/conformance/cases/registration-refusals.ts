import assert from "node:assert/strict";
import { html, json, status } from "../answers.js";
import type { Answer, Bend, Row } from "../bend.js";

const failed = (code: Row["refused"]["code"]): Row["refused"] => ({
  message: "DynamicRegistrationFailed",
  code,
});

const NOT_SUPPORTED = {
  message: "DynamicRegistrationNotSupported",
  code: "registration_not_supported",
} as const;

const KNOWN_CLIENT = { clientId: "known-to-all" };

const answers = (registration: Answer, login: Bend["login"] = {}): Bend => ({
  endpoints: { registration },
  login,
});

const refuses = (error: unknown, httpStatus = 400): Bend =>
  answers(json({ error, error_description: "<b>No.</b>" }, httpStatus));

/** A provider that has no registration, or refuses it: RFC 7591, section 3.2.2. */
export const REGISTRATION_REFUSALS: readonly Row[] = [
  {
    id: "registration-no-endpoint",
    source: "RFC 8414 section 2, https://www.rfc-editor.org/rfc/rfc8414#section-2",
    bent: { metadata: { registration_endpoint: undefined } },
    refused: NOT_SUPPORTED,
    reaches: "discovery",
    // An application may be known to a provider beforehand.
    twin: { metadata: { registration_endpoint: undefined }, login: KNOWN_CLIENT },
  },
  {
    id: "registration-without-the-refresh-grant",
    source:
      "Matrix, server metadata, https://spec.matrix.org/v1.16/client-server-api/#server-metadata-discovery",
    bent: { metadata: { grant_types_supported: ["authorization_code"] } },
    refused: NOT_SUPPORTED,
    reaches: "discovery",
    twin: {
      metadata: { grant_types_supported: ["refresh_token", "authorization_code", "implicit"] },
    },
  },
  {
    id: "registration-where-grants-are-not-listed",
    source: "RFC 8414 section 2, https://www.rfc-editor.org/rfc/rfc8414#section-2",
    bent: { metadata: { grant_types_supported: undefined } },
    refused: NOT_SUPPORTED,
    reaches: "discovery",
    // Without the list there are code and implicit grants, and no refreshing.
    twin: { metadata: { grant_types_supported: undefined }, login: KNOWN_CLIENT },
  },
  {
    id: "registration-invalid-redirect-uri",
    source: "RFC 7591 section 3.2.2, https://www.rfc-editor.org/rfc/rfc7591#section-3.2.2",
    bent: refuses("invalid_redirect_uri"),
    refused: failed("registration_refused"),
    reaches: "registration",
    twin: {},
  },
  {
    id: "registration-invalid-client-metadata",
    source: "RFC 7591 section 3.2.2, https://www.rfc-editor.org/rfc/rfc7591#section-3.2.2",
    bent: refuses("invalid_client_metadata"),
    refused: failed("registration_refused"),
    reaches: "registration",
    twin: { registration: { client_name: "Another name than was asked for" } },
  },
  {
    id: "registration-unapproved-software-statement",
    source: "RFC 7591 section 3.2.2, https://www.rfc-editor.org/rfc/rfc7591#section-3.2.2",
    bent: refuses("unapproved_software_statement"),
    refused: failed("registration_refused"),
    reaches: "registration",
    twin: {},
  },
  {
    id: "registration-needs-a-token",
    source: "RFC 7591 section 3, https://www.rfc-editor.org/rfc/rfc7591#section-3",
    bent: refuses("invalid_token", 401),
    refused: failed("registration_refused"),
    reaches: "registration",
    twin: {},
  },
  {
    id: "registration-refused-as-a-web-page",
    source: "RFC 7591 section 3.2.2, https://www.rfc-editor.org/rfc/rfc7591#section-3.2.2",
    bent: answers(html(403)),
    refused: failed("unexpected_status"),
    reaches: "registration",
    twin: {},
  },
  {
    id: "registration-error-that-is-no-text",
    source: "RFC 7591 section 3.2.2, https://www.rfc-editor.org/rfc/rfc7591#section-3.2.2",
    bent: refuses({ code: 7 }),
    refused: failed("unexpected_status"),
    reaches: "registration",
    twin: {},
  },
  {
    id: "registration-not-allowed",
    source: "RFC 9110 section 15.5.6, https://www.rfc-editor.org/rfc/rfc9110#section-15.5.6",
    bent: answers(status(405)),
    refused: failed("unexpected_status"),
    reaches: "registration",
    twin: {},
  },
  {
    id: "registration-rate-limit",
    source: "RFC 6585 section 4, https://www.rfc-editor.org/rfc/rfc6585#section-4",
    bent: answers(json({ error: "slow_down" }, 429, { "retry-after": "3" })),
    refused: failed("rate_limited"),
    reaches: "registration",
    also: ({ retryAfterMs }) => assert.equal(retryAfterMs, 3000),
    twin: {},
  },
  {
    id: "registration-failure-of-the-server",
    source: "RFC 9110 section 15.6.1, https://www.rfc-editor.org/rfc/rfc9110#section-15.6.1",
    bent: answers(json({ error: "invalid_client_metadata" }, 500)),
    refused: failed("server_error"),
    reaches: "registration",
    twin: {},
  },
];
