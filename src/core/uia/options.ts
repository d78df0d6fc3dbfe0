/**
 * The stage types that the library knows.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#authentication-types
 */
export const AuthType = {
  Password: "m.login.password",
  Recaptcha: "m.login.recaptcha",
  Terms: "m.login.terms",
  Email: "m.login.email.identity",
  Msisdn: "m.login.msisdn",
  Sso: "m.login.sso",
  SsoUnstable: "org.matrix.login.sso",
  Dummy: "m.login.dummy",
  RegistrationToken: "m.login.registration_token",
  UnstableRegistrationToken: "org.matrix.msc3231.login.registration_token",
  /** Approval on the pages of the authorization server (v1.17, MSC4312). */
  OAuth: "m.oauth",
  /** The earlier name of {@link AuthType.OAuth}. */
  CrossSigningReset: "org.matrix.cross_signing_reset",
} as const;

export type AuthType = (typeof AuthType)[keyof typeof AuthType];

export const isOAuth = (stage: string): boolean =>
  stage === AuthType.OAuth || stage === AuthType.CrossSigningReset;

/** The stage has two names, and a homeserver may alternate between them. */
export const isRegistrationToken = (stage: string): boolean =>
  stage === AuthType.RegistrationToken || stage === AuthType.UnstableRegistrationToken;

/** Stages that must be completed one after another. */
export interface AuthFlow {
  readonly stages: readonly string[];
}

/**
 * The body of a 401 response that requires User-Interactive Authentication.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#user-interactive-api-in-the-rest-api
 */
export interface AuthData {
  readonly flows: readonly AuthFlow[];
  readonly params?: Readonly<Record<string, unknown>>;
  readonly session?: string;
  readonly completed?: readonly string[];
  readonly errcode?: string;
  readonly error?: string;
}

/**
 * The submission for one stage: its `type`, the `session`, and the stage's own members. If a stage
 * was completed elsewhere, such as on a fallback page, the dictionary contains only the session.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#user-interactive-authentication-api
 */
export interface AuthDict {
  readonly type?: string | undefined;
  readonly session?: string | undefined;
  readonly [key: string]: unknown;
}

/**
 * Carries out one protected request: calls `makeRequest` with null first, then with submissions for
 * the stages, until the request succeeds.
 */
export type UIAuthCallback<T> = (makeRequest: (auth: AuthDict | null) => Promise<T>) => Promise<T>;

/**
 * The part of a client that the library uses. All members are optional. matrix-js-sdk's client has
 * all of them.
 */
export interface UiaClient {
  /** The URL of the homeserver's own page for a stage. */
  getFallbackAuthUrl?(loginType: string, authSessionId: string): string;
  /** The secret for validations of addresses and phone numbers. Default: a random one. */
  generateClientSecret?(): string;
  /** The identity server, for homeservers that validate addresses there. */
  getIdentityServerUrl?(): string | undefined;
}

/** Inputs that choose a flow and complete its stages. */
export interface IInputs {
  /** Prefers flows that verify an email address. */
  readonly emailAddress?: string | undefined;
  /** The country of a phone number without an international prefix (ISO 3166-1 alpha-2). */
  readonly phoneCountry?: string | undefined;
  /** Prefers flows that verify a phone number. */
  readonly phoneNumber?: string | undefined;
  /** The initial value of the registration token's field. */
  readonly registrationToken?: string | undefined;
}

/** The status of a stage. */
export interface IStageStatus {
  /** The error code of the rejected submission, for example `M_FORBIDDEN`. */
  readonly errcode?: string;
  /** The server's message: plain text of at most 1000 characters, never markup. */
  readonly error?: string;
  /** The `sid` of the email validation, once a message was sent. */
  readonly emailSid?: string;
  /** The delay that the homeserver requires, in milliseconds. The request is then sent again. */
  readonly retryAfterMs?: number;
  /** Whether the stages start over because the homeserver has deleted the UIA session. */
  readonly restarted?: boolean;
}

export interface InteractiveAuthOptions<T> {
  readonly matrixClient: UiaClient;
  /**
   * Sends the request with its complete body, and with `authData` as its `auth`, unless `authData`
   * is null. `background`: whether the request is a poll that no user waits for.
   */
  readonly doRequest: (authData: AuthDict | null, background: boolean) => Promise<T>;
  /** Called with the stage to show, or with the stage's new status. */
  readonly stateUpdated: (nextStage: string, status: IStageStatus) => void;
  /** Requests a verification message, for example with `client.requestRegisterEmailToken`. */
  readonly requestEmailToken: (
    email: string,
    secret: string,
    attempt: number,
    session: string | null,
  ) => Promise<{ readonly sid: string }>;
  readonly inputs?: IInputs | undefined;
  /** Stages for which the caller has a view. Flows with only these are preferred. */
  readonly supportedStages?: readonly string[] | undefined;
  /** Called when the user starts or stops waiting for a server. */
  readonly busyChanged?: ((busy: boolean) => void) | undefined;
  /**
   * The UIA session to resume. If its email stage had started, set the next two options as well.
   */
  readonly sessionId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly emailSid?: string | undefined;
  /**
   * The body of a 401 response that the caller already has. No request is then sent before the
   * first submission. If it has no `flows`, its `session` is resumed.
   */
  readonly authData?: Partial<AuthData> | null | undefined;
  /** Ends the attempt, as `cancel()` does. */
  readonly signal?: AbortSignal | undefined;
}
