import { fetchAuthMetadata } from "../../../core/homeserver/auth-metadata.js";
import { discoverHomeserver } from "../../../core/homeserver/discover-homeserver.js";
import type { RequestOptions, ValidatedAuthMetadata } from "../../../core/index.js";
import { createFlow } from "../../../core/oidc/authorization.js";
import {
  findClient,
  registerClient,
  type RegisteredClient,
} from "../../../core/oidc/registered-client.js";
import { REGISTRATION_STATE } from "../../../core/oidc/client-registration-cache.js";
import { OidcFlowError } from "../../../core/oidc/errors.js";
import { discoverIssuer } from "../../../core/oidc/issuer-discovery.js";
import { secureRandomString } from "../../../core/random.js";
import { POPUP_STATE } from "../../shared/lazy/popup-channel.js";
import type { LoginTarget } from "../login-host.js";
import type { LoginSettings } from "./login-settings.js";

/** A tab may be open for days: a target that was found longer ago is looked up again before a login. */
const TARGET_LIFETIME_MS = 60 * 60_000;

/**
 * Finds out where to sign in, in two sequential requests: for the homeserver's well-known file and for its
 * metadata. If `issuer` is given, its own document is fetched instead of the latter.
 *
 * @throws {OidcFlowError} `InsecureContext`, before any request; whatever the discovery throws.
 */
export async function findTarget(
  { homeserver, issuer }: Pick<LoginSettings, "homeserver" | "issuer">,
  options: RequestOptions,
): Promise<LoginTarget> {
  if (!isSecureContext) {
    throw new OidcFlowError("A secure context is required to log in", "insecure_context");
  }
  const discovering =
    homeserver === undefined ? undefined : discoverHomeserver(homeserver, options);
  if (issuer !== undefined) {
    const [metadata, found] = await Promise.all([discoverIssuer(issuer, options), discovering]);
    return describeTarget(metadata, found);
  }
  const found = await discovering;
  const metadata = await fetchAuthMetadata(found?.baseUrl ?? "", {
    ...options,
    issuer: found?.issuer,
  });
  return describeTarget(metadata, found);
}

const describeTarget = (
  metadata: ValidatedAuthMetadata,
  found: { readonly baseUrl: string; readonly identityServerUrl?: string } | undefined,
): LoginTarget => ({
  foundAt: Date.now(),
  metadata,
  homeserverUrl: found?.baseUrl ?? "",
  ...(found?.identityServerUrl !== undefined && { identityServerUrl: found.identityServerUrl }),
});

/** Whether a target has to be looked up again; also if the clock was set back since. */
export const isStale = (target: LoginTarget | undefined): boolean =>
  !target || Math.abs(Date.now() - target.foundAt) > TARGET_LIFETIME_MS;

/** Rejects settings that the target does not support, before the user is sent there. */
export function checkTarget({ prompt }: LoginSettings, { metadata }: LoginTarget): void {
  if (prompt === "create" && !metadata.prompt_values_supported?.includes(prompt)) {
    throw new OidcFlowError(
      "Configured OIDC OP does not support required functions",
      "prompt_not_supported",
    );
  }
}

/** The members of `appState` that a login keeps for itself. */
export interface LoginAppState {
  /** Where the login was started, for starting again. */
  readonly startUrl: string;
  /** Where to go after signing in. */
  readonly returnTo?: string;
}

/** A started login: what its completion needs, and the URL to go to. */
export type StartedLogin = Awaited<ReturnType<typeof createFlow>>;

/** Registers the application if no client ID is known, and starts the login. */
export async function startLogin(
  settings: LoginSettings,
  target: LoginTarget,
  options: RequestOptions,
): Promise<StartedLogin> {
  const { metadata } = target;
  const { clientMetadata, mode, registration, returnTo } = settings;
  const known = (): RegisteredClient | undefined => {
    if (mode === "popup" && registration === "per-login") return undefined;
    try {
      return findClient(metadata, clientMetadata, registration);
    } catch (error) {
      // A login in a popup needs no storage; any other fails here without it, before any request.
      if (mode === "popup") return undefined;
      throw error;
    }
  };
  const client =
    settings.clientId === undefined
      ? (known() ?? (await registerClient(metadata, clientMetadata, registration, options)))
      : { clientId: settings.clientId };
  const appState: LoginAppState = {
    startUrl: location.href,
    ...(returnTo !== undefined && { returnTo }),
  };
  return createFlow({
    metadata,
    clientId: client.clientId,
    homeserverUrl: target.homeserverUrl,
    identityServerUrl: settings.identityServer ?? target.identityServerUrl,
    redirectUri: settings.redirectUri,
    nonce: secureRandomString(32),
    prompt: settings.prompt,
    loginHint: settings.loginHint,
    deviceId: settings.deviceId,
    additionalScopes: settings.additionalScopes,
    urlState: mode === "popup" ? POPUP_STATE : undefined,
    responseMode:
      settings.responseMode ??
      (metadata.response_modes_supported?.includes("fragment") ? "fragment" : "query"),
    appState: {
      ...appState,
      ...("fingerprint" in client && { [REGISTRATION_STATE]: client.fingerprint }),
    },
  });
}
