import {
  type Call,
  forbidden,
  isJson,
  type Json,
  objectOf,
  rateLimited,
  record,
  refuse,
  type Route,
  type ServerRefusal,
  textOf,
} from "./exchange.js";
import type {
  LoginMethod,
  TestAccount,
  TestDevice,
  TestMessage,
  TestServersOptions,
  TokenLifetimes,
  UiaSettings,
} from "./options.js";

export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly replaces?: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  isUsed: boolean;
}

export interface DeviceSession {
  readonly user: string;
  readonly deviceId: string;
  /** Undefined with the legacy API. */
  readonly clientId?: string;
  readonly scope?: string;
  tokens: readonly IssuedTokens[];
  isSoftLoggedOut?: boolean;
}

export interface UiaRecord {
  readonly id: string;
  /** The method and path of the only request that the session authorizes. */
  readonly operation: string;
  readonly body: Json;
  readonly completed: string[];
  /**
   * The user whose password was correct, the validated addresses, and the user whose account was
   * created.
   */
  readonly found: { user?: string; email?: string; msisdn?: string; registered?: string };
}

export interface Validation {
  readonly medium: Medium;
  readonly address: string;
  readonly sid: string;
  readonly secret: string;
  readonly token: string;
  attempt: number;
  verified: boolean;
  /** The final URL of an email's link. */
  nextLink?: string;
}

/** The whole state of the servers. It is plain data, so that it can be stored. */
export class Data {
  count = 0;
  readonly accounts: Record<string, TestAccount> = record();
  readonly clients: Record<string, readonly string[]>;
  readonly codes: Record<string, { readonly user: string; readonly request: string }> = record();
  readonly loginTokens: Record<string, { readonly user: string; readonly expiresAt: number }> =
    record();
  sessions: DeviceSession[] = [];
  uia: Record<string, UiaRecord> = record();
  readonly validations: Record<string, Validation> = record();
  readonly messages: TestMessage[] = [];
  /** Times in milliseconds since the epoch, for each kind of attempt. */
  readonly attempts: Record<string, number[]> = record();
  /** By user ID, and by device ID. */
  readonly deviceKeys: Record<string, Record<string, unknown>> = record();
  /**
   * The users that OpenID tokens identify to other servers, any number of times until the tokens
   * expire.
   */
  readonly openIdTokens: Record<string, { readonly user: string; readonly expiresAt: number }> =
    record();
  /** By user ID. */
  readonly crossSigning: Record<string, Json> = record();
  /** The content is a string with one character per byte. */
  readonly media: Record<string, { readonly type: string; readonly content: string }> = record();
  /** The private key, which also contains the members of the public key. */
  readonly signingKey: JsonWebKey;

  constructor(
    { accounts = { alice: "password" }, clients = {} }: TestServersOptions,
    signingKey: JsonWebKey,
  ) {
    for (const [user, given] of Object.entries(structuredClone(accounts))) {
      this.accounts[user] = newAccount(user, given);
    }
    this.clients = record(clients);
    this.signingKey = signingKey;
  }
}

export interface Requester {
  readonly user: string;
  /** Null for a token without a device, which an external provider may issue. */
  readonly deviceId: string | null;
}

interface NewSession extends Pick<DeviceSession, "user" | "clientId" | "scope"> {
  readonly deviceId: string | undefined;
  readonly deviceName?: string;
  readonly isRefreshable?: boolean;
}

export interface FoundSession {
  readonly session: DeviceSession;
  readonly issued: IssuedTokens;
}

/** JSON has no `Infinity`. */
const NEVER = Number.MAX_SAFE_INTEGER;

const API_SCOPE = /^urn:matrix:(org\.matrix\.msc2967\.)?client:api:\*$/;

export const opensApi = (scope: string): boolean =>
  scope.split(" ").some((each) => API_SCOPE.test(each));

export const unknownTokenError = (soft_logout: boolean): ServerRefusal =>
  refuse(401, "M_UNKNOWN_TOKEN", "Token is not active", { soft_logout });

export const lockedUserError = (): ServerRefusal =>
  refuse(401, "M_USER_LOCKED", "User account has been locked", { soft_logout: true });

