import type {
  OidcRegistrationClientMetadata,
  RegistrationPolicy,
  ResponseMode,
  ValidatedAuthMetadata,
} from "../../core/index.js";
import type { AuthHost } from "../shared/auth-host.js";
import type { LoginMode } from "../shared/login-element.js";
import type { ChooseSession } from "../shared/lazy/session-settings.js";
import type { SessionAttributes } from "../shared/session-attributes.js";

/** The state of a login; also a `:state()` of the element. */
export type OidcLoginState =
  "idle" | "preparing" | "ready" | "unsupported" | "redirecting" | "waiting" | "error";

/** Where a user can sign in. */
export interface LoginTarget {
  /** In milliseconds since the epoch. */
  readonly foundAt: number;
  readonly metadata: ValidatedAuthMetadata;
  readonly homeserverUrl: string;
  readonly identityServerUrl?: string;
}

/** A page's settings as they were set, not yet validated. */
export interface LoginAttributes extends SessionAttributes {
  readonly homeserver: string | undefined;
  readonly issuer: string | undefined;
  readonly clientId: string | undefined;
  readonly redirectUri: string | undefined;
  readonly clientName: string | undefined;
  readonly clientUri: string | undefined;
  readonly logoUri: string | undefined;
  readonly tosUri: string | undefined;
  readonly policyUri: string | undefined;
  readonly clientMetadata: Partial<OidcRegistrationClientMetadata> | undefined;
  readonly prompt: string | undefined;
  readonly loginHint: string | undefined;
  readonly deviceId: string | undefined;
  readonly identityServer: string | undefined;
  readonly returnTo: string | undefined;
  readonly responseMode: ResponseMode | undefined;
  readonly registration: RegistrationPolicy | undefined;
  readonly mode: LoginMode | undefined;
  readonly additionalScopes: string | undefined;
}

/** What a login's controller needs of its element. */
export type LoginHost = AuthHost &
  LoginAttributes & {
    readonly disabled: boolean;
    /** What an element around this one has found out already. */
    readonly target: LoginTarget | undefined;
    /** How an element around this one keeps sessions. */
    readonly chooseSession: ChooseSession | undefined;
  };

/**
 * Runs what ends a login when its element has left the page. With a popup it is deferred: the element may only have
 * been moved, which must not close the popup.
 */
export function unlessMoved(host: HTMLElement & LoginAttributes, end: () => void): void {
  if (host.mode !== "popup") return end();
  queueMicrotask(() => {
    if (!host.isConnected) end();
  });
}
