import type { OidcError, OidcErrorCode, SessionState } from "matrix-auth-elements/core";
import type { JWK } from "jose";
import type { Algorithm, SigningKey } from "./keys.js";
import type { LoginSettings } from "./login-steps.js";
import type { Environment } from "./environment.js";
import type { ReceivedRequest, Reply } from "./network.js";
import type { SessionRun, SessionSettings } from "./session-steps.js";

/**
 * The targets of requests. `refresh` and `device token` are the token endpoint, with other grant types.
 * `api` is the endpoint that requires a token. `elsewhere` is any other URL, such as a redirect's target.
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

/** Merged over an honest server's document. A member whose value is undefined is left out. */
export type Patch = Members | ((environment: Environment, honest: Members) => Members);

/** A patch that may be asynchronous. */
export type AsyncPatch = Patch | ((environment: Environment, honest: Members) => Promise<Members>);

/** A request to an endpoint whose response a row replaces. */
export interface InterceptedRequest extends ReceivedRequest {
  readonly environment: Environment;
  /** Its number among the requests to this endpoint, from 1. */
  readonly nth: number;
  /** Resolves to the honest server's response. */
  readonly honest: () => Promise<Reply>;
}

export type Responder = (request: InterceptedRequest) => Reply | Promise<Reply>;

/** The differences from an honest sign-in. Everything else is honest. */
export interface Deviation {
  /** The page's settings: the start, the options, and the number of tries. */
  readonly login?: LoginSettings | ((environment: Environment) => LoginSettings);
  /** The provider's metadata, both at the homeserver and in its own document. */
  readonly metadata?: Patch;
  /** Only the provider's own document. */
  readonly document?: Patch;
  /** The homeserver's copy of the provider's metadata. */
  readonly authMetadata?: Patch;
  /** The homeserver's well-known file. */
  readonly wellKnown?: Patch;
  /** The response to a registration. */
  readonly registration?: Patch;
  /** "exact" compares redirect URIs exactly. "without port" rejects a registration of one with a port. */
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
  /** Replaces the signature. */
  readonly signature?: (input: string, key: SigningKey) => Promise<Uint8Array>;
  /** The ID token as it is sent. */
  readonly idToken?: (compact: string) => unknown;
  /** The keys of the key set, by the number of the request for it. */
  readonly keys?: (keys: readonly JWK[], nth: number) => unknown | Promise<unknown>;
  /** Whole responses. */
  readonly endpoints?: Readonly<Partial<Record<Endpoint, Responder>>>;
  /** The page's actions with the session after the sign-in. */
  readonly session?: SessionSettings | ((environment: Environment) => SessionSettings);
  /** The deviations of the other provider. */
  readonly other?: Deviation;
}

/** How far a sign-in went: the last step with a request to a server. */
export type Step = "nothing" | "discovery" | "registration" | "authorization" | "token";

/**
 * One case: a deviation from an honest sign-in, the error that rejects it, and the nearest honest
 * variant.
 */
export interface Row {
  /** The unique title of the test. */
  readonly id: string;
  /** The conformance test or the section that requires it, with its URL. */
  readonly source: string;
  readonly deviation: Deviation;
  /** The error's code, and the name of its message in `OidcError`. */
  readonly refused: { readonly message: keyof typeof OidcError; readonly code: OidcErrorCode };
  /** The last step with a request to a server. */
  readonly reaches: Step;
  /** The honest variant, which must be accepted. */
  readonly control: Deviation;
  /** The response was to another sign-in, so the right response can still complete this one. */
  readonly keepsFlow?: true;
  /** The message of the error's cause. */
  readonly reason?: string | RegExp;
  /** The wait that a rate limit demands, as the error reports it, in milliseconds. */
  readonly retryAfterMs?: number;
  /** The page's waits, in milliseconds. */
  readonly waits?: readonly number[];
  /** No request may reach the other provider. */
  readonly otherIsAsked?: false;
  /** Further checks of the rejected sign-in. */
  readonly also?: ((refused: Refused) => void) | undefined;
}

