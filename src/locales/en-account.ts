import type { AccountTexts } from "./translation.js";

export const enAccount: AccountTexts & { readonly $code: string } = {
  $code: "en",
  matrixResetWarning:
    "Your other devices will be signed out, and encrypted messages may no longer be readable.",
  matrixEmail: "Email address",
  matrixNewPassword: "New password",
  matrixRepeatPassword: "Repeat password",
  matrixPasswordsDiffer: "The passwords don’t match.",
  matrixPasswordWeak: "Choose another password. The homeserver doesn’t accept this one.",
  matrixUserTaken: "This username is already taken.",
  matrixUserInvalid: "This username isn’t allowed.",
  matrixBack: "Back",
};
