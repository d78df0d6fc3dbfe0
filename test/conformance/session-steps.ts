// What a page does with a session, once a user is signed in; in either tier it runs in a browser.
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

/** A request by the session's own `fetch`. */
export interface Sent {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Made with a `Request` whose body a user has read. */
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
 * Something to do with a session: new tokens now; an access token that is good; signing out; the tokens
 * given back without it; new tokens by an `OidcTokenRefresher`; the session as a reload finds it. Another tab takes
 * the session's lock and keeps it, releases it, or signs in again, of which this one gets no message.
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
  /** What is done in turn; the last one's outcome is what counts. Default: new tokens, once. */
  readonly actions?: readonly Action[];
  /** As after a sign-in that did not say where tokens are refreshed. */
  readonly withoutEndpoints?: true;
  /** Laid over where they are refreshed and revoked. */
  readonly endpoints?: Readonly<Record<string, string>>;
  /** The homeserver that the user signed in to. */
  readonly homeserverUrl?: string;
  /** For every request to the issuer; in milliseconds. */
  readonly timeoutMs?: number;
}

/** How it ended, and what is left. */
export interface SessionRun {
  readonly outcome: { readonly ok: true; readonly value: string } | Failure;
  readonly state: SessionState;
  /** What the session dispatched. */
  readonly events: readonly string[];
  /** What the store had before the last action, and after it. */
  readonly stored: readonly [before: string | null, after: string | null];
  /** How long it wanted to wait, each time, in milliseconds. */
  readonly waits: readonly number[];
  /** Whether each request that the session's `fetch` sent had a token. */
  readonly sentWithToken: readonly boolean[];
}

/** Does with a session what there is to do. */
export async function live(
  result: AuthorizationCodeGrantResult,
  key: string,
  { actions = ["refresh"], withoutEndpoints, endpoints, timeoutMs, ...rest }: SessionSettings,
): Promise<SessionRun> {
  const waits = shortenWaits(timeoutMs);
  const { metadata, ...signIn } = { ...result, ...rest };
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

/** Takes a session's lock, as a tab does that the browser has suspended meanwhile; resolves with what releases it. */
const holdLock = (key: string): Promise<() => void> =>
  new Promise((hasLock) => {
    void navigator.locks.request(key, () => new Promise<void>((resolve) => hasLock(resolve)));
  });

/** What a tab stores in which the user has signed in again. */
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
 * Follows the page's requests from here on, also those that nobody waits for.
 *
 * @returns Resolves when each has a response.
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

/** Signs in by a code that the user types on another device. */
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
