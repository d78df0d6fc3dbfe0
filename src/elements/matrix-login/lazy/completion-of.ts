import type { CapturedResponse } from "../../shared/captured-response.js";
import type { LoginCompletion } from "../../shared/lazy/login-completion.js";
import { SsoCompletion } from "../../shared/lazy/sso-completion.js";
import { loadCompletion } from "../../shared/load-completion.js";
import { loadSession } from "../../shared/load-session.js";
import type { MatrixLoginHost } from "../matrix-login-host.js";
import { sessionOptions } from "./matrix-login-settings.js";

/** The completion of a response of either kind; what completes OAuth 2.0 is loaded only now. */
export async function completionOf(
  response: CapturedResponse,
  host: MatrixLoginHost,
): Promise<LoginCompletion | SsoCompletion> {
  const chooseSession = (account?: Parameters<typeof sessionOptions>[1]) =>
    sessionOptions(host, account);
  if (response.kind === "sso") return SsoCompletion.of(response, chooseSession);
  const [{ LoginCompletion }] = await Promise.all([loadCompletion(), loadSession()]);
  return LoginCompletion.of(response, chooseSession);
}
