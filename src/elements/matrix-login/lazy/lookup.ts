import type { LoginFlows, RequestOptions } from "../../../core/index.js";
import { LoginError } from "../../../core/legacy/errors.js";
import { fetchLoginFlows, parseLoginFlows } from "../../../core/matrix/login-flows.js";
import { findProvider, type FoundProvider } from "../../../core/matrix/provider.js";
import { OidcError, OidcFlowError } from "../../../core/oauth/errors.js";
import { understood } from "../../../sign-in/lazy/homeserver.js";
import type { LoginTarget } from "../../oidc-login/lazy/settings.js";
import type { MatrixLoginElement } from "../matrix-login.js";
import { type LoginMethod, METHODS } from "./settings.js";

export interface FoundHomeserver extends Omit<FoundProvider, "provider"> {
  /** The value that was entered or set, normalized: in ASCII, without a trailing slash. */
  readonly homeserver: string;
  readonly methods: readonly LoginMethod[];
  readonly target: LoginTarget | undefined;
  readonly flows: LoginFlows;
}

/**
 * Looks up the sign-in methods of a homeserver. Without OAuth 2.0, the homeserver must report that.
 *
 * @param wanted The methods that the page offers, in order; undefined for all.
 * @throws {OidcFlowError} `homeserver_missing`; the errors of the discovery.
 * @throws {LoginError} `login_not_supported`
 */
export async function findMethods(
  homeserver: string,
  wanted: readonly LoginMethod[] | undefined,
  options: RequestOptions,
): Promise<FoundHomeserver> {
  if (!homeserver) throw new OidcFlowError(OidcError.Misconfigured, "homeserver_missing");
  const { provider: requested, ...found } = await findProvider(
    { homeserver },
    { ...options, strict: true },
  );
  const oauth = requested.catch((error: unknown) => {
    if (error instanceof OidcFlowError && error.code === "oidc_not_supported") return undefined;
    throw error;
  });
  const [provider, flows] = await Promise.all([
    oauth,
    fetchLoginFlows(found.homeserverUrl, options).catch(async (error: unknown) => {
      // With OAuth 2.0, no other method is needed.
      if (await oauth) return parseLoginFlows({});
      throw error;
    }),
  ]);
  const methods = offered(provider !== undefined, flows, wanted);
  if (methods.length === 0) {
    const message = "The homeserver supports no sign-in method of this page";
    throw new LoginError("login_not_supported", message);
  }
  const target = provider && { foundAt: Date.now(), ...found, provider };
  return { ...found, homeserver: understood(homeserver), methods, target, flows };
}

/**
 * With OAuth 2.0, legacy methods are offered only if the page names them.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#oauth-20-aware-clients
 */
function offered(
  hasOAuth: boolean,
  { oauthAwarePreferred, password, sso }: LoginFlows,
  wanted: readonly LoginMethod[] | undefined,
): readonly LoginMethod[] {
  const isSupported = { oauth: hasOAuth, sso, password };
  if (wanted) return wanted.filter((each) => isSupported[each]);
  if (hasOAuth) return ["oauth"];
  return oauthAwarePreferred ? ["sso"] : METHODS.filter((each) => isSupported[each]);
}

/** Whether the OAuth 2.0 provider of a homeserver can create an account. */
export function canCreateAtProvider(
  { noRegistration, prompt }: MatrixLoginElement,
  { methods, target }: FoundHomeserver,
): boolean {
  const isOffered = methods.includes("oauth") && !noRegistration && !prompt;
  return isOffered && !!target?.provider.named.prompt_values_supported?.includes("create");
}
