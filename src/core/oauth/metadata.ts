import { isListOfStrings } from "../http/body-members.js";
import type { JsonResponse, RequestOptions } from "../http/fetch.js";
import { requestJson, unexpectedResponse } from "../http/request.js";
import { isJsonObject, presentMembers, textIn } from "../http/json.js";
import { mayPointTo } from "../http/this-machine.js";
import { joinUrl, parseTrustworthyUrl } from "../http/url.js";
import { flowError, requestFailed, validationError } from "./errors.js";
import { OidcFlowError } from "./flow-error.js";

/**
 * The part of an authorization server's metadata that the library uses. matrix-js-sdk's
 * `OidcClientConfig` (version 41) and `ValidatedAuthMetadata` (version 42 and later) contain it.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#server-metadata-discovery
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-2
 */
export interface AuthMetadata {
  readonly issuer: string;
  /** The URL that the browser opens. */
  readonly authorization_endpoint: string;
  /** The URL that exchanges the code. */
  readonly token_endpoint: string;
  readonly revocation_endpoint: string;
  /** Required for dynamic registration. */
  readonly registration_endpoint?: string;
  readonly device_authorization_endpoint?: string;
  /** The URL of the signing keys. Without it, no ID token is requested. */
  readonly jwks_uri?: string;
  readonly account_management_uri?: string;
  readonly account_management_actions_supported?: readonly string[];
  readonly response_types_supported: readonly string[];
  readonly response_modes_supported?: readonly string[];
  readonly grant_types_supported?: readonly string[];
  readonly code_challenge_methods_supported: readonly string[];
  readonly prompt_values_supported?: readonly string[];
  readonly id_token_signing_alg_values_supported?: readonly string[];
  /** Whether authorization responses name their issuer (RFC 9207). */
  readonly authorization_response_iss_parameter_supported?: boolean;
}

/** An authorization server's validated metadata, and all other members that the server sent. */
export interface ValidatedAuthMetadata extends AuthMetadata {
  readonly [member: string]: unknown;
}

/**
 * A public key as its issuer published it. Web Cryptography accepts it as a `JsonWebKey`, a type
 * that Node's types lack.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7517#section-4
 */
export interface SigningKey {
  readonly kty?: string;
  readonly kid?: string;
  readonly alg?: string;
  readonly use?: string;
  readonly key_ops?: string[];
  readonly crv?: string;
  readonly e?: string;
  readonly n?: string;
  readonly x?: string;
  readonly y?: string;
}

/** {@link ValidatedAuthMetadata} and the provider's keys. */
export interface OidcClientConfig extends ValidatedAuthMetadata {
  /** The provider's public signing keys (RFC 7517); null if it publishes none. */
  readonly signingKeys: readonly SigningKey[] | null;
}

/** Options of the calls that discover an authorization server. */
export interface DiscoveryOptions extends RequestOptions {
  /**
   * Origins that endpoints can have in addition to the authorization endpoint's origin. By default
   * all endpoints must share one origin: otherwise a hostile homeserver could pair an honest
   * authorization endpoint with its own token endpoint and receive the code and its verifier (RFC
   * 9700, section 4.4).
   */
  readonly allowedOrigins?: readonly string[] | undefined;
}

const REQUIRED_ENDPOINTS = ["authorization_endpoint", "token_endpoint", "revocation_endpoint"];

/** Endpoints that receive secrets, so all must be on one origin. */
export const CONFIDENTIAL_ENDPOINTS: readonly string[] = [
  ...REQUIRED_ENDPOINTS,
  "registration_endpoint",
  "device_authorization_endpoint",
];

export const URL_MEMBERS: readonly string[] = [
  "issuer",
  ...CONFIDENTIAL_ENDPOINTS,
  "jwks_uri",
  "account_management_uri",
];

/** The members that are lists, each with its required entry, if there is one. */
const LIST_MEMBERS = {
  response_types_supported: "code",
  code_challenge_methods_supported: "S256",
  grant_types_supported: "authorization_code",
  response_modes_supported: "",
  prompt_values_supported: "",
  account_management_actions_supported: "",
  id_token_signing_alg_values_supported: "",
};

const REQUIRED_MEMBERS = [
  "issuer",
  ...REQUIRED_ENDPOINTS,
  "response_types_supported",
  "code_challenge_methods_supported",
];

/** A fault in these members doesn't make a sign-in fail. */
const UNNEEDED_MEMBERS = [
  "account_management_uri",
  "account_management_actions_supported",
  "prompt_values_supported",
];

