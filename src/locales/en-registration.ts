import type { RegistrationTexts } from "./translation.js";

export const enRegistration: RegistrationTexts & { readonly $code: string } = {
  $code: "en",
  uiaTokenAsk: "Enter a registration token provided by the homeserver administrator.",
  uiaToken: "Registration token",
  uiaEmailAsk: "Enter your email address to receive a link.",
  uiaEmail: "Email address",
  uiaEmailSend: "Send email",
  uiaEmailSending: "Sending an email to {address}…",
  uiaEmailChange: "Change address",
  uiaTermsAsk: "Review and accept these terms.",
  uiaTermsAccept: "I have read and accept: {policy}",
  uiaAccept: "Accept",
  uiaTermsUnreadable: "The terms can’t be loaded. Contact the homeserver’s administrator.",
  uiaNewWindow: "(opens in a new window)",
  uiaCaptchaAsk: "Complete the captcha.",
  uiaCaptchaElsewhere: "Use the homeserver’s page instead",
};