const STORE_KEY = "matrix-auth-elements:test-servers";

/** The state that the two servers share: their settings, their data, and the rules for both. */
export class Environment {
  readonly options: TestServersOptions;
  readonly homeserver: string;
  /** The start of the URLs of the homeserver's endpoints, and of the built-in provider's. */
  readonly api: string;
  readonly providerApi: string;
  readonly serverName: string;
  readonly issuer: string;
  readonly accountPage: string;
  readonly authorizationPage: string;
  readonly login: readonly LoginMethod[];
  readonly hasLegacyLogin: boolean;
  /** Whether the homeserver itself has the accounts, and not its provider. */
  readonly hasAccounts: boolean;
  readonly algorithm: "ES256" | "RS256";
  readonly tokenLifetimes: TokenLifetimes;
  readonly now: () => number;
  readonly uia: UiaSettings;
  readonly capabilities: Record<string, unknown>;
  /**
   * Read this property again after each `await`, because another document may have replaced the
   * data.
   */
  data: Data;
  /** The text that this document has read or written last. */
  #stored: string | null = null;

  constructor(options: TestServersOptions, signingKey: JsonWebKey) {
    const { homeserver = "https://matrix.example.org", login = ["oauth"], provider } = options;
    this.options = options;
    this.homeserver = homeserver.replace(/\/+$/, "");
    this.api = `${this.homeserver}/_matrix/`;
    this.serverName = options.serverName ?? new URL(homeserver).host;
    this.issuer = provider?.issuer ?? options.issuer ?? `${this.homeserver}/oauth2/`;
    this.providerApi = this.issuer.replace(/\/?$/, "/");
    this.authorizationPage = options.authorizationPage ?? `${this.providerApi}authorize`;
    this.accountPage = provider?.accountManagementUri ?? `${this.providerApi}account`;
    this.login = login;
    this.hasLegacyLogin = login.some((method) => method !== "oauth");
    this.hasAccounts = !provider && this.hasLegacyLogin;
    this.algorithm = options.algorithm ?? "ES256";
    this.tokenLifetimes = { refreshable: options.tokenLifetimeMs ?? 300_000, other: Infinity };
    this.now = options.now ?? (() => Date.now());
    this.uia = {
      flows: [[this.hasLegacyLogin ? "m.login.password" : "m.oauth"]],
      registrationFlows: [["m.login.dummy"]],
      registrationTokens: ["registration-token"],
      captchaResponse: undefined,
      params: {},
      attempts: undefined,
      ...options.uia,
    };
    this.capabilities = { ...options.capabilities };
    this.data = new Data(options, signingKey);
  }

