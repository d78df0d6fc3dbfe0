import type { AuthDict, IStageStatus } from "../core/index.js";
import { CANCELABLE_EVERYWHERE, DetailEvent, EVERYWHERE, RespondableEvent } from "./base.js";

/**
 * Your page must send the protected request, with `authData` as its `auth` unless that is `null`.
 */
export class UiaDoRequestEvent extends RespondableEvent<
  unknown,
  { readonly authData: AuthDict | null; readonly background: boolean }
> {
  constructor(detail: UiaDoRequestEvent["detail"]) {
    super("uia-do-request", detail);
  }
}

/** The user starts or stops waiting for a server. */
export class UiaBusyChangedEvent extends DetailEvent<{ readonly busy: boolean }> {
  constructor(detail: UiaBusyChangedEvent["detail"]) {
    super("uia-busy-changed", detail);
  }
}

/** The stage or its status has changed. */
export class UiaStateUpdatedEvent extends DetailEvent<{
  readonly nextStage: string;
  readonly status: IStageStatus;
}> {
  constructor(detail: UiaStateUpdatedEvent["detail"]) {
    super("uia-state-updated", detail);
  }
}

/** Your page must request an email and respond with the validation's `sid`. */
export class UiaRequestEmailTokenEvent extends RespondableEvent<
  { readonly sid: string },
  {
    readonly email: string;
    readonly secret: string;
    /** A new message is sent only if this is greater than before. */
    readonly attempt: number;
    readonly session: string | null;
  }
> {
  constructor(detail: UiaRequestEmailTokenEvent["detail"]) {
    super("uia-request-email-token", detail);
  }
}

/** The homeserver's response after it has sent a text message. */
export interface PhoneValidation {
  readonly sid: string;
  /** The URL to submit the code to. If it is missing, the user follows a link instead. */
  readonly submit_url?: string | undefined;
}

/** Your page must request a text message. */
export class UiaRequestPhoneTokenEvent extends RespondableEvent<
  PhoneValidation,
  {
    /** Two letters (ISO 3166-1 alpha-2). */
    readonly country: string;
    readonly phone: string;
    readonly secret: string;
    /** A new message is sent only if this is greater than before. */
    readonly attempt: number;
    readonly session: string | null;
  }
> {
  constructor(detail: UiaRequestPhoneTokenEvent["detail"]) {
    super("uia-request-phone-token", detail);
  }
}

/** The protected request succeeded. */
export class UiaSuccessEvent extends DetailEvent<{ readonly result: unknown }> {
  constructor(detail: UiaSuccessEvent["detail"]) {
    super("uia-success", detail, EVERYWHERE);
  }
}

/** The user or your page is cancelling. Call `preventDefault()` to keep the dialog open. */
export class UiaCancelEvent extends DetailEvent<{
  /** `dismissed` if the user cancelled, else the argument of `cancel()`. */
  readonly reason: unknown;
}> {
  constructor(detail: UiaCancelEvent["detail"]) {
    super("uia-cancel", detail, CANCELABLE_EVERYWHERE);
  }
}

/** The protected request failed. */
export class UiaErrorEvent extends DetailEvent<{
  readonly error: unknown;
  /** A `UiaErrorCode`, a `RequestErrorCode`, or Matrix's code, such as `M_WEAK_PASSWORD`. */
  readonly code: string;
}> {
  constructor(error: unknown) {
    const { code, errcode } = Object(error) as { code?: unknown; errcode?: unknown };
    const known = [code, errcode].find((value) => typeof value === "string");
    super("uia-error", { error, code: known ?? "unexpected" }, EVERYWHERE);
  }
}

declare global {
  interface HTMLElementEventMap {
    "uia-do-request": UiaDoRequestEvent;
    "uia-busy-changed": UiaBusyChangedEvent;
    "uia-state-updated": UiaStateUpdatedEvent;
    "uia-request-email-token": UiaRequestEmailTokenEvent;
    "uia-request-phone-token": UiaRequestPhoneTokenEvent;
  }

  interface GlobalEventHandlersEventMap {
    "uia-success": UiaSuccessEvent;
    "uia-cancel": UiaCancelEvent;
    "uia-error": UiaErrorEvent;
  }
}
