import { type Json, rateLimited } from "./exchange.js";
import type {
  LoginMethod,
  TestAccount,
  TestMessage,
  TestServersOptions,
  TokenLifetimes,
  UiaSettings,
} from "./options.js";

export type Medium = TestMessage["medium"];

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
  /**
   * The user whose password was given, validated addresses, and the user whose account was made.
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

/** Everything that the servers remember: plain data, so that it can be stored. */
export interface Data {
  count: number;
  readonly accounts: Record<string, TestAccount>;
  readonly clients: Record<string, readonly string[]>;
  readonly codes: Record<string, { readonly user: string; readonly request: string }>;
  readonly loginTokens: Record<string, { readonly user: string; readonly expiresAt: number }>;
  readonly sessions: DeviceSession[];
  uia: Record<string, UiaRecord>;
  readonly validations: Record<string, Validation>;
  readonly messages: TestMessage[];
  /** Times in milliseconds since the epoch, for each kind of attempt. */
  readonly attempts: Record<string, number[]>;
  readonly crossSigning: Record<string, Json>;
  /** The content has a character for each byte. */
  readonly media: Record<string, { readonly type: string; readonly content: string }>;
  readonly signingKey: { readonly publicKey: Json; readonly privateKey: Json };
}

const STORE_KEY = "matrix-auth-elements:test-servers";

export class Environment {
  readonly options: TestServersOptions;
  readonly homeserver: string;
  readonly serverName: string;
  readonly issuer: string;
  readonly authorizationPage: string;
  readonly login: readonly LoginMethod[];
  readonly algorithm: "ES256" | "RS256";
  readonly tokenLifetimes: TokenLifetimes;
  readonly now: () => number;
  readonly uia: UiaSettings;
  readonly capabilities: Record<string, unknown>;
  /** Read it again after each `await`: another document may have replaced it. */
  data: Data;
  /** The text that this document has read or written last. */
  #stored: string | null = null;

  constructor(options: TestServersOptions, signingKey: Data["signingKey"]) {
    const { homeserver = "https://matrix.example.org", login = ["oauth"], provider } = options;
    this.options = options;
    this.homeserver = homeserver.replace(/\/+$/, "");
    this.serverName = options.serverName ?? new URL(homeserver).host;
    this.issuer = provider?.issuer ?? options.issuer ?? `${this.homeserver}/oauth2/`;
    this.authorizationPage = options.authorizationPage ?? `${this.issuer}authorize`;
    this.login = login;
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
    this.data = initialData(options, signingKey);
  }

  get hasLegacyLogin(): boolean {
    return this.login.some((method) => method !== "oauth");
  }

  /** Whether the homeserver itself has the accounts, and not its provider. */
  get hasAccounts(): boolean {
    return !this.options.provider && this.hasLegacyLogin;
  }

  /** Takes over the data that another document has stored. */
  load(): void {
    const stored = this.options.store?.getItem(STORE_KEY) ?? null;
    if (stored === null || stored === this.#stored) return;
    this.#stored = stored;
    this.data = JSON.parse(stored) as Data;
  }

  save(): void {
    if (!this.options.store) return;
    this.#stored = JSON.stringify(this.data);
    this.options.store.setItem(STORE_KEY, this.#stored);
  }

  reset(): void {
    this.data = initialData(this.options, this.data.signingKey);
    this.save();
  }

  /** A unique name that is the same in every run, so that tests can compare it. */
  nameFor(prefix: string): string {
    return `${prefix}${++this.data.count}`;
  }

  tokenFor(prefix: string): string {
    return this.nameFor((this.options.tokenPrefix ?? "") + prefix);
  }

  /** A name in letters, of the same length as Synapse's. */
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
}

function initialData(options: TestServersOptions, signingKey: Data["signingKey"]): Data {
  const { accounts = { alice: "password" }, clients = {} } = options;
  const users = Object.entries(accounts);
  return structuredClone({
    count: 0,
    accounts: Object.fromEntries(users.map(([user, given]) => [user, newAccount(user, given)])),
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
  ...{ displayName: user, emails: [], phones: [], devices: [] },
  ...(typeof given === "string" ? { password: given } : given),
});
