import { objectOf, refuse, textOf, type Call, type Json } from "./exchange.js";
import type { LoginMethod, TestAccount, TestServersOptions, UiaSettings } from "./options.js";

/** One device that is signed in, or was. */
export interface Session {
  readonly user: string;
  readonly deviceId: string;
  readonly kind: "oauth" | "legacy";
  readonly clientId?: string;
  readonly scope?: string;
  accessToken: string;
  refreshToken?: string | undefined;
  /** In milliseconds since the epoch. */
  expiresAt: number;
  ended?: "logout" | "soft logout";
}

/** A User-Interactive Authentication session. */
export interface UiaSession {
  readonly id: string;
  /** Method and path: it is good for no other. */
  readonly operation: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly completed: string[];
  /** What stages have found out: the user of a password, validated addresses. */
  found: { user?: string; email?: string; msisdn?: string };
}

/** The validation of an email address or a phone number. */
export interface Validation {
  readonly medium: "email" | "msisdn";
  readonly address: string;
  readonly sid: string;
  readonly secret: string;
  readonly token: string;
  attempt: number;
  verified: boolean;
}

/** An email or a text message that the homeserver has sent. */
export interface TestMessage {
  readonly medium: "email" | "msisdn";
  readonly address: string;
  /** The code of a text message. */
  readonly code?: string;
  /** The link of an email: `approve()` opens it. */
  readonly link?: string;
}

/** All that the servers remember: plain data, so that it can be stored. */
export interface Data {
  /** How many names were given out. */
  count: number;
  readonly accounts: Record<string, TestAccount>;
  readonly clients: Record<string, readonly string[]>;
  readonly codes: Record<string, { readonly user: string; readonly request: string }>;
  readonly loginTokens: Record<string, string>;
  readonly sessions: Session[];
  readonly uia: Record<string, UiaSession>;
  readonly validations: Record<string, Validation>;
  readonly messages: TestMessage[];
  /** By localpart. */
  readonly crossSigning: Record<string, Readonly<Record<string, unknown>>>;
  /** As JSON Web Keys. */
  readonly signingKey: { readonly publicKey: Json; readonly privateKey: Json };
}

/** The servers' settings and their memory, for the routes. */
export interface Environment {
  readonly homeserver: string;
  readonly serverName: string;
  readonly issuer: string;
  readonly authorizationPage: string;
  readonly login: readonly LoginMethod[];
  readonly identityProviders: NonNullable<TestServersOptions["identityProviders"]>;
  readonly metadata: TestServersOptions["metadata"];
  readonly algorithm: "ES256" | "RS256";
  readonly tokenLifetimeMs: number;
  readonly uia: UiaSettings;
  /** Ask for it anew after each `await`: another document may have replaced it. */
  readonly data: Data;
}

/** A name that nothing else has; the same in every run, for tests to compare. */
export const nameFor = ({ data }: Environment, what: string): string => `${what}${++data.count}`;

export const userIdOf = ({ serverName }: Environment, user: string): string =>
  `@${user}:${serverName}`;

/** The localpart of a user ID of this homeserver, or of a localpart. */
export function localpartOf({ serverName }: Environment, user: string): string {
  const [, localpart = "", server] = /^@([^:]*):(.*)$/.exec(user) ?? [];
  if (server === undefined) return user;
  return server === serverName ? localpart : "";
}

export const account = (user: string, given: string | Partial<TestAccount> = {}): TestAccount => ({
  displayName: user,
  emails: [],
  phones: [],
  devices: [],
  ...(typeof given === "string" ? { password: given } : given),
});

/** An account that can be signed in to. */
export function findAccount({ data }: Environment, user: string): TestAccount | undefined {
  const found = data.accounts[user];
  return found?.deactivated ? undefined : found;
}

type NewSession = Pick<Session, "user" | "kind"> &
  Partial<Pick<Session, "deviceId" | "clientId" | "scope">> & {
    readonly deviceName?: string | undefined;
    readonly refreshable?: boolean;
  };

