// The page's actions with a session. They run in a browser in both tiers.
import {
  OidcSession,
  accountManagementUrl,
  revokeTokens,
  startDeviceAuthorization,
  completeDeviceAuthorizationGrant,
  type AuthorizationCodeGrantResult,
  type SessionState,
} from "matrix-auth-elements/core";
import { OidcTokenRefresher } from "matrix-auth-elements/matrix-js-sdk";
import {
  clientIdOf,
  discover,
  failure,
  finished,
  type Failure,
  type Finished,
  type Start,
} from "./login-steps.js";
import { shortenWaits } from "./short-waits.js";

/** A request through the session's `fetch`. */
export interface Sent {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The caller has read the body of the `Request` already. */
  readonly used?: true;
  readonly redirect?: RequestRedirect;
}

/** The URL of a page where the user manages the account. */
export interface Link {
  readonly metadata: Parameters<typeof accountManagementUrl>[0];
  readonly action?: string;
  readonly deviceId?: string;
}

/**
 * An action with a session. "another tab stalls" takes the session's lock, and "another tab continues"
 * releases it. After "another tab signs in", this tab gets no message.
 */
export type Action =
  | "refresh"
  | "access token"
  | "sign out"
  | "revoke"
  | "refresh with a separate client"
  | "reload"
  | "another tab stalls"
  | "another tab continues"
  | "another tab signs in"
  | Sent
  | Link;

export interface SessionSettings {
  /** The actions in their order. The last one's outcome counts. Default: one refresh. */
  readonly actions?: readonly Action[];
  /** The access token of the sign-in has expired. */
  readonly expired?: true;
  /** The sign-in did not store the endpoints. */
  readonly withoutEndpoints?: true;
  /** Merged over the endpoints for refreshing and revoking tokens. */
  readonly endpoints?: Readonly<Record<string, string>>;
  /** The homeserver that the user signed in to. */
  readonly homeserverUrl?: string;
  /** The time limit of every request to the issuer, in milliseconds. */
  readonly timeoutMs?: number;
}

/** The outcome of the actions. */
export interface SessionRun {
  readonly outcome: { readonly ok: true; readonly value: string } | Failure;
  readonly state: SessionState;
  /** The session's events. */
  readonly events: readonly string[];
  /** The store's record before and after the last action. */
  readonly stored: readonly [before: string | null, after: string | null];
  /** The session's waits, in milliseconds. */
  readonly waits: readonly number[];
  /** Whether each request that the session's `fetch` sent had a token. */
  readonly sentWithToken: readonly boolean[];
}

