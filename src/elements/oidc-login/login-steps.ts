import type { RegisteredClient, RequestOptions, ValidatedAuthMetadata } from "../../core/index.js";
import { OidcFlowError } from "../../core/oidc/errors.js";
import { WINDOW_STATE } from "../shared/hand-over.js";
import type { Core } from "../shared/load.js";
import type { LoginSettings } from "./login-settings.js";

/** Where a person can sign in. */
export interface LoginTarget {
  readonly metadata: ValidatedAuthMetadata;
  readonly homeserverUrl: string;
  readonly identityServerUrl?: string;
}

/**
 * Asks where to sign in, in two sequential requests: the homeserver's well-known file and its
 * metadata. A given `issuer` is asked for its own document instead of the latter.
 *
 * @throws {OidcFlowError} `InsecureContext`, before any request; whatever the discovery throws.
 */
export async function findTarget(
  core: Core,
  { homeserver, issuer }: Pick<LoginSettings, "homeserver" | "issuer">,
  options: RequestOptions,
): Promise<LoginTarget> {
  if (!isSecureContext) {
    throw new OidcFlowError("A secure context is required to log in", "insecure_context");
  }
  const discovering =
    homeserver === undefined ? undefined : core.discoverHomeserver(homeserver, options);
  if (issuer !== undefined) {
    const [metadata, found] = await Promise.all([
      core.discoverIssuer(issuer, options),
      discovering,
    ]);
    return { metadata, homeserverUrl: found?.baseUrl ?? "", ...identityServer(found) };
  }
  const found = await discovering;
  const homeserverUrl = found?.baseUrl ?? "";
  const metadata = await core.fetchAuthMetadata(homeserverUrl, {
    ...options,
    issuer: found?.issuer,
  });
  return { metadata, homeserverUrl, ...identityServer(found) };
}

const identityServer = (
  found: { readonly identityServerUrl?: string } | undefined,
): Pick<LoginTarget, "identityServerUrl"> =>
  found?.identityServerUrl === undefined ? {} : { identityServerUrl: found.identityServerUrl };

/** Refuses, before anybody is sent anywhere, what this target cannot do. */
export function checkTarget({ prompt }: LoginSettings, { metadata }: LoginTarget): void {
  if (prompt === "create" && !metadata.prompt_values_supported?.includes(prompt)) {
    throw new OidcFlowError(
      "Configured OIDC OP does not support required functions",
      "prompt_not_supported",
    );
  }
}

/** The names under which a login keeps its own state beside the flow. */
export interface LoginAppState {
  /** Where the login was started: the way to start again. */
  readonly startUrl: string;
  /** Where to go after signing in. */
  readonly returnTo?: string;
}

/** A login that has begun: what the end of it needs, and the address to go to. */
export type StartedLogin = Awaited<ReturnType<Core["createFlow"]>>;

/** Registers the application where no client id is known, and begins the login. */
export async function startLogin(
  core: Core,
  settings: LoginSettings,
  target: LoginTarget,
  options: RequestOptions,
): Promise<StartedLogin> {
  const { metadata } = target;
  const { clientMetadata, mode, registration, returnTo } = settings;
  // A login in a window needs no storage; any other is refused here, before anything is asked.
  const known = (): RegisteredClient | undefined =>
    mode === "popup" && registration === "per-login"
      ? undefined
      : core.knownClient(metadata, clientMetadata, registration);
  const client =
    settings.clientId === undefined
      ? (known() ?? (await core.registerClient(metadata, clientMetadata, registration, options)))
      : { clientId: settings.clientId };
  const appState: LoginAppState = {
    startUrl: location.href,
    ...(returnTo !== undefined && { returnTo }),
  };
  return core.createFlow({
    metadata,
    clientId: client.clientId,
    homeserverUrl: target.homeserverUrl,
    identityServerUrl: settings.identityServer ?? target.identityServerUrl,
    redirectUri: settings.redirectUri,
    nonce: core.secureRandomString(32),
    prompt: settings.prompt,
    loginHint: settings.loginHint,
    deviceId: settings.deviceId,
    urlState: mode === "popup" ? WINDOW_STATE : undefined,
    responseMode:
      settings.responseMode ??
      (metadata.response_modes_supported?.includes("fragment") ? "fragment" : "query"),
    appState: {
      ...appState,
      ...("fingerprint" in client && { [core.REGISTRATION_STATE]: client.fingerprint }),
    },
  });
}
