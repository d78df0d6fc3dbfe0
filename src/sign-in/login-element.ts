import type { PropertyDeclarations } from "lit";
import type { OidcRegistrationClientMetadata, ResponseMode, SessionStore } from "../core/index.js";
import type { RegistrationPolicy } from "../core/oauth/client-cache.js";
import { AuthElement, isTrue } from "../ui/element.js";
import type { SessionAttributes, SessionPersistence } from "./session-attributes.js";

/** Whether the user signs in in this tab or in a popup. */
export type LoginMode = "redirect" | "popup";

/** Longer than for other requests, because a slow sign-in is better than an error. */
export const TIMEOUT_MS = 30_000;

/** The time limit that an element sets, if it is valid. */
export const timeoutOf = ({ timeoutMs }: { readonly timeoutMs: number }): number =>
  timeoutMs > 0 ? timeoutMs : TIMEOUT_MS;

/** The settings of every element that starts a sign-in. */
export abstract class LoginElement extends AuthElement implements SessionAttributes {
  static override properties: PropertyDeclarations = {
    homeserver: {},
    clientId: {},
    redirectUri: {},
    clientName: {},
    clientUri: {},
    logoUri: {},
    tosUri: {},
    policyUri: {},
    // Frameworks pass a new object with the same content at each render.
    clientMetadata: { attribute: false, hasChanged: () => false },
    prompt: {},
    deviceId: {},
    returnTo: {},
    responseMode: {},
    registration: {},
    mode: {},
    additionalScopes: {},
    persist: {},
    store: { attribute: false },
    sessionKey: {},
    timeoutMs: { type: Number, attribute: "timeout-ms" },
    disabled: { type: Boolean, reflect: true, converter: isTrue },
  };

  /** The homeserver: a server name, a user ID, or a base URL. Required unless `issuer` is set. */
  declare homeserver: string | undefined;
  /** The client ID of an app that is already registered with the provider. */
  declare clientId: string | undefined;
  /**
   * The URL that the provider redirects to. Default: this page without query and fragment, or the
   * nearest parent folder with a path that providers accept.
   */
  declare redirectUri: string | undefined;
  /**
   * The app's name, shown by the provider and by `<matrix-login>`. Default for the provider: the
   * document's title.
   */
  declare clientName: string | undefined;
  /** The app's home page. Default: this origin. */
  declare clientUri: string | undefined;
  /**
   * The app's logo, shown by the provider and by `<matrix-login>`. If it isn't on the host of
   * `clientUri`, it isn't sent to the provider, and a warning is logged.
   */
  declare logoUri: string | undefined;
  /** The app's terms of service. Must be on the host of `clientUri`, like the logo. */
  declare tosUri: string | undefined;
  /** The app's privacy policy. Must be on the host of `clientUri`, like the logo. */
  declare policyUri: string | undefined;
  /** The app's metadata for the provider. Overrides the attributes. */
  declare clientMetadata: Partial<OidcRegistrationClientMetadata> | undefined;
  /**
   * `login`: require the password even if the user is signed in to the provider. `create`: create
   * an account.
   */
  declare prompt: string | undefined;
  /** The ID of the device to sign in. Default: a new one. */
  declare deviceId: string | undefined;
  /** The same-origin URL to open after sign-in. */
  declare returnTo: string | undefined;
  /**
   * The part of the redirect URI that contains the response. Default: `fragment` if the provider
   * supports it, otherwise `query`.
   */
  declare responseMode: ResponseMode | undefined;
  /**
   * `per-login` (default): register the app for each sign-in. `reuse`: store the client ID and use
   * it again, unless sign-ins with it don't return.
   */
  declare registration: RegistrationPolicy | undefined;
  /** `redirect` (default): this tab opens the provider. `popup`: a popup opens it. */
  declare mode: LoginMode | undefined;
  /**
   * Additional scopes, separated by spaces, such as `urn:synapse:admin:*`. If the provider doesn't
   * grant them all, the sign-in fails.
   */
  declare additionalScopes: string | undefined;
  /**
   * Where to store the session, as in `<oidc-callback persist>`. Required with `mode="popup"`.
   * After a redirect, it overrides the callback's `persist`, which is then the default.
   */
  declare persist: SessionPersistence | undefined;
  /** A custom store for the session. A callback on another page needs one, too. */
  declare store: SessionStore | undefined;
  /**
   * The session's key in the store. Use a different key for each account. After a redirect, only a
   * callback with the same key, or without one, completes the sign-in.
   */
  declare sessionKey: string | undefined;
  /**
   * The time limit of each request for which the user waits, in milliseconds. Default: 30000. Set a
   * longer time for a slow provider.
   */
  declare timeoutMs: number;
  /** Whether the element is disabled. In a disabled `<fieldset>`, it always is. */
  declare disabled: boolean;

  constructor() {
    super();
    this.timeoutMs = TIMEOUT_MS;
    this.disabled = false;
  }

  /** @internal */
  override get isDisabled(): boolean {
    return this.disabled || super.isDisabled;
  }
}
