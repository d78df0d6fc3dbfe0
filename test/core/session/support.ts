import {
  OidcSession,
  type MatrixSession,
  type AuthorizationCodeGrantResult,
  type OidcSessionOptions,
} from "matrix-auth-elements/core";
import { ScriptedFetch, held, json, type Responder } from "../../support/scripted-fetch.ts";
import { base64Url } from "../../support/scripted-provider.ts";
import { restoreStubs } from "../../support/stub.ts";

// A clock that a test moves doesn't wait for a module.
await import("../../../dist/core/session/token-refresh.js");
await import("../../../dist/core/http/secrets.js");

export const ISSUER = "https://idp.example/";
export const TOKEN = `POST ${ISSUER}token`;
export const REVOKE = `POST ${ISSUER}revoke`;
export const HOMESERVER = "https://matrix.example";
/** How users, other libraries, and well-known files write {@link HOMESERVER}. */
export const SPELLINGS_OF_HOMESERVER = [
  "matrix.example",
  "https:matrix.example",
  "https:/matrix.example",
  " https://matrix.example/\n",
  "https://Matrix.Example:443//",
  "https://matrix.example/_matrix/client/versions",
  "https://matrix.example/?server=1",
  "https://matrix.example/#/login",
  "\u{FF4D}atrix.example",
] as const;
/** No base URL, or one that isn't safe for tokens. */
export const NOT_BASE_URLS = [
  "http://matrix.example",
  "https://alice@matrix.example",
  "https://matrix example",
  "https://",
] as const;
export const WHOAMI = `${HOMESERVER}/_matrix/client/v3/account/whoami`;
export const CLIENT_ID = "client-of-this-test";
export const USER_ID = "@alice:example";
export const DEVICE_ID = "DEVICE1234";
export const SCOPE = `openid urn:matrix:client:api:* urn:matrix:client:device:${DEVICE_ID}`;
export const CLAIMS = { iss: ISSUER, sub: "alice", aud: CLIENT_ID, iat: 1, exp: 2 } as const;
export const LIFE_S = 300;

/** The tokens of a user who has just signed in. */
export function signIn(
  tokens: Partial<AuthorizationCodeGrantResult["tokenResponse"]> = {},
): AuthorizationCodeGrantResult {
  return {
    tokenResponse: {
      access_token: "secret-access-0",
      refresh_token: "secret-refresh-0",
      token_type: "Bearer",
      expires_in: LIFE_S,
      expires_at: Math.floor(Date.now() / 1000) + LIFE_S,
      scope: SCOPE,
      ...tokens,
    },
    oidcClientSettings: { clientId: CLIENT_ID, issuer: ISSUER },
    metadata: {
      issuer: ISSUER,
      token_endpoint: `${ISSUER}token`,
      revocation_endpoint: `${ISSUER}revoke`,
    },
    homeserverUrl: HOMESERVER,
    idTokenClaims: CLAIMS,
    deviceId: DEVICE_ID,
    scope: SCOPE,
  };
}

export const unsignedIdToken = (claims: unknown): string =>
  `e30.${base64Url(new TextEncoder().encode(JSON.stringify(claims)))}.AAAA`;

/**
 * An issuer that accepts each refresh token once. A repeated one revokes everything, as with
 * oidc-provider. Its homeserver knows only the newest access token.
 */
export class RotatingIssuer {
  /** The number of refresh tokens that were issued. */
  generation = 0;
  /** Whether a refresh token came twice, or was revoked. */
  revoked = false;
  /** An issuer that ignores revocations, because another issuer's tokens have the same names. */
  static withoutRevocation(): RotatingIssuer {
    const issuer = new RotatingIssuer();
    issuer.server.routes[REVOKE] = () => new Response();
    return issuer;
  }

  /** Members that replace those of an honest token response. An undefined member is left out. */
  tokens: Record<string, unknown> = {};
  readonly server: ScriptedFetch;

  constructor() {
    this.server = new ScriptedFetch({
      [TOKEN]: this.refresh,
      [REVOKE]: ({ body }) => {
        this.revoked ||= new URLSearchParams(body).has("token", this.refreshToken);
        return new Response();
      },
      [`GET ${WHOAMI}`]: ({ headers }) =>
        headers.get("Authorization") === `Bearer ${this.accessToken}` && !this.revoked
          ? Response.json({ user_id: USER_ID })
          : Response.json({ errcode: "M_UNKNOWN_TOKEN", error: "Unknown" }, { status: 401 }),
    });
  }

