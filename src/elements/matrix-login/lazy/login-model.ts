import type {
  AuthorizationCodeGrantResult,
  LegacyLoginResult,
  LoginFlows,
  UserIdentifier,
} from "../../../core/index.js";
import type { LoginAction, MatrixLoginState } from "../matrix-login-host.js";
import type { CodedError } from "./coded-error.js";
import type { FoundHomeserver } from "./find-methods.js";

/** What the views of `<matrix-login>` show, and what they have done. */
export interface LoginModel {
  readonly state: MatrixLoginState;
  readonly found: FoundHomeserver | undefined;
  readonly flows: LoginFlows | undefined;
  readonly error: CodedError | undefined;
  check(homeserver?: string): Promise<void>;
  start(
    method: Exclude<LoginAction, "password">,
    options?: { readonly idpId?: string },
  ): Promise<void>;
  submitPassword(identifier: UserIdentifier, password: string): Promise<void>;
  /** Dispatches `matrix-login-start`; returns whether it goes on. */
  announceStart(method: LoginAction): boolean;
  /** The state of `<oidc-login>`, while the user signs in by it. */
  followOAuth(state: "redirecting" | "waiting"): void;
  /** An OAuth 2.0 login in a popup has succeeded. */
  keepPopup(result: AuthorizationCodeGrantResult): Promise<void>;
  /** Does what `<uia-dialog>` is needed for. */
  authenticate(
    method: "registration" | "reset",
    run: () => Promise<LegacyLoginResult | undefined>,
  ): Promise<void>;
  fail(method: LoginAction, error: unknown): void;
  cancel(reason?: "refused" | "closed" | "cancelled"): void;
}
