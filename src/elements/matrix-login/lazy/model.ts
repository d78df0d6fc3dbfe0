import type { SsoRedirectOptions } from "../../../core/matrix/request.js";
import type { CodedError } from "../../../sign-in/lazy/error-text.js";
import type { SignedInUser } from "../../../sign-in/lazy/signed-in.js";
import type { Texts } from "../../../texts/texts.js";
import type { FoundHomeserver } from "./lookup.js";
import type { LoginAction, MatrixLoginState } from "./settings.js";

/** A message for the user that isn't an error. */
export interface Notice {
  readonly text: keyof Texts;
  /** The server's message. */
  readonly reason?: string | undefined;
}

export interface LoginModel {
  readonly state: MatrixLoginState;
  readonly method: LoginAction | undefined;
  readonly isBusy: boolean;
  readonly found: FoundHomeserver | undefined;
  readonly error: CodedError | undefined;
  /** Whether another element, or the page, shows the error. */
  readonly isShown: boolean;
  readonly retry: (() => Promise<void>) | undefined;
  readonly notice: Notice | undefined;
  readonly soughtServer: string | undefined;
  forget(): void;
  /** Looks up a homeserver's sign-in methods. Errors aren't shown while the user is typing. */
  check(homeserver?: string, options?: { readonly typing?: boolean }): Promise<void>;
  /** Shows the error of the lookup, because the user has finished typing. */
  typed(): void;
  start(method: Exclude<LoginAction, "password">, options?: SsoRedirectOptions): Promise<void>;
  /** Dispatches `matrix-login-start`; returns whether to continue. */
  announceStart(method: LoginAction): boolean;
  /** Takes over the state of `<oidc-login>`. @param isOpening Whether the provider opens now. */
  followOAuth(isPopup: boolean, isOpening: boolean): void;
  /** Signs in on this page, or resets a password without a sign-in. */
  signIn(
    method: Exclude<LoginAction, "sso">,
    work: (signal: AbortSignal) => Promise<SignedInUser | undefined>,
  ): Promise<void>;
  /** @param isShown Whether another element shows it. @returns Whether the page shows it itself. */
  fail(method: LoginAction, error: unknown, isShown?: boolean): boolean;
  dismissError(): void;
  cancel(reason?: "refused" | "closed" | "cancelled"): void;
}
