import type { OidcError, OidcErrorCode } from "matrix-auth-elements/core";
import type { JWK } from "jose";
import type { Algorithm, SigningKey } from "./keys.js";
import type { LoginSettings } from "./page.js";
import type { Asked, Reply } from "./server.js";
import type { World } from "./world.js";

/** Where servers are asked; `elsewhere` is any other address, such as where a redirect leads. */
export type Endpoint =
  | "well-known"
  | "auth_metadata"
  | "unstable auth_metadata"
  | "auth_issuer"
  | "document"
  | "registration"
  | "authorization"
  | "token"
  | "keys"
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
  /** The provider's own document alone. */
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
}
