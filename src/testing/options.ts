/** A sign-in method of the homeserver. */
export type LoginMethod = "oauth" | "sso" | "password";

/** The first step at which clients find the provider's metadata. The later steps also work. */
export type Discovery = "stable" | "unstable" | "auth_issuer" | "well-known";

/** A user of the homeserver. You can change it at any time. */
export interface TestAccount {
  /** Default: undefined, so that no password is accepted. */
  password?: string | undefined;
  displayName?: string | undefined;
  /** The `mxc://` URL of the user's image. */
  avatarUrl?: string | undefined;
  /** Validated addresses; phone numbers as `447700900123`. */
  emails: string[];
  phones: string[];
  devices: TestDevice[];
  /** Whether every request fails with `M_USER_LOCKED`. */
  locked?: boolean;
  deactivated?: boolean;
}

export interface TestDevice {
  readonly device_id: string;
  display_name?: string;
  /** The time of its last request, in milliseconds since the epoch. */
  last_seen_ts?: number;
  /** Default: `127.0.0.1` once it has made a request. */
  last_seen_ip?: string;
}

/** The stages of User-Interactive Authentication. You can change them at any time. */
export interface UiaSettings {
  /**
   * Lists of stages. A request is authorized once one list is completed. Default:
   * `m.login.password`, or `m.oauth` if users can sign in only with OAuth 2.0.
   */
  flows: readonly (readonly string[])[];
  /** The flows for creating an account. Default: `m.login.dummy`. */
  registrationFlows: readonly (readonly string[])[];
  /** Default: `["registration-token"]`. */
  registrationTokens: readonly string[];
  /** The correct response to a captcha. Default: undefined, so that every response is correct. */
  captchaResponse: string | undefined;
  /** Parameters of stages. They replace the homeserver's parameters. */
  params: Readonly<Record<string, unknown>>;
  /**
   * The number of attempts allowed in a period: for the stages of a session, sign-ins to an account,
   * messages to an address, and new accounts. Default: undefined, without a limit.
   */
  attempts: { readonly allowed: number; readonly windowMs: number } | undefined;
}

/** The lifetime of new access tokens, in milliseconds. You can change it at any time. */
export interface TokenLifetimes {
  /** For tokens with a refresh token. Default: five minutes. */
  refreshable: number;
  /** For other tokens. Default: `Infinity`. */
  other: number;
}

/** The part of `localStorage` that the servers use. */
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

/** An external provider, which manages the homeserver's users and their access tokens. */
export interface OutsideProvider {
  readonly issuer: string;
  readonly accountManagementUri: string;
  /** Resolves to the provider's metadata. */
  metadata(): Promise<object>;
  /** Resolves to the owner and scope of an access token, or to null if the token is not valid. */
  introspect(accessToken: string): Promise<IntrospectedToken | null>;
  /** Whether a user has approved that their cross-signing keys are replaced. */
  crossSigningResetAllowed(localpart: string): boolean;
}

export interface IntrospectedToken {
  readonly localpart: string;
  /** For a user who doesn't exist on the homeserver yet. Default: `localpart`. */
  readonly displayName?: string | undefined;
  readonly deviceId: string | null;
  readonly scope: string;
  /** The name of a new device. */
  readonly clientName: string | null;
}

export interface TestServersOptions {
  /** The base URL of the client-server API. Default: `https://matrix.example.org`. */
  readonly homeserver?: string | undefined;
  /** The part of user IDs after the colon. Default: the host of `homeserver`. */
  readonly serverName?: string | undefined;
  /** The provider's issuer. Default: `oauth2/` below `homeserver`. */
  readonly issuer?: string | undefined;
  /** The provider's page in your app, on the issuer's origin. Default: `authorize` below `issuer`. */
  readonly authorizationPage?: string | undefined;
  /** A real provider instead of the built-in one. */
  readonly provider?: OutsideProvider | undefined;
  /** Default: `["oauth"]`. */
  readonly login?: readonly LoginMethod[] | undefined;
  /** Default: `stable`. */
  readonly discovery?: Discovery | undefined;
  /** Passwords, or accounts, by localpart. Default: `{ alice: "password" }`. */
  readonly accounts?: Readonly<Record<string, string | Partial<TestAccount>>> | undefined;
  /**
   * The names of rooms that all users are in. A client that syncs lists them; they have no messages.
   * Default: none.
   */
  readonly rooms?: readonly string[] | undefined;
  /**
   * The identity providers for single sign-on. Default: none, so that the homeserver itself asks.
   */
  readonly identityProviders?: readonly TestIdentityProvider[] | undefined;
  /** Registered clients: redirect URIs by client ID. */
  readonly clients?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly uia?: Partial<UiaSettings> | undefined;
  /** Members of the provider's metadata, which replace its own; undefined removes one. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Capabilities, which replace the homeserver's own. Undefined removes one. With `{
   * "m.change_password": { enabled: false } }`, for example, the homeserver also rejects requests
   * to change the password.
   */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
  /**
   * The signature algorithm of ID tokens. Default: `ES256`, because its keys are generated quickly.
   */
  readonly algorithm?: "ES256" | "RS256" | undefined;
  /** The lifetime of access tokens with a refresh token, in milliseconds. Default: five minutes. */
  readonly tokenLifetimeMs?: number | undefined;
  /**
   * The prefix of every token. Default: empty. If clients keep tokens, use another prefix for each
   * run.
   */
  readonly tokenPrefix?: string | undefined;
  /** The URL to which requests for media are redirected. Default: the homeserver sends the media. */
  readonly mediaRedirect?: string | undefined;
  /** The servers' clock, in milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Used for requests to other servers. Default: these requests fail as for an unknown host. */
  readonly fetch?: typeof fetch | undefined;
  /**
   * Keeps accounts, tokens and pending requests, so that servers with the same options in another
   * document continue with them: after a reload or in a popup. For example `localStorage`.
   */
  readonly store?: TestStore | undefined;
}

/** A request as a server sees it. */
export interface TestRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
  /** Whether the page has cancelled it: `signal.aborted`. Playwright doesn't provide it. */
  readonly signal: AbortSignal;
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

/** Responds to a request; undefined: the servers respond as usual. */
export type Override = (
  request: TestRequest,
) => Response | undefined | Promise<Response | undefined>;

export interface OverrideOptions {
  /** The number of requests that it applies to. Default: 1. */
  readonly times?: number | undefined;
}
