import type { JsonResponse, RequestOptions } from "../http/fetch.js";
import { requestJson, unexpectedResponse } from "../http/request.js";
import { reasonIn } from "../http/body-members.js";
import { isTransient } from "../http/failures.js";
import { isText, presentMembers, toJson } from "../http/json.js";
import { parseTrustworthyUrl } from "../http/url.js";
import { flowError, requestFailed, validationError } from "./errors.js";
import { OidcFlowError } from "./flow-error.js";
import type { AuthMetadata } from "./metadata.js";

/**
 * The app's metadata, as the provider registers it.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#client-registration
 */
export interface OidcRegistrationClientMetadata {
  /** The app's name, as users know it. */
  readonly clientName?: string | undefined;
  /** The app's home page. The logo, terms and policy must be on its host or a subdomain. */
  readonly clientUri: string;
  readonly logoUri?: string | undefined;
  /**
   * Default: `web`. With a redirect URI on a loopback host or with a custom scheme it is always
   * `native`, because the specification allows those only for native apps.
   */
  readonly applicationType?: "web" | "native" | undefined;
  /**
   * The URLs that the provider can redirect to; at least one. Each is an HTTPS URL, an HTTP URL on
   * `localhost`, `127.0.0.1`, or `[::1]`, or a URL whose scheme is `clientUri`'s host in reverse,
   * such as `com.example.app:/callback`.
   */
  readonly redirectUris: readonly string[];
  /** Email addresses. */
  readonly contacts?: readonly string[] | undefined;
  /** Terms of service. */
  readonly tosUri?: string | undefined;
  /** Privacy policy. */
  readonly policyUri?: string | undefined;
  /**
   * The name, logo, terms or policy for users of another language, by its BCP 47 tag:
   * `"clientName#fr"`.
   *
   * @see https://www.rfc-editor.org/rfc/rfc7591#section-2.2
   */
  readonly [localized: `${LocalizableMember}#${string}`]: string | undefined;
}

type LocalizableMember = "clientName" | "logoUri" | "tosUri" | "policyUri";

export const DEVICE_CODE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const REQUIRED_GRANTS = ["authorization_code", "refresh_token"];

/** Longer ones would fill the storage, and then no session could be stored. */
const MAX_CLIENT_ID_LENGTH = 2048;

/**
 * Registers an app with an issuer, with the device grant if the provider lists it. A redirect URI
 * on a loopback host is registered with and without its port. If the provider rejects the request,
 * it is repeated without the device grant, then without ports, then without optional members, once
 * each.
 *
 * @returns The client ID. Keep it with the session: refreshing and signing out need it.
 * @throws {OidcFlowError} `DynamicRegistrationNotSupported`; `Misconfigured` (`settings_invalid`)
 *   if `clientMetadata` has faults; `DynamicRegistrationFailed` with the request's code,
 *   `registration_refused`, or `registration_invalid` if the response is not a registration.
 * @see https://www.rfc-editor.org/rfc/rfc7591
 * @experimental
 */
export async function registerOidcClient(
  config: AuthMetadata,
  clientMetadata: OidcRegistrationClientMetadata,
  options?: RequestOptions,
): Promise<string> {
  const url = registrationEndpoint(config);
  let body: ClientMetadata | undefined = registrationBody(config, clientMetadata);
  try {
    let response: JsonResponse;
    do {
      response = await requestJson(url, { method: "POST", body }, options);
      body = simplerBody(body, response);
    } while (body);
    if (!response.ok || response.body === undefined) {
      throw registrationRefusal(response) ?? unexpectedResponse(url, response);
    }
    const clientId = presentMembers(response.body)["client_id"];
    if (isText(clientId) && clientId.length <= MAX_CLIENT_ID_LENGTH) return clientId;
    throw new Error("The response contains no client_id");
  } catch (cause) {
    throw requestFailed("Dynamic registration failed", cause, "registration_invalid");
  }
}

