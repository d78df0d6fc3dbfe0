/** Texts that the elements show from the start. */
export interface BasicTexts {
  readonly signIn: string;
  readonly createAccount: string;
  readonly completing: string;
  readonly tryAgain: string;
  /** For when a part of the library could not be loaded, so it must be available from the start. */
  readonly errorLoadFailed: string;
}

/** Texts about a popup. */
export interface PopupTexts {
  readonly uiaFallbackOpened: string;
  readonly uiaFallbackBlocked: string;
  readonly uiaFallbackWindow: string;
}

/** Texts for when something fails while a user signs in: what happened, and what to do. */
export interface OidcTexts {
  readonly errorNetwork: string;
  readonly errorTimeout: string;
  readonly errorRateLimited: string;
  /** `{time}` is replaced by a phrase such as "in 30 seconds". */
  readonly errorWait: string;
  readonly errorServer: string;
  readonly errorProviderSettings: string;
  readonly errorPageSettings: string;
  readonly errorStorageBlocked: string;
  readonly errorStorageFull: string;
  readonly errorUntrustworthy: string;
  readonly errorDenied: string;
  readonly errorProviderRefused: string;
  readonly errorUnexpected: string;
}

/** Texts for the way to the provider. */
export interface LoginTexts {
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
}

/** Texts for the way back. */
export interface CompletionTexts {
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
}

/** Texts of `<uia-fallback-frame>`. */
export interface FallbackTexts extends PopupTexts {
  readonly uiaSsoAsk: string;
  readonly uiaOAuthAsk: string;

  readonly uiaFallbackAsk: string;
  readonly uiaFallbackOpen: string;
  readonly uiaFallbackAgain: string;
  readonly uiaFallbackFinished: string;
  readonly uiaFallbackClosed: string;
  readonly uiaFallbackFrame: string;
  readonly uiaFallbackNone: string;
}

/** Texts of `<matrix-login>`. */
export interface MatrixTexts {
  readonly matrixHomeserver: string;
  readonly matrixChecking: string;
  /** `{server}` is the homeserver's name. */
  readonly matrixSignInTo: string;
  readonly matrixUser: string;
  /** Instead of it, where the page has fixed who signs in. */
  readonly matrixUserId: string;
  readonly matrixPassword: string;
  /** `{provider}` is the identity provider's name. */
  readonly matrixContinueWith: string;
  readonly matrixSso: string;
  readonly matrixOr: string;
  readonly matrixForgot: string;
  readonly matrixReset: string;
  readonly matrixResetDone: string;
  readonly errorCredentials: string;
  readonly errorNoMethods: string;
}

/** Texts of the forms that create an account and reset a password. */
export interface AccountTexts {
  readonly matrixResetWarning: string;
  readonly matrixEmail: string;
  readonly matrixNewPassword: string;
  readonly matrixRepeatPassword: string;
  readonly matrixPasswordsDiffer: string;
  readonly matrixPasswordWeak: string;
  readonly matrixUserTaken: string;
  readonly matrixUserInvalid: string;
  readonly matrixBack: string;
}

/** Texts of `<uia-dialog>`. */
export interface UiaTexts {
  readonly uiaHeading: string;
  /** `{step}` and `{steps}` are replaced by numbers. */
  readonly uiaStep: string;
  readonly uiaCancel: string;
  readonly uiaContinue: string;
  readonly uiaWorking: string;
  readonly uiaRestarted: string;
  /** The label of a button: other steps lead to the same. */
  readonly uiaOtherWay: string;

  readonly uiaPasswordAsk: string;
  readonly uiaUser: string;
  readonly uiaPassword: string;
  /** The label of a button that is pressed while the password is shown. */
  readonly uiaPasswordShow: string;
  readonly uiaPasswordMissing: string;
  readonly uiaMissing: string;

  readonly uiaEmailInvalid: string;
  /** `{address}` is replaced by an email address or a phone number. */
  readonly uiaLinkSent: string;
  readonly uiaLinkWaiting: string;
  readonly uiaResend: string;

  readonly uiaUnfinished: string;

  readonly uiaWrongPassword: string;
  readonly uiaWrongToken: string;
  readonly uiaWrongCode: string;
  readonly uiaAddressInUse: string;
  readonly uiaAddressUnknown: string;
  readonly uiaAddressDenied: string;
  readonly uiaRefused: string;
  readonly uiaNetwork: string;
  readonly uiaServer: string;
  readonly uiaPage: string;
  /** `{time}` is replaced by a phrase such as "in 30 seconds". */
  readonly uiaWait: string;
}

/** Texts of the stages that registrations consist of. */
export interface RegistrationTexts {
  readonly uiaTokenAsk: string;
  readonly uiaToken: string;
  readonly uiaEmailAsk: string;
  readonly uiaEmail: string;
  readonly uiaEmailSend: string;
  /** `{address}` is replaced by an email address. */
  readonly uiaEmailSending: string;
  readonly uiaEmailChange: string;
  readonly uiaTermsAsk: string;
  /** `{policy}` is replaced by a link. */
  readonly uiaTermsAccept: string;
  readonly uiaAccept: string;
  readonly uiaTermsUnreadable: string;
  readonly uiaNewWindow: string;
  readonly uiaCaptchaAsk: string;
  readonly uiaCaptchaElsewhere: string;
}

/** Texts of the stage that validates a phone number. */
export interface PhoneTexts {
  readonly uiaPhoneAsk: string;
  readonly uiaCountry: string;
  readonly uiaPhone: string;
  readonly uiaPhoneSend: string;
  /** `{address}` is replaced by a phone number. */
  readonly uiaPhoneSent: string;
  readonly uiaCode: string;
  readonly uiaPhoneChange: string;
  readonly uiaPhoneInvalid: string;
}

export type Texts = BasicTexts &
  OidcTexts &
  LoginTexts &
  CompletionTexts &
  PopupTexts &
  FallbackTexts &
  MatrixTexts &
  AccountTexts &
  UiaTexts &
  RegistrationTexts &
  PhoneTexts;

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
