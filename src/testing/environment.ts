import { KIND_OF, readAddress, type Medium } from "./addresses.js";
import { forbidden, isJson, rateLimited, refuse, textOf, type Json } from "./exchange.js";
import type {
  Discovery,
  LoginMethod,
  OutsideProvider,
  TestAccount,
  TestServersOptions,
  TokenLifetimes,
  UiaSettings,
} from "./options.js";

/** An access token, and the refresh token that replaces it. */
export interface Issued {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** The refresh token that it was had for. */
  readonly replaces?: string;
  /** In milliseconds since the epoch. */
  expiresAt: number;
  /** Whether the access token has opened anything. */
  isUsed: boolean;
}

/** One device that is signed in, or was. */
export interface Session {
  readonly user: string;
  readonly deviceId: string;
  readonly kind: "oauth" | "legacy";
  readonly clientId?: string;
  readonly scope?: string;
  tokens: readonly Issued[];
  ended?: "logout" | "soft logout";
}

/** A User-Interactive Authentication session. */
export interface UiaSession {
  readonly id: string;
  /** Method and path: it is good for no other. */
  readonly operation: string;
  readonly body: Json;
  readonly completed: string[];
  /** What stages have found out: the user of a password, validated addresses; and whose account was made. */
  readonly found: { user?: string; email?: string; msisdn?: string; registered?: string };
}

/** The validation of an email address or a phone number. */
export interface Validation {
  readonly medium: Medium;
  readonly address: string;
  readonly sid: string;
  readonly secret: string;
  readonly token: string;
  attempt: number;
  verified: boolean;
  /** Where the client wants the link of an email to lead on to. */
  nextLink?: string;
}

/** An email or a text message that the homeserver has sent. */
export interface TestMessage {
  readonly medium: Medium;
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
  readonly loginTokens: Record<string, { readonly user: string; readonly expiresAt: number }>;
  readonly sessions: Session[];
  uia: Record<string, UiaSession>;
  readonly validations: Record<string, Validation>;
  readonly messages: TestMessage[];
  /** When something was tried, in milliseconds since the epoch. */
  readonly attempts: Record<string, readonly number[]>;
  /** By localpart. */
  readonly crossSigning: Record<string, Json>;
  /** The content has a character for each byte. */
  readonly media: Record<string, { readonly type: string; readonly content: string }>;
  /** As JSON Web Keys. */
  readonly signingKey: { readonly publicKey: Json; readonly privateKey: Json };
}

/** The servers' settings and their memory, for the routes. */
export interface Environment {
  readonly homeserver: string;
  readonly serverName: string;
  readonly issuer: string;
  readonly authorizationPage: string;
  /** A provider elsewhere; the servers have none then. */
  readonly outside: OutsideProvider | undefined;
  readonly login: readonly LoginMethod[];
  readonly discovery: Discovery;
  readonly identityProviders: NonNullable<TestServersOptions["identityProviders"]>;
  readonly metadata: TestServersOptions["metadata"];
  readonly algorithm: "ES256" | "RS256";
  readonly tokenLifetimes: TokenLifetimes;
  readonly tokenPrefix: string;
  readonly mediaRedirect: string | undefined;
  /** In milliseconds since the epoch. */
  readonly now: () => number;
  readonly uia: UiaSettings;
  /** Ask for it again after each `await`: another document may have replaced it. */
  readonly data: Data;
}

const STORE_KEY = "matrix-auth-elements:test-servers";

/** What the servers remember, also in another document if there is a store. */
export class Memory {
  data: Data;
  readonly #options: TestServersOptions;
  /** What this document has read or written last. */
  #stored: string | null = null;

  constructor(options: TestServersOptions, signingKey: Data["signingKey"]) {
    this.#options = options;
    this.data = initialData(options, signingKey);
  }

