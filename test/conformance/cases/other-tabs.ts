import type { SessionRow } from "../row.js";
import { sessionRows } from "../row.js";
import { rfc } from "../sources.js";

const WEB_LOCKS = "Web Locks API, https://www.w3.org/TR/web-locks/";
const ROTATION = rfc(9700, "4.14.2");

/**
 * The effects of the app's other tabs on a session, if the browser has suspended a tab or lost its
 * message.
 */
export const OTHER_TABS: readonly SessionRow[] = sessionRows({}, [
  {
    id: "refresh-while-another-tab-holds-the-lock",
    source: WEB_LOCKS,
    deviation: { session: { actions: ["another tab stalls", "refresh"], timeoutMs: 500 } },
    refused: { message: "RefreshTokenFailed", code: "timeout" },
    leaves: "signed-in",
    requests: [],
    control: { session: { actions: ["another tab stalls", "another tab continues", "refresh"] } },
    controlRequests: ["refresh 0"],
  },
  {
    id: "access-token-while-another-tab-holds-the-lock",
    source: WEB_LOCKS,
    deviation: { session: { actions: ["another tab stalls", "access token"], expired: true, timeoutMs: 500 } },
    refused: { message: "RefreshTokenFailed", code: "timeout" },
    leaves: "signed-in",
    requests: [],
    // Signing out does not wait for other tabs.
    control: { session: { actions: ["another tab stalls", "sign out"] } },
    controlRequests: ["revocation refresh 0", "revocation access 0"],
    controlValue: "revoked",
  },
  {
    id: "refresh-of-a-session-replaced-in-another-tab",
    source: ROTATION,
    deviation: { session: { actions: ["another tab signs in", "refresh"] } },
    refused: { message: "SessionEnded", code: "session_ended" },
    leaves: "signed-out",
    leavesNewer: true,
    requests: [],
    control: {},
    controlRequests: ["refresh 0"],
  },
]);
