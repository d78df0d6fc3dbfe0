import type { Deviation, Row } from "../row.js";
import { loginRows } from "../row.js";
import { openid, rfc } from "../sources.js";

const failed = (code: Row["refused"]["code"]): Row["refused"] => ({
  message: "CodeExchangeFailed",
  code,
});

const UNKNOWN = { message: "MissingOrInvalidStoredState", code: "flow_unknown" } as const;

const responds = (authorizationResponse: Deviation["authorizationResponse"]): Deviation => ({
  ...(authorizationResponse && { authorizationResponse }),
});

/** The provider says no, in the words of RFC 6749. */
const refuses = (error: string): Deviation =>
  responds((parameters) => {
    parameters.delete("code");
    parameters.set("error", error);
  });

/** A response that is a refusal, or no response to this login. */
export const AUTHORIZATION_ERRORS = loginRows(
  {
    source: rfc(6749, "4.1.2.1"),
    reaches: "authorization",
    refused: failed("authorization_failed"),
  },
  [
    {
      id: "response-access-denied",
      deviation: refuses("access_denied"),
      refused: { message: "AuthorizationRefused", code: "access_denied" },
    },
    { id: "response-invalid-request", deviation: refuses("invalid_request") },
    { id: "response-unauthorized-client", deviation: refuses("unauthorized_client") },
    { id: "response-unsupported-response-type", deviation: refuses("unsupported_response_type") },
    { id: "response-invalid-scope", deviation: refuses("invalid_scope") },
    { id: "response-server-error", reason: "server_error", deviation: refuses("server_error") },
    { id: "response-temporarily-unavailable", deviation: refuses("temporarily_unavailable") },
    {
      id: "response-interaction-required",
      source: openid("Core 3.1.2.6", "AuthError"),
      deviation: refuses("interaction_required"),
    },
    {
      id: "response-login-required",
      source: openid("Core 3.1.2.6", "AuthError"),
      deviation: refuses("login_required"),
    },
    {
      id: "response-consent-required",
      source: openid("Core 3.1.2.6", "AuthError"),
      deviation: refuses("consent_required"),
    },
    { id: "response-error-empty", deviation: refuses("") },
    {
      id: "response-error-with-markup",
      source:
        "OWASP, cross-site scripting, https://cheatsheetseries.owasp.org/cheatsheets/Cross_Site_Scripting_Prevention_Cheat_Sheet.html",
      deviation: responds((parameters) => {
        parameters.set("error", "<script>alert(1)</script>");
        parameters.set("error_description", "<img src=x onerror=alert(1)>");
        parameters.set("error_uri", "javascript:alert(1)");
      }),
    },
    {
      id: "response-error-beside-a-code",
      source: rfc(6749, "4.1.2"),
      deviation: responds((parameters) => parameters.set("error", "server_error")),
      control: responds((parameters) => parameters.set("session_state", "a.b")),
    },
    {
      id: "response-without-code",
      source: rfc(6749, "4.1.2"),
      deviation: responds((parameters) => parameters.delete("code")),
      refused: UNKNOWN,
      keepsFlow: true,
    },
    {
      id: "response-code-empty",
      reason: "The provider's response has no code",
      source: rfc(6749, "4.1.2"),
      deviation: responds((parameters) => parameters.set("code", "")),
      refused: failed("response_malformed"),
    },
    {
      id: "response-code-twice",
      reason: "The response repeats: code",
      source: rfc(6749, "3.1"),
      deviation: responds((parameters) => parameters.append("code", "another")),
      refused: failed("response_malformed"),
      control: responds((parameters) => parameters.append("unknown", "1")),
    },
    {
      id: "response-state-twice",
      source: rfc(6749, "3.1"),
      deviation: responds((parameters) => parameters.append("state", "another")),
      refused: failed("response_malformed"),
    },
    {
      id: "response-error-twice",
      source: rfc(6749, "3.1"),
      deviation: responds((parameters) => {
        parameters.append("error", "server_error");
        parameters.append("error", "access_denied");
      }),
      refused: failed("response_malformed"),
    },
  ],
);
