import type { Bend, Row } from "../bend.js";

const failed = (code: Row["refused"]["code"]): Row["refused"] => ({
  message: "CodeExchangeFailed",
  code,
});

const UNKNOWN = { message: "MissingOrInvalidStoredState", code: "flow_unknown" } as const;

const answers = (answer: Bend["answer"]): Bend => ({ ...(answer && { answer }) });

/** The provider says no, in the words of RFC 6749. */
const refuses = (error: string): Bend =>
  answers((parameters) => {
    parameters.delete("code");
    parameters.set("error", error);
  });

/** An answer that is a refusal, or no answer to this login. */
export const AUTHORIZATION_ERRORS: readonly Row[] = [
  {
    id: "answer-access-denied",
    source: "RFC 6749 section 4.1.2.1, https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1",
    bent: refuses("access_denied"),
    refused: { message: "AuthorizationRefused", code: "access_denied" },
    reaches: "authorization",
    twin: {},
  },
  {
    id: "answer-invalid-request",
    source: "RFC 6749 section 4.1.2.1, https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1",
    bent: refuses("invalid_request"),
    refused: failed("authorization_failed"),
    reaches: "authorization",
    twin: {},
  },
  {
    id: "answer-unauthorized-client",
    source: "RFC 6749 section 4.1.2.1, https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1",
    bent: refuses("unauthorized_client"),
    refused: failed("authorization_failed"),
    reaches: "authorization",
    twin: {},
  },
  {
    id: "answer-unsupported-response-type",
    source: "RFC 6749 section 4.1.2.1, https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1",
    bent: refuses("unsupported_response_type"),
    refused: failed("authorization_failed"),
    reaches: "authorization",
    twin: {},
  },
  {
    id: "answer-invalid-scope",
    source: "RFC 6749 section 4.1.2.1, https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1",
    bent: refuses("invalid_scope"),
    refused: failed("authorization_failed"),
    reaches: "authorization",
    twin: {},
  },
  {
    id: "answer-server-error",
    source: "RFC 6749 section 4.1.2.1, https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1",
    bent: refuses("server_error"),
    refused: failed("authorization_failed"),
    reaches: "authorization",
    twin: {},
  },
  {
    id: "answer-temporarily-unavailable",
    source: "RFC 6749 section 4.1.2.1, https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1",
    bent: refuses("temporarily_unavailable"),
    refused: failed("authorization_failed"),
    reaches: "authorization",
    twin: {},
  },
  {
    id: "answer-interaction-required",
    source:
      "OpenID Connect Core 3.1.2.6, https://openid.net/specs/openid-connect-core-1_0.html#AuthError",
    bent: refuses("interaction_required"),
    refused: failed("authorization_failed"),
    reaches: "authorization",
    twin: {},
  },
  {
    id: "answer-login-required",
    source:
      "OpenID Connect Core 3.1.2.6, https://openid.net/specs/openid-connect-core-1_0.html#AuthError",
    bent: refuses("login_required"),
    refused: failed("authorization_failed"),
    reaches: "authorization",
    twin: {},
  },
  {
    id: "answer-consent-required",
    source:
      "OpenID Connect Core 3.1.2.6, https://openid.net/specs/openid-connect-core-1_0.html#AuthError",
    bent: refuses("consent_required"),
    refused: failed("authorization_failed"),
    reaches: "authorization",
    twin: {},
  },
  {
    id: "answer-error-empty",
    source: "RFC 6749 section 4.1.2.1, https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1",
    bent: refuses(""),
    refused: failed("authorization_failed"),
    reaches: "authorization",
    twin: {},
  },
  {
    id: "answer-error-with-markup",
    source:
      "OWASP, cross-site scripting, https://cheatsheetseries.owasp.org/cheatsheets/Cross_Site_Scripting_Prevention_Cheat_Sheet.html",
    bent: answers((parameters) => {
      parameters.set("error", "<script>alert(1)</script>");
      parameters.set("error_description", "<img src=x onerror=alert(1)>");
      parameters.set("error_uri", "javascript:alert(1)");
    }),
    refused: failed("authorization_failed"),
    reaches: "authorization",
    twin: {},
  },
  {
    id: "answer-error-beside-a-code",
    source: "RFC 6749 section 4.1.2, https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2",
    bent: answers((parameters) => parameters.set("error", "server_error")),
    refused: failed("authorization_failed"),
    reaches: "authorization",
    twin: answers((parameters) => parameters.set("session_state", "a.b")),
  },
  {
    id: "answer-without-code",
    source: "RFC 6749 section 4.1.2, https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2",
    bent: answers((parameters) => parameters.delete("code")),
    refused: UNKNOWN,
    reaches: "authorization",
    keeps: true,
    twin: {},
  },
  {
    id: "answer-code-empty",
    source: "RFC 6749 section 4.1.2, https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2",
    bent: answers((parameters) => parameters.set("code", "")),
    refused: failed("response_malformed"),
    reaches: "authorization",
    twin: {},
  },
  {
    id: "answer-code-twice",
    source: "RFC 6749 section 3.1, https://www.rfc-editor.org/rfc/rfc6749#section-3.1",
    bent: answers((parameters) => parameters.append("code", "another")),
    refused: failed("response_malformed"),
    reaches: "authorization",
    twin: answers((parameters) => parameters.append("unknown", "1")),
  },
  {
    id: "answer-state-twice",
    source: "RFC 6749 section 3.1, https://www.rfc-editor.org/rfc/rfc6749#section-3.1",
    bent: answers((parameters) => parameters.append("state", "another")),
    refused: failed("response_malformed"),
    reaches: "authorization",
    twin: {},
  },
  {
    id: "answer-error-twice",
    source: "RFC 6749 section 3.1, https://www.rfc-editor.org/rfc/rfc6749#section-3.1",
    bent: answers((parameters) => {
      parameters.append("error", "server_error");
      parameters.append("error", "access_denied");
    }),
    refused: failed("response_malformed"),
    reaches: "authorization",
    twin: {},
  },
];
