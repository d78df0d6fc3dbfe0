import { enCompletion } from "./en-completion.js";
import { enLogin } from "./en-login.js";
import { enOidc } from "./en-oidc.js";
import type { MatrixTexts, Texts } from "./translation.js";

/** Texts of the dialog that are shown before it is loaded. */
type Shared = Pick<
  Texts,
  | "uiaUser"
  | "uiaWorking"
  | "uiaPasswordShow"
  | "uiaPasswordMissing"
  | "uiaMissing"
  | "uiaEmailInvalid"
  | "uiaRefused"
>;

export const enMatrix: MatrixTexts &
  typeof enOidc &
  typeof enLogin &
  typeof enCompletion &
  Shared & { readonly $code: string } = {
  ...enOidc,
  ...enLogin,
  ...enCompletion,
  matrixHomeserver: "Homeserver",
  matrixChecking: "Looking for ways to sign in…",
  matrixSignInTo: "Sign in to {server}",
  matrixUser: "Username or email address",
  matrixUserId: "User ID",
  matrixPassword: "Password",
  matrixContinueWith: "Continue with {provider}",
  matrixSso: "Continue with single sign-on",
  matrixOr: "or",
  matrixForgot: "Forgot password?",
  matrixReset: "Reset password",
  matrixResetDone: "Your password has been changed. You can sign in now.",
  uiaUser: "Username",
  uiaWorking: "Please wait…",
  uiaPasswordShow: "Show password",
  uiaPasswordMissing: "Enter your password.",
  uiaMissing: "Fill in this field.",
  uiaEmailInvalid: "Enter a valid email address.",
  uiaRefused: "The homeserver rejected this request.",
  errorCredentials: "Incorrect username or password.",
  errorNoMethods: "This homeserver offers no way to sign in here.",
};