function registrationEndpoint(config: AuthMetadata): string {
  const { registration_endpoint: endpoint, grant_types_supported: grants } = config;
  if (endpoint && REQUIRED_GRANTS.every((grant) => grants?.includes(grant))) return endpoint;
  const reason = endpoint
    ? `The provider lacks a grant type of ${REQUIRED_GRANTS.join(", ")}`
    : "The provider has no registration endpoint";
  throw flowError("Dynamic registration not supported", "registration_not_supported", reason);
}

const OPTIONAL_MEMBER = /^(logo_uri|tos_uri|policy_uri|contacts)$|#/;

/**
 * A simpler registration to send after a rejection, if there is one. Providers have many reasons to
 * reject.
 */
function simplerBody(body: ClientMetadata, response: JsonResponse): ClientMetadata | undefined {
  const mayBeRefused = [400, 403, 413, 422].includes(response.status);
  if (!mayBeRefused || isTransient(response)) return undefined;
  // Some providers list the device grant, but reject clients that request it.
  const withoutDeviceGrant = { ...body, grant_types: REQUIRED_GRANTS };
  // Some providers accept no port, as the specification requires. Others accept only the exact
  // registered URI.
  const redirect_uris = [...new Set(body.redirect_uris.map(withoutLoopbackPort))];
  const withoutPorts = { ...body, redirect_uris };
  const required = Object.entries(body).filter(([name]) => !OPTIONAL_MEMBER.test(name));
  const withoutOptionalMembers = Object.fromEntries(required) as ClientMetadata;
  const isPort = presentMembers(response.body)["error"] === "invalid_redirect_uri";
  const bodies = isPort ? [withoutPorts, withoutDeviceGrant] : [withoutDeviceGrant, withoutPorts];
  const isSimpler = (each: ClientMetadata) => toJson(each) !== toJson(body);
  return [...bodies, withoutOptionalMembers].find(isSimpler);
}

/** @see https://www.rfc-editor.org/rfc/rfc7591#section-3.2.2 */
function registrationRefusal(response: JsonResponse): OidcFlowError | undefined {
  const { status, body } = response;
  const { error } = presentMembers(body);
  if (isTransient(response) || typeof error !== "string") return undefined;
  const reason = reasonIn(body);
  const cause = new Error([...new Set([error, reason ?? error])].join(": "));
  Object.assign(cause, { error, reason, httpStatus: status });
  return new OidcFlowError("Dynamic registration failed", "registration_refused", cause);
}

type ClientMetadata = Record<string, unknown> & {
  readonly redirect_uris: readonly string[];
  readonly grant_types: readonly string[];
};

/**
 * URLs that aren't on the host of `clientUri` or a subdomain are omitted with a warning, because
 * the provider must reject them.
 *
 * @throws {OidcFlowError} `Misconfigured`, with every fault in its `cause`.
 */
function registrationBody(
  config: AuthMetadata,
  client: OidcRegistrationClientMetadata,
): ClientMetadata {
  const clientUri = validateClientMetadata(client);
  const { redirectUris } = client;
  const isNative = redirectUris.some((uri) => isLoopbackUri(uri) || isPrivateUri(uri));
  return {
    ...localizableMembers(client, clientUri),
    client_uri: client.clientUri,
    application_type: isNative ? "native" : (client.applicationType ?? "web"),
    redirect_uris: [...new Set(redirectUris.flatMap((uri) => [withoutLoopbackPort(uri), uri]))],
    contacts: client.contacts?.length ? client.contacts : undefined,
    response_types: ["code"],
    grant_types: config.grant_types_supported?.includes(DEVICE_CODE_GRANT)
      ? [...REQUIRED_GRANTS, DEVICE_CODE_GRANT]
      : REQUIRED_GRANTS,
    token_endpoint_auth_method: "none",
  };
}

