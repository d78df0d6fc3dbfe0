import { fetchAuthMetadata } from "../../../core/matrix/auth-metadata.js";
import { discoverHomeserver } from "../../../core/matrix/discovery.js";
import { fetchLoginFlows, parseLoginFlows } from "../../../core/matrix/login-flows.js";
import type { LoginFlows, RequestOptions, ValidatedAuthMetadata } from "../../../core/index.js";
import { LoginError } from "../../../core/legacy/errors.js";
import { OidcError, OidcFlowError } from "../../../core/oauth/errors.js";
import { understood } from "../../shared/lazy/server-name.js";
import type { LoginTarget } from "../../oidc-login/login-host.js";
import type { LoginMethod } from "../matrix-login-host.js";

/** A homeserver, and how one can sign in there. */
export interface FoundHomeserver {
  /** As it was typed or set, as browsers read it: its name in ASCII, without a slash at its end. */
  readonly homeserver: string;
  readonly homeserverUrl: string;
  readonly identityServerUrl?: string;
  /** In the order in which they are offered. */
  readonly methods: readonly LoginMethod[];
  readonly metadata: ValidatedAuthMetadata | undefined;
  /** What `<oidc-login>` need not find out again. */
  readonly target: LoginTarget | undefined;
  readonly flows: LoginFlows;
}

/**
 * Finds out how one can sign in at a homeserver: by its well-known file, then its metadata and its legacy API side
 * by side.
 *
 * @param wanted What the page offers, in its order; undefined: everything.
 * @throws {OidcFlowError} what the discovery throws; only a homeserver that says so has no OAuth 2.0.
 * @throws {LoginError} `login_not_supported`
 */
export async function findMethods(
  homeserver: string,
  wanted: readonly LoginMethod[] | undefined,
  options: RequestOptions,
): Promise<FoundHomeserver> {
  if ((globalThis as Partial<typeof globalThis>).isSecureContext === false) {
    throw new OidcFlowError(OidcError.InsecureContext, "insecure_context");
  }
  const { baseUrl, identityServerUrl, issuer } = await discoverHomeserver(homeserver, options);
  const [metadata, flows] = await Promise.all([
    fetchAuthMetadata(baseUrl, { ...options, issuer, strict: true }).catch(unlessNone),
    fetchLoginFlows(baseUrl, options)
      .then((value) => ({ value }))
      .catch((error: unknown) => ({ error })),
  ]);
  // With OAuth 2.0 nothing else is needed.
  if ("error" in flows && !metadata) throw flows.error;
  const listed = "error" in flows ? parseLoginFlows({}) : flows.value;
  const methods = offered(metadata !== undefined, listed, wanted);
  if (methods.length === 0) {
    throw new LoginError("login_not_supported", "The homeserver offers no way to sign in here");
  }
  const found = {
    homeserverUrl: baseUrl,
    ...(identityServerUrl !== undefined && { identityServerUrl }),
  };
  const target = metadata && { foundAt: Date.now(), ...found, metadata };
  return { ...found, homeserver: understood(homeserver), methods, metadata, target, flows: listed };
}

function unlessNone(error: unknown): undefined {
  if (error instanceof OidcFlowError && error.code === "oidc_not_supported") return undefined;
  throw error;
}

/**
 * Where there is OAuth 2.0, the legacy ways are offered only to a page that names them.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#oauth-20-aware-clients
 */
function offered(
  hasOAuth: boolean,
  { oauthAwarePreferred, password, sso }: LoginFlows,
  wanted: readonly LoginMethod[] | undefined,
): readonly LoginMethod[] {
  const oauth: readonly LoginMethod[] = hasOAuth ? ["oauth"] : [];
  const legacy: readonly LoginMethod[] = [
    ...(sso ? (["sso"] as const) : []),
    ...(password ? (["password"] as const) : []),
  ];
  if (wanted) return wanted.filter((each) => [...oauth, ...legacy].includes(each));
  if (hasOAuth) return oauth;
  return oauthAwarePreferred ? ["sso"] : legacy;
}