  /** Takes over the data that another document has stored. */
  load(): void {
    const stored = this.options.store?.getItem(STORE_KEY) ?? null;
    if (stored === null || stored === this.#stored) return;
    this.#stored = stored;
    const members = Object.entries(JSON.parse(stored) as Data).map(([name, value]) => [
      name,
      isJson(value) ? record(value) : (value as unknown),
    ]);
    this.data = Object.fromEntries(members) as Data;
  }

  save(): void {
    if (!this.options.store) return;
    this.#stored = JSON.stringify(this.data);
    this.options.store.setItem(STORE_KEY, this.#stored);
  }

  reset(): void {
    this.data = new Data(this.options, this.data.signingKey);
    this.save();
  }

  /** A unique name that is the same in every run, so that tests can compare it. */
  nameFor(prefix: string): string {
    return `${prefix}${++this.data.count}`;
  }

  /** A localpart that no account uses. */
  newLocalpart(): string {
    let localpart = this.nameFor("user");
    while (this.data.accounts[localpart]) localpart = this.nameFor("user");
    return localpart;
  }

  tokenFor(prefix: string): string {
    return this.nameFor((this.options.tokenPrefix ?? "") + prefix);
  }

  /** A name that consists of letters, as long as Synapse's. */
  lettersFor(prefix: string, length: number): string {
    this.data.count += 1;
    const letters = this.data.count
      .toString(26)
      .replaceAll(/./g, (digit) => String.fromCharCode(65 + parseInt(digit, 26)));
    return prefix + letters.padStart(length - prefix.length, "A");
  }

  /** Rejects more attempts than `uia.attempts` allows. */
  assertAttempt(attempt: string): void {
    if (!this.uia.attempts) return;
    const { allowed, windowMs } = this.uia.attempts;
    const now = this.now();
    const recent = (this.data.attempts[attempt] ?? []).filter((at) => now - at < windowMs);
    this.data.attempts[attempt] = recent;
    const [oldest = now] = recent;
    if (recent.length >= allowed) throw rateLimited(Math.max(1, oldest + windowMs - now));
  }

  countAttempt(attempt: string): void {
    this.assertAttempt(attempt);
    (this.data.attempts[attempt] ??= []).push(this.now());
  }

  get allCapabilities(): Json {
    // If a provider manages the accounts, users do this on its pages.
    const allowed = { enabled: this.hasAccounts };
    const names = ["m.change_password", "m.3pid_changes", "m.get_login_token"];
    return { ...Object.fromEntries(names.map((name) => [name, allowed])), ...this.capabilities };
  }

  assertCapability(name: string): void {
    const { enabled } = objectOf(this.allCapabilities[name]);
    if (enabled === false) throw forbidden(`${name} is disabled on this server`);
  }

  /** An account that is not deactivated. */
  findAccount(user: string): TestAccount | undefined {
    const found = this.data.accounts[user];
    return found?.deactivated ? undefined : found;
  }

  /**
   * A user who can sign in. Default: the first account's user. @throws {TypeError} if there is
   * none.
   */
  userToSignIn(user: string = Object.keys(this.data.accounts)[0] ?? ""): string {
    if (this.findAccount(user)) return user;
    throw new TypeError(`No account ${user}`);
  }

  userIdOf(user: string): string {
    return `@${user}:${this.serverName}`;
  }

  /** The localpart in a localpart or user ID. Empty for a user of another homeserver. */
  ownLocalpart(user: string): string {
    const [, localpart = "", server] = /^@([^:]*):(.*)$/s.exec(user) ?? [];
    if (server === undefined) return user;
    return server === this.serverName ? localpart : "";
  }

  ownerOf(medium: Medium, address: string): string | undefined {
    const { accounts } = this.data;
    const users = Object.keys(accounts);
    return users.find((user) => accounts[user]?.[ADDRESSES[medium]].includes(address));
  }

  /**
   * The user whose password the body contains. Undefined if the password is wrong.
   *
   * @see https://spec.matrix.org/latest/client-server-api/#identifier-types
   */
  userByPassword(body: Json): string | undefined {
    const { user: name, password } = body;
    const identifier = body["identifier"] ?? (name && { type: "m.id.user", user: name });
    if (!isJson(identifier)) throw refuse(400, "M_INVALID_PARAM", "Invalid login submission");
    if (typeof password !== "string") {
      throw refuse(400, "M_INVALID_PARAM", "Bad parameter: password");
    }
    const user = this.#userOfIdentifier(identifier);
    const found = this.data.accounts[user ?? ""];
    if (found?.password !== password) return undefined;
    if (found.deactivated) throw refuse(403, "M_USER_DEACTIVATED", "This account is deactivated");
    return user;
  }

  /** The user that an identifier names; undefined if it is not a user of this homeserver. */
  #userOfIdentifier(identifier: Json): string | undefined {
    switch (identifier["type"]) {
      case "m.id.user": {
        const localpart = this.ownLocalpart(textOf(identifier["user"]));
        // A name in another case is the same user, unless an account has exactly that name.
        return this.data.accounts[localpart] ? localpart : localpart.toLowerCase();
      }
      case "m.id.thirdparty": {
        const { medium, address } = identifier;
        return isMedium(medium) ? this.ownerOf(medium, textOf(address)) : undefined;
      }
      case "m.id.phone":
        return this.ownerOf("msisdn", readAddress("msisdn", identifier));
      default:
        throw refuse(400, "M_UNKNOWN", "Unknown login identifier type");
    }
  }

  issueLoginToken(user: string, lifetimeMs: number): string {
    const token = this.tokenFor("login-token-");
    this.data.loginTokens[token] = { user, expiresAt: this.now() + lifetimeMs };
    return token;
  }

  /** The user that a login token signs in. Each token works once. */
  takeLoginToken(token: string): string {
    const { loginTokens } = this.data;
    const found = loginTokens[token];
    Reflect.deleteProperty(loginTokens, token);
    if (!found || this.now() >= found.expiresAt) throw forbidden("Invalid login token");
    return found.user;
  }

  deviceOf(user: string, id: string): TestDevice | undefined {
    return this.data.accounts[user]?.devices.find(({ device_id }) => device_id === id);
  }

  #markSeen(user: string, id: string, name?: string | null): void {
    let device = this.deviceOf(user, id);
    if (!device) {
      device = { device_id: id, ...(typeof name === "string" && { display_name: name }) };
      this.data.accounts[user]?.devices.push(device);
    }
    device.last_seen_ts = this.now();
  }