const LOCALIZABLE = /^(clientName|(logo|tos|policy)Uri)(#|$)/;

/** Returns these members under their registered names, such as `client_name#fr`. */
function localizableMembers(
  client: OidcRegistrationClientMetadata,
  clientUri: URL,
): Record<string, string> {
  const members: Record<string, string> = {};
  for (const [name, value] of Object.entries(client) as [string, string | undefined][]) {
    if (!value || !LOCALIZABLE.test(name)) continue;
    const member = name.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`);
    if (name.startsWith("clientName") || hasCommonBase(value, clientUri)) members[member] = value;
    else
      console.warn(
        `matrix-auth-elements: ${member} is omitted, because ${value} is not on the host of ${clientUri.href}`,
      );
  }
  return members;
}

function validateClientMetadata(client: OidcRegistrationClientMetadata): URL {
  const faults: string[] = [];
  const clientUri = parseTrustworthyUrl(client.clientUri);
  if (!clientUri) faults.push("clientUri is not an HTTPS URL");
  const uris: readonly unknown[] = Array.isArray(client.redirectUris) ? client.redirectUris : [];
  if (uris.length === 0) faults.push("redirectUris is empty");
  for (const uri of uris) {
    const fault = redirectUriFault(uri, clientUri);
    if (fault) faults.push(`The redirect URI ${String(uri)} ${fault}`);
  }
  for (const name of Object.keys(client)) {
    const hasFault = /#(?![a-z]{2,8}(-[a-z\d]{1,8})*$)/i.test(name);
    if (hasFault) faults.push(`${name} contains no language tag`);
  }
  const names = Object.keys(client).map((name) => name.replace(/#.*/, (tag) => tag.toLowerCase()));
  if (new Set(names).size < names.length) faults.push("A language tag occurs twice");
  if (!clientUri || faults.length > 0) {
    throw validationError("OIDC is misconfigured", "settings_invalid", faults);
  }
  return clientUri;
}

/** A custom scheme must contain a dot. `javascript:` and similar schemes contain none. */
const PRIVATE_SCHEME = /^([a-z][a-z\d+-]*\.[a-z\d.+-]+):(\/\/)?/i;

const isPrivateUri = (uri: string): boolean => PRIVATE_SCHEME.test(uri);

/** Whether a URI is allowed as a redirect URI, even for a client that was registered elsewhere. */
export function isRedirectUri(uri: unknown): uri is string {
  if (typeof uri !== "string" || uri.includes("#")) return false;
  return parseTrustworthyUrl(uri) !== undefined || (isPrivateUri(uri) && URL.canParse(uri));
}

/** The loopback hosts of the specification. Providers reject others, such as `app.localhost`. */
const LOOPBACK_ORIGIN = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d*)?(?=[/?]|$)/i;

const isLoopbackUri = (uri: string): boolean => LOOPBACK_ORIGIN.test(uri);

const withoutLoopbackPort = (uri: string): string => uri.replace(LOOPBACK_ORIGIN, "$1");

/** @see https://spec.matrix.org/v1.19/client-server-api/#redirect-uri-validation */
function redirectUriFault(uri: unknown, clientUri: URL | undefined): string | undefined {
  if (!isRedirectUri(uri)) return "is not an HTTPS URL, or has a fragment";
  if (/^http:/i.test(uri)) {
    if (isLoopbackUri(uri)) return undefined;
    return "uses HTTP on a host other than localhost, 127.0.0.1, and [::1]";
  }
  const [, scheme, slashes] = PRIVATE_SCHEME.exec(uri) ?? [];
  if (!scheme || !clientUri) return undefined;
  const reverse = clientUri.hostname.split(".").reverse().join(".");
  if (!`${scheme.toLowerCase()}.`.startsWith(`${reverse}.`)) {
    return `has a scheme that does not start with the reversed host of clientUri, ${reverse}`;
  }
  return slashes && "has // after its scheme";
}

function hasCommonBase(uri: string, base: URL): boolean {
  const url = parseTrustworthyUrl(uri);
  return url?.protocol === base.protocol && `.${url.hostname}`.endsWith(`.${base.hostname}`);
}
