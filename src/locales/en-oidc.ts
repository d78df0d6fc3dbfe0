import type { OidcTexts } from "./translation.js";

export const enOidc: OidcTexts & { readonly $code: string } = {
  $code: "en",
  errorNetwork: "Can’t reach the server. Check your connection and try again.",
  errorTimeout: "The server took too long to respond. Try again in a moment.",
  errorRateLimited: "Too many attempts. Wait a moment and try again.",
  errorWait: "Too many attempts. Try again {time}.",
  errorServer: "Something went wrong on the server. Try again later.",
  errorProviderSettings:
    "The sign-in provider isn’t configured correctly. Contact its administrator.",
  errorPageSettings: "This page isn’t configured correctly. Contact its administrator.",
  errorStorageBlocked:
    "Your browser doesn’t allow this page to store data. Allow it and try again.",
  errorStorageFull: "Your browser’s storage for this page is full. Clear it and try again.",
  errorUntrustworthy: "The sign-in provider’s response couldn’t be verified and was rejected.",
  errorDenied: "You did not sign in.",
  errorProviderRefused: "The sign-in provider couldn’t sign you in.",
  errorUnexpected: "Something went wrong.",
};
