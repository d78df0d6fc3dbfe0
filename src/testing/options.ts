/** How a homeserver lets users sign in. */
export type LoginMethod = "oauth" | "sso" | "password";

/** From which step on a client finds the provider's metadata: each has what comes after it, too. */
export type Discovery = "stable" | "unstable" | "auth_issuer" | "well-known";

/** A user of the homeserver. May be changed at any time. */
export interface TestAccount {
  /** Undefined: nobody can sign in with a password. */
  password?: string | undefined;
  displayName?: string | undefined;
  /** Validated addresses; phone numbers as `447700900123`. */
  emails: string[];
  phones: string[];
  devices: TestDevice[];
  /** Every request is then refused with `M_USER_LOCKED`. */
  locked?: boolean;
  deactivated?: boolean;
}

export interface TestDevice {
  readonly device_id: string;
  display_name?: string;
  /** When its last request was, in milliseconds since the epoch. */
  last_seen_ts?: number;
}

/** What the homeserver asks for by User-Interactive Authentication. May be changed at any time. */
export interface UiaSettings {
  /**
   * Lists of stages, one of which lets a request through. Default: `m.login.password`, or `m.oauth` where users
   * sign in by OAuth 2.0 alone.
   */
  flows: readonly (readonly string[])[];
  /** The same to create an account. Default: `m.login.dummy`. */
  registrationFlows: readonly (readonly string[])[];
  /** Default: `registration-token`. */
  registrationTokens: readonly string[];
  /** Which response to a captcha is right. Default: every one. */
  captchaResponse: string | undefined;
  /** Parameters of stages, in place of those that the homeserver has for them. */
  params: Readonly<Record<string, unknown>>;
  /**
   * How many attempts a time allows: at the stages of a session, at signing in to an account, at messages to an
   * address, at new accounts. Default: any number.
   */
  attempts: { readonly allowed: number; readonly windowMs: number } | undefined;
}

/** How long access tokens are good, in milliseconds. May be changed at any time: it is for new tokens. */
export interface TokenLifetimes {
  /** Of a token with a refresh token. Default: five minutes. */
  refreshable: number;
  /** Of any other. Default: `Infinity`. */
  other: number;
}

/** What the servers need of `localStorage`. */
export interface TestStore {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

/** @see https://spec.matrix.org/latest/client-server-api/#get_matrixclientv3login */
export interface TestIdentityProvider {
  readonly id: string;
  readonly name: string;
  readonly brand?: string;
  readonly icon?: string;
}

/** A provider elsewhere, which the homeserver leaves its users to, and which it asks about their access tokens. */
export interface OutsideProvider {
  readonly issuer: string;
  readonly accountManagementUri: string;
  /** Resolves to the provider's metadata. */
  metadata(): Promise<object>;
  /** Resolves to what an access token is good for; to null if it is good for nothing. */
  introspect(accessToken: string): Promise<IntrospectedToken | null>;
  /** Whether a user has allowed that their cross-signing keys are replaced. */
  crossSigningResetAllowed(localpart: string): boolean;
}

export interface IntrospectedToken {
  readonly localpart: string;
  /** Of a user whom the homeserver does not know yet. Default: `localpart`. */
  readonly displayName?: string | undefined;
  readonly deviceId: string | null;
  readonly scope: string;
  /** A new device has this name. */
  readonly clientName: string | null;
}

export interface TestServersOptions {
  /** The base URL of the client-server API. Default: `https://matrix.example.org`. */
  readonly homeserver?: string | undefined;
  /** What user IDs end with. Default: the host of `homeserver`. */
  readonly serverName?: string | undefined;
  /** The provider's issuer, with a slash at its end. Default: `oauth2/` below `homeserver`. */
  readonly issuer?: string | undefined;
  /** The provider's page, if your application has one for it; on the issuer's origin. Default: `authorize` below it. */
  readonly authorizationPage?: string | undefined;
  /** A real provider in place of the one that is made here. */
  readonly provider?: OutsideProvider | undefined;
  /** Default: `["oauth"]`. */
  readonly login?: readonly LoginMethod[] | undefined;
  /** Default: `stable`. */
  readonly discovery?: Discovery | undefined;
  /** Passwords, or accounts, by localpart. Default: `{ alice: "password" }`. */
  readonly accounts?: Readonly<Record<string, string | Partial<TestAccount>>> | undefined;
  /** For single sign-on. Default: one without a list, where the homeserver asks. */
  readonly identityProviders?: readonly TestIdentityProvider[] | undefined;
  /** Clients that are registered already: redirect URIs by client ID. */
  readonly clients?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly uia?: Partial<UiaSettings> | undefined;
  /**
   * Members of the provider's metadata in place of its own, as `{ prompt_values_supported: [] }` where nobody can
   * sign up; undefined leaves one out.
   */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** How ID tokens are signed. Default: `ES256`, whose keys are made fast. */
  readonly algorithm?: "ES256" | "RS256" | undefined;
  /** How long access tokens with a refresh token are good, in milliseconds. Default: five minutes. */
  readonly tokenLifetimeMs?: number | undefined;
  /**
   * What tokens start with. Default: nothing, so that they are the same in every run. Servers whose clients keep
   * tokens for longer than the servers live need another one each time.
   */
  readonly tokenPrefix?: string | undefined;
  /** Where all media are, if the homeserver redirects to another server for them. Default: it sends them itself. */
  readonly mediaRedirect?: string | undefined;
  /** The servers' clock, in milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** For requests to other servers. Default: these fail as those to a host that does not exist. */
  readonly fetch?: typeof fetch | undefined;
  /**
   * Keeps accounts, tokens and what is pending, so that servers with the same options in another document go on with
   * it: after a reload, in a popup. For example `localStorage`.
   */
  readonly store?: TestStore | undefined;
}
