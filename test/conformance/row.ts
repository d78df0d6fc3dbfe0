import type { OidcError, OidcErrorCode, SessionState } from "matrix-auth-elements/core";
import type { JWK } from "jose";
import type { Algorithm, SigningKey } from "./keys.js";
import type { LoginSettings } from "./login-steps.js";
import type { Environment } from "./environment.js";
import type { ReceivedRequest, Reply } from "./network.js";
import type { SessionRun, SessionSettings } from "./session-steps.js";

/**
 * Where requests go: `refresh` and `device token` are the token endpoint too, by the grant that
 * is asked for; `api` is what a token opens; `elsewhere` is any other URL, such as where a redirect leads.
 */
export type Endpoint =
  | "well-known"
  | "auth_metadata"
  | "unstable auth_metadata"
  | "auth_issuer"
  | "document"
  | "registration"
  | "authorization"
  | "token"
  | "refresh"
  | "revocation"
  | "device authorization"
  | "device token"
  | "keys"
  | "api"
  | "elsewhere";

export type Members = Readonly<Record<string, unknown>>;

/** Laid over what an honest server says; a member of undefined is left out. */
export type Patch = Members | ((environment: Environment, honest: Members) => Members);

/** One that may take its time. */
export type AsyncPatch = Patch | ((environment: Environment, honest: Members) => Promise<Members>);

/** A request to an endpoint whose response a row replaces. */
export interface InterceptedRequest extends ReceivedRequest {
  readonly environment: Environment;
  /** Its number among those to this endpoint, from 1. */
  readonly nth: number;
  /** What the honest server responds. */
  readonly honest: () => Promise<Reply>;
}

export type Responder = (request: InterceptedRequest) => Reply | Promise<Reply>;

/** What is different from an honest sign-in. Nothing but what is named here is. */
export interface Deviation {
  /** How the page logs in: where it starts, with which options, how often it completes. */
  readonly login?: LoginSettings | ((environment: Environment) => LoginSettings);
  /** The provider's metadata, both at the homeserver and in its own document. */
  readonly metadata?: Patch;
  /** Only the provider's own document. */
  readonly document?: Patch;
  /** What the homeserver says of the provider. */
  readonly authMetadata?: Patch;
  /** The homeserver's well-known file. */
  readonly wellKnown?: Patch;
  /** The response to a registration. */
  readonly registration?: Patch;
  /** How redirect URIs are compared: letter by letter, or with any port where none may be registered. */
  readonly redirectUris?: "exact" | "without port";
  /** The parameters of the provider's response. */
  readonly authorizationResponse?: (
    parameters: URLSearchParams,
    environment: Environment,
  ) => void | Promise<void>;
  /** The whole URL that the browser returns to. */
  readonly callbackUrl?: (url: URL, environment: Environment) => void;
  /** The token response. */
  readonly tokens?: Patch;
  /** The response to a refresh, and the claims of its ID token. */
  readonly refreshed?: Patch;
  readonly refreshedClaims?: Patch;
  /** The response to the start of a device's sign-in. */
  readonly deviceAuthorization?: Patch;
  /** The ID token's claims, header and payload as text. */
  readonly claims?: AsyncPatch;
  readonly header?: Patch;
  readonly payload?: (json: string) => string | Uint8Array;
  /** Default: RS256. */
  readonly signedBy?: Algorithm | (() => Promise<SigningKey>);
  /** instead of the signature. */
  readonly signature?: (input: string, key: SigningKey) => Promise<Uint8Array>;
  /** The ID token as it is sent. */
  readonly idToken?: (compact: string) => unknown;
  /** The keys of the key set, at the first request for it, the second … */
  readonly keys?: (keys: readonly JWK[], nth: number) => unknown | Promise<unknown>;
  /** Whole responses. */
  readonly endpoints?: Readonly<Partial<Record<Endpoint, Responder>>>;
  /** What the page does with the session, once it is signed in. */
  readonly session?: SessionSettings | ((environment: Environment) => SessionSettings);
  /** What is different at the other provider. */
  readonly other?: Deviation;
}

/** How far a sign-in went: the last step at which a server was asked. */
export type Step = "nothing" | "discovery" | "registration" | "authorization" | "token";

/**
 * One case: what deviates from an honest sign-in, how it is rejected, and the nearest honest
 * variant.
 */
export interface Row {
  /** Unique; what the test is called by. */
  readonly id: string;
  /** The test or the section that asks for it, with its URL. */
  readonly source: string;
  readonly deviation: Deviation;
  /** The error's message, by its name in `OidcError`, and its code. */
  readonly refused: { readonly message: keyof typeof OidcError; readonly code: OidcErrorCode };
  /** No server is asked for anything after this step, and something is asked at it. */
  readonly reaches: Step;
  /** Must be accepted. */
  readonly control: Deviation;
  /** The response was none to this sign-in, so that it can still be completed by the right one. */
  readonly keepsFlow?: true;
  /** What the error's cause says. */
  readonly reason?: string | RegExp;
  /** What the error tells of the time that a rate limit asks to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** How long the page wants to wait, each time, in milliseconds. */
  readonly waits?: readonly number[];
  /** Neither the sign-in nor a redirect leads to the other provider. */
  readonly otherIsAsked?: false;
  /** Anything more to hold of the rejected sign-in. */
  readonly also?: ((refused: Refused) => void) | undefined;
}

