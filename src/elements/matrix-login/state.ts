import type { MatrixLoginView } from "../../events/matrix-login.js";
import type { CodedError } from "../../errors/coded-error.js";
import type { SignedInUser } from "../../sign-in/signed-in.js";
import type { OidcLoginElement } from "../oidc-login/oidc-login.js";
import type { AccountForm, AccountOutcome } from "./account-form.js";
import type { FoundHomeserver } from "./lookup.js";
import type { ReturnedLogin } from "./returned-login.js";
import type { AccountAction } from "./settings.js";

/** What the element does, with what belongs to it. */
export type LoginState =
  | {
      readonly name: "idle";
      /** Whether the user has declined at the provider. */
      readonly declined?: boolean | undefined;
      /** Why the name that the user is typing was not found. It is shown once the user has finished. */
      readonly failure?: unknown;
    }
  | {
      readonly name: "checking";
      /** Whether the focus moves to the sign-in methods once they are there. */
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
  /** Without a user in a popup: the page that opened it has the session. */
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

/** Where the user is: the homeserver, and its form. It stays while the state changes. */
export interface Place {
  /** The homeserver that is looked up, as it was entered or set. */
  readonly server?: string | undefined;
  /** What is in the homeserver field, unless that is `server`. */
  readonly typed?: string | undefined;
  /** Whether the user is still in the homeserver field: it stays, and shows no error. */
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

/** Whether it ends if the element is removed. */
export const endsOnRemoval = ({ name }: LoginState): boolean =>
  ["submitting", "authenticating", "waiting"].includes(name);

/** The sign-in whose tokens wait for another try, or for their session. */
export const loginIn = (state: LoginState): ReturnedLogin | undefined =>
  "login" in state ? state.login : undefined;

export function viewOf({ name }: LoginState, { found, form }: Place): MatrixLoginView {
  if (name === "success") return name;
  return form?.action ?? (found || name === "completing" ? "sign-in" : "homeserver");
}
