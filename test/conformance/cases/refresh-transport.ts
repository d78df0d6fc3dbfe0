import { endless, honestly, inSequence, late, padded, redirect, stalled, withHeaders } from "../responses.js";
import type { Responder, Deviation, SessionRow } from "../row.js";
import { sessionRows } from "../row.js";
import { OWASP_RESOURCE_CONSUMPTION, rfc } from "../sources.js";

const REDIRECT = rfc(9700, "4.12");
const OWASP = OWASP_RESOURCE_CONSUMPTION;

const refreshResponse = (respond: Responder, session: Deviation["session"] = {}): Deviation => ({ endpoints: { refresh: respond }, session });

const reportedAtOnce = (code: "unexpected_redirect" | "response_too_large"): Pick<SessionRow, "refused" | "leaves" | "requests"> => ({
  refused: { message: "RefreshTokenFailed", code },
  leaves: "signed-in",
  // After a redirect, the issuer's document tells whether the endpoint has moved.
  requests: code === "unexpected_redirect" ? ["refresh 0", "document"] : ["refresh 0"],
});

const redirected = (status: number): SessionRow => ({
  id: `refresh-redirect-${status}`,
  source: REDIRECT,
  deviation: refreshResponse(redirect(status, ({ other }) => `${other.origin}/token`)),
  ...reportedAtOnce("unexpected_redirect"),
  control: refreshResponse(
    inSequence(
      redirect(status, ({ other }) => `${other.origin}/token`),
      honestly,
    ),
    { actions: ["refresh", "refresh"] },
  ),
  controlRequests: ["refresh 0", "document", "refresh 0"],
});

/** The connection to a token endpoint during a refresh. */
export const REFRESH_TRANSPORT = sessionRows({}, [
  ...[301, 302, 303, 307, 308].map(redirected),
  {
    id: "refresh-redirect-to-itself",
    source: REDIRECT,
    deviation: refreshResponse(
      inSequence(
        redirect(307, ({ idp }) => `${idp.origin}/token`),
        honestly,
      ),
    ),
    ...reportedAtOnce("unexpected_redirect"),
    control: {},
  },
  {
    id: "refresh-response-10-mb",
    source: OWASP,
    deviation: refreshResponse(padded(10 << 20)),
    ...reportedAtOnce("response_too_large"),
    control: refreshResponse(padded(1 << 19)),
  },
  {
    id: "refresh-response-without-end",
    source: OWASP,
    deviation: refreshResponse(endless, { timeoutMs: 1500 }),
    refused: { message: "RefreshTokenFailed", code: "timeout" },
    leaves: "signed-in",
    requests: ["refresh 0", "document", ...Array<string>(4).fill("refresh 0")],
    control: refreshResponse(late),
  },
  {
    id: "refresh-response-that-stalls",
    source: OWASP,
    deviation: refreshResponse(stalled, { timeoutMs: 1500 }),
    refused: { message: "RefreshTokenFailed", code: "timeout" },
    leaves: "signed-in",
    requests: ["refresh 0", "document", ...Array<string>(4).fill("refresh 0")],
    control: refreshResponse(late),
  },
  {
    id: "refresh-response-without-no-store",
    source: rfc(6749, "5.1"),
    deviation: {
      ...refreshResponse(
        inSequence(
          withHeaders({ "cache-control": "public, max-age=600" }),
          redirect(302, ({ other }) => `${other.origin}/token`),
        ),
      ),
      session: { actions: ["refresh", "refresh"] },
    },
    ...reportedAtOnce("unexpected_redirect"),
    requests: ["refresh 0", "refresh 1", "document"],
    control: refreshResponse(withHeaders({ "cache-control": "public, max-age=600" }), { actions: ["refresh", "refresh"] }),
    controlRequests: ["refresh 0", "refresh 1"],
  },
]);
