// For programs that run in Node, such as command-line tools and Electron's main process.
import { withTimeout } from "../core/http/fetch.js";
import {
  type AuthorizationCodeGrantResult,
  completeFlow,
  type CompletionOptions,
  createFlow,
  type OidcAuthorizationOptions,
  OidcError,
  OidcFlowError,
  type OidcRegistrationClientMetadata,
  OidcSession,
  type PendingFlow,
  registerOidcClient,
  secureRandomString,
  type SessionOptions,
  type ValidatedAuthMetadata,
} from "../core/index.js";
import { findProvider } from "../core/matrix/provider.js";
import { requestFailed } from "../core/oauth/errors.js";
import { MAX_ATTEMPTS, retry } from "../core/session/single-flight.js";
import { startLoopbackServer } from "./loopback-server.js";
import { openInBrowser } from "./open-in-browser.js";

/** What {@link signInWithLoopback} takes. */
export interface LoopbackOptions
  extends
    Pick<SessionOptions, "store" | "key">,
    Pick<CompletionOptions, "idToken" | "signal" | "fetch">,
    Pick<OidcAuthorizationOptions, "prompt" | "loginHint" | "deviceId" | "additionalScopes"> {
  /** A server name, user ID or base URL. */
  readonly homeserver: string;
  /** How to register the program with the provider. Needed without `clientId`. */
  readonly clientMetadata?:
    Omit<OidcRegistrationClientMetadata, "redirectUris" | "applicationType"> | undefined;
  /** If the program is registered already: for `http://127.0.0.1` with this `path`, and with `port` if it is set. */
  readonly clientId?: string | undefined;
  /**
   * Shows the user a URL. Default: opens it in the system's browser. The login goes on when it returns, and ends if
   * it throws or rejects.
   */
  readonly open?: ((url: string) => unknown) | undefined;
  /** Where to listen. Default: a port that is free. */
  readonly port?: number | undefined;
  /** The redirect URI's path. Default: `/callback`. */
  readonly path?: string | undefined;
  /**
   * The HTML document that the browser shows at the end; styles within it apply, scripts do not run. Default: one
   * sentence in English.
   */
  readonly page?: string | undefined;
  /** How long to wait for the user, in milliseconds. Default: 300000. Each request has 10 s besides. */
  readonly timeoutMs?: number | undefined;
}

export interface LoopbackSignIn {
  /** Keeps the tokens in the store. If that has failed, its `stored` rejects; the session works all the same. */
  readonly session: OidcSession;
  readonly result: AuthorizationCodeGrantResult;
}

const DEFAULT_TIMEOUT_MS = 5 * 60 * 1000;

const PAGE = `<!doctype html>
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
 * Signs a user in from a program that runs in Node: the user's own browser shows the provider's pages, and sends the
 * response to a server that this call starts on 127.0.0.1, and stops before it returns. Requests that are not the
 * response, such as those with another `state`, are refused and do not end the wait. If the tokens cannot be had for the
 * moment, they are asked for again, for some 15 seconds or as long as the provider asks to wait, at most a minute.
 *
 * @returns Once the session is in its store. A session that was there under the same key is replaced only now.
 * @throws {OidcFlowError} as `discoverHomeserver()`, `fetchAuthMetadata()`, `registerOidcClient()` and
 *   `completeFlow()` do; `Misconfigured`: `settings_invalid`, `port_unavailable`; `OpSupport`
 *   (`prompt_not_supported`); `AuthorizationRefused` (`access_denied`) if the user declined; `CodeExchangeFailed`:
 *   `timeout`, `aborted`, `browser_unavailable`.
 * @see https://www.rfc-editor.org/rfc/rfc8252#section-7.3
 * @experimental
 */
export async function signInWithLoopback(options: LoopbackOptions): Promise<LoopbackSignIn> {
  const { signal, fetch, store, key } = options;
  const requests = { signal, fetch };
  const server = await startLoopbackServer({
    port: options.port ?? 0,
    path: options.path ?? "/callback",
    page: options.page ?? PAGE,
  });
  let flow, response;
  try {
    const { homeserver } = options;
    const { metadata: requested, ...found } = await findProvider({ homeserver }, requests);
    const metadata = await requested;
    checkPrompt(options, metadata);
    const { redirectUri } = server;
    const created = await createFlow({
      ...found,
      metadata,
      clientId: options.clientId ?? (await register(metadata, redirectUri, options)),
      redirectUri,
      nonce: secureRandomString(32),
      prompt: options.prompt,
      loginHint: options.loginHint,
      deviceId: options.deviceId,
      additionalScopes: options.additionalScopes,
    });
    flow = created.flow;
    response = await waitForUser(server.responseTo(flow.state), created.url, options);
  } finally {
    server.close();
  }
  const result = await complete(flow, response, options);
  const session = new OidcSession(result, { store, key, fetch });
  // Without the store there is still a session: the code has been used, and the tokens are valid.
  await session.stored.catch(() => undefined);
  return { session, result };
}

/** The user has done all there is to do: what may pass does not end the login. */
async function complete(
  flow: PendingFlow,
  response: URLSearchParams,
  { signal, fetch, idToken }: LoopbackOptions,
): Promise<AuthorizationCodeGrantResult> {
  const exchange = () => completeFlow(flow, response, { signal, fetch, idToken });
  try {
    return await retry(exchange, MAX_ATTEMPTS, signal ?? new AbortController().signal);
  } catch (cause) {
    throw requestFailed(OidcError.CodeExchangeFailed, cause, "aborted");
  }
}

function checkPrompt({ prompt }: LoopbackOptions, metadata: ValidatedAuthMetadata): void {
  if (prompt !== "create" || metadata.prompt_values_supported?.includes(prompt)) return;
  throw new OidcFlowError(OidcError.OpSupport, "prompt_not_supported");
}

function register(
  metadata: ValidatedAuthMetadata,
  redirectUri: string,
  { clientMetadata, signal, fetch }: LoopbackOptions,
): Promise<string> {
  if (!clientMetadata) {
    const cause = new Error("Neither clientId nor clientMetadata is set");
    throw new OidcFlowError(OidcError.Misconfigured, "settings_invalid", cause);
  }
  const client = { ...clientMetadata, redirectUris: [redirectUri] };
  return registerOidcClient(metadata, client, { signal, fetch });
}

async function waitForUser(
  response: Promise<URLSearchParams>,
  url: string,
  { open = openInBrowser, signal, timeoutMs = DEFAULT_TIMEOUT_MS }: LoopbackOptions,
): Promise<URLSearchParams> {
  const failure = new Promise<never>((_, reject) => {
    // Only a failure counts: whatever shows the URL may return long before the user has signed in.
    Promise.resolve(url).then(open).catch(reject);
  });
  try {
    const wait = () => Promise.race([response, failure]);
    return await withTimeout(wait, "the user's browser", { signal, timeoutMs });
  } catch (cause) {
    throw requestFailed(OidcError.CodeExchangeFailed, cause, "browser_unavailable");
  }
}
