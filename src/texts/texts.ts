/** All texts, by what they are about; `{name}` in a text is replaced. */
export interface Texts {
  // What elements show before the first part is loaded.
  readonly signIn: string;
  readonly createAccount: string;
  readonly completing: string;
  readonly tryAgain: string;
  /** For when a part of the library could not be loaded, so it must be available from the start. */
  readonly errorLoadFailed: string;

  // Fields, buttons, and what every form says.
  readonly username: string;
  readonly password: string;
  readonly email: string;
  /** The label of a button that is pressed while the password is shown. */
  readonly passwordShow: string;
  readonly passwordMissing: string;
  readonly fieldMissing: string;
  readonly emailInvalid: string;
  readonly continue: string;
  readonly cancel: string;
  readonly working: string;

  // Why a request failed.
  readonly errorNetwork: string;
  readonly errorServer: string;
  readonly errorPageSettings: string;
  readonly requestRefused: string;

  // Why signing in by OAuth 2.0 failed.
  readonly errorTimeout: string;
  readonly errorRateLimited: string;
  /** `{time}` is replaced by a phrase such as "in 30 seconds". */
  readonly errorWait: string;
  readonly errorProviderSettings: string;
  readonly errorStorageBlocked: string;
  readonly errorStorageFull: string;
  readonly errorUntrustworthy: string;
  readonly errorDenied: string;
  readonly errorProviderRefused: string;
  readonly errorUnexpected: string;

  // The way to the provider.
  /** Said while the button is busy. */
  readonly preparing: string;
  readonly redirecting: string;
  readonly errorHomeserverMissing: string;
  readonly errorHomeserverInvalid: string;
  /** `{server}` is what was typed. */
  readonly errorNotAServer: string;
  /** `{server}` is the homeserver's name. */
  readonly errorUnreachable: string;
  readonly errorHomeserverSettings: string;
  readonly errorNotSupported: string;
  readonly errorNoNewAccounts: string;
  readonly errorInsecure: string;
  readonly errorApplicationRefused: string;

  // The way back.
  readonly signedIn: string;
  readonly startAgain: string;
  readonly errorFlowUnknown: string;
  readonly errorFlowExpired: string;
  readonly errorClock: string;
  readonly errorDeactivated: string;
  readonly errorLocked: string;
  /** The account awaits approval. */
  readonly errorAwaitingApproval: string;
  readonly errorLoginRefused: string;
  readonly errorOtherUser: string;

  // A popup.
  readonly popupOpened: string;
  readonly popupBlocked: string;
  readonly popupLink: string;

  // `<matrix-login>`.
  readonly homeserver: string;
  readonly checking: string;
  /** `{server}` is the homeserver's name. */
  readonly signInTo: string;
  readonly usernameOrEmail: string;
  /** Instead of it, where the page has fixed who signs in. */
  readonly userId: string;
  /** `{provider}` is the identity provider's name. */
  readonly continueWith: string;
  readonly continueWithSso: string;
  readonly or: string;
  readonly passwordForgotten: string;
  readonly passwordReset: string;
  readonly passwordResetDone: string;
  readonly errorCredentials: string;
  readonly errorNoMethods: string;

  // The forms that create an account and reset a password.
  readonly passwordResetWarning: string;
  readonly passwordNew: string;
  readonly passwordRepeat: string;
  readonly passwordsDiffer: string;
  readonly passwordWeak: string;
  readonly usernameTaken: string;
  readonly usernameInvalid: string;
  readonly back: string;

  // `<uia-dialog>`.
  readonly confirmIdentity: string;
  /** `{step}` and `{steps}` are replaced by numbers. */
  readonly step: string;
  readonly restarted: string;
  /** The label of a button: other steps lead to the same. */
  readonly otherWay: string;
  readonly passwordAsk: string;
  /** `{address}` is replaced by an email address or a phone number. */
  readonly linkSent: string;
  readonly linkWaiting: string;
  readonly resend: string;
  readonly stepUnfinished: string;
  readonly passwordWrong: string;
  readonly tokenWrong: string;
  readonly codeWrong: string;
  readonly addressInUse: string;
  readonly addressUnknown: string;
  readonly addressDenied: string;
  /** `{time}` is replaced by a phrase such as "in 30 seconds". */
  readonly retryWait: string;

  // `<uia-fallback-frame>`.
  readonly ssoAsk: string;
  readonly approvalAsk: string;
  readonly fallbackAsk: string;
  readonly fallbackOpen: string;
  readonly fallbackAgain: string;
  readonly fallbackFinished: string;
  readonly fallbackClosed: string;
  readonly fallbackFrame: string;
  readonly fallbackNone: string;

  // The stages that registrations consist of.
  readonly tokenAsk: string;
  readonly token: string;
  readonly emailAsk: string;
  readonly emailSend: string;
  /** `{address}` is replaced by an email address. */
  readonly emailSending: string;
  readonly emailChange: string;
  readonly termsAsk: string;
  /** `{policy}` is replaced by a link. */
  readonly termsAccept: string;
  readonly accept: string;
  readonly termsUnreadable: string;
  readonly newWindow: string;
  readonly captchaAsk: string;
  readonly captchaElsewhere: string;

  // The stage that validates a phone number.
  readonly phoneAsk: string;
  readonly country: string;
  readonly phone: string;
  readonly phoneSend: string;
  /** `{address}` is replaced by a phone number. */
  readonly phoneSent: string;
  readonly code: string;
  readonly phoneChange: string;
  readonly phoneInvalid: string;
}

/** The tags of a language. */
interface Tags {
  /** A language tag, such as `de` or `pt-BR`. */
  readonly $code: string;
  /** Further tags that the same texts are for, such as `zh-TW` for `zh-Hant`. */
  readonly $aliases?: readonly string[];
}

/** All texts in one language. */
export interface Language extends Texts, Tags {}

/** Texts in one language. Texts that a translation leaves out are shown in the more general language
 * (`pt` for `pt-BR`), else in English. */
export interface Translation extends Partial<Texts>, Tags {}
