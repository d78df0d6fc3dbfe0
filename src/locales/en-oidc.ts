import type { OidcTexts, Texts } from "./translation.js";

export const enOidc: OidcTexts &
  Pick<Texts, "uiaCancel" | "uiaContinue"> & { readonly $code: string } = {
  $code: "en",
  uiaCancel: "Cancel",
  uiaContinue: "Continue",
  preparing: "Connecting to the homeserver…",
  redirecting: "Redirecting to the sign-in page…",
  signedIn: "You are signed in.",
  startAgain: "Start over",
  errorNetwork: "Can’t reach the server. Check your connection and try again.",
  errorTimeout: "The server took too long to respond. Try again in a moment.",
  errorRateLimited: "Too many attempts. Wait a moment and try again.",
  errorWait: "Too many attempts. Try again {time}.",
  errorServer: "Something went wrong on the server. Try again later.",
  errorHomeserverMissing: "Enter your homeserver.",
  errorHomeserverInvalid: "This isn’t a valid homeserver address. Check it for typos.",
  errorNotAServer: "“{server}” isn’t a homeserver’s name. Check it for typos.",
  errorUnreachable: "Can’t reach {server}. Check the name and your connection.",
  errorHomeserverSettings: "The homeserver isn’t configured correctly. Contact its administrator.",
  errorNotSupported: "This homeserver doesn’t support this sign-in method.",
  errorProviderSettings:
    "The sign-in provider isn’t configured correctly. Contact its administrator.",
  errorPageSettings: "This page isn’t configured correctly. Contact its administrator.",
  errorNoNewAccounts: "You can’t create an account on this homeserver here.",
  errorInsecure: "Signing in requires a secure connection. Open this page over HTTPS.",
  errorStorageBlocked:
    "Your browser doesn’t allow this page to store data. Allow it and try again.",
  errorStorageFull: "Your browser’s storage for this page is full. Clear it and try again.",
  errorApplicationRefused: "The sign-in provider doesn’t accept this application.",
  errorFlowUnknown:
    "No sign-in in progress. It may already be complete or be open in another tab. You can start over here.",
  errorFlowExpired: "This sign-in is no longer valid.",
  errorUntrustworthy: "The sign-in provider’s response couldn’t be verified and was rejected.",
  errorDenied: "You did not sign in.",
  errorProviderRefused: "The sign-in provider couldn’t sign you in.",
  errorClock: "The time couldn’t be verified. Check this device’s clock, then start over.",
  errorUnexpected: "Something went wrong.",
};
