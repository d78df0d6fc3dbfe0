import type { MatrixLoginView } from "../../events/matrix-login.js";
import type { CodedError } from "../../errors/coded-error.js";
import type { SignedInUser } from "../../sign-in/signed-in.js";
import type { OidcLoginElement } from "../oidc-login/oidc-login.js";
import type { AccountForm, AccountOutcome } from "./account-form.js";
import type { FoundHomeserver } from "./lookup.js";
import type { ReturnedLogin } from "./returned-login.js";
import type { AccountAction } from "./settings.js";

/** The current activity of the element, with its data. */
export type LoginState =
  | {
      readonly name: "idle";
      /** Whether the user has declined at the provider. */
      readonly declined?: boolean | undefined;
      /**
       * The reason that the name that the user is typing was not found. It is shown once the user
       * has finished typing.
       */
      readonly failure?: unknown;
    }
  | {
      readonly name: "checking";
      /** Whether the focus moves to the sign-in methods once they are shown. */
      readonly movesFocus?: boolean | undefined;
    }
  | {
      readonly name: "ready";
      readonly declined?: boolean | undefined;
      readonly movesFocus?: boolean | undefined;
    }
  /** The code of a form is loading. For the page, the element is `ready`. */
  | { readonly name: "opening"; readonly action: AccountAction }
  | { readonly name: "submitting" | "authenticating" }
  | {
      readonly name: "redirecting" | "waiting";
      /** For OAuth 2.0. */
      readonly button?: OidcLoginElement;
    }
  | { readonly name: "completing"; readonly login?: ReturnedLogin | undefined }
  /** In a popup, `user` is unset, because the page that opened it has the session. */
  | { readonly name: "success"; readonly user?: SignedInUser }
  | {
      readonly name: "error";
      readonly error: CodedError;
      readonly retry?: (() => Promise<unknown>) | undefined;
      /** The sign-in that `retry` continues. */
      readonly login?: ReturnedLogin | undefined;
    };

/** The element's state; also a `:state()` of it. */
export type MatrixLoginState = Exclude<LoginState["name"], "opening">;

/** The user's place: the homeserver and its form. It is kept while the state changes. */
export interface Place {
  /** The homeserver to look up, as it was entered or set. */
  readonly server?: string | undefined;
  /** The value of the homeserver field, if it differs from `server`. */
  readonly typed?: string | undefined;
  /**
   * Whether the user is still in the homeserver field. The field then stays, and shows no error.
   */
  readonly isTyping?: boolean | undefined;
  readonly found?: FoundHomeserver;
  /** The form that creates an account, or resets a password. */
  readonly form?: AccountForm | undefined;
  /** The outcome of the form that was closed. */
  readonly outcome?: AccountOutcome | undefined;
}

const BUSY: readonly LoginState["name"][] = [
  "submitting",
  "redirecting",
  "waiting",
  "completing",
  "authenticating",
];

export const isBusy = ({ name }: LoginState): boolean => BUSY.includes(name);

/** Whether this state ends if the element is removed. */
export const endsOnRemoval = ({ name }: LoginState): boolean =>
  ["submitting", "authenticating", "waiting"].includes(name);

/** The sign-in whose tokens are kept for another attempt, or for their session. */
export const loginIn = (state: LoginState): ReturnedLogin | undefined =>
  "login" in state ? state.login : undefined;

export function viewOf({ name }: LoginState, { found, form }: Place): MatrixLoginView {
  if (name === "success") return name;
  return form?.action ?? (found || name === "completing" ? "sign-in" : "homeserver");
}
