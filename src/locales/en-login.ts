import type { LoginTexts, Texts } from "./translation.js";

export const enLogin: LoginTexts & Pick<Texts, "uiaCancel"> & { readonly $code: string } = {
  $code: "en",
  uiaCancel: "Cancel",
  preparing: "Connecting to the homeserver…",
  redirecting: "Redirecting to the sign-in page…",
  errorHomeserverMissing: "Enter your homeserver.",
  errorHomeserverInvalid: "This isn’t a valid homeserver address. Check it for typos.",
  errorNotAServer: "“{server}” isn’t a homeserver’s name. Check it for typos.",
  errorUnreachable: "Can’t reach {server}. Check the name and your connection.",
  errorHomeserverSettings: "The homeserver isn’t configured correctly. Contact its administrator.",
  errorNotSupported: "This homeserver doesn’t support this sign-in method.",
  errorNoNewAccounts: "You can’t create an account on this homeserver here.",
  errorInsecure: "Signing in requires a secure connection. Open this page over HTTPS.",
  errorApplicationRefused: "The sign-in provider doesn’t accept this application.",
};
