// All English strings, with comments for translators. Each part of the library names the sections
// that it shows (`partTexts`), so a page loads only those. A separate file with all English strings
// would add 1.5 KB to most pages.
import { accountHeadingTexts, basicTexts, fieldTexts, firstScreenTexts } from "./english-first.js";

export { fieldTexts, firstScreenTexts };

/** Also shown if the other messages can't be loaded. */
export const connectionTexts = {
  errorNetwork: "Can’t reach the server. Check your connection and try again.",
};

/** The reasons that a request failed. */
export const requestTexts = {
  ...connectionTexts,
  errorSlow: "The server is taking too long to respond. Try again.",
  errorServer: "Something went wrong on the server. Try again later.",
  errorRateLimited: "Too many attempts. Wait a moment and try again.",
  /** `{time}` is replaced by a phrase such as "in 30 seconds". */
  errorWait: "Too many attempts. Try again {time}.",
  errorUnexpected: "Something went wrong.",
  errorPageSettings: "This page isn’t configured correctly. Contact its administrator.",
  requestRefused: "The homeserver rejected this request.",
};

/** Also shown as a note, because it isn't a failure. */
export const declinedTexts = {
  errorDenied: "Sign-in was cancelled.",
};

/** The reasons that a sign-in with OAuth 2.0 failed. */
export const oauthTexts = {
  ...declinedTexts,
  errorProviderSettings:
    "The sign-in provider isn’t configured correctly. Contact its administrator.",
  errorStorageBlocked:
    "Your browser is blocking site data for this page. Allow it, then try again.",
  errorStorageFull: "Your browser’s storage for this page is full. Clear it and try again.",
  errorUntrustworthy: "The sign-in provider’s response couldn’t be verified and was rejected.",
  errorProviderRefused: "The sign-in provider couldn’t sign you in.",
};

/** Before the browser opens the provider's page. */
export const loginTexts = {
  /** Shown while the button is busy. */
  preparing: "Connecting to the homeserver…",
  redirecting: "Redirecting to the sign-in page…",
};

/** The reasons that the provider's page can't be opened. */
export const loginErrorTexts = {
  errorHomeserverMissing: "Enter your homeserver.",
  errorHomeserverInvalid: "This isn’t a valid homeserver address. Check it for typos.",
  /** `{server}` is replaced by the homeserver's name. */
  errorUnreachable: "Can’t reach {server}. Check the name and your connection.",
  errorHomeserverSettings: "The homeserver isn’t configured correctly. Contact its administrator.",
  errorNotSupported: "This homeserver doesn’t support this sign-in method.",
  errorNoNewAccounts: "This homeserver doesn’t let you create an account here.",
  errorInsecure: "Signing in requires a secure connection. Open this page over HTTPS.",
  errorApplicationRefused: "The sign-in provider doesn’t accept this app.",
};

/** An account that can't be used. */
export const accountErrorTexts = {
  errorDeactivated: "This account has been deactivated.",
  errorLocked: "This account is locked. Contact the homeserver’s administrator.",
  errorAwaitingApproval:
    "The homeserver’s administrator must approve this account before you can sign in.",
  /** Below it is the administrator's address, if the homeserver has one. */
  errorHomeserverFull: "This homeserver has reached its limit of users. Contact its administrator.",
  errorTokenRefused:
    "The homeserver doesn’t accept this sign-in. Your account might be locked. Sign in again.",
};

/** After the return from the provider. */
export const completionTexts = {
  signedIn: "You’re signed in.",
  startAgain: "Start over",
};

/** The reasons that a sign-in can't be completed after the return. */
export const completionErrorTexts = {
  errorFlowUnknown:
    "No sign-in is in progress. It may already be complete, or it may be open in another tab.",
  errorFlowExpired: "This sign-in is no longer valid.",
  errorClock: "The time couldn’t be verified. Check this device’s clock, then start over.",
  ...accountErrorTexts,
  errorOtherUser:
    "You signed in with a different account. Sign in again with the original account.",
};

/**
 * The headings of `<oidc-callback>`, for each possible action of the user: nothing, try again, or
 * start over.
 */
export const callbackTexts = {
  signInFailed: "Sign-in failed",
  signInIncomplete: "Sign-in isn’t complete yet",
  signInExpired: "Sign-in expired",
};

/** A popup. */
export const popupTexts = {
  popupOpened: "The page is open in another window. Come back here when you’re done.",
  popupBlocked: "Your browser blocked the window. Use this link:",
  popupLink: "Open in a new window",
};