  get accessToken(): string {
    return `secret-access-${this.generation}`;
  }

  get refreshToken(): string {
    return `secret-refresh-${this.generation}`;
  }

  readonly refresh: Responder = ({ body }) => {
    const form = new URLSearchParams(body);
    const fits =
      form.get("grant_type") === "refresh_token" &&
      form.get("client_id") === CLIENT_ID &&
      form.get("refresh_token") === this.refreshToken;
    this.revoked ||= !fits;
    if (this.revoked) return Response.json({ error: "invalid_grant" }, { status: 400 });
    this.generation += 1;
    return Response.json({
      access_token: this.accessToken,
      refresh_token: this.refreshToken,
      token_type: "Bearer",
      expires_in: LIFE_S,
      scope: SCOPE,
      ...this.tokens,
    });
  };

  /** Holds back its next responses with tokens. */
  hold(): ReturnType<typeof held> {
    const token = held(this.refresh);
    this.server.routes[TOKEN] = token.respond;
    return token;
  }

  /** The tokens that were revoked, in their order. */
  get revocations(): readonly (string | null)[] {
    return this.server
      .to(`${ISSUER}revoke`)
      .map(({ body }) => new URLSearchParams(body).get("token"));
  }

  /** The refresh tokens that were received, in their order. */
  get received(): readonly (string | null)[] {
    return this.server
      .to(`${ISSUER}token`)
      .map(({ body }) => new URLSearchParams(body).get("refresh_token"));
  }
}

export interface RecordedEvent {
  readonly type: string;
  readonly softLogout?: boolean;
  readonly reason?: string;
  readonly code?: string;
  readonly retryAt?: number;
}

/** The events of a session. */
export function recordEvents(session: MatrixSession): readonly RecordedEvent[] {
  const events: RecordedEvent[] = [];
  session.addEventListener("session-changed", ({ type }) => events.push({ type }));
  session.addEventListener("session-refresh-failed", ({ type, detail: { error, retryAt } }) =>
    events.push({ type, code: error.code, retryAt }),
  );
  session.addEventListener("session-ended", ({ type, detail }) => events.push({ type, ...detail }));
  return events;
}

/** A session whose user is known, unless the options say otherwise. */
export const newSession = (
  issuer: RotatingIssuer,
  tokens?: Parameters<typeof signIn>[0],
  options: OidcSessionOptions = {},
): OidcSession =>
  new OidcSession(signIn(tokens), { fetch: issuer.server.fetch, userId: USER_ID, ...options });

/** The session that a store has, as after a reload or in another tab. */
export async function restoredSession(
  { server: { fetch } }: RotatingIssuer,
  options: OidcSessionOptions = {},
): Promise<OidcSession> {
  const session = await OidcSession.restore({ store: "localStorage", fetch, ...options });
  if (!session) throw new Error("The store has no session");
  return session;
}

export const DATABASE = "matrix-auth-elements";

/** The result of an IndexedDB request. It also rejects if another connection blocks it. */
export const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("no reason"));
    if (request instanceof IDBOpenDBRequest) request.onblocked = () => reject(new Error("blocked"));
  });

/**
 * Empties the page's stores before and after each test of a suite, and ends the stubs.
 *
 * @returns A function that keeps what a test has opened until its end, and then closes it.
 */
export function useEmptyStores(): <Opened extends { close(): void }>(opened: Opened) => Opened {
  const open: { close(): void }[] = [];
  const empty = async (): Promise<void> => {
    restoreStubs();
    for (const each of open.splice(0)) each.close();
    localStorage.clear();
    sessionStorage.clear();
    await settled(indexedDB.deleteDatabase(DATABASE));
  };
  beforeEach(empty);
  afterEach(empty);
  return (opened) => {
    open.push(opened);
    return opened;
  };
}

/** Tokens that have expired, or expire soon. */
export const ending = (seconds = 0): { readonly expires_at: number } => ({
  expires_at: Math.floor(Date.now() / 1000) + seconds,
});

export { json };
