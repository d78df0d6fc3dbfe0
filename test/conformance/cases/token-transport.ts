import {
  cutInBody,
  drop,
  endless,
  honestly,
  inSequence,
  late,
  never,
  padded,
  redirect,
  stalled,
  unreadable,
} from "../responses.js";
import type { Responder, Deviation, Row } from "../row.js";
import { loginRows } from "../row.js";
import { FETCH_CORS, OWASP_RESOURCE_CONSUMPTION, rfc } from "../sources.js";

const failed = (code: Row["refused"]["code"]): Row["refused"] => ({
  message: "CodeExchangeFailed",
  code,
});

const tokenResponse = (respond: Responder, login: Deviation["login"] = {}): Deviation => ({
  endpoints: { token: respond },
  login,
});

/** Fails once, and the login is completed again. */
const onlyAtFirst = (respond: Responder): Deviation =>
  tokenResponse(inSequence(respond, honestly), { tries: 2 });

/** The way to a token endpoint and back: redirects, limits of size and time, lost connections. */
export const TOKEN_TRANSPORT = loginRows(
  { source: rfc(9700, "4.12"), refused: failed("unexpected_redirect"), reaches: "token" },
  [
    {
      id: "token-redirect-found",
      deviation: tokenResponse(redirect(302, ({ other }) => `${other.origin}/token`)),
      otherIsAsked: false,
    },
    {
      id: "token-redirect-temporary",
      deviation: tokenResponse(redirect(307, ({ other }) => `${other.origin}/token`)),
      otherIsAsked: false,
    },
    {
      id: "token-redirect-permanent",
      deviation: tokenResponse(redirect(308, ({ other }) => `${other.origin}/token`)),
      otherIsAsked: false,
    },
    {
      id: "token-redirect-to-itself",
      deviation: tokenResponse(
        inSequence(
          redirect(307, ({ idp }) => `${idp.origin}/token`),
          honestly,
        ),
      ),
    },
    {
      id: "token-response-of-ten-megabytes",
      source: OWASP_RESOURCE_CONSUMPTION,
      deviation: tokenResponse(padded(10 << 20)),
      refused: failed("response_too_large"),
      control: tokenResponse(padded(1 << 19)),
    },
    {
      id: "token-response-without-end",
      source: OWASP_RESOURCE_CONSUMPTION,
      deviation: tokenResponse(endless, { timeoutMs: 1500 }),
      refused: failed("timeout"),
      control: tokenResponse(late),
    },
    {
      id: "token-response-that-stalls",
      source: OWASP_RESOURCE_CONSUMPTION,
      deviation: tokenResponse(stalled, { timeoutMs: 1500 }),
      refused: failed("timeout"),
      control: tokenResponse(late),
    },
    {
      id: "token-without-response",
      source: OWASP_RESOURCE_CONSUMPTION,
      deviation: tokenResponse(never, { timeoutMs: 1500 }),
      refused: failed("timeout"),
      control: onlyAtFirst(drop),
    },
    {
      id: "token-connection-cut",
      source: rfc(9112, "8"),
      deviation: tokenResponse(drop),
      refused: failed("network_error"),
      control: onlyAtFirst(drop),
    },
    {
      id: "token-response-cut-off",
      source: rfc(9112, "8"),
      deviation: tokenResponse(cutInBody),
      refused: failed("network_error"),
      control: onlyAtFirst(drop),
    },
    {
      id: "token-response-that-no-page-may-read",
      source: FETCH_CORS,
      deviation: tokenResponse(unreadable),
      refused: failed("network_error"),
    },
  ],
);
