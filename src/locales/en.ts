import type { BasicTexts } from "./translation.js";

export const en: BasicTexts & { readonly $code: string } = {
  $code: "en",
  signIn: "Sign in",
  createAccount: "Create account",
  preparing: "Contacting the homeserver…",
  redirecting: "Going to the sign-in page…",
  completing: "Signing you in…",
  signedIn: "You are signed in.",
  tryAgain: "Try again",
  startAgain: "Start again",
  errorLoadFailed:
    "A part of this page could not be loaded. Check your connection, then try again.",
};
