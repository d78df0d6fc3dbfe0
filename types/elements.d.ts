// What each element takes, and what it fires: the one place that the files beside this one derive from.
// `npm run test:typings` holds it equal to custom-elements.json. The types come from the classes.
import type {
  MatrixLoginElement,
  OidcCallbackElement,
  OidcLoginElement,
  UiaDialogElement,
  UiaFallbackFrameElement,
} from "matrix-auth-elements";

/** Settings of both elements that start logins. */
type LoginAttributes =
  | "homeserver"
  | "clientId"
  | "redirectUri"
  | "clientName"
  | "clientUri"
  | "logoUri"
  | "tosUri"
  | "policyUri"
  | "prompt"
  | "deviceId"
  | "returnTo"
  | "responseMode"
  | "registration"
  | "mode"
  | "additionalScopes"
  | "persist"
  | "sessionKey"
  | "disabled";

interface Contracts {
  "matrix-login": {
    element: MatrixLoginElement;
    /** Properties that have an attribute too: `clientId` has `client-id`. */
    attributes:
      | LoginAttributes
      | "homeserverLocked"
      | "suggestions"
      | "methods"
      | "noRegistration"
      | "noReset"
      | "accounts"
      | "userId"
      | "deviceName";
    /** Properties that have none. */
    properties: "clientMetadata" | "store";
    events:
      | "matrix-login-homeserver"
      | "matrix-login-start"
      | "matrix-login-redirect"
      | "matrix-login-success"
      | "matrix-login-cancel"
      | "matrix-login-error";
  };
  "oidc-login": {
    element: OidcLoginElement;
    attributes: LoginAttributes | "issuer" | "loginHint" | "identityServer";
    properties: "clientMetadata" | "store";
    events: "oidc-login-start" | "oidc-redirect" | "oidc-success" | "oidc-cancel" | "oidc-error";
  };
  "oidc-callback": {
    element: OidcCallbackElement;
    attributes: "manual" | "quiet" | "returnTo" | "persist" | "sessionKey";
    properties: "store";
    events:
      "oidc-success" | "oidc-cancel" | "oidc-error" | "matrix-login-success" | "matrix-login-error";
  };
  "uia-dialog": {
    element: UiaDialogElement;
    attributes:
      "userId" | "sessionId" | "clientSecret" | "emailSid" | "pollInterval" | "heading" | "open";
    properties:
      | "client"
      | "doRequest"
      | "requestEmailToken"
      | "requestPhoneToken"
      | "loadCaptcha"
      | "inputs"
      | "supportedStages";
    events:
      | "uia-state-updated"
      | "uia-busy-changed"
      | "uia-do-request"
      | "uia-request-email-token"
      | "uia-request-phone-token"
      | "uia-success"
      | "uia-cancel"
      | "uia-error";
  };
  "uia-fallback-frame": {
    element: UiaFallbackFrameElement;
    attributes: "stage" | "session" | "homeserver" | "mode" | "url";
    properties: "client" | "allowedOrigins";
    events:
      "uia-fallback-open" | "uia-fallback-done" | "uia-fallback-close" | "uia-fallback-blocked";
  };
}

export type Tag = keyof Contracts;

export type ElementOf<T extends Tag> = Contracts[T]["element"];

export type EventsOf<T extends Tag> = Contracts[T]["events"] | "statechange";

/** The element's attributes, by the names that they have in HTML. */
export type Attributes<T extends Tag> = {
  [P in keyof Pick<ElementOf<T>, Contracts[T]["attributes"] & keyof ElementOf<T>> as Dashed<P>]?:
    Written<ElementOf<T>[P]> | undefined;
};

/** Every property that can be set. */
export type Properties<T extends Tag> = {
  -readonly [
    P in keyof Pick<
      ElementOf<T>,
      (Contracts[T]["attributes"] | Contracts[T]["properties"]) & keyof ElementOf<T>
    >
  ]?: ElementOf<T>[P] | undefined;
};

/** A listener for each event, under the event's name after `Prefix`. */
export type Listeners<T extends Tag, Prefix extends string> = {
  [E in EventsOf<T> as `${Prefix}${E}`]?: Listener<T, E> | undefined;
};

/** Called with the event as it is at the element. */
export type Listener<T extends Tag, E extends keyof HTMLElementEventMap> = (
  event: HTMLElementEventMap[E] & { readonly currentTarget: ElementOf<T> },
) => void;

/** What an attribute can be set to: text stands for a number. */
export type Written<Value> = Value extends number ? number | `${number}` : Value;

type Dashed<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${Dashed<Rest>}`
  : "";
