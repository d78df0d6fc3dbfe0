// All English strings, with comments for translators. Each part of the library names the sections
// that it shows (`partTexts`), so a page loads only those. A separate file with all of English would
// add 1.5 KB to most pages.

/** Strings shown before the first part is loaded. */
export const basicTexts = {
  signIn: "Sign in",
  createAccount: "Create account",
  completing: "Signing you in…",
  tryAgain: "Try again",
  /** Shown if a part of the library cannot be loaded. */
  errorLoadFailed: "Part of this page couldn’t be loaded. Try again.",
};

/** Fields, buttons, and the strings of every form. */
export const fieldTexts = {
  username: "Username",
  password: "Password",
  email: "Email address",
  /** The label of a button that is pressed while the password is shown. */
  passwordShow: "Show password",
  fieldMissing: "Fill in this field.",
  emailInvalid: "Enter a valid email address.",
  continue: "Continue",
  cancel: "Cancel",
  working: "Please wait…",
};

/** The reasons that a request failed. */
export const requestTexts = {
  errorNetwork: "Can’t reach the server. Check your connection and try again.",
  errorServer: "Something went wrong on the server. Try again later.",
  errorRateLimited: "Too many attempts. Wait a moment and try again.",
  /** `{time}` is replaced by a phrase such as "in 30 seconds". */
  errorWait: "Too many attempts. Try again {time}.",
  errorUnexpected: "Something went wrong.",
  errorPageSettings: "This page isn’t configured correctly. Contact its administrator.",
  requestRefused: "The homeserver rejected this request.",
};

/** The reasons that a sign-in with OAuth 2.0 failed. */
export const oauthTexts = {
  errorProviderSettings:
    "The sign-in provider isn’t configured correctly. Contact its administrator.",
  errorStorageBlocked:
    "Your browser is blocking site data for this page. Allow it, then try again.",
  errorStorageFull: "Your browser’s storage for this page is full. Clear it and try again.",
  errorUntrustworthy: "The sign-in provider’s response couldn’t be verified and was rejected.",
  errorDenied: "Sign-in was cancelled.",
  errorProviderRefused: "The sign-in provider couldn’t sign you in.",
};

/** Before the browser opens the provider's page. */
export const loginTexts = {
  /** Shown while the button is busy. */
  preparing: "Connecting to the homeserver…",
  redirecting: "Redirecting to the sign-in page…",
  errorHomeserverMissing: "Enter your homeserver.",
  errorHomeserverInvalid: "This isn’t a valid homeserver address. Check it for typos.",
  /** `{server}` is replaced by the homeserver's name. */
  errorUnreachable: "Can’t reach {server}. Check the name and your connection.",
  errorHomeserverSettings: "The homeserver isn’t configured correctly. Contact its administrator.",
  errorNotSupported: "This homeserver doesn’t support this sign-in method.",
  errorNoNewAccounts: "This homeserver doesn’t let you create an account here.",
  errorInsecure: "Signing in requires a secure connection. Open this page over HTTPS.",
  errorApplicationRefused: "The sign-in provider doesn’t accept this application.",
};

/** An account that can't be used. */
export const accountErrorTexts = {
  errorDeactivated: "This account has been deactivated.",
  errorLocked: "This account is locked. Contact the homeserver’s administrator.",
  errorAwaitingApproval:
    "The homeserver’s administrator must approve this account before you can sign in.",
};

/** After the return from the provider. */
export const completionTexts = {
  signedIn: "You’re signed in.",
  startAgain: "Start over",
  errorFlowUnknown:
    "No sign-in is in progress. It may already be complete, or it may be open in another tab.",
  errorFlowExpired: "This sign-in is no longer valid.",
  errorClock: "The time couldn’t be verified. Check this device’s clock, then start over.",
  ...accountErrorTexts,
  errorOtherUser:
    "You signed in with a different account. Sign in again with the original account.",
};

/** A popup. */
export const popupTexts = {
  popupOpened: "The page is open in another window. Come back here when you’re done.",
  popupBlocked: "Your browser blocked the window. Use this link:",
  popupLink: "Open in a new window",
};

