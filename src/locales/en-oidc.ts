import { enPopup } from "./en-popup.js";
import type { OidcTexts } from "./translation.js";

export const enOidc: OidcTexts & { readonly $code: string } = {
  $code: "en",
  ...enPopup,
  preparing: "Contacting the homeserver…",
  redirecting: "Going to the sign-in page…",
  signedIn: "You are signed in.",
  startAgain: "Start again",
  errorNetwork: "The server can’t be reached. Check your connection, then try again.",
  errorTimeout: "The server takes too long to answer. Try again in a moment.",
  errorRateLimited: "Too many tries. Wait a moment, then try again.",
  errorServer: "The server has a problem. Try again later.",
  errorHomeserverInvalid: "This is not the address of a homeserver. Check it for typing mistakes.",
  errorHomeserverSettings: "The homeserver’s settings can’t be read. Please tell whoever runs it.",
  errorNotSupported: "This homeserver does not offer this way to sign in.",
  errorProviderSettings:
    "The homeserver’s sign-in service is not set up correctly. Please tell whoever runs it.",
  errorPageSettings: "This page is not set up correctly. Please tell whoever runs it.",
  errorNoNewAccounts: "Accounts for this homeserver can’t be created here.",
  errorInsecure: "Signing in needs a secure connection. Open this page with https.",
  errorStorageBlocked: "Your browser keeps this page from storing data. Allow it, then try again.",
  errorStorageFull: "Your browser’s storage for this page is full. Clear it, then try again.",
  errorApplicationRefused: "The sign-in service does not accept this application.",
  errorFlowUnknown:
    "There is no sign-in to finish here. It may be finished, or open in another tab.",
  errorFlowExpired: "This sign-in is no longer valid.",
  errorUntrustworthy: "The sign-in service’s answer could not be verified, so it was not used.",
  errorDenied: "You did not sign in.",
  errorProviderRefused: "The sign-in service could not sign you in.",
  errorClock: "The time could not be verified. Check this device’s clock, then start again.",
  errorUnexpected: "Something went wrong.",
};
