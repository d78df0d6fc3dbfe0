import assert from "node:assert/strict";
import {
  cutOff,
  drop,
  endless,
  honestly,
  inTurn,
  late,
  never,
  padded,
  redirect,
  stalled,
  unreadable,
} from "../answers.js";
import type { Answer, Bend, Row } from "../bend.js";

const failed = (code: Row["refused"]["code"]): Row["refused"] => ({
  message: "CodeExchangeFailed",
  code,
});

const tokenAnswer = (answer: Answer, login: Bend["login"] = {}): Bend => ({
  endpoints: { token: answer },
  login,
});

/** Fails once, and the login is completed again. */
const onlyAtFirst = (answer: Answer): Bend => tokenAnswer(inTurn(answer, honestly), { tries: 2 });

/** Every other provider's endpoint is left alone. */
const nobodyElseAsked: Row["also"] = ({ world }) =>
  assert.ok(world.requests.every(({ to }) => to !== "other"));

/** The way to a token endpoint and back: redirects, limits of size and time, lost connections. */
export const TOKEN_TRANSPORT: readonly Row[] = [
  {
    id: "token-redirect-found",
    source: "RFC 9700 section 4.12, https://www.rfc-editor.org/rfc/rfc9700#section-4.12",
    bent: tokenAnswer(redirect(302, ({ other }) => `${other.origin}/token`)),
    refused: failed("unexpected_redirect"),
    reaches: "token",
    also: nobodyElseAsked,
    twin: {},
  },
  {
    id: "token-redirect-temporary",
    source: "RFC 9700 section 4.12, https://www.rfc-editor.org/rfc/rfc9700#section-4.12",
    bent: tokenAnswer(redirect(307, ({ other }) => `${other.origin}/token`)),
    refused: failed("unexpected_redirect"),
    reaches: "token",
    also: nobodyElseAsked,
    twin: {},
  },
  {
    id: "token-redirect-permanent",
    source: "RFC 9700 section 4.12, https://www.rfc-editor.org/rfc/rfc9700#section-4.12",
    bent: tokenAnswer(redirect(308, ({ other }) => `${other.origin}/token`)),
    refused: failed("unexpected_redirect"),
    reaches: "token",
    also: nobodyElseAsked,
    twin: {},
  },
  {
    id: "token-redirect-to-itself",
    source: "RFC 9700 section 4.12, https://www.rfc-editor.org/rfc/rfc9700#section-4.12",
    bent: tokenAnswer(
      inTurn(
        redirect(307, ({ idp }) => `${idp.origin}/token`),
        honestly,
      ),
    ),
    refused: failed("unexpected_redirect"),
    reaches: "token",
    twin: {},
  },
  {
    id: "token-answer-of-ten-megabytes",
    source:
      "OWASP API4, https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/",
    bent: tokenAnswer(padded(10 << 20)),
    refused: failed("response_too_large"),
    reaches: "token",
    twin: tokenAnswer(padded(1 << 19)),
  },
  {
    id: "token-answer-without-end",
    source:
      "OWASP API4, https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/",
    bent: tokenAnswer(endless, { timeoutMs: 1500 }),
    refused: failed("timeout"),
    reaches: "token",
    twin: tokenAnswer(late),
  },
  {
    id: "token-answer-that-stalls",
    source:
      "OWASP API4, https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/",
    bent: tokenAnswer(stalled, { timeoutMs: 1500 }),
    refused: failed("timeout"),
    reaches: "token",
    twin: tokenAnswer(late),
  },
  {
    id: "token-never-answered",
    source:
      "OWASP API4, https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/",
    bent: tokenAnswer(never, { timeoutMs: 1500 }),
    refused: failed("timeout"),
    reaches: "token",
    twin: onlyAtFirst(drop),
  },
  {
    id: "token-connection-cut",
    source: "RFC 9112 section 8, https://www.rfc-editor.org/rfc/rfc9112#section-8",
    bent: tokenAnswer(drop),
    refused: failed("network_error"),
    reaches: "token",
    twin: onlyAtFirst(drop),
  },
  {
    id: "token-answer-cut-off",
    source: "RFC 9112 section 8, https://www.rfc-editor.org/rfc/rfc9112#section-8",
    bent: tokenAnswer(cutOff),
    refused: failed("network_error"),
    reaches: "token",
    twin: onlyAtFirst(drop),
  },
  {
    id: "token-answer-that-no-page-may-read",
    source: "Fetch, CORS protocol, https://fetch.spec.whatwg.org/#http-cors-protocol",
    bent: tokenAnswer(unreadable),
    refused: failed("network_error"),
    reaches: "token",
    twin: {},
  },
];
