import type { accountHeadingTexts } from "../texts/english-first.js";
import { CANCELABLE_EVERYWHERE, DetailEvent, EVERYWHERE } from "./base.js";

/** A section of `<matrix-account>`. */
export type AccountSectionName =
  Exclude<keyof typeof accountHeadingTexts, "deactivate"> | "deactivation";

/**
 * The homeserver has confirmed a change of the account.
 *
 * @experimental
 */
export class MatrixAccountChangeEvent extends DetailEvent<{
  readonly section: AccountSectionName;
  /**
   * `display-name` and `avatar` apply to the profile, `signed-out` and `renamed` to devices, `changed` to
   * the password.
   */
  readonly action:
    | "display-name"
    | "avatar"
    | "signed-out"
    | "renamed"
    | "changed"
    | "added"
    | "removed"
    | "deactivated";
  readonly deviceIds?: readonly string[];
  /** `email` or `msisdn`. */
  readonly medium?: string;
  /** The email address or the phone number. */
  readonly address?: string;
}> {
  constructor(detail: MatrixAccountChangeEvent["detail"]) {
    super("matrix-account-change", detail, EVERYWHERE);
  }
}

/**
 * The provider's account page is about to open in a new tab. Cancel it to open the URL yourself.
 *
 * @experimental
 */
export class MatrixAccountLinkEvent extends DetailEvent<{
  /**
   * The action, such as `org.matrix.device_delete`. If the provider doesn't list it, `url` is the
   * start page.
   */
  readonly action: string;
  readonly deviceId?: string;
  readonly url: string;
}> {
  constructor(detail: MatrixAccountLinkEvent["detail"]) {
    super("matrix-account-link", detail, CANCELABLE_EVERYWHERE);
  }
}

/**
 * The user wants to sign out this device. Cancel it to ask and sign out yourself. Otherwise the element
 * asks first.
 *
 * @experimental
 */
export class MatrixAccountSignOutEvent extends DetailEvent<{
  readonly userId: string;
  /** Undefined if the access token has no device. */
  readonly deviceId: string | undefined;
}> {
  constructor(detail: MatrixAccountSignOutEvent["detail"]) {
    super("matrix-account-sign-out", detail, CANCELABLE_EVERYWHERE);
  }
}

/**
 * Loading or an operation failed. Cancel it to show the error yourself.
 *
 * @experimental
 */
export class MatrixAccountErrorEvent extends DetailEvent<{
  /** `undefined` if it applies to the whole account. */
  readonly section?: AccountSectionName | undefined;
  readonly error: Error;
  /** The error's `code`, or the `errcode` of the homeserver's error response. */
  readonly code: string;
}> {
  constructor(error: Error & { readonly code: string }, section?: AccountSectionName) {
    super("matrix-account-error", { section, error, code: error.code }, CANCELABLE_EVERYWHERE);
  }
}

declare global {
  interface GlobalEventHandlersEventMap {
    "matrix-account-change": MatrixAccountChangeEvent;
    "matrix-account-link": MatrixAccountLinkEvent;
    "matrix-account-sign-out": MatrixAccountSignOutEvent;
    "matrix-account-error": MatrixAccountErrorEvent;
  }
}
