import type { Translation as BaseTranslation } from "@shoelace-style/localize";

/** Every text that the elements show. A translation that lacks one falls back to English. */
export interface Translation extends BaseTranslation {
  readonly signIn: string;
  readonly createAccount: string;
  /** Said while the button is busy. */
  readonly preparing: string;
  readonly redirecting: string;
  readonly completing: string;
  readonly signedIn: string;
  readonly tryAgain: string;
  readonly startAgain: string;
  // Errors: what happened, and what the person can do.
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
  readonly errorLoadFailed: string;
  readonly errorUnexpected: string;
}
