import { toJson } from "../core/http/json.js";
import { isLoopbackHost, parseUrl } from "../core/http/url.js";
import { withDeadline } from "../core/http/wait.js";
import type { RequestOptions } from "../core/index.js";
import { LoginError } from "../core/legacy/errors.js";
import { homeserverOf } from "../core/matrix/discovery.js";
import { serverOfUser, understood } from "../core/shared/typed-names.js";

export { userIn } from "../core/shared/typed-names.js";

/** The homeserver that gets a password, and how the user has named the two. */
export interface PasswordPlace {
  /** Without it, as in clients that only an app's own functions use, nothing can be compared. */
  readonly homeserverUrl: string | undefined;
  /** The name by which the user has found the homeserver. */
  readonly serverName?: string | undefined;
  /**
   * Whether the user has typed the user ID. If the server in it has no homeserver, a typed user ID
   * is rejected, too, because the user can enter only the localpart instead.
   */
  readonly isTyped: boolean;
}

/**
 * The longest wait for the response, because the user waits for it. A server that takes longer
 * counts as a server without a homeserver.
 */
const MAX_WAIT_MS = 5000;

/**
 * The users whose passwords may be sent to a homeserver. Another attempt for them sends no request.
 */
const confirmed = new Set<string>();

/** For `assertUserAt()`: asks the server in a user ID for its homeserver. @throws {LoginError} `user_elsewhere` */
export async function askServerOf(
  user: string,
  { homeserverUrl = "", serverName, isTyped }: PasswordPlace,
  limits: RequestOptions,
): Promise<void> {
  const given = serverOfUser(user);
  if (given === undefined) return;
  const server = understood(given);
  const url = new URL(homeserverUrl);
  if (server === url.host || (serverName && server === understood(serverName))) return;
  const { hostname } = parseUrl(`https://${server}`) ?? {};
  // A homeserver for development may have other names and ports on this machine.
  if (isLoopbackHost(hostname) && isLoopbackHost(url.hostname)) return;
  const key = toJson([user, homeserverUrl, isTyped]);
  if (confirmed.has(key)) return;
  const ask = (signal: AbortSignal) => homeserverOf(server, homeserverUrl, { ...limits, signal });
  const own = await withDeadline(MAX_WAIT_MS, limits.signal, ask).catch(() => undefined);
  limits.signal?.throwIfAborted();
  if (own === undefined ? isTyped : own !== understood(homeserverUrl)) {
    throw new LoginError("user_elsewhere", `The user's homeserver is ${server}`, {
      homeserver: given,
    });
  }
  confirmed.add(key);
}
