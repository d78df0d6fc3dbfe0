import type { UiaTexts } from "./translation.js";

export const enUia: UiaTexts & { readonly $code: string } = {
  $code: "en",
  uiaHeading: "Confirm it’s you",
  uiaStep: "Step {step} of {steps}",
  uiaCancel: "Cancel",
  uiaContinue: "Continue",
  uiaWorking: "Please wait…",
  uiaRestarted: "This request timed out and was restarted.",

  uiaPasswordAsk: "Enter your password to continue.",
  uiaUser: "Username",
  uiaPassword: "Password",
  uiaPasswordShow: "Show password",
  uiaPasswordMissing: "Enter your password.",
  uiaMissing: "Fill in this field.",

  uiaTokenAsk: "Enter a registration token provided by the homeserver administrator.",
  uiaToken: "Registration token",

  uiaEmailAsk: "Enter your email address to receive a link.",
  uiaEmail: "Email address",
  uiaEmailInvalid: "Enter a valid email address.",
  uiaEmailSend: "Send email",
  uiaEmailSending: "Sending an email to {address}…",
  uiaLinkSent: "Open the link in the message sent to {address}.",
  uiaLinkWaiting: "This page will continue automatically once you open the link.",
  uiaEmailChange: "Change address",
  uiaResend: "Resend",

  uiaPhoneAsk: "Enter your phone number to receive a code.",
  uiaCountry: "Country",
  uiaPhone: "Phone number",
  uiaPhoneSend: "Send code",
  uiaPhoneSent: "Enter the code sent to {address}.",
  uiaCode: "Code",
  uiaPhoneChange: "Change number",
  uiaPhoneInvalid: "This isn’t a valid phone number for the selected country.",

  uiaTermsAsk: "Review and accept these terms.",
  uiaTermsAccept: "I have read and accept: {policy}",
  uiaAccept: "Accept",
  uiaTermsUnreadable: "The terms can’t be loaded. Contact the homeserver’s administrator.",

  uiaCaptchaAsk: "Complete the captcha.",
  uiaCaptchaElsewhere: "Use the homeserver’s page instead",

  uiaSsoAsk: "Sign in again with your identity provider.",
  uiaOAuthAsk: "Approve this request on your account page.",

  uiaFallbackAsk: "Complete the next step on the homeserver’s page.",
  uiaUnfinished: "This step isn’t complete yet.",
  uiaNewWindow: "(opens in a new window)",

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