/**
 * Validates an authorization server's metadata.
 *
 * A missing registration endpoint or refresh grant is not a fault here. It makes
 * `registerOidcClient` fail. An invalid member that no sign-in needs, such as
 * `account_management_uri`, is left out with a warning.
 *
 * @param metadata The parsed JSON, from any source.
 * @throws {OidcFlowError} `OpSupport` (`metadata_invalid`); its `cause` is an `AggregateError` with
 *   one error for each fault.
 * @experimental
 */
export function validateAuthMetadata(
  metadata: unknown,
  { allowedOrigins = [] }: Pick<DiscoveryOptions, "allowedOrigins"> = {},
): ValidatedAuthMetadata {
  const faults: string[] = [];
  const given = new Map(Object.entries(presentMembers(metadata)));
  const fault = (member: string, problem: string): void => {
    if (UNNEEDED_MEMBERS.includes(member)) {
      given.delete(member);
      console.warn(
        `matrix-auth-elements: Ignoring the provider's ${member}, because it ${problem}`,
      );
    } else faults.push(`${member} ${problem}`);
  };
  const home = parseTrustworthyUrl(given.get("authorization_endpoint"))?.origin;
  const issuer = textIn(given.get("issuer")) ?? "";
  const missing = REQUIRED_MEMBERS.filter((member) => !given.has(member));
  if (isJsonObject(metadata)) missing.forEach((member) => fault(member, "is missing"));
  else fault("The metadata", "is not a JSON object");
  for (const member of URL_MEMBERS.filter((each) => given.has(each))) {
    const text = textIn(given.get(member)) ?? "";
    const origin = parseTrustworthyUrl(text)?.origin;
    if (!origin || !mayPointTo(issuer, text)) fault(member, "is not an HTTPS URL");
    else if (member === "issuer" && /[?#]/.test(text)) fault(member, "has a query or fragment");
    else if (text.includes("#")) fault(member, "has a fragment");
    const isElsewhere = origin && home && ![home, ...allowedOrigins].includes(origin);
    if (isElsewhere && CONFIDENTIAL_ENDPOINTS.includes(member)) {
      fault(member, `is on ${origin}, the authorization endpoint on ${home}`);
    }
  }
  for (const [member, required] of Object.entries(LIST_MEMBERS)) {
    const list = given.get(member) ?? [required];
    if (!isListOfStrings(list)) fault(member, "is not a list of strings");
    else if (required && !list.includes(required)) fault(member, `lacks ${required}`);
  }
  if (faults.length > 0)
    throw validationError(
      "Configured OIDC OP does not support required functions",
      "metadata_invalid",
      faults,
    );
  return Object.fromEntries(given) as unknown as ValidatedAuthMetadata;
}

/** @throws {OidcFlowError} `OpSupport` (`prompt_not_supported`): the provider doesn't support creating accounts. */
export function assertPrompt({ prompt_values_supported }: AuthMetadata, prompt?: string): void {
  if (prompt !== "create" || prompt_values_supported?.includes(prompt)) return;
  throw new OidcFlowError(
    "Configured OIDC OP does not support required functions",
    "prompt_not_supported",
  );
}

export type IssuerEndpoints = Pick<
  AuthMetadata,
  "issuer" | "token_endpoint" | "revocation_endpoint"
>;

export function issuerEndpoints(metadata: IssuerEndpoints): IssuerEndpoints {
  const { issuer, token_endpoint, revocation_endpoint } = metadata;
  return { issuer, token_endpoint, revocation_endpoint };
}

/**
 * Fetches and validates an issuer's own document. The provider's path is kept: the document of
 * `https://host/realm` is `https://host/realm/.well-known/openid-configuration`.
 *
 * @throws {OidcFlowError} `General` if the document is missing, `OpSupport` if it has faults or
 *   names another issuer (`issuer_mismatch`).
 * @see https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig
 * @experimental
 */
export async function discoverIssuer(
  issuer: string,
  options?: DiscoveryOptions,
  redirect: "follow" | "manual" = "follow",
): Promise<ValidatedAuthMetadata> {
  if (!parseTrustworthyUrl(issuer) || /[?#]/.test(issuer)) {
    const reason = "The issuer is not an HTTPS URL without query and fragment";
    throw flowError("Something went wrong with OIDC discovery", "issuer_invalid", reason);
  }
  const url = joinUrl(issuer, ".well-known/openid-configuration");
  const { body } = await requestPublished(url, isNoDocument, options, { redirect });
  const metadata = validateAuthMetadata(body, options);
  // A trailing slash doesn't change the document's URL, so it is ignored here.
  if (withoutSlash(metadata.issuer) !== withoutSlash(issuer)) {
    const reason = `The document of ${issuer} contains the issuer ${metadata.issuer}`;
    throw flowError(
      "Configured OIDC OP does not support required functions",
      "issuer_mismatch",
      reason,
    );
  }
  return metadata;
}

/**
 * Discovers an issuer by its URL, with its signing keys.
 *
 * @deprecated Ask the homeserver: `HomeserverClient.getAuthMetadata()`. Use this only if the
 * homeserver is unknown.
 * @throws {OidcFlowError} as {@link discoverIssuer} does; `keys_unavailable` if the keys are not a
 *   key set.
 * @experimental
 */
export async function discoverAndValidateOIDCIssuerWellKnown(
  issuer: string,
  options?: DiscoveryOptions,
): Promise<OidcClientConfig> {
  return withSigningKeys(await discoverIssuer(issuer, options), options);
}

const withoutSlash = (url: string): string => url.replace(/\/$/, "");

/** @throws {OidcFlowError} `General`: the request's code. */
export async function requestPublished(
  url: string,
  isFailure: (response: JsonResponse) => boolean,
  options?: RequestOptions,
  request: {
    readonly bypassCache?: boolean | undefined;
    readonly redirect?: "follow" | "manual";
  } = {},
): Promise<JsonResponse> {
  try {
    const response = await requestJson(url, request, options);
    if (isFailure(response)) throw unexpectedResponse(url, response);
    return response;
  } catch (cause) {
    throw requestFailed("Something went wrong with OIDC discovery", cause, "network_error");
  }
}

const isNoDocument = ({ ok, body }: JsonResponse): boolean => !ok || body === undefined;

export async function withSigningKeys(
  metadata: ValidatedAuthMetadata,
  options?: RequestOptions,
): Promise<OidcClientConfig> {
  const { jwks_uri } = metadata;
  return { ...metadata, signingKeys: jwks_uri ? await fetchSigningKeys(jwks_uri, options) : null };
}

/**
 * @throws {OidcFlowError} `General`: the request's code, or `keys_unavailable` if the response is
 *   not a key set.
 * @see https://www.rfc-editor.org/rfc/rfc7517#section-5
 */
export async function fetchSigningKeys(
  jwksUri: string,
  options?: RequestOptions,
  bypassCache?: boolean,
): Promise<readonly SigningKey[]> {
  const { body } = await requestPublished(jwksUri, isNoDocument, options, { bypassCache });
  const { keys } = presentMembers(body);
  if (!Array.isArray(keys) || !keys.every(isJsonObject)) {
    throw flowError(
      "Something went wrong with OIDC discovery",
      "keys_unavailable",
      `${jwksUri} is not a key set`,
    );
  }
  return keys.map(presentMembers);
}

/** The names of actions before Matrix 1.18, which some providers still use. */
const OLD_ACTION_NAMES: Readonly<Record<string, string>> = {
  "org.matrix.devices_list": "org.matrix.sessions_list",
  "org.matrix.device_view": "org.matrix.session_view",
  "org.matrix.device_delete": "org.matrix.session_end",
};

/**
 * The URL of the provider's account management page.
 *
 * @param action The action's page. Default: the start page. For example `org.matrix.profile`,
 *   `org.matrix.devices_list`, `org.matrix.device_view`, `org.matrix.device_delete`,
 *   `org.matrix.account_deactivate`, `org.matrix.cross_signing_reset`.
 * @param options `deviceId`: the device, for an action on a device.
 * @returns Undefined if the provider has no such page or does not list the action as supported.
 * @see https://spec.matrix.org/v1.19/client-server-api/#oauth-20-account-management
 * @experimental
 */
export function accountManagementUrl(
  metadata: Pick<AuthMetadata, "account_management_uri" | "account_management_actions_supported">,
  action?: string,
  { deviceId }: { readonly deviceId?: string | undefined } = {},
): string | undefined {
  const url = parseTrustworthyUrl(metadata.account_management_uri);
  if (!url || action === undefined) return url?.href;
  const name = [action, OLD_ACTION_NAMES[action]].find(
    (each) => each && metadata.account_management_actions_supported?.includes(each),
  );
  if (!name) return undefined;
  const parameters = new URLSearchParams({ action: name });
  if (deviceId) parameters.set("device_id", deviceId);
  url.search += `${url.search && "&"}${parameters.toString()}`;
  return url.href;
}
