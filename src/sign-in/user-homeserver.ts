import { isLoopbackHost, parseUrl, withoutTrailingSlashes } from "../core/http/url.js";
import type { RequestOptions } from "../core/index.js";
import { LoginError } from "../core/legacy/errors.js";
import { homeserverOf } from "../core/matrix/discovery.js";
import { serverOfUser, understood } from "./homeserver.js";

interface PasswordPlace {
  readonly homeserverUrl: string;
  /** The name by which the user has found the homeserver. */
  readonly serverName?: string | undefined;
  /**
   * Whether the user has typed the user ID. Then that of a server which has no homeserver is rejected, too,
   * because the user can enter only the localpart instead.
   */
  readonly isTyped: boolean;
}

/**
 * Every password passes through here before it is sent: that for a user ID is sent only to that user's
 * homeserver. Which one it is, only the server in the user ID can say: any homeserver can claim its users.
 *
 * @throws {LoginError} `user_elsewhere`
 */
export async function assertUserAt(
  user: string,
  { homeserverUrl, serverName, isTyped }: PasswordPlace,
  limits: RequestOptions,
): Promise<void> {
  const given = serverOfUser(user);
  if (given === undefined) return;
  const server = understood(given);
  const url = new URL(homeserverUrl);
  if (server === url.host || (serverName && server === understood(serverName))) return;
  const { hostname } = parseUrl(`https://${server}`) ?? {};
  // Homeservers for development have the port only in their URL.
  if (hostname === url.hostname && isLoopbackHost(hostname)) return;
  const own = await homeserverOf(server, limits).catch(() => undefined);
  limits.signal?.throwIfAborted();
  if (own === undefined ? !isTyped : own === withoutTrailingSlashes(homeserverUrl)) return;
  throw new LoginError("user_elsewhere", `The user's homeserver is ${server}`, {
    homeserver: given,
  });
}
