import type { OidcError, OidcErrorCode, SessionState } from "matrix-auth-elements/core";
import type { JWK } from "jose";
import type { Algorithm, SigningKey } from "./keys.js";
import type { LoginSettings } from "./page.js";
import type { Lived, SessionSettings } from "./session-page.js";
import type { Asked, Reply } from "./server.js";
import type { World } from "./world.js";

/**
 * Where servers are asked: `refresh` and `device token` are the token endpoint too, by the grant that
 * is asked for; `api` is what a token opens; `elsewhere` is any other address, such as where a redirect leads.
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
export type Patch = Members | ((world: World, honest: Members) => Members);

/** A request at an endpoint that a row has bent. */
export interface BentRequest extends Asked {
  readonly world: World;
  /** The how manieth it is, from 1. */
  readonly nth: number;
  /** What the honest server says to it. */
  readonly honest: () => Promise<Reply>;
}

/** Undefined where it writes by itself, or never. */
export type Answer = (request: BentRequest) => Reply | undefined | Promise<Reply | undefined>;

/** What is different from an honest login. Nothing but what is named here is. */
export interface Bend {
  /** How the page logs in: where it starts, with which options, how often it completes. */
  readonly login?: LoginSettings | ((world: World) => LoginSettings);
  /** The provider's metadata, both at the homeserver and in its own document. */
  readonly metadata?: Patch;
  /** Only the provider's own document. */
  readonly document?: Patch;
  /** What the homeserver says of the provider. */
  readonly authMetadata?: Patch;
  /** The homeserver's well-known file. */
  readonly wellKnown?: Patch;
  /** The answer to a registration. */
  readonly registration?: Patch;
  /** The parameters of the provider's answer. */
  readonly answer?: (parameters: URLSearchParams, world: World) => void | Promise<void>;
  /** The whole address that the browser comes back to. */
  readonly address?: (address: URL, world: World) => void;
  /** The token answer. */
  readonly tokens?: Patch;
  /** The answer to a refresh, and the claims of its ID token. */
  readonly refreshed?: Patch;
  readonly refreshedClaims?: Patch;
  /** The answer to the start of a device's sign-in. */
  readonly deviceAuthorization?: Patch;
  /** The ID token's claims, header and payload as text. */
  readonly claims?: Patch;
  readonly header?: Patch;
  readonly payload?: (json: string) => string;
  /** Default: RS256. */
  readonly signedBy?: Algorithm | (() => Promise<SigningKey>);
  /** In place of the signature. */
  readonly signature?: (input: string, key: SigningKey) => Promise<Buffer>;
  /** The ID token as it is sent. */
  readonly idToken?: (compact: string) => unknown;
  /** The keys of the key set, at the first request for it, the second … */
  readonly keys?: (keys: readonly JWK[], nth: number) => unknown | Promise<unknown>;
  /** Whole answers. */
  readonly endpoints?: Readonly<Partial<Record<Endpoint, Answer>>>;
  /** What the page does with the session, once it is signed in. */
  readonly session?: SessionSettings | ((world: World) => SessionSettings);
  /** What is different at the other provider. */
  readonly other?: Bend;
}

/** How far a login went: the last step at which a server was asked. */
export type Step = "nothing" | "discovery" | "registration" | "authorization" | "token";

/** One case: what is bent, how it is refused, and the nearest honest variant. */
export interface Row {
  /** Unique; what the test is called by. */
  readonly id: string;
  /** The test or the section that asks for it, with its address. */
  readonly source: string;
  readonly bent: Bend;
  /** The error's message, by its name in `OidcError`, and its code. */
  readonly refused: { readonly message: keyof typeof OidcError; readonly code: OidcErrorCode };
  /** No server is asked for anything after this step, and something is asked at it. */
  readonly reaches: Step;
  /** Must be accepted. */
  readonly twin: Bend;
  /** The answer was none to this login, so that it can still be completed by the right one. */
  readonly keeps?: true;
  /** Anything more to hold of the refused login. */
  readonly also?: ((refused: Refused) => void) | undefined;
}

/** What a row's `also` looks at. */
export interface Refused {
  readonly world: World;
  /** The error's `retryable` and `retryAfterMs`. */
  readonly retryable: boolean;
  readonly retryAfterMs?: number | undefined;
  /** The texts of its causes. */
  readonly causes: readonly string[];
  /** How long the page wanted to wait, each time, in milliseconds. */
  readonly waits: readonly number[];
}

/** How what is done with a session fails. */
export type Refusal =
  /** An error of the library; `because`: the code of its cause. */
  | {
      readonly message: keyof typeof OidcError;
      readonly code: OidcErrorCode;
      readonly because?: OidcErrorCode;
    }
  /** The homeserver's own answer. */
  | { readonly status: number; readonly errcode?: string }
  /** The browser takes no such request, or gets no answer. */
  | "TypeError"
  /** Signing out says that the issuer did not take the tokens back. */
  | "not taken back"
  /** There is no page for managing the account. */
  | "no link";

/**
 * One case of what becomes of a session. The login before it is honest; `bent.session` says what is done
 * then, where it is not a refresh.
 */
export interface SessionRow {
  readonly id: string;
  readonly source: string;
  readonly bent: Bend;
  readonly refused: Refusal;
  /** What the session is then. */
  readonly leaves: SessionState;
  /** Every request since the login, in its order, as `told` puts it. */
  readonly asked: readonly string[];
  /** Whether it got new tokens before it was refused. */
  readonly renewed?: true;
  /** Must be accepted. */
  readonly twin: Bend;
  /** The same of the twin. */
  readonly twinAsked?: readonly string[];
  /** What the page gets of the twin. Default: the last access token, or what the homeserver says. */
  readonly twinGives?: string;
  /** Anything more to hold of the refused one. */
  readonly also?: ((lived: Lived) => void) | undefined;
}
