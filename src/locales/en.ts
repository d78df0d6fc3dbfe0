import type { BasicTexts } from "./translation.js";

export const en: BasicTexts & { readonly $code: string } = {
  $code: "en",
  signIn: "Sign in",
  createAccount: "Create account",
  completing: "Signing you in…",
  tryAgain: "Try again",
  errorLoadFailed: "Part of this page couldn’t be loaded. Try again.",
};