/** Runs the actions with a session. */
export async function live(
  result: AuthorizationCodeGrantResult,
  key: string,
  {
    actions = ["refresh"],
    expired,
    withoutEndpoints,
    endpoints,
    timeoutMs,
    ...rest
  }: SessionSettings,
): Promise<SessionRun> {
  const waits = shortenWaits(timeoutMs);
  const tokenResponse = { ...result.tokenResponse, ...(expired && { expires_at: 1 }) };
  const { metadata, ...signIn } = { ...result, tokenResponse, ...rest };
  const where = { ...metadata, ...endpoints } as NonNullable<typeof metadata>;
  const grant = withoutEndpoints ? signIn : { ...signIn, metadata: where };
  const sentWithToken: boolean[] = [];
  const options = {
    store: "localStorage",
    key,
    // Otherwise it would ask after a reload.
    userId: "@alice:homeserver",
    timeoutMs,
    fetch: (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
      if (input instanceof Request) sentWithToken.push(input.headers.has("Authorization"));
      return fetch(input, init);
    },
  } as const;
  const requestsSent = followRequests();
  const events: string[] = [];
  const listenTo = (one: OidcSession): OidcSession => {
    one.addEventListener("session-changed", () => events.push("changed"));
    one.addEventListener("session-ended", ({ detail }) =>
      events.push(detail.softLogout ? "ended softly" : "ended"),
    );
    return one;
  };
  let session = listenTo(new OidcSession(grant, options));
  await session.stored;

  const { clientId, issuer } = grant.oidcClientSettings;
  const refresher = new OidcTokenRefresher(
    issuer,
    clientId,
    "",
    grant.deviceId,
    grant.idTokenClaims,
    { timeoutMs, ...(!withoutEndpoints && { metadata: where }) },
  );
  let refreshToken = grant.tokenResponse.refresh_token ?? "";

  let release = (): void => undefined;
  const act = async (action: Action): Promise<string | Failure> => {
    if (action === "refresh") return session.refresh();
    if (action === "access token") return session.accessToken();
    if (action === "revoke") {
      await revokeTokens(where, clientId, grant.tokenResponse, { timeoutMs });
      return "revoked";
    }
    if (action === "sign out") {
      const taken = await session.signOut();
      return taken ? "revoked" : { ...failure(undefined, ""), name: "not taken back" };
    }
    if (action === "refresh with a separate client") {
      const tokens = await refresher.doRefreshAccessToken(refreshToken);
      refreshToken = tokens.refreshToken ?? refreshToken;
      return tokens.accessToken;
    }
    if (action === "reload") {
      session.close();
      const restored = await OidcSession.restore(options);
      if (!restored) throw new Error("The store has no session");
      session = listenTo(restored);
      return "restored";
    }
    if (action === "another tab stalls") {
      release = await holdLock(key);
      return "stalled";
    }
    if (action === "another tab continues") {
      release();
      return "gone on";
    }
    if (action === "another tab signs in") {
      localStorage.setItem(key, await newerRecord(grant, key));
      return "signed in";
    }
    if ("metadata" in action) {
      const { metadata: said, action: name, deviceId } = action;
      const link = accountManagementUrl(said, name, { deviceId });
      return link ?? { ...failure(undefined, ""), name: "no link" };
    }
    const { url, used, ...init } = action;
    const request = new Request(url, init);
    if (used) await request.text();
    const response = await session.fetch(request);
    const body = await response.text();
    if (response.ok) return body;
    const { errcode } = (await new Response(body).json().catch(() => ({}))) as { errcode?: string };
    const { status } = response;
    return { ...failure(undefined, ""), name: "Response", message: String(status), code: errcode };
  };

  let outcome: SessionRun["outcome"] = { ok: true, value: "" };
  let before = localStorage.getItem(key);
  for (const action of actions) {
    before = localStorage.getItem(key);
    const value = await act(action).catch((error: unknown) => failure(error, ""));
    outcome = typeof value === "string" ? { ok: true, value } : value;
  }
  const stored = [before, localStorage.getItem(key)] as const;
  await requestsSent();
  const { state } = session;
  release();
  session.close();
  refresher.close();
  localStorage.removeItem(key);
  return { outcome, state, events, stored, waits, sentWithToken };
}

/** Takes a session's lock, like a tab that the browser has suspended. Resolves to a function that releases it. */
const holdLock = (key: string): Promise<() => void> =>
  new Promise((hasLock) => {
    void navigator.locks.request(key, () => new Promise<void>((resolve) => hasLock(resolve)));
  });

/** The record that a tab stores when the user signs in again. */
async function newerRecord(grant: AuthorizationCodeGrantResult, key: string): Promise<string> {
  const ownKey = `${key}:newer`;
  const newer = new OidcSession(
    { ...grant, deviceId: "NEWER" },
    { store: "localStorage", key: ownKey },
  );
  await newer.stored;
  const record = localStorage.getItem(ownKey) ?? "";
  newer.close();
  localStorage.removeItem(ownKey);
  return record;
}

/**
 * Records the page's later requests, including those that the library does not await.
 *
 * @returns a function that waits until each request has a response.
 */
function followRequests(): () => Promise<void> {
  const { fetch } = globalThis;
  const underWay = new Set<Promise<unknown>>();
  globalThis.fetch = (...request) => {
    const response = fetch(...request);
    underWay.add(response);
    const done = (): unknown => underWay.delete(response);
    response.then(done, done);
    return response;
  };
  return async () => {
    do {
      await new Promise((done) => setTimeout(done));
      await Promise.allSettled(underWay);
    } while (underWay.size > 0);
    globalThis.fetch = fetch;
  };
}

/** Signs in with a code that the user types on another device. */
export async function signInByDevice(
  settings: Start,
): Promise<(Finished | Failure) & Pick<SessionRun, "waits">> {
  const waits = shortenWaits(settings.timeoutMs);
  const { timeoutMs, givesUpAfterMs } = settings;
  try {
    const { metadata, homeserverUrl } = await discover(settings);
    const clientId = await clientIdOf(metadata, settings);
    const session = await startDeviceAuthorization({ metadata, clientId }, { timeoutMs });
    const signal = givesUpAfterMs === undefined ? undefined : AbortSignal.timeout(givesUpAfterMs);
    const grant = { session, metadata, clientId, homeserverUrl };
    const result = await completeDeviceAuthorizationGrant(grant, { timeoutMs, signal });
    return { ...finished(result), waits };
  } catch (error) {
    return { ...failure(error, ""), waits };
  }
}
