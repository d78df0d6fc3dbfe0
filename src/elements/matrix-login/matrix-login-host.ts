import type { AuthHost } from "../shared/auth-host.js";
import type { LoginElement } from "../shared/login-element.js";

/** What the element does; also a `:state()` of it. */
export type MatrixLoginState =
  | "idle"
  | "checking"
  | "ready"
  | "submitting"
  | "redirecting"
  | "waiting"
  | "completing"
  | "authenticating"
  | "success"
  | "error";

/** A way to sign in. */
export type LoginMethod = "oauth" | "sso" | "password";

/** What a user does here. */
export type LoginAction = LoginMethod | "registration" | "reset";

/** How many accounts the page keeps at the same time. */
export type AccountsMode = "one" | "many";

/** A page's settings beside those of every login, as they were set. */
export interface MatrixLoginAttributes {
  readonly homeserverLocked: boolean;
  readonly suggestions: readonly string[] | string | undefined;
  readonly methods: string | undefined;
  readonly noRegistration: boolean;
  readonly noReset: boolean;
  readonly accounts: AccountsMode | undefined;
  readonly userId: string | undefined;
  readonly deviceName: string | undefined;
}

/** What a matrix-login controller needs of its element. */
export type MatrixLoginHost = AuthHost & LoginElement & MatrixLoginAttributes;
