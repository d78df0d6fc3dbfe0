// For programs that run in Node, such as command-line tools and Electron's main process.
import { type RequestOptions, withTimeout } from "../core/http/fetch.js";
import {
  type AuthorizationCodeGrantResult,
  completeFlow,
  type CompletionOptions,
  createFlow,
  type OidcAuthorizationOptions,
  type OidcRegistrationClientMetadata,
  OidcSession,
  type PendingFlow,
  registerOidcClient,
  secureRandomString,
  type SessionOptions,
  type ValidatedAuthMetadata,
} from "../core/index.js";
import { findProvider } from "../core/matrix/provider.js";
import { requestWhoami } from "../core/matrix/whoami.js";
import { requestFailed, settingsInvalid } from "../core/oauth/errors.js";
import { assertPrompt } from "../core/oauth/metadata.js";
import { OTHER_DEVICE, scopeNotGranted } from "../core/oauth/scope.js";
import { retryTemporary } from "../core/session/single-flight.js";
import { type LoopbackServer, openInBrowser, startLoopbackServer } from "./loopback.js";

export { createFileStore } from "./file-store.js";

/** The options of {@link signInWithLoopback}. */
export interface LoopbackOptions
  extends
    Pick<SessionOptions, "store" | "key">,
    Pick<CompletionOptions, "idToken" | "signal" | "fetch">,
    Pick<OidcAuthorizationOptions, "prompt" | "loginHint" | "deviceId" | "additionalScopes"> {
  /** A server name, user ID or base URL. */
  readonly homeserver: string;
  /** The metadata with which the program is registered. Required without `clientId`. */
  readonly clientMetadata?:
    Omit<OidcRegistrationClientMetadata, "redirectUris" | "applicationType"> | undefined;
  /**
   * The ID of a client that is registered for `http://127.0.0.1` with this `path`, and with `port`
   * if it is set.
   */
  readonly clientId?: string | undefined;
  /**
   * Shows the user a URL. If it throws or rejects, the sign-in ends. The URL contains the sign-in's
   * `state`. Don't pass it to another process as an argument, because other users of this machine
   * can read arguments. Default: opens the browser with a URL of the server on 127.0.0.1 that works
   * once.
   */
  readonly open?: ((url: string) => unknown) | undefined;
  /** The port to listen on. Default: a free one. */
  readonly port?: number | undefined;
  /** The redirect URI's path. Default: `/callback`. */
  readonly path?: string | undefined;
  /**
   * The HTML document that the browser shows at the end. Its inline styles apply, but scripts do
   * not run. Default: one sentence in English.
   */
  readonly page?: string | undefined;
  /**
   * The longest wait for the user, in milliseconds. Default: 300000. Each request can take 30
   * seconds more.
   */
  readonly timeoutMs?: number | undefined;
}

export interface LoopbackSignIn {
  /** The session. If the store failed, `stored` rejects, but the session still works. */
  readonly session: OidcSession;
  readonly result: AuthorizationCodeGrantResult;
}

const DEFAULT_PAGE = `<!doctype html>
<html lang="en">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>Sign-in</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; margin: 20vh auto; max-width: 30rem; padding: 1rem }</style>
<p>You can close this window and return to the application.</p>
</html>
`;

/**
 * Signs a user in from a program that runs in Node. The user's own browser shows the provider's
 * pages, and sends the response to a server on 127.0.0.1 that runs during this call. Other requests
 * to the server, such as those with another `state`, are rejected and do not end the wait. The URL
 * that the browser opens first works only once. If it is requested twice, the sign-in ends. After a
 * temporary failure, the tokens are requested again for about 15 seconds, or after the delay that
 * the provider requires, at most a minute.
 *
 * @returns The session, which is already stored. It has replaced an earlier session under the same
 *   key.
 * @throws {OidcFlowError} as `discoverHomeserver()`, `fetchAuthMetadata()`, `registerOidcClient()`
 *   and `completeFlow()` do; `Misconfigured`: `settings_invalid`, `port_unavailable`; `OpSupport`
 *   (`prompt_not_supported`); `AuthorizationRefused` (`access_denied`) if the user declined;
 *   `CodeExchangeFailed`: `timeout`, `aborted`, `browser_unavailable`.
 * @see https://www.rfc-editor.org/rfc/rfc8252#section-7.3
 * @experimental
 */
