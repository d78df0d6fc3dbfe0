import type { PropertyDeclarations } from "lit";
import type { OidcRegistrationClientMetadata, ResponseMode, SessionStore } from "../core/index.js";
import type { RegistrationPolicy } from "../core/oauth/client-cache.js";
import { AuthElement, isTrue } from "../ui/element.js";
import type { SessionAttributes, SessionPersistence } from "./session-attributes.js";

/** Where the user signs in: in this tab or in a popup. */
export type LoginMode = "redirect" | "popup";

/** The settings of every element that starts logins. */
export abstract class LoginElement extends AuthElement implements SessionAttributes {
  static override get properties(): PropertyDeclarations {
    return {
      homeserver: {},
      clientId: {},
      redirectUri: {},
      clientName: {},
      clientUri: {},
      logoUri: {},
      tosUri: {},
      policyUri: {},
      // Frameworks pass a new object with the same content on each render.
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
      disabled: { type: Boolean, reflect: true, converter: isTrue },
    };
  }

  /** The homeserver: a server name, a user ID or a base URL. Required unless `issuer` is set. */
  declare homeserver: string | undefined;
  /** The client ID of an application that is already registered. */
  declare clientId: string | undefined;
  /** Where the provider sends the user back to. Default: this page without query and fragment, or the nearest folder whose path providers take. */
  declare redirectUri: string | undefined;
  /** The application's name, shown by the provider and by `<matrix-login>`. Default for the provider: the document's title. */
  declare clientName: string | undefined;
  /** The application's home page. Default: this origin. */
  declare clientUri: string | undefined;
  /** The application's logo, shown by `<matrix-login>` too. The provider gets none, with a warning, if it is not on the host of `clientUri`. */
  declare logoUri: string | undefined;
  /** The application's terms of service; omitted under the same condition. */
  declare tosUri: string | undefined;
  /** The application's privacy policy; omitted under the same condition. */
  declare policyUri: string | undefined;
  /** The application's metadata for the provider. Overrides the attributes. */
  declare clientMetadata: Partial<OidcRegistrationClientMetadata> | undefined;
  /** `login`: always ask for the password. `create`: make an account. */
  declare prompt: string | undefined;
  /** The device to sign in. Default: a new one. */
  declare deviceId: string | undefined;
  /** Where to go after signing in: a URL of this origin. */
  declare returnTo: string | undefined;
  /** How the response comes back. Default: `fragment` if the issuer lists it, else `query`. */
  declare responseMode: ResponseMode | undefined;
  /** `per-login` (default): register for each login. `reuse`: keep one, while logins with it come back. */
  declare registration: RegistrationPolicy | undefined;
  /** `redirect` (default): this tab goes to the provider. `popup`: a popup does. */
  declare mode: LoginMode | undefined;
  /** Further scopes, separated by spaces, such as `urn:synapse:admin:*`. If one is not granted, the login fails. */
  declare additionalScopes: string | undefined;
  /** With `mode="popup"`, where to keep the user signed in: as `<oidc-callback persist>`. */
  declare persist: SessionPersistence | undefined;
  /** With `mode="popup"`, a store of the page's own to keep the session in. */
  declare store: SessionStore | undefined;
  /** With `mode="popup"`, the session's key in its store: another one for each account. */
  declare sessionKey: string | undefined;
  /** Whether the button is disabled. */
  declare disabled: boolean;

  constructor() {
    super();
    this.disabled = false;
  }
}
