// What a page does to sign a user in; in either tier it runs in a browser.
import {
  OidcFlowError,
  completeAuthorizationCodeGrant,
  completeAuthorizationCodeGrantFromUrl,
  discoverAndValidateOIDCIssuerWellKnown,
  discoverHomeserver,
  fetchAuthMetadata,
  generateOidcAuthorizationUrl,
  registerOidcClient,
  secureRandomString,
  type AuthorizationCodeGrantResult,
  type ValidatedAuthMetadata,
} from "matrix-auth-elements/core";

/** How a row has the page log in. */
export interface LoginSettings {
  /** Where it starts. Default: the environment's homeserver, by its name. */
  readonly homeserver?: string;
  readonly issuer?: string;
  /** Instead of a registration. */
  readonly clientId?: string;
  /** What the app registers as its own home page. Default: its origin. */
  readonly clientUri?: string;
  /** Redirect URIs that it registers beside the one that the sign-in uses. */
  readonly otherRedirectUris?: readonly string[];
  readonly responseMode?: "query" | "fragment";
  readonly allowedOrigins?: readonly string[];
  /** For every request; in milliseconds. */
  readonly timeoutMs?: number;
  readonly idToken?: "required" | "when-available";
  /** Calls the form of the completion that takes only code and state. */
  readonly byCodeAndState?: boolean;
  /** How often the sign-in is completed at most, until it succeeds. Default: once. */
  readonly tries?: number;
  /** Completes the sign-in once more when it has succeeded. */
  readonly replayed?: boolean;
  /** Signs in by a code that the user types on another device. */
  readonly byDevice?: boolean;
  /** When the page gives up such a sign-in; in milliseconds. Default: never. */
  readonly givesUpAfterMs?: number;
}

export interface Start extends LoginSettings {
  readonly redirectUri: string;
  readonly clientUri: string;
}

export interface Started {
  readonly ok: true;
  readonly url: string;
  readonly state: string;
  readonly codeVerifier: string;
}

export interface Finished {
  readonly ok: true;
  /** All of it, as the app gets it. */
  readonly result: AuthorizationCodeGrantResult;
  readonly accessToken: string;
  readonly issuer: string;
  readonly subject: string | undefined;
  readonly deviceId: string;
  readonly scope: string;
  readonly expiresAt: number | undefined;
}

export interface Failure {
  readonly ok: false;
  readonly name: string;
  readonly message: string;
  readonly code: string | undefined;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  /** The messages of the causes, the deepest last. */
  readonly causes: readonly string[];
  /** The code of the first of them. */
  readonly causeCode: string | undefined;
  /** Every text that can be reached from the error: what a log or a crash report may hold. */
  readonly texts: string;
  /** What is left of the sign-in in the page's storages. */
  readonly kept: readonly string[];
}

/** From the homeserver or the issuer to the URL that the browser goes to. */
export async function start(settings: Start): Promise<Started | Failure> {
  try {
    const { metadata, homeserverUrl } = await discover(settings);
    const clientId = await clientIdOf(metadata, settings);
    const { redirectUri } = settings;
    const nonce = secureRandomString(32);
    const { responseMode } = settings;
    const options = { metadata, clientId, homeserverUrl, redirectUri, nonce, responseMode };
    const url = await generateOidcAuthorizationUrl(options);
    const state = new URL(url).searchParams.get("state") ?? "";
    const [record = "{}"] = recordsOf(state);
    const { codeVerifier } = JSON.parse(record) as { codeVerifier: string };
    return { ok: true, url, state, codeVerifier };
  } catch (error) {
    return failure(error, "");
  }
}

export async function clientIdOf(
  metadata: ValidatedAuthMetadata,
  { clientId, redirectUri, otherRedirectUris = [], clientUri, timeoutMs }: Start,
): Promise<string> {
  const client = { clientUri, redirectUris: [redirectUri, ...otherRedirectUris] };
  return clientId ?? registerOidcClient(metadata, client, { timeoutMs });
}

export async function discover({
  homeserver,
  issuer,
  allowedOrigins,
  timeoutMs,
}: Start): Promise<{ metadata: ValidatedAuthMetadata; homeserverUrl: string }> {
  const options = { allowedOrigins, timeoutMs };
  if (issuer !== undefined) {
    const metadata = await discoverAndValidateOIDCIssuerWellKnown(issuer, options);
    return { metadata, homeserverUrl: location.origin };
  }
  const found = await discoverHomeserver(homeserver ?? "", options);
  const metadata = await fetchAuthMetadata(found.baseUrl, { ...options, issuer: found.issuer });
  return { metadata, homeserverUrl: found.baseUrl };
}

/** From the URL that the browser returned to. */
export async function complete(
  address: string,
  state: string,
  settings: LoginSettings,
): Promise<Finished | Failure> {
  const { tries = 1 } = settings;
  const outcome = await completeOnce(address, state, settings);
  if (outcome.ok || tries <= 1) return outcome;
  return complete(address, state, { ...settings, tries: tries - 1 });
}

async function completeOnce(
  address: string,
  state: string,
  { timeoutMs, idToken, byCodeAndState }: LoginSettings,
): Promise<Finished | Failure> {
  try {
    const { searchParams } = new URL(address);
    const given = [searchParams.get("code") ?? "", searchParams.get("state") ?? ""] as const;
    const options = { timeoutMs, idToken };
    const result = byCodeAndState
      ? await completeAuthorizationCodeGrant(...given, options)
      : await completeAuthorizationCodeGrantFromUrl(address, options);
    return finished(result);
  } catch (error) {
    return failure(error, state);
  }
}

export const finished = (result: AuthorizationCodeGrantResult): Finished => ({
  ok: true,
  result,
  accessToken: result.tokenResponse.access_token,
  issuer: result.oidcClientSettings.issuer,
  subject: result.idTokenClaims?.sub,
  deviceId: result.deviceId,
  scope: result.scope,
  expiresAt: result.tokenResponse.expires_at,
});

export function failure(error: unknown, state: string): Failure {
  const known = error instanceof OidcFlowError ? error : undefined;
  return {
    ok: false,
    name: error instanceof Error ? error.name : typeof error,
    message: error instanceof Error ? error.message : String(error),
    code: known?.code,
    retryable: known?.retryable ?? false,
    retryAfterMs: known?.retryAfterMs,
    causes: causesOf(error),
    causeCode: known?.cause instanceof OidcFlowError ? known.cause.code : undefined,
    texts: textsIn(error).join("\n"),
    kept: state ? recordsOf(state) : [],
  };
}

function causesOf(error: unknown): readonly string[] {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error ? [cause.message, ...causesOf(cause)] : [];
}

function textsIn(value: unknown, seen = new Set<unknown>()): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || seen.has(value)) return [];
  seen.add(value);
  const entries = value instanceof Headers || value instanceof URLSearchParams ? [...value] : [];
  return [
    String(value),
    JSON.stringify(value) ?? "",
    ...entries.flat(),
    ...Reflect.ownKeys(value).flatMap((key) => textsIn(Reflect.get(value, key), seen)),
  ];
}

/** What the storages hold of a sign-in. */
function recordsOf(state: string): readonly string[] {
  return [sessionStorage, localStorage].flatMap((storage) =>
    Object.entries(storage)
      .filter(([key, value]) => `${key}${String(value)}`.includes(state))
      .map(([, value]) => String(value)),
  );
}