/** `<matrix-login>`. */
export const matrixLoginTexts = {
  /** The label of the button next to the homeserver's name, which shows the field again. */
  homeserverChange: "Change homeserver",
  /** `{server}` is replaced by the homeserver's name. */
  signInTo: "Sign in to {server}",
  usernameOrEmail: "Username or email address",
  /** Shown instead of `usernameOrEmail` if the page has fixed the user. */
  userId: "User ID",
  /** `{provider}` is replaced by the identity provider's or the homeserver's name. */
  continueWith: "Continue with {provider}",
  continueWithSso: "Continue with single sign-on",
  or: "or",
  passwordForgotten: "Forgot password?",
  passwordReset: "Reset password",
};

/** The reasons that a homeserver doesn't sign the user in. */
export const matrixLoginErrorTexts = {
  errorCredentials: "Incorrect username or password.",
  /** `{server}` is replaced by the name of the other homeserver. */
  errorUserElsewhere: "This user’s account is on {server}. Your password wasn’t sent.",
  errorNoMethods: "This page can’t sign you in to this homeserver.",
};

/** The forms that create an account and reset a password. */
export const accountTexts = {
  passwordResetWarning:
    "Your other devices will be signed out, and encrypted messages may no longer be readable.",
  passwordNew: "New password",
  passwordRepeat: "Confirm password",
  passwordChanged: "Your password has been changed.",
  passwordsDiffer: "The passwords don’t match.",
  passwordWeak: "Choose another password. The homeserver doesn’t accept this one.",
  /** Shown below the field. `{user}` is replaced by the resulting user ID. */
  userIdPreview: "Your user ID will be {user}.",
  /** The label of the button that returns from the form for a new account. */
  signInInstead: "Already have an account? Sign in",
  /** `{count}` is replaced by a number. */
  ruleLength: "At least {count} characters",
  ruleDigit: "at least one digit",
  ruleSymbol: "at least one symbol",
  ruleUppercase: "at least one uppercase letter",
  ruleLowercase: "at least one lowercase letter",
  usernameTaken: "This username is already taken.",
  usernameNotAllowed: "This homeserver doesn’t allow this username.",
  back: "Back",
};

/** `<matrix-account>`. */
export const matrixAccountTexts = {
  ...accountHeadingTexts,
  /** A button that copies the user ID, and its label after that. */
  copy: "Copy",
  copied: "Copied",
  nameChange: "Change name",
  /** The label of a field: the name that other users see. */
  displayName: "Display name",
  nameChanged: "Your name has been changed.",
  pictureChange: "Change picture",
  pictureRemove: "Remove picture",
  pictureRemoveAsk: "Remove your profile picture?",
  pictureChanged: "Your picture has been changed.",
  pictureRemoved: "Your picture has been removed.",
  /** Describes the picture that the user has chosen but not saved yet. */
  pictureNew: "New picture",
  pictureSending: "Sending the picture…",
  /** The names of the formats are the same in every language. */
  pictureInvalid:
    "This file can’t be shown as a picture. Choose a PNG, JPEG, GIF, WebP, or AVIF image.",
  pictureTooLarge: "This picture is too large for the homeserver.",
  /** Follows the text above. `{size}` is replaced by a size such as "10 MB". */
  pictureLimit: "The limit is {size}.",
  thisDevice: "This device",
  /** `{time}` is replaced by a phrase such as "3 days ago". */
  lastActive: "Last active {time}",
  neverActive: "No recent activity",
  rename: "Rename",
  deviceName: "Device name",
  save: "Save",
  signOut: "Sign out",
  /** `{count}` is replaced by a number. */
  signOutOthers: "Sign out all other devices",
  /** `{count}` is replaced by a number. */
  otherDevices: "Other devices ({count})",
  /** A device in use. */
  activeNow: "Active now",
  unnamedDevice: "Unnamed device",
  /** A button that shows more about a device. */
  deviceDetails: "Details",
  deviceId: "Device ID",
  lastActivity: "Last activity",
  selectAll: "Select all",
  /** A filter for devices. `{count}` is replaced by the number of days, which is 90. */
  notUsed: "Not used for {count} days",
  /** The label of a field. */
  deviceFilter: "Find a device",
  /** `{count}` is replaced by the number of devices. */
  devicesFound: "Found: {count}",
  noDeviceFound: "No device found",
  /** A question. `{devices}` is replaced by the names of devices. */
  signOutAsk: "Sign out {devices}?",
  signOutHereAsk: "Sign out of this device?",
  signOutHereWarning:
    "Encrypted messages can become unreadable if their keys are only on this device.",
  showMore: "Show more",
  /** `{devices}` is replaced by the names of devices. */
  devicesSignedOut: "Signed out: {devices}",
  signedOut: "You’re signed out.",
  signedOutHere:
    "You’re signed out here, but the server hasn’t confirmed it. Check your devices the next time you sign in.",
  /** `{host}` is replaced by the host of the provider, such as "account.example.com". */
  managedAt: "Your account is managed at {host}",
  administratorOnly: "Only the homeserver’s administrator can change this.",
  passwordChange: "Change password",
  emailAdd: "Add email address",
  phoneAdd: "Add phone number",
  remove: "Remove",
  /** A question. `{address}` is replaced by an email address or a phone number. */
  removeAsk: "Remove {address}?",
  /** `{address}` is replaced by an email address or a phone number. */
  contactAdded: "Added: {address}",
  /** `{address}` is replaced by an email address or a phone number. */
  contactRemoved: "Removed: {address}",
  /** A question. `{user}` is replaced by a user ID. */
  deactivateAsk: "Deactivate {user}?",
  deactivateWarning:
    "This can’t be undone. You leave all rooms, and your user ID can’t be used again. Other users keep the messages that you’ve sent, unless you erase them.",
  /** `{user}` is replaced by a user ID. */
  deactivateConfirm: "Enter {user} to confirm.",
  eraseMessages: "Erase my messages",
};

