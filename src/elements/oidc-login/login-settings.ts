import type {
  OidcRegistrationClientMetadata,
  RegistrationPolicy,
  ResponseMode,
} from "../../core/index.js";
import { sameOriginUrl, settingsInvalid } from "../shared/settings.js";
import type { OidcLoginElement } from "./oidc-login.js";

/** What a page asks for, checked, with every default filled in. */
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
  /** Undefined: what the issuer offers decides. */
  readonly responseMode: ResponseMode | undefined;
  readonly returnTo: string | undefined;
}

const RESPONSE_MODES: readonly string[] = ["query", "fragment"];
const REGISTRATIONS: readonly string[] = ["per-login", "reuse"];

/**
 * Reads an element's settings.
 *
 * @throws {OidcFlowError} `Misconfigured` (`settings_invalid`).
 */
export function readSettings(element: OidcLoginElement): LoginSettings {
  const { homeserver, issuer, clientId, prompt, loginHint, deviceId, identityServer } = element;
  if (!homeserver && !issuer) throw settingsInvalid("Neither homeserver nor issuer is set");
  const redirectUri = element.redirectUri
    ? absolute(element.redirectUri)
    : location.origin + location.pathname;
  const { responseMode, registration = "per-login", returnTo } = element;
  if (responseMode && !RESPONSE_MODES.includes(responseMode)) {
    throw settingsInvalid(`response-mode is neither ${RESPONSE_MODES.join(" nor ")}`);
  }
  if (!REGISTRATIONS.includes(registration)) {
    throw settingsInvalid(`registration is neither ${REGISTRATIONS.join(" nor ")}`);
  }
  return {
    homeserver: text(homeserver),
    issuer: text(issuer),
    clientId: text(clientId),
    clientMetadata: readClientMetadata(element, redirectUri),
    registration,
    redirectUri,
    prompt: text(prompt),
    loginHint: text(loginHint),
    deviceId: text(deviceId),
    identityServer: text(identityServer),
    responseMode: responseMode || undefined,
    returnTo: returnTo ? sameOriginUrl(returnTo, "return-to") : undefined,
  };
}

/** An attribute that was emptied counts as unset. */
const text = (value: string | undefined): string | undefined => value || undefined;

function readClientMetadata(
  element: OidcLoginElement,
  redirectUri: string,
): OidcRegistrationClientMetadata {
  const clientMetadata: unknown = element.clientMetadata ?? {};
  if (typeof clientMetadata !== "object") {
    throw settingsInvalid("clientMetadata is no object");
  }
  return {
    clientName: text(element.clientName) ?? text(document.title),
    clientUri: text(element.clientUri) ?? location.origin,
    logoUri: optionalAbsolute(element.logoUri),
    tosUri: optionalAbsolute(element.tosUri),
    policyUri: optionalAbsolute(element.policyUri),
    // By the specification a web application never comes back to http, a native one may on loopback.
    applicationType: redirectUri.startsWith("http:") ? "native" : "web",
    redirectUris: [redirectUri],
    ...clientMetadata,
  };
}

const optionalAbsolute = (address: string | undefined): string | undefined =>
  address ? absolute(address) : undefined;

function absolute(address: string): string {
  if (!URL.canParse(address, document.baseURI)) throw settingsInvalid(`${address} is no address`);
  return new URL(address, document.baseURI).href;
}