  /** Signs in a device, and ends its earlier session. */
  startSession({ deviceName, isRefreshable = true, ...given }: NewSession): FoundSession {
    const deviceId = given.deviceId || this.lettersFor("DEVICE", 10);
    const known = this.deviceOf(given.user, deviceId);
    this.endSessions(given.user, deviceId);
    const issued = this.#issueTokens(isRefreshable);
    const session = { ...given, deviceId, tokens: [issued] };
    this.data.sessions.push(session);
    this.data.accounts[given.user]?.devices.push({
      device_id: deviceId,
      ...(deviceName && { display_name: deviceName }),
      // A known device keeps its name.
      ...known,
    });
    return { session, issued };
  }

  #issueTokens(isRefreshable: boolean, replaces?: string): IssuedTokens {
    const lifetimeMs = this.tokenLifetimes[isRefreshable ? "refreshable" : "other"];
    return {
      accessToken: this.tokenFor("access-token-"),
      ...(isRefreshable && { refreshToken: this.tokenFor("refresh-token-") }),
      ...(replaces !== undefined && { replaces }),
      expiresAt: Math.min(this.now() + lifetimeMs, NEVER),
      isUsed: false,
    };
  }

  legacyTokens({ accessToken, refreshToken, expiresAt }: IssuedTokens): Json {
    return {
      access_token: accessToken,
      refresh_token: refreshToken,
      ...(expiresAt !== NEVER && { expires_in_ms: Math.max(0, expiresAt - this.now()) }),
    };
  }

  /**
   * The session that a token of one of these types belongs to, and the tokens that were issued
   * together.
   */
  findSession(
    token: string | null,
    ...types: readonly ("accessToken" | "refreshToken")[]
  ): FoundSession | undefined {
    for (const session of this.data.sessions) {
      const issued = session.tokens.find((each) => types.some((type) => each[type] === token));
      if (issued) return { session, issued };
    }
    return undefined;
  }

  /**
   * Exchanges a refresh token. It works again until the new tokens are used, because the response
   * may be lost.
   *
   * @see https://spec.matrix.org/latest/client-server-api/#refreshing-access-tokens
   * @returns Undefined if the token was replaced.
   */
  refreshSession({ session, issued: given }: FoundSession): IssuedTokens | undefined {
    const next = session.tokens.find(({ replaces }) => replaces === given.refreshToken);
    if (next?.isUsed) return undefined;
    const issued = this.#issueTokens(true, given.refreshToken);
    // Matrix Authentication Service revokes the replaced access token, Synapse doesn't.
    if (session.clientId !== undefined) given.expiresAt = 0;
    const kept = session.tokens.filter(
      (each) => each !== next && each.refreshToken !== given.replaces,
    );
    session.tokens = [...kept, issued];
    return issued;
  }

  /** Signs out and removes a user's device, or all devices. */
  endSessions(user: string, deviceId?: string): void {
    const isMeant = (id: string): boolean => deviceId === undefined || id === deviceId;
    this.data.sessions = this.data.sessions.filter(
      (session) => session.user !== user || !isMeant(session.deviceId),
    );
    const found = this.data.accounts[user];
    if (found) found.devices = found.devices.filter((device) => !isMeant(device.device_id));
  }

  endOtherSessions({ user, deviceId }: Requester): void {
    for (const { device_id } of this.data.accounts[user]?.devices ?? []) {
      if (device_id !== deviceId) this.endSessions(user, device_id);
    }
  }

  /** Signs out all devices of a user. The user cannot sign in again, and the name stays taken. */
  deactivateAccount(user: string): void {
    this.endSessions(user);
    const found = this.data.accounts[user];
    if (found) Object.assign(found, { deactivated: true, password: undefined });
  }

  /** A route for users who are signed in. */
  signedIn(respond: (call: Call, requester: Requester) => ReturnType<Route>): Route {
    return async (call) => respond(call, await this.authenticate(call));
  }

  /** The owner of a request's access token. For a sign-out, the token may be expired or the user locked. */
  async authenticate({ headers }: Call, { toSignOut = false } = {}): Promise<Requester> {
    const [, token] = /^Bearer (.+)$/i.exec(headers.get("Authorization") ?? "") ?? [];
    if (!token) throw refuse(401, "M_MISSING_TOKEN", "Missing access token");
    const found = this.findSession(token, "accessToken");
    if (!found) return this.#authenticateElsewhere(token);
    const { user, deviceId, clientId, isSoftLoggedOut } = found.session;
    if (isSoftLoggedOut) throw unknownTokenError(true);
    if (!toSignOut) {
      if (this.data.accounts[user]?.locked) throw lockedUserError();
      // The client can sign in to the device again.
      if (found.issued.expiresAt <= this.now()) throw unknownTokenError(clientId === undefined);
    }
    found.issued.isUsed = true;
    this.#markSeen(user, deviceId);
    return { user, deviceId };
  }

  async #authenticateElsewhere(token: string): Promise<Requester> {
    const found = await this.options.provider?.introspect(token);
    if (!found) throw unknownTokenError(false);
    const { localpart: user, displayName = user, deviceId, scope, clientName } = found;
    if (!opensApi(scope)) throw forbidden("The token is not valid for the client-server API");
    this.data.accounts[user] ??= newAccount(user, { displayName });
    if (deviceId !== null) this.#markSeen(user, deviceId, clientName);
    return { user, deviceId };
  }
}