/** `<uia-dialog>`. */
export const dialogTexts = {
  confirmIdentity: "Confirm it’s you",
  emailHeading: "Verify your email address",
  phoneHeading: "Verify your phone number",
  termsHeading: "Accept the terms",
  captchaHeading: "Confirm you’re human",
  /** `{step}` and `{steps}` are replaced by numbers. */
  step: "Step {step} of {steps}",
  restarted: "This request timed out and was restarted.",
  /** The label of a button that shows other steps. */
  otherWay: "Try another way",
  passwordAsk: "Enter your password to continue.",
  passwordWrong: "Incorrect password.",
  /** `{time}` is replaced by a phrase such as "in 30 seconds". */
  retryWait: "Too many attempts. Trying again {time}.",
};

/** The stages that validate an address, and the reasons that a homeserver rejects an entry. */
export const validationTexts = {
  /** `{address}` is replaced by an email address or a phone number. */
  linkSent: "Open the link in the message sent to {address}.",
  linkWaiting: "This page will continue automatically once you open the link.",
  resend: "Resend",
  /**
   * The label of the same button while the user must wait. `{time}` is replaced by minutes and
   * seconds: "0:27".
   */
  resendWait: "Resend in {time}",
  stepUnfinished: "This step isn’t complete yet.",
  codeWrong: "Incorrect code.",
  alreadyInUse: "Already in use.",
  addressUnknown: "No account found.",
  notAllowed: "Not allowed by this homeserver.",
};

/** `<uia-fallback-frame>`. */
export const fallbackTexts = {
  ssoAsk: "Sign in again with your identity provider.",
  approvalAsk: "Approve this request on your account page.",
  fallbackAsk: "Complete the next step on the homeserver’s page.",
  /** `{host}` is replaced by the name of a server. */
  fallbackHost: "Opens {host}",
  fallbackOpen: "Open page",
  fallbackAgain: "Open again",
  fallbackFinished: "I’ve finished",
  fallbackClosed: "The window was closed. If you haven’t finished, open it again.",
  /** Shown after the user has pressed `fallbackFinished`. */
  fallbackDone: "Finished. Continue on this page.",
  fallbackFrame: "The homeserver’s page",
};

/** The stages of a registration. */
export const registrationTexts = {
  tokenAsk: "Enter the registration token from the homeserver’s administrator.",
  token: "Registration token",
  tokenWrong: "Invalid registration token.",
  emailAsk: "Enter your email address to receive a link.",
  emailSend: "Send email",
  emailChange: "Change address",
  termsAsk: "Review and accept these terms.",
  /** `{policy}` is replaced by a link. */
  termsAccept: "I’ve read and accept: {policy}",
  accept: "Accept",
  newWindow: "(opens in a new window)",
  captchaAsk: "Complete the captcha.",
  captchaElsewhere: "Use the homeserver’s page instead",
};

/** The stage that validates a phone number. */
export const phoneTexts = {
  phoneAsk: "Enter your phone number to receive a code.",
  country: "Country",
  phone: "Phone number",
  phoneSend: "Send code",
  /** `{address}` is replaced by a phone number. */
  phoneSent: "Enter the code sent to {address}.",
  code: "Code",
  phoneChange: "Change number",
  phoneInvalid: "This isn’t a valid phone number for the selected country.",
};

export const english = {
  ...basicTexts,
  ...fieldTexts,
  ...requestTexts,
  ...oauthTexts,
  ...loginTexts,
  ...loginErrorTexts,
  ...completionTexts,
  ...completionErrorTexts,
  ...callbackTexts,
  ...popupTexts,
  ...firstScreenTexts,
  ...matrixLoginTexts,
  ...matrixLoginErrorTexts,
  ...accountTexts,
  ...matrixAccountTexts,
  ...dialogTexts,
  ...validationTexts,
  ...fallbackTexts,
  ...registrationTexts,
  ...phoneTexts,
};
