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

export const enMatrix: MatrixTexts & typeof enOidc & Shared & { readonly $code: string } = {
  ...enOidc,
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
  errorDeactivated: "This account has been deactivated.",
  errorLocked: "This account is locked. Contact the homeserver’s administrator.",
  errorLoginRefused: "The homeserver refused to sign you in.",
  errorOtherUser: "You signed in as another user. Sign in again with the same account as before.",
  errorNoMethods: "This homeserver offers no way to sign in here.",
};
