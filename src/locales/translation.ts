/** What the elements show before, and unless, something fails. */
export interface BasicTexts {
  readonly signIn: string;
  readonly createAccount: string;
  /** Said while the button is busy. */
  readonly preparing: string;
  readonly redirecting: string;
  readonly completing: string;
  readonly signedIn: string;
  readonly tryAgain: string;
  readonly startAgain: string;
  /** A part of the library could not be loaded, so this text is always at hand. */
  readonly errorLoadFailed: string;
}

/** What happened, and what the person can do. */
export interface ErrorTexts {
  readonly errorNetwork: string;
  readonly errorTimeout: string;
  readonly errorRateLimited: string;
  readonly errorServer: string;
  readonly errorHomeserverInvalid: string;
  readonly errorHomeserverSettings: string;
  readonly errorNotSupported: string;
  readonly errorProviderSettings: string;
  readonly errorPageSettings: string;
  readonly errorNoNewAccounts: string;
  readonly errorInsecure: string;
  readonly errorStorageBlocked: string;
  readonly errorStorageFull: string;
  readonly errorApplicationRefused: string;
  readonly errorFlowUnknown: string;
  readonly errorFlowExpired: string;
  readonly errorUntrustworthy: string;
  readonly errorDenied: string;
  readonly errorProviderRefused: string;
  readonly errorClock: string;
  readonly errorUnexpected: string;
}

export type Texts = BasicTexts & ErrorTexts;

/** Texts in one language. What a translation leaves out is shown in English. */
export interface Translation extends Partial<Texts> {
  /** A language tag, such as `de` or `pt-BR`. */
  readonly $code: string;
}