/** What a row's `also` looks at. */
export interface Refused {
  readonly environment: Environment;
  /** The texts of its causes. */
  readonly causes: readonly string[];
  /** How long the page wanted to wait, each time, in milliseconds. */
  readonly waits: readonly number[];
}

/** How what is done with a session fails. */
export type Refusal =
  /** An error of the library; `cause`: the code of its cause. */
  | {
      readonly message: keyof typeof OidcError;
      readonly code: OidcErrorCode;
      readonly cause?: OidcErrorCode;
    }
  /** The homeserver's own response. */
  | { readonly status: number; readonly errcode?: string }
  /** The browser takes no such request, or gets no response. */
  | "TypeError"
  /** Signing out says that the issuer did not take the tokens back. */
  | "not taken back"
  /** There is no page for managing the account. */
  | "no link";

/**
 * One case of what becomes of a session. The sign-in before it is honest; `deviation.session` says
 * what is done then, instead of one refresh.
 */
export interface SessionRow {
  readonly id: string;
  readonly source: string;
  /** What it holds is the browser's doing, so that it is tried over HTTP alone. */
  readonly needsHttp?: true;
  readonly deviation: Deviation;
  readonly refused: Refusal;
  /** What the session is then. */
  readonly leaves: SessionState;
  /** The store has another tab's newer session then. */
  readonly leavesNewer?: true;
  /** Every request since the sign-in, in its order, as `describeRequests` puts it. */
  readonly requests: readonly string[];
  /** Whether it got new tokens before it was rejected. */
  readonly renewed?: true;
  /** Must be accepted. */
  readonly control: Deviation;
  /** The same of the control. */
  readonly controlRequests?: readonly string[];
  /** What the page gets of the control. Default: the last access token, or what the homeserver says. */
  readonly controlValue?: string;
  /** How long the page wants to wait, each time, in milliseconds. */
  readonly waits?: readonly number[];
  /** Whether each request of the session's `fetch` had a token. */
  readonly sentWithToken?: readonly boolean[];
  /** Anything more to hold of the rejected one. */
  readonly also?: ((run: SessionRun) => void) | undefined;
}

/**
 * One case of a sign-in in a popup of the app's page, where browsers decide what one window may do
 * to another: over HTTP alone. The sign-in succeeds, and the page is what it was.
 */
export interface PopupRow {
  readonly id: string;
  readonly source: string;
  readonly deviation: Deviation;
  readonly refused?: undefined;
  /** Must end likewise. */
  readonly control: Deviation;
}

/** A row without what its group has in common. */
type Rest<R extends Row | SessionRow, Common> = Omit<R, keyof Common | "control"> & Partial<R>;

/** A row in short: the value that is its own, and maybe that of its control. */
type ShortRow<Value> = readonly [id: string, value: Value, control?: Value];

/** The same in a group whose rows have a source each. */
type ShortRowWithSource<Value> = readonly [
  id: string,
  source: string,
  value: Value,
  control?: Value,
];

/** A type that `deviationOf` alone decides. `NoInfer` rejects objects where `Value` has an index signature. */
type Fixed<Value> = [Value][Value extends unknown ? 0 : never];

type ShortRowOf<Common, Value> = "source" extends keyof Common
  ? ShortRow<Value>
  : ShortRowWithSource<Value>;

/**
 * Rows on sign-ins with these members in common. A control of which nothing is said is the honest
 * sign-in. Of the values in a short row, `deviationOf` makes the deviations; it is left out where
 * they are these.
 */
export const loginRows = <Common extends Partial<Row>, Value = Deviation>(
  {
    deviationOf = (value) => value as Deviation,
    ...common
  }: Common & { readonly deviationOf?: (value: Value) => Deviation },
  rows: readonly (ShortRowOf<Common, Fixed<Value>> | Rest<Row, Common>)[],
): readonly Row[] =>
  rows.map((row) => {
    if (!isShort<Value>(row)) return { control: {}, ...common, ...row } as unknown as Row;
    const [id, ...rest] = row;
    const source = common.source ?? (rest.shift() as string);
    const [deviation, control = common.control ?? {}] = (rest as Value[]).map(deviationOf);
    return { ...common, id, source, deviation, control } as unknown as Row;
  });

const isShort = <Value>(row: object): row is ShortRow<Value> | ShortRowWithSource<Value> =>
  Array.isArray(row);

/**
 * The same of sessions. What is common to the controls is not that of a row with its own control.
 */
export const sessionRows = <Common extends Partial<SessionRow>>(
  { control = {}, controlRequests, controlValue, ...common }: Common,
  rows: readonly Rest<SessionRow, Common>[],
): readonly SessionRow[] =>
  rows.map((row) => {
    const ofControl = {
      control,
      ...(controlRequests && { controlRequests }),
      ...(controlValue !== undefined && { controlValue }),
    };
    return { ...common, ...(!row.control && ofControl), ...row } as unknown as SessionRow;
  });