/** Signs a device in; what it was signed in with before is no longer good. */
export function startSession(
  environment: Environment,
  { deviceName, refreshable = true, ...given }: NewSession,
): Session {
  const { data, tokenLifetimeMs } = environment;
  const deviceId = given.deviceId || nameFor(environment, "DEVICE");
  const devices = data.accounts[given.user]?.devices ?? [];
  const name = deviceName || devices.find((each) => each.device_id === deviceId)?.display_name;
  endSessions(environment, given.user, deviceId);
  const session: Session = {
    ...given,
    deviceId,
    accessToken: nameFor(environment, "access-token-"),
    ...(refreshable && { refreshToken: nameFor(environment, "refresh-token-") }),
    expiresAt: refreshable ? Date.now() + tokenLifetimeMs : Number.MAX_SAFE_INTEGER,
  };
  data.sessions.push(session);
  data.accounts[given.user]?.devices.push({
    device_id: deviceId,
    ...(name && { display_name: name }),
  });
  return session;
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

/** New tokens of a session; the old ones are no longer good. */
export function renew(environment: Environment, session: Session): Session {
  return Object.assign(session, {
    accessToken: nameFor(environment, "access-token-"),
    refreshToken: nameFor(environment, "refresh-token-"),
    expiresAt: Date.now() + environment.tokenLifetimeMs,
  });
}

/**
 * Who makes a request.
 *
 * @throws {Refusal} `M_MISSING_TOKEN`, `M_UNKNOWN_TOKEN`, `M_USER_LOCKED`
 */
export function authenticate({ data }: Environment, { headers }: Pick<Call, "headers">): Session {
  const [, token] = /^Bearer (.+)$/.exec(headers.get("Authorization") ?? "") ?? [];
  if (!token) throw refuse(401, "M_MISSING_TOKEN", "Missing access token");
  const session = data.sessions.find(({ accessToken }) => accessToken === token);
  if (!session || session.ended) {
    throw unknownToken(session?.ended === "soft logout");
  }
  if (data.accounts[session.user]?.locked) throw lockedUser();
  if (session.expiresAt <= Date.now()) throw unknownToken(session.kind === "legacy");
  return session;
}

export const unknownToken = (soft_logout: boolean): Error =>
  refuse(401, "M_UNKNOWN_TOKEN", "Token is not active", { soft_logout });

export const lockedUser = (): Error =>
  refuse(401, "M_USER_LOCKED", "User account has been locked", { soft_logout: true });

/** Who a body of a password's login, or of its stage, names. */
export function userOf(environment: Environment, body: Readonly<Record<string, unknown>>): string {
  const { data } = environment;
  const identifier = objectOf(body["identifier"]);
  const ownerOf = (of: (account: TestAccount) => boolean): string =>
    Object.entries(data.accounts).find(([, each]) => of(each))?.[0] ?? "";
  switch (identifier["type"]) {
    case "m.id.thirdparty":
      return ownerOf(({ emails }) => emails.includes(textOf(identifier["address"])));
    case "m.id.phone":
      return ownerOf(({ phones }) => phones.includes(textOf(identifier["phone"])));
    default:
      return localpartOf(environment, textOf(identifier["user"] ?? body["user"]));
  }
}

/** Whose password it is. @throws {Refusal} `M_FORBIDDEN`, `M_USER_DEACTIVATED` */
export function userByPassword(environment: Environment, body: Call["params"] | object): string {
  const given = objectOf(body);
  const user = userOf(environment, given);
  const found = environment.data.accounts[user];
  if (found?.deactivated) throw refuse(403, "M_USER_DEACTIVATED", "This account is deactivated");
  if (found?.password === undefined || found.password !== given["password"]) {
    throw refuse(403, "M_FORBIDDEN", "Invalid username or password");
  }
  return user;
}
