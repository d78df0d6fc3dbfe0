import {
  type DeviceSession,
  type Environment,
  type IssuedTokens,
  newAccount,
} from "./environment.js";
import {
  type Call,
  forbidden,
  type Json,
  refuse,
  type Route,
  type ServerRefusal,
} from "./exchange.js";
import type { TestDevice } from "./options.js";

export interface Requester {
  readonly user: string;
  /** Null for a token without a device, which a provider elsewhere may issue. */
  readonly deviceId: string | null;
}

/** JSON has no `Infinity`. */
const NEVER = Number.MAX_SAFE_INTEGER;

const API_SCOPE = /^urn:matrix:(org\.matrix\.msc2967\.)?client:api:\*$/;

export const opensApi = (scope: string): boolean =>
  scope.split(" ").some((each) => API_SCOPE.test(each));

interface NewSession extends Pick<DeviceSession, "user" | "kind" | "clientId" | "scope"> {
  readonly deviceId: string | undefined;
  readonly deviceName?: string;
  readonly isRefreshable?: boolean;
}

/** Signs in a device, and ends its earlier session. */
export function startSession(
  environment: Environment,
  { deviceName, isRefreshable = true, ...given }: NewSession,
): { readonly deviceId: string; readonly issued: IssuedTokens } {
  const { data } = environment;
  const deviceId = given.deviceId || environment.lettersFor("DEVICE", 10);
  const known = deviceOf(environment, given.user, deviceId);
  endSessions(environment, given.user, deviceId);
  const issued = issueTokens(environment, isRefreshable);
  data.sessions.push({ ...given, deviceId, tokens: [issued] });
  data.accounts[given.user]?.devices.push({
    device_id: deviceId,
    ...(deviceName && { display_name: deviceName }),
    // A known device keeps its name.
    ...known,
  });
  return { deviceId, issued };
}

function issueTokens(server: Environment, isRefreshable: boolean, replaces?: string): IssuedTokens {
  const lifetimeMs = server.tokenLifetimes[isRefreshable ? "refreshable" : "other"];
  return {
    accessToken: server.tokenFor("access-token-"),
    ...(isRefreshable && { refreshToken: server.tokenFor("refresh-token-") }),
    ...(replaces !== undefined && { replaces }),
    expiresAt: Math.min(server.now() + lifetimeMs, NEVER),
    isUsed: false,
  };
}

export const legacyTokens = ({ now }: Environment, issued: IssuedTokens): Json => ({
  access_token: issued.accessToken,
  refresh_token: issued.refreshToken,
  ...(issued.expiresAt !== NEVER && { expires_in_ms: issued.expiresAt - now() }),
});

interface FoundSession {
  readonly session: DeviceSession;
  readonly issued: IssuedTokens;
}

/** The session that a token belongs to, even if it has ended, and the tokens issued together. */
export function findSession(
  { data }: Environment,
  type: "accessToken" | "refreshToken",
  token: string | null,
): FoundSession | undefined {
  for (const session of data.sessions) {
    const issued = session.tokens.find((each) => each[type] === token);
    if (issued) return { session, issued };
  }
  return undefined;
}

/**
 * Exchanges a refresh token. It works again until the new tokens are used, because the response may
 * be lost.
 *
 * @see https://spec.matrix.org/latest/client-server-api/#refreshing-access-tokens
 * @returns Undefined if it was replaced.
 */
export function refreshSession(
  environment: Environment,
  { session, issued: given }: FoundSession,
): IssuedTokens | undefined {
  const next = session.tokens.find(({ replaces }) => replaces === given.refreshToken);
  if (next?.isUsed) return undefined;
  const issued = issueTokens(environment, true, given.refreshToken);
  const kept = session.tokens.filter(
    (each) => each !== next && each.refreshToken !== given.replaces,
  );
  session.tokens = [...kept, issued];
  return issued;
}

/** Signs out a user's device, or all of them, and removes it. */
export function endSessions({ data }: Environment, user: string, deviceId?: string): void {
  const isMeant = (id: string): boolean => deviceId === undefined || id === deviceId;
  for (const session of data.sessions) {
    if (session.user === user && isMeant(session.deviceId)) session.ended = "logout";
  }
  const found = data.accounts[user];
  if (found) found.devices = found.devices.filter((device) => !isMeant(device.device_id));
}

/** Signs out all devices of a user, who cannot sign in again. The name stays taken. */
export function deactivateAccount(environment: Environment, user: string): void {
  endSessions(environment, user);
  const found = environment.data.accounts[user];
  if (found) Object.assign(found, { deactivated: true, password: undefined });
}

export function endOtherSessions(environment: Environment, { user, deviceId }: Requester): void {
  for (const { device_id } of environment.data.accounts[user]?.devices ?? []) {
    if (device_id !== deviceId) endSessions(environment, user, device_id);
  }
}

export function deviceOf({ data }: Environment, user: string, id: string): TestDevice | undefined {
  return data.accounts[user]?.devices.find(({ device_id }) => device_id === id);
}

/**
 * Finds the owner of a request's access token, and notes when the device was last seen.
 *
 * @param options `toSignOut`: accepts a locked account and an expired token, too.
 */
export async function authenticate(
  environment: Environment,
  { headers }: Pick<Call, "headers">,
  { toSignOut = false } = {},
): Promise<Requester> {
  const [, token] = /^Bearer (.+)$/i.exec(headers.get("Authorization") ?? "") ?? [];
  if (!token) throw refuse(401, "M_MISSING_TOKEN", "Missing access token");
  const found = findSession(environment, "accessToken", token);
  if (!found) return authenticateElsewhere(environment, token);
  const { user, deviceId, kind, ended } = found.session;
  if (ended) throw unknownTokenError(ended === "soft logout");
  if (!toSignOut) {
    if (environment.data.accounts[user]?.locked) throw lockedUserError();
    // The client may sign in to the device again.
    if (found.issued.expiresAt <= environment.now()) throw unknownTokenError(kind === "legacy");
  }
  found.issued.isUsed = true;
  markSeen(environment, user, deviceId);
  return { user, deviceId };
}

export function signedIn(
  environment: Environment,
  respond: (call: Call, requester: Requester) => ReturnType<Route>,
): Route {
  return async (call) => respond(call, await authenticate(environment, call));
}

async function authenticateElsewhere(environment: Environment, token: string): Promise<Requester> {
  const found = await environment.options.provider?.introspect(token);
  if (!found) throw unknownTokenError(false);
  const { localpart: user, displayName = user, deviceId, scope, clientName } = found;
  if (!opensApi(scope)) throw forbidden("The token is not valid for the client-server API");
  environment.data.accounts[user] ??= newAccount(user, { displayName });
  if (deviceId !== null) markSeen(environment, user, deviceId, clientName);
  return { user, deviceId };
}

function markSeen(server: Environment, user: string, id: string, name?: string | null): void {
  let device = deviceOf(server, user, id);
  if (!device) {
    device = { device_id: id, ...(typeof name === "string" && { display_name: name }) };
    server.data.accounts[user]?.devices.push(device);
  }
  device.last_seen_ts = server.now();
}

export const unknownTokenError = (soft_logout: boolean): ServerRefusal =>
  refuse(401, "M_UNKNOWN_TOKEN", "Token is not active", { soft_logout });

export const lockedUserError = (): ServerRefusal =>
  refuse(401, "M_USER_LOCKED", "User account has been locked", { soft_logout: true });
