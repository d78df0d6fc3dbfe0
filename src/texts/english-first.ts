// The English strings of the first paint. Bundlers keep each file whole: in english.ts, these would
// bring all strings into the first paint.

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

/** The first screen of `<matrix-login>`. */
export const firstScreenTexts = {
  homeserver: "Homeserver",
  /** Shown below the field for the homeserver. */
  homeserverHint: "The server where you have your account, for example matrix.org.",
  /** The heading. `{name}` is replaced by the app's name. */
  signInToApplication: "Sign in to {name}",
};

/** The sections of `<matrix-account>`, by their headings, in their default order. */
export const accountHeadingTexts = {
  /** The section with the user's name and picture. */
  profile: "Profile",
  devices: "Devices",
  password: fieldTexts.password,
  contacts: "Email addresses and phone numbers",
  deactivate: "Deactivate account",
};
