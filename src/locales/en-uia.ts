import type { UiaTexts } from "./translation.js";

export const enUia: UiaTexts & { readonly $code: string } = {
  $code: "en",
  uiaHeading: "Confirm it’s you",
  uiaStep: "Step {step} of {steps}",
  uiaCancel: "Cancel",
  uiaContinue: "Continue",
  uiaWorking: "One moment…",
  uiaRestarted: "Too much time had passed, so the steps begin again.",

  uiaPasswordAsk: "Enter your password to continue.",
  uiaUser: "User name",
  uiaPassword: "Password",

  uiaTokenAsk: "Enter the registration token that you were given.",
  uiaToken: "Registration token",

  uiaEmailAsk: "Enter your e-mail address. You will get a message with a link.",
  uiaEmail: "E-mail address",
  uiaEmailSend: "Send message",
  uiaEmailSending: "Sending a message to {address}…",
  uiaLinkSent: "Open the link in the message that was sent to {address}.",
  uiaLinkWaiting: "This page continues by itself once you have followed the link.",
  uiaEmailChange: "Change address",
  uiaResend: "Send again",

  uiaPhoneAsk: "Enter your phone number. You will get a code.",
  uiaCountry: "Country",
  uiaPhone: "Phone number",
  uiaPhoneSend: "Send code",
  uiaPhoneSent: "Enter the code that was sent to {address}.",
  uiaCode: "Code",
  uiaPhoneChange: "Change number",
  uiaPhoneInvalid: "This is not a phone number of the chosen country.",

  uiaTermsAsk: "Please read and accept what applies here.",
  uiaTermsAccept: "I have read and accept: {policy}",
  uiaAccept: "Accept",
  uiaTermsUnreadable: "What applies here can’t be read. Please tell whoever runs the homeserver.",

  uiaCaptchaAsk: "Show that you are a person.",
  uiaCaptchaElsewhere: "Do this on the homeserver’s page",

  uiaSsoAsk: "Sign in once more with the service that you sign in with.",
  uiaOAuthAsk: "Approve this on your account page.",

  uiaFallbackAsk: "The next step is done on a page of the homeserver.",
  uiaUnfinished: "The homeserver has not seen this step finished yet.",
  uiaNewWindow: "(opens in a new window)",

  uiaWrongPassword: "This password is not right.",
  uiaWrongToken: "This token is not accepted.",
  uiaWrongCode: "This code is not right.",
  uiaAddressInUse: "Another account uses this already.",
  uiaAddressUnknown: "No account uses this.",
  uiaAddressDenied: "The homeserver does not accept this.",
  uiaRefused: "The homeserver did not accept this.",
  uiaNetwork: "The homeserver can’t be reached. Check your connection, then try again.",
  uiaServer: "The homeserver has a problem. Try again in a moment.",
  uiaPage: "This page is not set up correctly. Please tell whoever runs it.",
  uiaWait: "Too many tries. This continues by itself {time}.",
};
