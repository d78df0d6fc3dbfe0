import { type Json, rateLimited } from "./exchange.js";
import type {
  Discovery,
  LoginMethod,
  OutsideProvider,
  TestAccount,
  TestIdentityProvider,
  TestServersOptions,
  TokenLifetimes,
  UiaSettings,
} from "./options.js";

export type Medium = "email" | "msisdn";

/** An access token, and the refresh token that replaces it. */
export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** The refresh token that was exchanged for these. */
  readonly replaces?: string;
  /** In milliseconds since the epoch. */
  expiresAt: number;
  isUsed: boolean;
}

/** One device that is signed in, or was. */
export interface DeviceSession {
  readonly user: string;
  readonly deviceId: string;
  readonly kind: "oauth" | "legacy";
  readonly clientId?: string;
  readonly scope?: string;
  tokens: readonly IssuedTokens[];
  ended?: "logout" | "soft logout";
}

export interface UiaRecord {
  readonly id: string;
  /** Method and path of the only request that it lets through. */
  readonly operation: string;
  readonly body: Json;
  readonly completed: string[];
  /** The user whose password was given, validated addresses, and the user whose account was made. */
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
  /** Where the link of an email finally leads. */
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

/** Everything that the servers remember: plain data, so that it can be stored. */
export interface Data {
  count: number;
  readonly accounts: Record<string, TestAccount>;
  /** Redirect URIs by client ID. */
  readonly clients: Record<string, readonly string[]>;
  readonly codes: Record<string, { readonly user: string; readonly request: string }>;
  readonly loginTokens: Record<string, { readonly user: string; readonly expiresAt: number }>;
  readonly sessions: DeviceSession[];
  uia: Record<string, UiaRecord>;
  readonly validations: Record<string, Validation>;
  readonly messages: TestMessage[];
  /** Times in milliseconds since the epoch, by what was tried. */
  readonly attempts: Record<string, readonly number[]>;
  /** By localpart. */
  readonly crossSigning: Record<string, Json>;
  /** The content has a character for each byte. */
  readonly media: Record<string, { readonly type: string; readonly content: string }>;
  /** As JSON Web Keys. */
  readonly signingKey: { readonly publicKey: Json; readonly privateKey: Json };
}

const STORE_KEY = "matrix-auth-elements:test-servers";

/** The servers' settings, and what they remember. */
export class Environment {
  readonly homeserver: string;
  readonly serverName: string;
  readonly issuer: string;
  readonly authorizationPage: string;
  /** A provider elsewhere. If it is set, the servers have none. */
  readonly outside: OutsideProvider | undefined;
  readonly login: readonly LoginMethod[];
  readonly discovery: Discovery;
  readonly identityProviders: readonly TestIdentityProvider[];
  readonly metadata: TestServersOptions["metadata"];
  readonly algorithm: "ES256" | "RS256";
  readonly tokenLifetimes: TokenLifetimes;
  readonly tokenPrefix: string;
  readonly mediaRedirect: string | undefined;
  /** In milliseconds since the epoch. */
  readonly now: () => number;
  readonly uia: UiaSettings;
  /** Read it again after each `await`: another document may have replaced it. */
  data: Data;
  readonly #options: TestServersOptions;
  /** The text that this document has read or written last. */
  #stored: string | null = null;

  constructor(options: TestServersOptions, signingKey: Data["signingKey"]) {
    const { homeserver = "https://matrix.example.org", login = ["oauth"], provider } = options;
    this.#options = options;
    this.homeserver = homeserver.replace(/\/+$/, "");
    this.serverName = options.serverName ?? new URL(homeserver).host;
    this.issuer = provider?.issuer ?? options.issuer ?? `${this.homeserver}/oauth2/`;
    this.authorizationPage = options.authorizationPage ?? `${this.issuer}authorize`;
    this.outside = provider;
    this.login = login;
    this.discovery = options.discovery ?? "stable";
    this.identityProviders = options.identityProviders ?? [];
    this.metadata = options.metadata;
    this.algorithm = options.algorithm ?? "ES256";
    this.tokenLifetimes = { refreshable: options.tokenLifetimeMs ?? 300_000, other: Infinity };
    this.tokenPrefix = options.tokenPrefix ?? "";
    this.mediaRedirect = options.mediaRedirect;
    this.now = options.now ?? (() => Date.now());
    this.uia = {
      flows: login.some((method) => method !== "oauth") ? [["m.login.password"]] : [["m.oauth"]],
      registrationFlows: [["m.login.dummy"]],
      registrationTokens: ["registration-token"],
      captchaResponse: undefined,
      params: {},
      attempts: undefined,
      ...options.uia,
    };
    this.data = initialData(options, signingKey);
  }

  /** Whether the homeserver itself has the accounts, and not its provider. */
  get hasAccounts(): boolean {
    return !this.outside && this.login.some((method) => method !== "oauth");
  }

  get hasLegacyLogin(): boolean {
    return this.login.includes("password") || this.login.includes("sso");
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

function initialData(options: TestServersOptions, signingKey: Data["signingKey"]): Data {
  const { accounts = { alice: "password" }, clients = {} } = options;
  return structuredClone({
    count: 0,
    accounts: Object.fromEntries(
      Object.entries(accounts).map(([user, given]) => [user, newAccount(user, given)]),
    ),
    clients,
    ...{ codes: {}, loginTokens: {}, sessions: [], uia: {}, validations: {}, messages: [] },
    ...{ attempts: {}, crossSigning: {}, media: {} },
    signingKey,
  });
}

export const newAccount = (
  user: string,
  given: string | Partial<TestAccount> = {},
): TestAccount => ({
  displayName: user,
  emails: [],
  phones: [],
  devices: [],
  ...(typeof given === "string" ? { password: given } : given),
});

/** A unique name that is the same in every run, so that tests can compare it. */
export const nameFor = ({ data }: Environment, what: string): string => `${what}${++data.count}`;

/** A name that gives access. */
export const tokenFor = (environment: Environment, what: string): string =>
  environment.tokenPrefix + nameFor(environment, what);

/** A name in letters: `what` and as many more as Synapse has. */
export function lettersFor({ data }: Environment, what: string, length: number): string {
  data.count += 1;
  const letters = data.count.toString(26).replaceAll(/./g, (digit) => {
    return String.fromCharCode(65 + parseInt(digit, 26));
  });
  return what + letters.padStart(length - what.length, "A");
}

/**
 * Rejects what was tried more often than `uia.attempts` allows.
 *
 * @throws {ServerRefusal} `M_LIMIT_EXCEEDED`
 */
export function assertAttempt({ data, now, uia: { attempts } }: Environment, what: string): void {
  if (!attempts) return;
  const { allowed, windowMs } = attempts;
  const recent = (data.attempts[what] ?? []).filter((at) => now() - at < windowMs);
  data.attempts[what] = recent;
  const [oldest = now()] = recent;
  if (recent.length >= allowed) throw rateLimited(Math.max(1, oldest + windowMs - now()));
}

/** Counts an attempt, if one more is allowed. @throws {ServerRefusal} as {@link assertAttempt} */
export function countAttempt(environment: Environment, what: string): void {
  assertAttempt(environment, what);
  const { data, now } = environment;
  data.attempts[what] = [...(data.attempts[what] ?? []), now()];
}