export async function signInWithLoopback(options: LoopbackOptions): Promise<LoopbackSignIn> {
  const { signal, fetch, store, key, idToken } = options;
  const requests = { signal, fetch };
  const { port = 0, path = "/callback", page = DEFAULT_PAGE } = options;
  const server = await startLoopbackServer(port, path, page);
  const { redirectUri } = server;
  let flow: PendingFlow;
  let response: URLSearchParams;
  try {
    const { homeserver, prompt } = options;
    const { provider: requested, ...found } = await findProvider({ homeserver }, requests);
    const provider = await requested;
    assertPrompt(provider.named, prompt);
    const [clientId, metadata] = await Promise.all([
      options.clientId ?? registerProgram(provider.named, redirectUri, options),
      provider.confirm(requests),
    ]);
    assertPrompt(metadata, prompt);
    const created = await createFlow({
      ...found,
      metadata,
      clientId,
      redirectUri,
      nonce: secureRandomString(32),
      prompt,
      loginHint: options.loginHint,
      deviceId: options.deviceId,
      additionalScopes: options.additionalScopes,
    });
    flow = created.flow;
    response = await waitForUser(server, flow.state, created.url, options);
  } finally {
    server.close();
  }
  const confirm = flow.isDeviceNamed
    ? (granted: AuthorizationCodeGrantResult) => confirmDevice(granted, requests)
    : undefined;
  const exchange = () => completeFlow(flow, response, { ...requests, idToken, confirm });
  let result;
  try {
    // Retry after temporary failures, because the user's part is done.
    result = await retryTemporary(exchange, signal);
  } catch (cause) {
    throw requestFailed("Failed to exchange code for token", cause, "aborted");
  }
  const session = new OidcSession(result, { store, key, fetch });
  // Even if the store fails, the tokens are valid, and the code cannot be used again.
  await session.stored.catch(() => undefined);
  return { session, result };
}

/**
 * Confirms the device that the program has named, because the granted scope might name none.
 *
 * @throws {OidcFlowError} `InvalidBearerTokenResponse` (`scope_not_granted`) if the homeserver names
 *   another one.
 */
async function confirmDevice(
  { homeserverUrl, tokenResponse, deviceId }: AuthorizationCodeGrantResult,
  options: RequestOptions,
): Promise<void> {
  const { access_token } = tokenResponse;
  const found = await requestWhoami(homeserverUrl, access_token, options).catch(() => undefined);
  options.signal?.throwIfAborted();
  if ((found?.device_id ?? deviceId) !== deviceId) throw scopeNotGranted(OTHER_DEVICE);
}

function registerProgram(
  metadata: ValidatedAuthMetadata,
  redirectUri: string,
  { clientMetadata, signal, fetch }: LoopbackOptions,
): Promise<string> {
  if (!clientMetadata) throw settingsInvalid("Neither clientId nor clientMetadata is set");
  const client = { ...clientMetadata, redirectUris: [redirectUri] };
  return registerOidcClient(metadata, client, { signal, fetch });
}

async function waitForUser(
  server: LoopbackServer,
  state: string,
  url: string,
  { open, signal, timeoutMs = 5 * 60_000 }: LoopbackOptions,
): Promise<URLSearchParams> {
  const response = server.responseTo(state);
  const failure = new Promise<never>((_, reject) => {
    const onReuse = () => reject(new Error("The URL of the sign-in was opened twice"));
    const show = open ?? (() => openInBrowser(server.redirectOnce(url, onReuse)));
    // Only a failure ends the wait: `open` might return long before the user has signed in.
    Promise.resolve(url).then(show).catch(reject);
  });
  try {
    const wait = () => Promise.race([response, failure]);
    return await withTimeout(wait, "the user's browser", { signal, timeoutMs });
  } catch (cause) {
    throw requestFailed("Failed to exchange code for token", cause, "browser_unavailable");
  }
}