/** `<matrix-login>`. */
export const matrixLoginTexts = {
  homeserver: "Homeserver",
  /** Shown in the empty field for the homeserver. */
  homeserverExample: "For example: example.org",
  /** The label of the button next to the homeserver's name, which shows the field again. */
  homeserverChange: "Change",
  /** `{server}` is replaced by the homeserver's name. */
  signInTo: "Sign in to {server}",
  /** The heading. `{name}` is replaced by the app's name. */
  signInToApplication: "Sign in to {name}",
  usernameOrEmail: "Username or email address",
  /** Shown instead of `usernameOrEmail` if the page has fixed the user. */
  userId: "User ID",
  /** `{provider}` is replaced by the identity provider's or the homeserver's name. */
  continueWith: "Continue with {provider}",
  continueWithSso: "Continue with single sign-on",
  or: "or",
  passwordForgotten: "Forgot password?",
  passwordReset: "Reset password",
  errorCredentials: "Incorrect username or password.",
  errorUserElsewhere: "This user’s account is on another homeserver. Your password wasn’t sent.",
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
  back: "Back",
};

/** `<matrix-account>`. */
export const matrixAccountTexts = {
  devices: "Devices",
  thisDevice: "This device",
  /** `{time}` is replaced by a phrase such as "3 days ago" or "yesterday". */
  lastActive: "Last active {time}",
  neverActive: "No recent activity",
  rename: "Rename",
  deviceName: "Device name",
  save: "Save",
  signOut: "Sign out",
  /** `{count}` is replaced by a number. */
  signOutSelected: "Sign out selected ({count})",
  signOutOthers: "Sign out all other devices",
  /** The label of a field. */
  deviceFilter: "Find a device",
  showMore: "Show more",
  /** `{devices}` is replaced by the names of devices. */
  devicesSignedOut: "Signed out: {devices}",
  signedOut: "You’re signed out.",
  /** A link to the provider's page. */
  onAccountPage: "Manage on your account page",
  administratorOnly: "Only the homeserver’s administrator can change this.",
  passwordChange: "Change password",
  contacts: "Email addresses and phone numbers",
  emailAdd: "Add email address",
  phoneAdd: "Add phone number",
  remove: "Remove",
  /** `{address}` is replaced by an email address or a phone number. */
  contactAdded: "Added: {address}",
  /** `{address}` is replaced by an email address or a phone number. */
  contactRemoved: "Removed: {address}",
  deactivate: "Deactivate account",
  deactivateWarning: "This can’t be undone.",
  /** `{user}` is replaced by a user ID. */
  deactivateConfirm: "Enter {user} to confirm.",
  eraseMessages: "Erase my messages",
};

/** `<uia-dialog>`. */
export const dialogTexts = {
  confirmIdentity: "Confirm it’s you",
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

/** The stages that validate an address, and why a homeserver rejected an entry. */
export const validationTexts = {
  /** `{address}` is replaced by an email address or a phone number. */
  linkSent: "Open the link in the message sent to {address}.",
  linkWaiting: "This page will continue automatically once you open the link.",
  resend: "Resend",
  stepUnfinished: "This step isn’t complete yet.",
  codeWrong: "Incorrect code.",
  alreadyInUse: "Already in use by another account.",
  addressUnknown: "No account found.",
  notAllowed: "Not allowed by this homeserver.",
};

/** `<uia-fallback-frame>`. */
export const fallbackTexts = {
  ssoAsk: "Sign in again with your identity provider.",
  approvalAsk: "Approve this request on your account page.",
  fallbackAsk: "Complete the next step on the homeserver’s page.",
  fallbackOpen: "Open page",
  fallbackAgain: "Open again",
  fallbackFinished: "I’ve finished",
  fallbackClosed: "The window was closed. If you haven’t finished, open it again.",
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
  ...completionTexts,
  ...popupTexts,
  ...matrixLoginTexts,
  ...accountTexts,
  ...matrixAccountTexts,
  ...dialogTexts,
  ...validationTexts,
  ...fallbackTexts,
  ...registrationTexts,
  ...phoneTexts,
};
