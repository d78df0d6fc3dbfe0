import type { OidcSession } from "../../../core/index.js";
import { asLoginError, LoginError } from "../../../core/legacy/errors.js";
import {
  identify,
  identifyUser as identifyAnyUser,
  type SignedInUser,
  withClient,
} from "../../shared/lazy/signed-in-user.js";
import type { MatrixLoginHost } from "../matrix-login-host.js";

/**
 * The user of an OAuth 2.0 login. Where the page expects one, nobody has signed in before the homeserver has said who
 * it is.
 *
 * @throws {LoginError} `user_mismatch`: another user has signed in; the tokens are revoked. `network_error` and its like:
 *   the homeserver cannot be asked now; the session is kept, to ask again.
 */
export async function identifyUser(
  session: OidcSession,
  { userId: expected }: Pick<MatrixLoginHost, "userId">,
): Promise<SignedInUser> {
  if (!expected) return identifyAnyUser(session);
  const user = await withClient(session);
  try {
    await identify(user);
  } catch (error) {
    throw asLoginError(error);
  }
  const { userId } = session.user;
  if (userId === expected) return user;
  await session.signOut();
  throw new LoginError("user_mismatch", `${userId} has signed in instead of ${expected}`);
}