/** The parameter of a row's `also`. */
export interface Refused {
  readonly environment: Environment;
  /** The messages of the error's causes. */
  readonly causes: readonly string[];
  /** The page's waits, in milliseconds. */
  readonly waits: readonly number[];
}

/** The failure of an action with a session. */
export type Refusal =
  /** An error of the library; `cause`: the code of its cause. */
  | {
      readonly message: keyof typeof OidcError;
      readonly code: OidcErrorCode;
      readonly cause?: OidcErrorCode;
    }
  /** The homeserver's own response. */
  | { readonly status: number; readonly errcode?: string }
  /** The browser rejects the request, or gets no response. */
  | "TypeError"
  /** `signOut()` reports that the issuer did not revoke the tokens. */
  | "not taken back"
  /** The issuer has no account page. */
  | "no link";

/**
 * One case of a session. The sign-in before it is honest. `deviation.session` has the actions; the
 * default is one refresh.
 */
export interface SessionRow {
  readonly id: string;
  readonly source: string;
  /** Whether the row depends on the browser's own behavior, so that it runs only over HTTP. */
  readonly needsHttp?: true;
  readonly deviation: Deviation;
  readonly refused: Refusal;
  /** The session's state at the end. */
  readonly leaves: SessionState;
  /** At the end, the store has another tab's newer session. */
  readonly leavesNewer?: true;
  /** Every request since the sign-in in its order, in the format of `describeRequests`. */
  readonly requests: readonly string[];
  /** Whether it got new tokens before it was rejected. */
  readonly renewed?: true;
  /** The honest variant, which must be accepted. */
  readonly control: Deviation;
  /** The control's requests. */
  readonly controlRequests?: readonly string[];
  /** The control's value. Default: the last access token, or the homeserver's response. */
  readonly controlValue?: string;
  /** The page's waits, in milliseconds. */
  readonly waits?: readonly number[];
  /** Whether each request of the session's `fetch` had a token. */
  readonly sentWithToken?: readonly boolean[];
  /** Further checks of the rejected session. */
  readonly also?: ((run: SessionRun) => void) | undefined;
}

/**
 * One case of a sign-in in a popup. It runs only over HTTP, because browsers decide what one window may
 * do to another. The sign-in succeeds, and the app's page stays as it was.
 */
export interface PopupRow {
  readonly id: string;
  readonly source: string;
  readonly deviation: Deviation;
  readonly refused?: undefined;
  /** The honest variant, with the same outcome. */
  readonly control: Deviation;
}

/** A row without the members that its group shares. */
type Rest<R extends Row | SessionRow, Common> = Omit<R, keyof Common | "control"> & Partial<R>;

/** The short form of a row: its value, and maybe its control's value. */
type ShortRow<Value> = readonly [id: string, value: Value, control?: Value];

/** The short form of a row in a group whose rows have different sources. */
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
 * Rows on sign-ins that share these members. The default control is the honest sign-in. `deviationOf`
 * turns the values of short rows into deviations. It is omitted if the values are deviations.
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
 * Rows on sessions that share these members. A row with its own control does not use the shared one.
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
    const whole = { ...common, ...(!row.control && ofControl), ...row } as unknown as SessionRow;
    return {
      ...whole,
      deviation: honestBefore(whole.deviation),
      control: honestBefore(whole.control),
    };
  });

/** The sign-in reads the issuer's document too, so that is honest before the first tokens. */
function honestBefore(deviation: Deviation): Deviation {
  const { document, endpoints } = deviation;
  const respond = endpoints?.document;
  const isBefore = ({ idp }: Environment): boolean => idp.accessTokens.length === 0;
  let before = 0;
  return {
    ...deviation,
    ...(document && {
      document: (environment: Environment, honest: Members) => {
        if (isBefore(environment)) return {};
        return typeof document === "function" ? document(environment, honest) : document;
      },
    }),
    ...(respond && {
      endpoints: {
        ...endpoints,
        document: (request: InterceptedRequest) => {
          if (!isBefore(request.environment)) {
            return respond({ ...request, nth: request.nth - before });
          }
          before = request.nth;
          return request.honest();
        },
      },
    }),
  };
}
