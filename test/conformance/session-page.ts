// What runs in the browser, in a page of its own for each session: what is done with it once a person is
// signed in. A page that waits, waits only a fiftieth of the time.
import {
  OidcSession,
  OidcTokenRefresher,
  accountManagementUrl,
  revokeTokens,
  startDeviceAuthorization,
  waitForDeviceAuthorization,
  type AuthorizationCodeGrantResult,
  type SessionState,
} from "matrix-auth-elements/core";
import {
  clientIdOf,
  discover,
  failure,
  finished,
  type Conformance,
  type Failure,
  type Finished,
  type Start,
} from "./page.js";

/** A request by the session's own `fetch`. */
export interface Sent {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Made with a `Request` whose body somebody has read. */
  readonly used?: true;
  readonly redirect?: RequestRedirect;
}

/** The address of a page where the person manages the account. */
export interface Link {
  readonly metadata: Parameters<typeof accountManagementUrl>[0];
  readonly action?: string;
  readonly deviceId?: string;
}

/**
 * Something to do with a session: new tokens now; an access token that is good; signing out; the tokens
 * given back without it; new tokens by an `OidcTokenRefresher`; the session as a reload finds it.
 */
export type Deed =
  | "refresh"
  | "access token"
  | "sign out"
  | "revoke"
  | "refresh by a client of its own"
  | "reload"
  | Sent
  | Link;

export interface SessionSettings {
  /** What is done in turn; the last one's outcome is what counts. Default: new tokens, once. */
  readonly deeds?: readonly Deed[];
  /** As after a sign-in that did not say where tokens are refreshed. */
  readonly withoutEndpoints?: true;
  /** Laid over where they are refreshed and revoked. */
  readonly endpoints?: Readonly<Record<string, string>>;
  /** The homeserver that the person signed in to. */
  readonly homeserverUrl?: string;
  /** For every request to the issuer; in milliseconds. */
  readonly timeoutMs?: number;
}

/** How it ended, and what is left. */
export interface Lived {
  readonly outcome: { readonly ok: true; readonly value: string } | Failure;
  readonly state: SessionState;
  /** What the session told. */
  readonly events: readonly string[];
  /** What the store had before the last deed, and after it. */
  readonly stored: readonly [before: string | null, after: string | null];
  /** How long it wanted to wait, each time, in milliseconds. */
  readonly waits: readonly number[];
  /** Each request that the session's `fetch` sent, and whether it had a token. */
  readonly sent: readonly { readonly url: string; readonly authorized: boolean }[];
}

const TIME_LIMIT_MS = 10_000;
const HASTE = 50;

let waits: number[] = [];

/** Makes waits short, but not a request's time limit. */
function hurry(timeLimitMs = TIME_LIMIT_MS): void {
  waits = [];
  const setTimer = globalThis.setTimeout.bind(globalThis);
  const hurried = (run: () => void, ms = 0): unknown => {
    if (ms < 500 || ms === timeLimitMs) return setTimer(run, ms);
    waits.push(ms);
    // Web IDL makes 32 bits of it, so that what is too long goes off at once.
    return setTimer(run, Math.max(ms | 0, 0) / HASTE);
  };
  Object.assign(globalThis, { setTimeout: hurried });
}

/** Does with a session what there is to do. */
async function live(
  result: AuthorizationCodeGrantResult,
  key: string,
  { deeds = ["refresh"], withoutEndpoints, endpoints, timeoutMs, ...rest }: SessionSettings,
): Promise<Lived> {
  hurry(timeoutMs);
  const { metadata, ...signIn } = { ...result, ...rest };
  const where = { ...metadata, ...endpoints } as NonNullable<typeof metadata>;
  const grant = withoutEndpoints ? signIn : { ...signIn, metadata: where };
  const sent: Lived["sent"][number][] = [];
  const options = {
    store: "localStorage",
    key,
    timeoutMs,
    fetch: (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
      if (input instanceof Request) {
        sent.push({ url: input.url, authorized: input.headers.has("Authorization") });
      }
      return fetch(input, init);
    },
  } as const;
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

  const act = async (deed: Deed): Promise<string | Failure> => {
    if (deed === "refresh") return session.refresh();
    if (deed === "access token") return session.accessToken();
    if (deed === "revoke") {
      await revokeTokens(where, clientId, grant.tokenResponse, { timeoutMs });
      return "revoked";
    }
    if (deed === "sign out") {
      const taken = await session.signOut();
      return taken ? "revoked" : { ...failure(undefined, ""), name: "not taken back" };
    }
    if (deed === "refresh by a client of its own") {
      const tokens = await refresher.doRefreshAccessToken(refreshToken);
      refreshToken = tokens.refreshToken ?? refreshToken;
      return tokens.accessToken;
    }
    if (deed === "reload") {
      session.close();
      const restored = await OidcSession.restore(options);
      if (!restored) throw new Error("There is no session to restore");
      session = listenTo(restored);
      return "restored";
    }
    if ("metadata" in deed) {
      const { metadata: said, action, deviceId } = deed;
      const link = accountManagementUrl(said, action, { deviceId });
      return link ?? { ...failure(undefined, ""), name: "no link" };
    }
    const { url, used, ...init } = deed;
    const request = new Request(url, init);
    if (used) await request.text();
    const response = await session.fetch(request);
    const body = await response.text();
    if (response.ok) return body;
    const { errcode } = (await new Response(body).json().catch(() => ({}))) as { errcode?: string };
    const { status } = response;
    return { ...failure(undefined, ""), name: "Response", message: String(status), code: errcode };
  };

  let outcome: Lived["outcome"] = { ok: true, value: "" };
  let before = localStorage.getItem(key);
  for (const deed of deeds) {
    before = localStorage.getItem(key);
    const value = await act(deed).catch((error: unknown) => failure(error, ""));
    outcome = typeof value === "string" ? { ok: true, value } : value;
  }
  const stored = [before, localStorage.getItem(key)] as const;
  const { state } = session;
  session.close();
  refresher.close();
  localStorage.removeItem(key);
  return { outcome, state, events, stored, waits, sent };
}

/** Signs in by a code that the person types on another device. */
async function signInByDevice(
  settings: Start,
): Promise<(Finished | Failure) & Pick<Lived, "waits">> {
  hurry(settings.timeoutMs);
  const { timeoutMs, givesUpAfterMs } = settings;
  try {
    const { metadata, homeserverUrl } = await discover(settings);
    const clientId = await clientIdOf(metadata, settings);
    const session = await startDeviceAuthorization({ metadata, clientId }, { timeoutMs });
    const signal = givesUpAfterMs === undefined ? undefined : AbortSignal.timeout(givesUpAfterMs);
    const grant = { session, metadata, clientId, homeserverUrl };
    const result = await waitForDeviceAuthorization(grant, { timeoutMs, signal });
    return { ...finished(result), waits };
  } catch (error) {
    return { ...failure(error, ""), waits };
  }
}

Object.assign((globalThis as unknown as Conformance).conformance, {
  live,
  signInByDevice,
});
