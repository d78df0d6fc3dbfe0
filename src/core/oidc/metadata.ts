import { isJsonObject, parseTrustworthyUrl } from "../http/index.js";
import { OidcError, validationError } from "./errors.js";

/**
 * What the library uses of an authorization server's metadata; matrix-js-sdk's `OidcClientConfig` (41) and
 * `ValidatedAuthMetadata` (42 and later) have it.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#server-metadata-discovery
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-2
 */
export interface AuthMetadata {
  readonly issuer: string;
  /** Where the browser is sent. */
  readonly authorization_endpoint: string;
  /** Where the code is exchanged. */
  readonly token_endpoint: string;
  readonly revocation_endpoint: string;
  /** Needed for dynamic registration. */
  readonly registration_endpoint?: string;
  readonly device_authorization_endpoint?: string;
  /** Where the signing keys are; without it no ID token is requested. */
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

/** An authorization server's metadata, validated. Whatever else the server sent is kept as well. */
export interface ValidatedAuthMetadata extends AuthMetadata {
  readonly [member: string]: unknown;
}

/**
 * A public key as its issuer published it: what `crypto.subtle.importKey()` takes as a `JsonWebKey`, a
 * type that Node's types lack.
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

/** {@link ValidatedAuthMetadata} with the issuer's keys. */
export interface OidcClientConfig extends ValidatedAuthMetadata {
  /** The issuer's public signing keys (RFC 7517); null if it publishes none. */
  readonly signingKeys: readonly SigningKey[] | null;
}

export interface MetadataOptions {
  /**
   * Origins that endpoints may have besides that of the authorization endpoint. By default all endpoints
   * must share one origin: otherwise a hostile homeserver could pair an honest authorization endpoint
   * with a token endpoint of its own and receive the code and its verifier (RFC 9700, section 4.4).
   */
  readonly allowedOrigins?: readonly string[] | undefined;
}

type Fault = (member: string, problem: string) => void;

/** Endpoints that receive what only the issuer may see, so all must be on one origin. */
const CONFIDENTIAL_ENDPOINTS = [
  "authorization_endpoint",
  "token_endpoint",
  "revocation_endpoint",
  "registration_endpoint",
  "device_authorization_endpoint",
] as const;

const REQUIRED_URLS = new Set<string>([
  "issuer",
  "authorization_endpoint",
  "token_endpoint",
  "revocation_endpoint",
]);
const URLS = ["issuer", ...CONFIDENTIAL_ENDPOINTS, "jwks_uri", "account_management_uri"];

const LISTS = [
  "response_modes_supported",
  "prompt_values_supported",
  "account_management_actions_supported",
  "id_token_signing_alg_values_supported",
];

/**
 * Validates an authorization server's metadata.
 *
 * A missing registration endpoint or refresh grant is not a fault here; it makes `registerOidcClient` fail.
 *
 * @param metadata The parsed JSON, from any source.
 * @throws {OidcFlowError} `OpSupport` (`metadata_invalid`); its `cause` is an `AggregateError` with
 *   one error for each fault.
 * @experimental
 */
export function validateAuthMetadata(
  metadata: unknown,
  { allowedOrigins = [] }: MetadataOptions = {},
): ValidatedAuthMetadata {
  const faults: Error[] = [];
  const fault: Fault = (member, problem) => faults.push(new Error(`${member} ${problem}`));
  if (!isJsonObject(metadata)) {
    fault("The metadata", "is no JSON object");
  } else {
    checkUrls(metadata, fault);
    checkOrigins(metadata, allowedOrigins, fault);
    checkList(metadata, "response_types_supported", fault, "code");
    checkList(metadata, "code_challenge_methods_supported", fault, "S256");
    if (isGiven(metadata["grant_types_supported"])) {
      checkList(metadata, "grant_types_supported", fault, "authorization_code");
    }
    for (const list of LISTS) if (isGiven(metadata[list])) checkList(metadata, list, fault);
  }
  if (faults.length > 0) {
    throw validationError(OidcError.OpSupport, "metadata_invalid", faults);
  }
  return withoutEmptyMembers(metadata as ValidatedAuthMetadata);
}

/** Some servers send an unset member as null or "". */
const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

const withoutEmptyMembers = (metadata: ValidatedAuthMetadata): ValidatedAuthMetadata =>
  Object.fromEntries(
    Object.entries(metadata).filter(([, value]) => isGiven(value)),
  ) as unknown as ValidatedAuthMetadata;

function checkUrls(metadata: Readonly<Record<string, unknown>>, fault: Fault): void {
  for (const member of URLS) {
    const value = metadata[member];
    if (!isGiven(value)) {
      if (REQUIRED_URLS.has(member)) fault(member, "is missing");
    } else if (!parseTrustworthyUrl(value)) {
      fault(member, "is no https URL");
    } else if (member === "issuer" && /[?#]/.test(String(value))) {
      fault(member, "has a query or fragment");
    } else if (String(value).includes("#")) {
      fault(member, "has a fragment");
    }
  }
}

function checkOrigins(
  metadata: Readonly<Record<string, unknown>>,
  allowedOrigins: readonly string[],
  fault: Fault,
): void {
  const home = parseTrustworthyUrl(metadata["authorization_endpoint"])?.origin;
  if (!home) return;
  for (const member of CONFIDENTIAL_ENDPOINTS) {
    const origin = parseTrustworthyUrl(metadata[member])?.origin;
    if (origin && origin !== home && !allowedOrigins.includes(origin)) {
      fault(member, `is on ${origin}, the authorization endpoint on ${home}`);
    }
  }
}

function checkList(
  metadata: Readonly<Record<string, unknown>>,
  member: string,
  fault: Fault,
  required?: string,
): void {
  const list = metadata[member];
  if (!Array.isArray(list) || !list.every((item) => typeof item === "string")) {
    fault(member, isGiven(list) ? "is no list of strings" : "is missing");
  } else if (required !== undefined && !list.includes(required)) {
    fault(member, `lacks ${required}`);
  }
}
