import type {
  OidcRegistrationClientMetadata,
  RegistrationPolicy,
  ResponseMode,
} from "../../../core/index.js";
import { sameOriginUrl, settingsInvalid } from "../../shared/lazy/page-urls.js";
import type { OidcLoginElement } from "../oidc-login.js";

/** A page's settings, validated, with every default filled in. */
export interface LoginSettings {
  readonly homeserver: string | undefined;
  readonly issuer: string | undefined;
  readonly clientId: string | undefined;
  readonly clientMetadata: OidcRegistrationClientMetadata;
  readonly registration: RegistrationPolicy;
  readonly redirectUri: string;
  readonly prompt: string | undefined;
  readonly loginHint: string | undefined;
  readonly deviceId: string | undefined;
  readonly identityServer: string | undefined;
  /** Undefined: depends on what the issuer supports. */
  readonly responseMode: ResponseMode | undefined;
  readonly returnTo: string | undefined;
  readonly mode: LoginMode;
}

/** Where the user signs in: in this tab or in a popup. */
export type LoginMode = "redirect" | "popup";

type TextSetting =
  | Exclude<keyof LoginSettings, "clientMetadata">
  | "clientName"
  | "clientUri"
  | "logoUri"
  | "tosUri"
  | "policyUri";

const RESPONSE_MODES: readonly ResponseMode[] = ["query", "fragment"];
const MODES: readonly LoginMode[] = ["redirect", "popup"];
const REGISTRATIONS: readonly RegistrationPolicy[] = ["per-login", "reuse"];

/**
 * Reads an element's settings.
 *
 * @throws {OidcFlowError} `Misconfigured` (`settings_invalid`).
 */
export function readSettings(element: OidcLoginElement): LoginSettings {
  const homeserver = text(element, "homeserver");
  const issuer = text(element, "issuer");
  if (!homeserver && !issuer) throw settingsInvalid("Neither homeserver nor issuer is set");
  const redirectUri = address(element, "redirectUri") ?? location.origin + location.pathname;
  const returnTo = text(element, "returnTo");
  return {
    homeserver,
    issuer,
    clientId: text(element, "clientId"),
    clientMetadata: readClientMetadata(element, redirectUri),
    registration: oneOf(REGISTRATIONS, element, "registration") ?? "per-login",
    redirectUri,
    prompt: text(element, "prompt"),
    loginHint: text(element, "loginHint"),
    deviceId: text(element, "deviceId"),
    identityServer: text(element, "identityServer"),
    responseMode: oneOf(RESPONSE_MODES, element, "responseMode", "response-mode"),
    returnTo: returnTo && sameOriginUrl(returnTo, "return-to"),
    mode: oneOf(MODES, element, "mode") ?? "redirect",
  };
}

/** A setting. Empty, null and undefined all count as unset: frameworks differ in how they remove a value. */
function text(element: OidcLoginElement, name: TextSetting): string | undefined {
  const value: unknown = element[name];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "number") return String(value);
  if (typeof value !== "string") throw settingsInvalid(`${name} is no text`);
  return value;
}

function oneOf<T extends string>(
  allowed: readonly T[],
  element: OidcLoginElement,
  name: TextSetting,
  attribute: string = name,
): T | undefined {
  const given = text(element, name);
  const found = allowed.find((each) => each === given);
  if (given && !found) throw settingsInvalid(`${attribute} is neither ${allowed.join(" nor ")}`);
  return found;
}

function readClientMetadata(
  element: OidcLoginElement,
  redirectUri: string,
): OidcRegistrationClientMetadata {
  const clientMetadata: unknown = element.clientMetadata ?? {};
  if (typeof clientMetadata !== "object" || clientMetadata === null) {
    throw settingsInvalid("clientMetadata is no object");
  }
  return {
    clientName: text(element, "clientName") ?? (document.title || undefined),
    clientUri: clientUri(element) ?? location.origin,
    logoUri: address(element, "logoUri"),
    tosUri: address(element, "tosUri"),
    policyUri: address(element, "policyUri"),
    // By the specification a web application never redirects to http; a native one may, on loopback.
    applicationType: redirectUri.startsWith("http:") ? "native" : "web",
    redirectUris: [redirectUri],
    // An undefined member does not override anything.
    ...Object.fromEntries(Object.entries(clientMetadata).filter(([, said]) => said !== undefined)),
  };
}

/** A path is resolved against this page; a host name without `https://` is a mistake. */
function clientUri(element: OidcLoginElement): string | undefined {
  const given = text(element, "clientUri");
  return given && /^[./]/.test(given) ? absolute(given) : given;
}

function address(element: OidcLoginElement, name: TextSetting): string | undefined {
  const given = text(element, name);
  return given && absolute(given);
}

function absolute(address: string): string {
  if (!URL.canParse(address, document.baseURI)) throw settingsInvalid(`${address} is no address`);
  return new URL(address, document.baseURI).href;
}