  /** Takes over what another document has stored. */
  load(): void {
    const stored = this.#options.store?.getItem(STORE_KEY) ?? null;
    if (stored === null || stored === this.#stored) return;
    this.#stored = stored;
    this.data = JSON.parse(stored) as Data;
  }

  save(): void {
    if (!this.#options.store) return;
    this.#stored = JSON.stringify(this.data);
    this.#options.store.setItem(STORE_KEY, this.#stored);
  }

  reset(): void {
    this.data = initialData(this.#options, this.data.signingKey);
    this.save();
  }
}

type Fixed = Pick<
  Environment,
  "homeserver" | "serverName" | "issuer" | "uia" | "login" | "tokenLifetimes"
>;

/** What the routes have of the servers. */
export function createEnvironment(
  fixed: Fixed,
  options: TestServersOptions,
  memory: Memory,
): Environment {
  const { algorithm = "ES256", discovery = "stable", identityProviders = [] } = options;
  const { authorizationPage = `${fixed.issuer}authorize`, tokenPrefix = "" } = options;
  const { now = () => Date.now() } = options;
  return {
    ...fixed,
    ...{ algorithm, authorizationPage, discovery, identityProviders, now, tokenPrefix },
    metadata: options.metadata,
    outside: options.provider,
    mediaRedirect: options.mediaRedirect,
    get data() {
      return memory.data;
    },
  };
}

function initialData(options: TestServersOptions, signingKey: Data["signingKey"]): Data {
  const { accounts = { alice: "password" }, clients = {} } = options;
  return structuredClone({
    count: 0,
    accounts: Object.fromEntries(
      Object.entries(accounts).map(([user, given]) => [user, account(user, given)]),
    ),
    clients,
    ...{ codes: {}, loginTokens: {}, sessions: [], uia: {}, validations: {}, messages: [] },
    ...{ attempts: {}, crossSigning: {}, media: {} },
    signingKey,
  });
}

/** A name that nothing else has; the same in every run, for tests to compare. */
export const nameFor = ({ data }: Environment, what: string): string => `${what}${++data.count}`;

/** The same for what gives access. */
export const tokenFor = (environment: Environment, what: string): string =>
  environment.tokenPrefix + nameFor(environment, what);

/** The same in letters: what begins with `what`, as long as Synapse has it. */
export function lettersFor({ data }: Environment, what: string, length: number): string {
  data.count += 1;
  const letters = data.count.toString(26).replaceAll(/./g, (digit) => {
    return String.fromCharCode(65 + parseInt(digit, 26));
  });
  return what + letters.padStart(length - what.length, "A");
}

/** Whether the homeserver itself has the accounts, and not its provider. */
export const hasAccounts = ({ login, outside }: Environment): boolean =>
  !outside && login.some((method) => method !== "oauth");

/** Whether clients can sign in without OAuth 2.0. */
export const hasLegacyLogin = ({ login }: Environment): boolean =>
  login.includes("password") || login.includes("sso");

export const userIdOf = ({ serverName }: Environment, user: string): string =>
  `@${user}:${serverName}`;

/** The localpart of a user ID of this homeserver, or of a localpart. */
export function localpartOf({ serverName }: Environment, user: string): string {
  const [, localpart = "", server] = /^@([^:]*):(.*)$/s.exec(user) ?? [];
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

/** The user to whom an address belongs. */
export const ownerOf = (
  { data }: Environment,
  medium: Medium,
  address: string,
): string | undefined =>
  Object.entries(data.accounts).find(([, each]) => each[KIND_OF[medium]].includes(address))?.[0];

/** Who a body of a password's login, or of its stage, names. Empty: no user of this homeserver. */
function userOf(environment: Environment, { type, user, medium, ...address }: Json): string {
  switch (type) {
    case "m.id.user": {
      const localpart = localpartOf(environment, textOf(user));
      // A name in other letters is the same user, unless an account has exactly that name.
      return environment.data.accounts[localpart] ? localpart : localpart.toLowerCase();
    }
    case "m.id.thirdparty": {
      const kind = medium === "email" || medium === "msisdn" ? medium : undefined;
      return (kind && ownerOf(environment, kind, textOf(address["address"]))) ?? "";
    }
    case "m.id.phone":
      return ownerOf(environment, "msisdn", readAddress("msisdn", address)) ?? "";
    default:
      throw refuse(400, "M_UNKNOWN", "Unknown login identifier type");
  }
}

/**
 * Whose password it is; undefined if it is no user's.
 *
 * @see https://spec.matrix.org/latest/client-server-api/#identifier-types
 * @throws {Refusal} `M_INVALID_PARAM`, `M_UNKNOWN`, `M_USER_DEACTIVATED`
 */
export function userByPassword(environment: Environment, body: Json): string | undefined {
  const { user: name, password } = body;
  const identifier = body["identifier"] ?? (name ? { type: "m.id.user", user: name } : undefined);
  if (!isJson(identifier)) throw refuse(400, "M_INVALID_PARAM", "Invalid login submission");
  if (typeof password !== "string") {
    throw refuse(400, "M_INVALID_PARAM", "Bad parameter: password");
  }
  const user = userOf(environment, identifier);
  const found = environment.data.accounts[user];
  if (found?.password !== password) return undefined;
  if (found.deactivated) throw refuse(403, "M_USER_DEACTIVATED", "This account is deactivated");
  return user;
}

/**
 * Refuses what was tried too often, as `uia.attempts` has it.
 *
 * @throws {Refusal} `M_LIMIT_EXCEEDED`
 */
export function assertAttempt({ data, now, uia: { attempts } }: Environment, what: string): void {
  if (!attempts) return;
  const { allowed, windowMs } = attempts;
  const recent = (data.attempts[what] ?? []).filter((at) => now() - at < windowMs);
  data.attempts[what] = recent;
  const [oldest = now()] = recent;
  if (recent.length >= allowed) throw rateLimited(Math.max(1, oldest + windowMs - now()));
}

export function countAttempt({ data, now }: Environment, what: string): void {
  data.attempts[what] = [...(data.attempts[what] ?? []), now()];
}

/** A token for `m.login.token`. */
export function issueLoginToken(
  environment: Environment,
  user: string,
  lifetimeMs: number,
): string {
  const token = tokenFor(environment, "login-token-");
  environment.data.loginTokens[token] = { user, expiresAt: environment.now() + lifetimeMs };
  return token;
}

/** Whom a login token signs in, once. @throws {Refusal} `M_FORBIDDEN` */
export function takeLoginToken({ data, now }: Environment, token: string): string {
  const found = data.loginTokens[token];
  Reflect.deleteProperty(data.loginTokens, token);
  if (!found || now() >= found.expiresAt) throw forbidden("Invalid login token");
  return found.user;
}
