import {
  isJsonObject,
  parseTrustworthyUrl,
  requestJson,
  unexpectedResponse,
  type JsonResponse,
  type RequestOptions,
} from "../http/index.js";
import { OidcError, OidcFlowError, requestFailed, validationError } from "./errors.js";
import type { ValidatedAuthMetadata } from "./metadata.js";

/**
 * The application's metadata for the issuer.
 *
 * @see https://spec.matrix.org/v1.16/client-server-api/#client-registration
 */
export interface OidcRegistrationClientMetadata {
  /** The application's name, as users know it. */
  readonly clientName?: string | undefined;
  /** The application's home page; the logo, terms and policy must be on its host or a subdomain. */
  readonly clientUri: string;
  readonly logoUri?: string | undefined;
  /** Default: `web`. By the specification only a `native` application may redirect to `http://localhost`. */
  readonly applicationType?: "web" | "native" | undefined;
  /** Where the provider may send the browser back to; at least one. */
  readonly redirectUris: readonly string[];
  /** Email addresses. */
  readonly contacts?: readonly string[] | undefined;
  /** Terms of service. */
  readonly tosUri?: string | undefined;
  /** Privacy policy. */
  readonly policyUri?: string | undefined;
}

export const DEVICE_CODE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const REQUIRED_GRANTS = ["authorization_code", "refresh_token"];

/**
 * Registers an application with an issuer. Includes the device grant if the issuer lists it, and retries
 * without it if the issuer then refuses.
 *
 * @returns The client ID. Keep it as long as the session it starts: refreshing and signing out need it.
 * @throws {OidcFlowError} `DynamicRegistrationNotSupported`; `Misconfigured` (`settings_invalid`) if
 *   `clientMetadata` has faults; `DynamicRegistrationFailed` with the request's code,
 *   `registration_refused`, or `registration_invalid` if the response is not a registration.
 * @see https://www.rfc-editor.org/rfc/rfc7591
 * @experimental
 */
export async function registerOidcClient(
  config: ValidatedAuthMetadata,
  clientMetadata: OidcRegistrationClientMetadata,
  options?: RequestOptions,
): Promise<string> {
  const url = registrationEndpoint(config);
  const body = registrationBody(config, clientMetadata);
  const send = (grants = body["grant_types"]): Promise<JsonResponse> => {
    const wanted = { ...body, grant_types: grants };
    // The target of a redirect was not validated with the metadata.
    return requestJson(url, { method: "POST", body: wanted, redirect: "manual" }, options);
  };
  try {
    let answer = await send();
    // Some issuers list the device grant but register no client for it. A login needs only the others.
    if (isMetadataRefused(answer) && body["grant_types"] !== REQUIRED_GRANTS) {
      answer = await send(REQUIRED_GRANTS);
    }
    if (!answer.ok)
      throw registrationRefusal(answer.status, answer.body) ?? unexpectedResponse(url, answer);
    const clientId = isJsonObject(answer.body) ? answer.body["client_id"] : undefined;
    if (typeof clientId === "string" && clientId !== "") return clientId;
    throw new Error("The response has no client_id");
  } catch (cause) {
    throw requestFailed(OidcError.DynamicRegistrationFailed, cause, "registration_invalid");
  }
}

function registrationEndpoint(config: ValidatedAuthMetadata): string {
  const { registration_endpoint: endpoint, grant_types_supported: grants } = config;
  if (!endpoint || !REQUIRED_GRANTS.every((grant) => grants?.includes(grant))) {
    throw new OidcFlowError(
      OidcError.DynamicRegistrationNotSupported,
      "registration_not_supported",
      new Error(
        endpoint
          ? `The issuer lacks a grant type of ${REQUIRED_GRANTS.join(", ")}`
          : "The issuer has no registration endpoint",
      ),
    );
  }
  return endpoint;
}

const isMetadataRefused = ({ status, body }: JsonResponse): boolean =>
  status === 400 && isJsonObject(body) && body["error"] === "invalid_client_metadata";

/** RFC 7591, section 3.2.2: a refusal names a reason that an application's author can act on. */
function registrationRefusal(status: number, body: unknown): OidcFlowError | undefined {
  if (status === 429 || status >= 500 || !isJsonObject(body)) return undefined;
  const { error, error_description: description } = body;
  if (typeof error !== "string") return undefined;
  return new OidcFlowError(
    OidcError.DynamicRegistrationFailed,
    "registration_refused",
    new Error(typeof description === "string" ? `${error}: ${description}` : error),
  );
}

/**
 * The request body of {@link registerOidcClient}. Addresses that the issuer would have to refuse, because
 * they are not on the host of `clientUri` or a subdomain, are left out with a warning.
 *
 * @throws {OidcFlowError} `Misconfigured`, with every fault in its `cause`.
 */
export function registrationBody(
  config: ValidatedAuthMetadata,
  client: OidcRegistrationClientMetadata,
): Record<string, unknown> {
  const clientUri = checkClientMetadata(client);
  const onClientHost = (member: string, address: string | undefined): string | undefined => {
    if (!address || hasCommonBase(address, clientUri)) return address || undefined;
    console.warn(
      `matrix-auth-elements: ${member} is left out, ${address} is not on the host of ${clientUri.href}`,
    );
    return undefined;
  };
  return {
    client_name: client.clientName || undefined,
    client_uri: client.clientUri,
    logo_uri: onClientHost("logo_uri", client.logoUri),
    application_type: client.applicationType ?? "web",
    redirect_uris: client.redirectUris,
    contacts: client.contacts?.length ? client.contacts : undefined,
    tos_uri: onClientHost("tos_uri", client.tosUri),
    policy_uri: onClientHost("policy_uri", client.policyUri),
    response_types: ["code"],
    grant_types: config.grant_types_supported?.includes(DEVICE_CODE_GRANT)
      ? [...REQUIRED_GRANTS, DEVICE_CODE_GRANT]
      : REQUIRED_GRANTS,
    token_endpoint_auth_method: "none",
  };
}

function checkClientMetadata(client: OidcRegistrationClientMetadata): URL {
  const faults: Error[] = [];
  const clientUri = parseTrustworthyUrl(client.clientUri);
  if (!clientUri) faults.push(new Error("clientUri is not an https URL"));
  if (!Array.isArray(client.redirectUris) || client.redirectUris.length === 0) {
    faults.push(new Error("redirectUris is empty"));
  } else {
    for (const uri of client.redirectUris as readonly unknown[]) {
      if (!isRedirectUri(uri, client.applicationType === "native")) {
        faults.push(
          new Error(`The redirect URI ${String(uri)} is not an https URL, or has a fragment`),
        );
      }
    }
  }
  if (!clientUri || faults.length > 0) {
    throw validationError(OidcError.Misconfigured, "settings_invalid", faults);
  }
  return clientUri;
}

/** A native application may also use a private scheme in reverse domain notation (RFC 8252, 7.1). */
export function isRedirectUri(uri: unknown, native: boolean): boolean {
  if (typeof uri !== "string" || uri.includes("#")) return false;
  return (
    parseTrustworthyUrl(uri) !== undefined ||
    (native && /^[a-z][a-z\d+-]*\.[a-z\d.+-]+:/i.test(uri) && URL.canParse(uri))
  );
}

function hasCommonBase(address: string, base: URL): boolean {
  const url = parseTrustworthyUrl(address);
  return (
    url !== undefined &&
    url.protocol === base.protocol &&
    (url.hostname === base.hostname || url.hostname.endsWith(`.${base.hostname}`))
  );
}
