import {
  account,
  lettersFor,
  tokenFor,
  type Environment,
  type Issued,
  type Session,
} from "./environment.js";
import { forbidden, refuse, type Call, type Json } from "./exchange.js";
import type { TestDevice } from "./options.js";

/** Who makes a request. */
export interface Requester {
  readonly user: string;
  /** A provider elsewhere may give tokens without a device. */
  readonly deviceId: string | null;
}

const NEVER = Number.MAX_SAFE_INTEGER;

const API = /^urn:matrix:(org\.matrix\.msc2967\.)?client:api:\*$/;

/** Whether a scope is good for the client-server API. */
export const opensApi = (scope: string): boolean => scope.split(" ").some((each) => API.test(each));

type NewSession = Pick<Session, "user" | "kind"> &
  Partial<Pick<Session, "deviceId" | "clientId" | "scope">> & {
    readonly deviceName?: string | undefined;
    readonly isRefreshable?: boolean;
  };

/** Signs a device in; what it was signed in with before is no longer good. */
export function startSession(
  environment: Environment,
  { deviceName, isRefreshable = true, ...given }: NewSession,
): { readonly deviceId: string; readonly issued: Issued } {
  const { data } = environment;
  const deviceId = given.deviceId || lettersFor(environment, "DEVICE", 10);
  const known = deviceOf(environment, given.user, deviceId);
  endSessions(environment, given.user, deviceId);
  const issued = issue(environment, isRefreshable);
  data.sessions.push({ ...given, deviceId, tokens: [issued] });
  data.accounts[given.user]?.devices.push({
    device_id: deviceId,
    ...(deviceName && { display_name: deviceName }),
    // It keeps its name.
    ...known,
  });
  return { deviceId, issued };
}

function issue(environment: Environment, isRefreshable: boolean, replaces?: string): Issued {
  const lifetimeMs = environment.tokenLifetimes[isRefreshable ? "refreshable" : "other"];
  return {
    accessToken: tokenFor(environment, "access-token-"),
    ...(isRefreshable && { refreshToken: tokenFor(environment, "refresh-token-") }),
    ...(replaces !== undefined && { replaces }),
    expiresAt: Math.min(environment.now() + lifetimeMs, NEVER),
    isUsed: false,
  };
}

/** What `POST /login` and `POST /refresh` say of tokens. */
export const tokensOf = (
  { now }: Environment,
  { accessToken, refreshToken, expiresAt }: Issued,
): Json => ({
  access_token: accessToken,
  ...(refreshToken !== undefined && { refresh_token: refreshToken }),
  ...(expiresAt !== NEVER && { expires_in_ms: expiresAt - now() }),
});

/** The session that a refresh token belongs to, also if it has ended. */
export const sessionByRefreshToken = (
  { data }: Environment,
  kind: Session["kind"],
  token: unknown,
): Session | undefined =>
  data.sessions.find(
    (each) => each.kind === kind && each.tokens.some(({ refreshToken }) => refreshToken === token),
  );

/**
 * Exchanges a refresh token. It may be used again until what it brought is used, as the response may be lost on its way.
 *
 * @see https://spec.matrix.org/latest/client-server-api/#refreshing-access-tokens
 * @returns Undefined if it was replaced.
 */
export function refreshSession(
  environment: Environment,
  session: Session,
  token: string,
): Issued | undefined {
  const given = session.tokens.find(({ refreshToken }) => refreshToken === token);
  const next = session.tokens.find(({ replaces }) => replaces === token);
  if (next?.isUsed) return undefined;
  const issued = issue(environment, true, token);
  const kept = session.tokens.filter(
    (each) =>
      each !== next && (each.refreshToken === undefined || each.refreshToken !== given?.replaces),
  );
  session.tokens = [...kept, issued];
  return issued;
}

/** Signs devices out, and removes them. */
export function endSessions({ data }: Environment, user: string, deviceId?: string): void {
  const isMeant = (id: string): boolean => deviceId === undefined || id === deviceId;
  for (const session of data.sessions) {
    if (session.user === user && isMeant(session.deviceId)) session.ended = "logout";
  }
  const found = data.accounts[user];
  if (found) found.devices = found.devices.filter((device) => !isMeant(device.device_id));
}

/** The same for all devices but one. */
export function endOtherSessions(environment: Environment, { user, deviceId }: Requester): void {
  for (const { device_id } of environment.data.accounts[user]?.devices ?? []) {
    if (device_id !== deviceId) endSessions(environment, user, device_id);
  }
}

export const deviceOf = (
  { data }: Environment,
  user: string,
  deviceId: string,
): TestDevice | undefined =>
  data.accounts[user]?.devices.find(({ device_id }) => device_id === deviceId);

/**
 * Who makes a request; their device is seen.
 *
 * @param options `toSignOut`: a locked account and an expired token are let in too.
 * @throws {Refusal} `M_MISSING_TOKEN`, `M_UNKNOWN_TOKEN`, `M_USER_LOCKED`, `M_FORBIDDEN`
 */
export async function authenticate(
  environment: Environment,
  { headers }: Pick<Call, "headers">,
  { toSignOut = false } = {},
): Promise<Requester> {
  const [, token] = /^Bearer (.+)$/i.exec(headers.get("Authorization") ?? "") ?? [];
  if (!token) throw refuse(401, "M_MISSING_TOKEN", "Missing access token");
  const { data } = environment;
  for (const session of data.sessions) {
    const issued = session.tokens.find(({ accessToken }) => accessToken === token);
    if (!issued) continue;
    const { user, deviceId, kind, ended } = session;
    if (ended) throw unknownToken(ended === "soft logout");
    if (data.accounts[user]?.locked && !toSignOut) throw lockedUser();
    // The device stays: the client may sign in to it again.
    if (issued.expiresAt <= environment.now() && !toSignOut) throw unknownToken(kind === "legacy");
    issued.isUsed = true;
    see(environment, user, deviceId);
    return { user, deviceId };
  }
  return authenticateElsewhere(environment, token);
}

/** The same by a provider elsewhere. */
async function authenticateElsewhere(environment: Environment, token: string): Promise<Requester> {
  const found = await environment.outside?.introspect(token);
  if (!found) throw unknownToken(false);
  const { localpart: user, displayName = user, deviceId, scope, clientName } = found;
  if (!opensApi(scope)) throw forbidden("The token is not good for the client-server API");
  environment.data.accounts[user] ??= account(user, { displayName });
  if (deviceId !== null) see(environment, user, deviceId, clientName);
  return { user, deviceId };
}

function see(
  environment: Environment,
  user: string,
  deviceId: string,
  name: string | null = null,
): void {
  let device = deviceOf(environment, user, deviceId);
  if (!device) {
    device = { device_id: deviceId, ...(name !== null && { display_name: name }) };
    environment.data.accounts[user]?.devices.push(device);
  }
  device.last_seen_ts = environment.now();
}

export const unknownToken = (soft_logout: boolean): Error =>
  refuse(401, "M_UNKNOWN_TOKEN", "Token is not active", { soft_logout });

export const lockedUser = (): Error =>
  refuse(401, "M_USER_LOCKED", "User account has been locked", { soft_logout: true });
