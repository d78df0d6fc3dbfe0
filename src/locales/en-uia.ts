import type { UiaTexts } from "./translation.js";

export const enUia: UiaTexts & { readonly $code: string } = {
  $code: "en",
  uiaHeading: "Confirm it’s you",
  uiaStep: "Step {step} of {steps}",
  uiaCancel: "Cancel",
  uiaContinue: "Continue",
  uiaWorking: "Please wait…",
  uiaRestarted: "This request timed out and was restarted.",
  uiaOtherWay: "Try another way",

  uiaPasswordAsk: "Enter your password to continue.",
  uiaUser: "Username",
  uiaPassword: "Password",
  uiaPasswordShow: "Show password",
  uiaPasswordMissing: "Enter your password.",
  uiaMissing: "Fill in this field.",

  uiaEmailInvalid: "Enter a valid email address.",
  uiaLinkSent: "Open the link in the message sent to {address}.",
  uiaLinkWaiting: "This page will continue automatically once you open the link.",
  uiaResend: "Resend",

  uiaUnfinished: "This step isn’t complete yet.",

  uiaWrongPassword: "Incorrect password.",
  uiaWrongToken: "Invalid registration token.",
  uiaWrongCode: "Incorrect code.",
  uiaAddressInUse: "Already in use by another account.",
  uiaAddressUnknown: "No account found.",
  uiaAddressDenied: "Not allowed by this homeserver.",
  uiaRefused: "The homeserver rejected this request.",
  uiaNetwork: "Can’t reach the homeserver. Check your connection and try again.",
  uiaServer: "Something went wrong on the homeserver. Try again in a moment.",
  uiaPage: "This page isn’t configured correctly. Contact its administrator.",
  uiaWait: "Too many attempts. Trying again {time}.",
};
