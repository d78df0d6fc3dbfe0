import assert from "node:assert/strict";
import {
  changed,
  cutOff,
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
} from "../answers.js";
import type { Answer, Bend, Row } from "../bend.js";

const failed = (code: Row["refused"]["code"]): Row["refused"] => ({
  message: "DynamicRegistrationFailed",
  code,
});

const INVALID = failed("registration_invalid");

const answers = (registration: Answer, login: Bend["login"] = {}): Bend => ({
  endpoints: { registration },
  login,
});

const nobodyElseAsked: Row["also"] = ({ world }) =>
  assert.ok(world.requests.every(({ to }) => to !== "other"));

/** Successful answers that are not registrations; and failures on the way there and back. */
export const REGISTRATION_ANSWERS: readonly Row[] = [
  {
    id: "registration-without-client-id",
    source:
      "oidcc-client-test-dynamic-registration, https://www.rfc-editor.org/rfc/rfc7591#section-3.2.1",
    bent: { registration: { client_id: undefined } },
    refused: INVALID,
    reaches: "registration",
    twin: { registration: { client_id_issued_at: undefined } },
  },
  {
    id: "registration-client-id-empty",
    source: "RFC 7591 section 3.2.1, https://www.rfc-editor.org/rfc/rfc7591#section-3.2.1",
    bent: { registration: { client_id: "" } },
    refused: INVALID,
    reaches: "registration",
    twin: {},
  },
  {
    id: "registration-client-id-a-number",
    source: "RFC 7591 section 3.2.1, https://www.rfc-editor.org/rfc/rfc7591#section-3.2.1",
    bent: { registration: { client_id: 42 } },
    refused: INVALID,
    reaches: "registration",
    twin: { login: { clientId: "42" } },
  },
  {
    id: "registration-client-id-null",
    source: "RFC 7591 section 3.2.1, https://www.rfc-editor.org/rfc/rfc7591#section-3.2.1",
    bent: { registration: { client_id: null } },
    refused: INVALID,
    reaches: "registration",
    twin: { registration: { client_secret: null } },
  },
  {
    id: "registration-client-id-a-list",
    source: "RFC 7591 section 3.2.1, https://www.rfc-editor.org/rfc/rfc7591#section-3.2.1",
    bent: { registration: (_, { client_id }) => ({ client_id: [client_id] }) },
    refused: INVALID,
    reaches: "registration",
    twin: {
      registration: { client_secret: "not-for-a-public-client", client_secret_expires_at: 0 },
    },
  },
  {
    id: "registration-client-id-of-a-prototype",
    source:
      "OWASP, prototype pollution, https://cheatsheetseries.owasp.org/cheatsheets/Prototype_Pollution_Prevention_Cheat_Sheet.html",
    bent: answers(changed((body) => `{"__proto__":${body}}`)),
    refused: INVALID,
    reaches: "registration",
    twin: { registration: { ["__proto__"]: { client_id: "a" }, constructor: { name: "a" } } },
  },
  {
    id: "registration-in-a-list",
    source: "RFC 7591 section 3.2.1, https://www.rfc-editor.org/rfc/rfc7591#section-3.2.1",
    bent: answers(changed((body) => `[${body}]`)),
    refused: INVALID,
    reaches: "registration",
    twin: answers(changed((body) => ` ${body} `)),
  },
  {
    id: "registration-as-a-web-page",
    source: "RFC 7591 section 3.2.1, https://www.rfc-editor.org/rfc/rfc7591#section-3.2.1",
    bent: answers(html()),
    refused: INVALID,
    reaches: "registration",
    twin: {},
  },
  {
    id: "registration-nothing",
    source: "RFC 7591 section 3.2.1, https://www.rfc-editor.org/rfc/rfc7591#section-3.2.1",
    bent: answers(text("", 201)),
    refused: INVALID,
    reaches: "registration",
    // Some providers answer with 200.
    twin: answers(withStatus(200)),
  },
  {
    id: "registration-no-content",
    source: "RFC 9110 section 15.3.5, https://www.rfc-editor.org/rfc/rfc9110#section-15.3.5",
    bent: answers(status(204)),
    refused: INVALID,
    reaches: "registration",
    twin: {},
  },
  {
    id: "registration-that-breaks-off",
    source: "RFC 8259 section 2, https://www.rfc-editor.org/rfc/rfc8259#section-2",
    bent: answers(changed((body) => body.slice(0, -1))),
    refused: INVALID,
    reaches: "registration",
    twin: answers(changed((body) => `${body}\n`)),
  },
  {
    id: "registration-an-error-with-200",
    source: "RFC 7591 section 3.2.2, https://www.rfc-editor.org/rfc/rfc7591#section-3.2.2",
    bent: answers(json({ error: "invalid_client_metadata" })),
    refused: INVALID,
    reaches: "registration",
    twin: answers(withStatus(200)),
  },
  {
    id: "registration-redirect-temporary",
    source: "RFC 9700 section 4.12, https://www.rfc-editor.org/rfc/rfc9700#section-4.12",
    bent: answers(redirect(307, ({ other }) => `${other.origin}/register`)),
    refused: failed("unexpected_redirect"),
    reaches: "registration",
    also: nobodyElseAsked,
    twin: {},
  },
  {
    id: "registration-redirect-found",
    source: "RFC 9700 section 4.12, https://www.rfc-editor.org/rfc/rfc9700#section-4.12",
    bent: answers(redirect(302, ({ other }) => `${other.origin}/register`)),
    refused: failed("unexpected_redirect"),
    reaches: "registration",
    also: nobodyElseAsked,
    twin: {},
  },
  {
    id: "registration-answer-of-ten-megabytes",
    source:
      "OWASP API4, https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/",
    bent: answers(padded(10 << 20)),
    refused: failed("response_too_large"),
    reaches: "registration",
    twin: answers(padded(1 << 19)),
  },
  {
    id: "registration-answer-without-end",
    source:
      "OWASP API4, https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/",
    bent: answers(endless, { timeoutMs: 1500 }),
    refused: failed("timeout"),
    reaches: "registration",
    twin: answers(late),
  },
  {
    id: "registration-answer-that-stalls",
    source:
      "OWASP API4, https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/",
    bent: answers(stalled, { timeoutMs: 1500 }),
    refused: failed("timeout"),
    reaches: "registration",
    twin: answers(late),
  },
  {
    id: "registration-never-answered",
    source:
      "OWASP API4, https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/",
    bent: answers(never, { timeoutMs: 1500 }),
    refused: failed("timeout"),
    reaches: "registration",
    twin: answers(late),
  },
  {
    id: "registration-answer-cut-off",
    source: "RFC 9112 section 8, https://www.rfc-editor.org/rfc/rfc9112#section-8",
    bent: answers(cutOff),
    refused: failed("network_error"),
    reaches: "registration",
    twin: {},
  },
  {
    id: "registration-that-no-page-may-read",
    source: "Fetch, CORS protocol, https://fetch.spec.whatwg.org/#http-cors-protocol",
    bent: answers(unreadable),
    refused: failed("network_error"),
    reaches: "registration",
    twin: {},
  },
];
