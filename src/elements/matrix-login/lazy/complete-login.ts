import { completeSsoLogin } from "../../../core/legacy/sso-login.js";
import { loadCompletion } from "../../shared/load-completion.js";
import { loadSession } from "../../shared/load-session.js";
import type { CapturedLogin } from "../captured-login.js";
import type { MatrixLoginHost } from "../matrix-login-host.js";
import { sessionOptions } from "./matrix-login-settings.js";
import { identifyUser, keepLegacyLogin, type SignedInUser } from "./signed-in-user.js";

/** How a login that left the page has ended. */
export interface CompletedLogin {
  /** Undefined in a popup: the page that opened it does the rest. */
  readonly user: SignedInUser | undefined;
  /** As it was kept with the login. */
  readonly returnTo: string | undefined;
}

const completions = new WeakMap<CapturedLogin, Promise<CompletedLogin>>();

/**
 * Completes a login once, however many elements ask: a code or a login token can be used only once. After a failure
 * that may pass it can be called again.
 */
export function completeLogin(
  login: CapturedLogin,
  host: MatrixLoginHost,
): Promise<CompletedLogin> {
  let completion = completions.get(login);
  if (!completion) {
    completion =
      login.method === "sso" ? completeSso(login.url, host) : completeOAuth(login.response, host);
    completions.set(login, completion);
    completion.catch(() => completions.delete(login));
  }
  return completion;
}

async function completeSso(url: string, host: MatrixLoginHost): Promise<CompletedLogin> {
  // Its token may live for only five seconds, so nothing else comes first.
  const result = await completeSsoLogin(url);
  const user = await keepLegacyLogin(result, sessionOptions(host, result));
  return { user, returnTo: result.appState?.["returnTo"] };
}

async function completeOAuth(
  response: Extract<CapturedLogin, { method: "oauth" }>["response"],
  host: MatrixLoginHost,
): Promise<CompletedLogin> {
  const [{ LoginCompletion }] = await Promise.all([loadCompletion(), loadSession()]);
  const completion = LoginCompletion.of(response, (account) => sessionOptions(host, account));
  // Does nothing unless it has failed before, in a way that may pass.
  completion.retry();
  const outcome = await completion.settled();
  if (outcome.state === "error") throw outcome.error;
  const { session } = outcome;
  return {
    user: session && (await identifyUser(session, host.userId)),
    returnTo: completion.appState["returnTo"],
  };
}
