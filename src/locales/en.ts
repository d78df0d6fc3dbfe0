// All English texts. Each part of the library adds the sections that it shows, so a page loads no others: in a file of its own
// all of English would be 1.5 KB more on most pages.
import type { Language, Texts } from "../texts/texts.js";

type Section = Partial<Texts>;

/** What elements show before the first part is loaded. */
export const basicTexts = {
  signIn: "Sign in",
  createAccount: "Create account",
  completing: "Signing you in…",
  tryAgain: "Try again",
  errorLoadFailed: "Part of this page couldn’t be loaded. Try again.",
} as const satisfies Section;

/** Fields, buttons, and what every form says. */
export const fieldTexts = {
  username: "Username",
  password: "Password",
  email: "Email address",
  passwordShow: "Show password",
  passwordMissing: "Enter your password.",
  fieldMissing: "Fill in this field.",
  emailInvalid: "Enter a valid email address.",
  continue: "Continue",
  cancel: "Cancel",
  working: "Please wait…",
} as const satisfies Section;

/** Why a request failed. */
export const requestTexts = {
  errorNetwork: "Can’t reach the server. Check your connection and try again.",
  errorServer: "Something went wrong on the server. Try again later.",
  errorPageSettings: "This page isn’t configured correctly. Contact its administrator.",
  requestRefused: "The homeserver rejected this request.",
} as const satisfies Section;

/** Why signing in by OAuth 2.0 failed. */
export const oauthTexts = {
  errorTimeout: "The server took too long to respond. Try again in a moment.",
  errorRateLimited: "Too many attempts. Wait a moment and try again.",
  errorWait: "Too many attempts. Try again {time}.",
  errorProviderSettings:
    "The sign-in provider isn’t configured correctly. Contact its administrator.",
  errorStorageBlocked:
    "Your browser doesn’t allow this page to store data. Allow it and try again.",
  errorStorageFull: "Your browser’s storage for this page is full. Clear it and try again.",
  errorUntrustworthy: "The sign-in provider’s response couldn’t be verified and was rejected.",
  errorDenied: "You did not sign in.",
  errorProviderRefused: "The sign-in provider couldn’t sign you in.",
  errorUnexpected: "Something went wrong.",
} as const satisfies Section;

/** The way to the provider. */
export const loginTexts = {
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
} as const satisfies Section;

/** The way back. */
export const completionTexts = {
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
} as const satisfies Section;

/** A popup. */
export const popupTexts = {
  popupOpened: "The page is open in another window. Come back here when you’re done.",
  popupBlocked: "Your browser blocked the window. Use this link:",
  popupLink: "Open in a new window",
} as const satisfies Section;

/** `<matrix-login>`. */
export const matrixLoginTexts = {
  homeserver: "Homeserver",
  checking: "Looking for ways to sign in…",
  signInTo: "Sign in to {server}",
  usernameOrEmail: "Username or email address",
  userId: "User ID",
  continueWith: "Continue with {provider}",
  continueWithSso: "Continue with single sign-on",
  or: "or",
  passwordForgotten: "Forgot password?",
  passwordReset: "Reset password",
  passwordResetDone: "Your password has been changed. You can sign in now.",
  errorCredentials: "Incorrect username or password.",
  errorNoMethods: "This homeserver offers no way to sign in here.",
} as const satisfies Section;

/** The forms that create an account and reset a password. */
export const accountTexts = {
  passwordResetWarning:
    "Your other devices will be signed out, and encrypted messages may no longer be readable.",
  passwordNew: "New password",
  passwordRepeat: "Repeat password",
  passwordsDiffer: "The passwords don’t match.",
  passwordWeak: "Choose another password. The homeserver doesn’t accept this one.",
  usernameTaken: "This username is already taken.",
  usernameInvalid: "This username isn’t allowed.",
  back: "Back",
} as const satisfies Section;

/** `<uia-dialog>`. */
export const dialogTexts = {
  confirmIdentity: "Confirm it’s you",
  step: "Step {step} of {steps}",
  restarted: "This request timed out and was restarted.",
  otherWay: "Try another way",
  passwordAsk: "Enter your password to continue.",
  linkSent: "Open the link in the message sent to {address}.",
  linkWaiting: "This page will continue automatically once you open the link.",
  resend: "Resend",
  stepUnfinished: "This step isn’t complete yet.",
  passwordWrong: "Incorrect password.",
  tokenWrong: "Invalid registration token.",
  codeWrong: "Incorrect code.",
  addressInUse: "Already in use by another account.",
  addressUnknown: "No account found.",
  addressDenied: "Not allowed by this homeserver.",
  retryWait: "Too many attempts. Trying again {time}.",
} as const satisfies Section;

/** `<uia-fallback-frame>`. */
export const fallbackTexts = {
  ssoAsk: "Sign in again with your identity provider.",
  approvalAsk: "Approve this request on your account page.",
  fallbackAsk: "Complete the next step on the homeserver’s page.",
  fallbackOpen: "Open the page",
  fallbackAgain: "Open again",
  fallbackFinished: "I have finished",
  fallbackClosed: "The window was closed. If you haven’t finished, open it again.",
  fallbackFrame: "The homeserver’s page",
  fallbackNone: "The homeserver has no page for this step. Contact its administrator.",
} as const satisfies Section;

/** The stages that registrations consist of. */
export const registrationTexts = {
  tokenAsk: "Enter a registration token provided by the homeserver administrator.",
  token: "Registration token",
  emailAsk: "Enter your email address to receive a link.",
  emailSend: "Send email",
  emailSending: "Sending an email to {address}…",
  emailChange: "Change address",
  termsAsk: "Review and accept these terms.",
  termsAccept: "I have read and accept: {policy}",
  accept: "Accept",
  termsUnreadable: "The terms can’t be loaded. Contact the homeserver’s administrator.",
  newWindow: "(opens in a new window)",
  captchaAsk: "Complete the captcha.",
  captchaElsewhere: "Use the homeserver’s page instead",
} as const satisfies Section;

/** The stage that validates a phone number. */
export const phoneTexts = {
  phoneAsk: "Enter your phone number to receive a code.",
  country: "Country",
  phone: "Phone number",
  phoneSend: "Send code",
  phoneSent: "Enter the code sent to {address}.",
  code: "Code",
  phoneChange: "Change number",
  phoneInvalid: "This isn’t a valid phone number for the selected country.",
} as const satisfies Section;

export const en: Language = {
  $code: "en",
  ...basicTexts,
  ...fieldTexts,
  ...requestTexts,
  ...oauthTexts,
  ...loginTexts,
  ...completionTexts,
  ...popupTexts,
  ...matrixLoginTexts,
  ...accountTexts,
  ...dialogTexts,
  ...fallbackTexts,
  ...registrationTexts,
  ...phoneTexts,
};
