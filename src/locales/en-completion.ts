import type { CompletionTexts, Texts } from "./translation.js";

export const enCompletion: CompletionTexts &
  Pick<Texts, "uiaContinue"> & { readonly $code: string } = {
  $code: "en",
  uiaContinue: "Continue",
  signedIn: "You are signed in.",
  startAgain: "Start over",
  errorFlowUnknown:
    "No sign-in in progress. It may already be complete or be open in another tab. You can start over here.",
  errorFlowExpired: "This sign-in is no longer valid.",
  errorClock: "The time couldn’t be verified. Check this device’s clock, then start over.",
  errorDeactivated: "This account has been deactivated.",
  errorLocked: "This account is locked. Contact the homeserver’s administrator.",
  errorAwaitingApproval:
    "The account exists, but the homeserver’s administrator has to approve it before you can sign in.",
  errorLoginRefused: "The homeserver refused to sign you in.",
  errorOtherUser: "You signed in as another user. Sign in again with the same account as before.",
};
