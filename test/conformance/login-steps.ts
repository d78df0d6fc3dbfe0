// The page's steps of a sign-in. They run in a browser in both tiers.
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

/** A row's settings for the page's sign-in. */
export interface LoginSettings {
  /** The server name that the sign-in starts from. Default: the environment's homeserver. */
  readonly homeserver?: string;
  readonly issuer?: string;
  /** Instead of a registration. */
  readonly clientId?: string;
  /** The app's home page for the registration. Default: its origin. */
  readonly clientUri?: string;
  /** Redirect URIs that the app registers in addition to the sign-in's own. */
  readonly otherRedirectUris?: readonly string[];
  readonly responseMode?: "query" | "fragment";
  readonly allowedOrigins?: readonly string[];
  /** The time limit of every request, in milliseconds. */
  readonly timeoutMs?: number;
  readonly idToken?: "required" | "when-available";
  /** Calls the form of the completion that takes only code and state. */
  readonly byCodeAndState?: boolean;
  /** The maximum number of tries to complete the sign-in. Default: 1. */
  readonly tries?: number;
  /** Whether to complete the sign-in once more after it has succeeded. */
  readonly replayed?: boolean;
  /** Whether the user types a code on another device. */
  readonly byDevice?: boolean;
  /** The time after which the page gives up the sign-in on another device, in milliseconds. Default: never. */
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
  /** The whole result, as the app gets it. */
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
  /** The code of the first cause. */
  readonly causeCode: string | undefined;
  /** Every text that can be reached from the error, as a log or a crash report might show it. */
  readonly texts: string;
  /** The records of the sign-in that are left in the page's storages. */
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

/** The records of a sign-in in the page's storages. */
function recordsOf(state: string): readonly string[] {
  return [sessionStorage, localStorage].flatMap((storage) =>
    Object.entries(storage)
      .filter(([key, value]) => `${key}${String(value)}`.includes(state))
      .map(([, value]) => String(value)),
  );
}