export const newAccount = (
  user: string,
  given: string | Partial<TestAccount> = {},
): TestAccount => ({
  ...{ displayName: user, emails: [], phones: [], devices: [] },
  ...(typeof given === "string" ? { password: given } : given),
});

export type Medium = TestMessage["medium"];

/** The members of an account. */
export const ADDRESSES = { email: "emails", msisdn: "phones" } as const;

export const isMedium = (medium: unknown): medium is Medium =>
  medium === "email" || medium === "msisdn";

/** Without control characters, because `npx matrix-auth-elements` prints addresses in a terminal. */
const EMAIL = /^[^@\s\p{Cc}]+@[^@\s\p{Cc}]+\.[^@\s\p{Cc}]+$/u;

/** The calling codes of some countries. A number of any other country is kept as it was typed. */
const CALLING_CODES: Readonly<Record<string, string>> = {
  ...{ AT: "43", AU: "61", BE: "32", BR: "55", CA: "1", CH: "41", CN: "86", CZ: "420", DE: "49" },
  ...{ DK: "45", ES: "34", FI: "358", FR: "33", GB: "44", IE: "353", IN: "91", IT: "39", JP: "81" },
  ...{ KR: "82", MX: "52", NL: "31", NO: "47", NZ: "64", PL: "48", PT: "351", RU: "7", SE: "46" },
  ...{ TR: "90", UA: "380", US: "1", ZA: "27" },
};

/** The address in a request, in the form in which accounts store it. */
export function readAddress(medium: Medium, body: Json): string {
  if (medium === "email") {
    const email = textOf(body["email"]);
    if (!EMAIL.test(email)) throw refuse(400, "M_BAD_JSON", "Unable to parse email address");
    return email.toLowerCase();
  }
  const number = textOf(body["phone_number"] ?? body["phone"]).trim();
  const digits = number.replaceAll(/\D/g, "");
  if (digits.length < 5) throw refuse(400, "M_INVALID_PARAM", "Unable to parse phone number");
  if (number.startsWith("+")) return digits;
  const code = CALLING_CODES[textOf(body["country"]).toUpperCase()];
  return code === undefined ? digits : code + digits.replace(/^0/, "");
}
