import type { RequestOptions } from "../core/index.js";
import { lazyPart } from "../ui/loading.js";
import type { PasswordPlace } from "./user-homeserver.js";

/** Needed only for names that are not localparts, and for other servers than the homeserver's. */
export const loadUserHomeserver = /* @__PURE__ */ lazyPart(() => import("./user-homeserver.js"));

const LOCALPART = /^[\w.=+-]*$/;
/** In its plain form: other spellings are compared by the code that is loaded for them. */
const USER_ID = /^@[^:@]*:([^@]+)$/;

/**
 * A typed name as the homeserver knows it. Needs the code only for other spellings. If it can't be
 * loaded, the name stays as it was typed.
 */
export async function typedUser(name: string): Promise<string> {
  if (LOCALPART.test(name)) return name;
  return loadUserHomeserver().then(
    ({ userIn }) => userIn(name),
    () => name,
  );
}

/** Whether a password for a user might be for another homeserver. If not, no request and no code is needed. */
export function mayBeElsewhere(
  user: string,
  { homeserverUrl, serverName }: Omit<PasswordPlace, "isTyped">,
): boolean {
  if (!homeserverUrl || !URL.canParse(homeserverUrl) || LOCALPART.test(user)) return false;
  const [, server] = USER_ID.exec(user) ?? [];
  const names = [new URL(homeserverUrl).host, serverName];
  return server === undefined || !names.includes(server);
}

/**
 * Every password is checked here before it is sent. The password for a user ID is sent only to that
 * user's homeserver. Only the server in the user ID can name this homeserver, because any
 * homeserver could claim the server's users.
 *
 * @throws {LoginError} `user_elsewhere`
 */
export async function assertUserAt(
  user: string,
  place: PasswordPlace,
  limits: RequestOptions,
): Promise<void> {
  if (!mayBeElsewhere(user, place)) return;
  const { askServerOf } = await loadUserHomeserver();
  await askServerOf(user, place, limits);
}
