import type { LoginFlows } from "../../../core/index.js";
import type { CodedError } from "../../../sign-in/lazy/error-text.js";
import type { SignedInUser } from "../../../sign-in/lazy/signed-in.js";
import type { Texts } from "../../../texts/texts.js";
import type { FoundHomeserver } from "./lookup.js";
import type { LoginAction, MatrixLoginState } from "./settings.js";

/** What a single sign-on is begun with. */
export interface StartOptions {
  /** Which identity provider; default: the homeserver asks. */
  readonly idpId?: string;
  readonly action?: "login" | "register";
}

/** What the views of `<matrix-login>` show, and what users do there. */
export interface LoginModel {
  readonly state: MatrixLoginState;
  /** What the user does, or did last. */
  readonly method: LoginAction | undefined;
  /** Whether something is in progress that has to end before anything else begins. */
  readonly isBusy: boolean;
  /** The homeserver, once it is known how one can sign in there. */
  readonly found: FoundHomeserver | undefined;
  readonly flows: LoginFlows | undefined;
  readonly error: CodedError | undefined;
  /** Whether another element, or the page, shows the error. */
  readonly isShown: boolean;
  /** After an error that may pass: does the same once more. */
  readonly retry: (() => Promise<void>) | undefined;
  /** What users are told beside the state. */
  readonly notice: keyof Texts | undefined;
  /** The homeserver that could not be found, as it was typed. */
  readonly soughtServer: string | undefined;
  /** The homeserver is no longer the one that was looked up. */
  forget(): void;
  /** Asks a homeserver how one can sign in there; an error is not shown while its name is being typed. */
  check(homeserver?: string, options?: { readonly typing?: boolean }): Promise<void>;
  /** The user has typed the name: what was wrong with it is shown. */
  typed(): void;
  start(method: Exclude<LoginAction, "password">, options?: StartOptions): Promise<void>;
  /** Dispatches `matrix-login-start`; returns whether it goes on. */
  announceStart(method: LoginAction): boolean;
  /** The state of `<oidc-login>`, while the user signs in by it. @param isLeaving Whether the page is about to be left. */
  followOAuth(state: "redirecting" | "waiting", isLeaving: boolean): void;
  /** Signs in on this page, or resets a password, which signs nobody in. */
  signIn(
    method: Exclude<LoginAction, "sso">,
    work: (signal: AbortSignal) => Promise<SignedInUser | undefined>,
  ): Promise<void>;
  /** Reports an error; `isShown`: another element shows it already. @returns Whether the page shows it itself. */
  fail(method: LoginAction, error: unknown, isShown?: boolean): boolean;
  /** The user goes on with something else. */
  dismissError(): void;
  cancel(reason?: "refused" | "closed" | "cancelled"): void;
}
