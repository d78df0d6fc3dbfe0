import { isListOfStrings } from "../http/body-members.js";
import { isJsonObject, parseJson, toJson } from "../http/json.js";
import { parseTrustworthyUrl } from "../http/url.js";
import {
  isExpired,
  readRecords,
  type TabRecords,
  takeRecord,
  writeRecord,
} from "../shared/tab-records.js";
import { OidcFlowError } from "./flow-error.js";
import type { AuthMetadata } from "./metadata.js";
import { FLOW_RECORDS, type ResponseMode } from "./response.js";

const FLOW_METADATA = [
  "issuer",
  "authorization_endpoint",
  "token_endpoint",
  "revocation_endpoint",
  "jwks_uri",
  "grant_types_supported",
  "id_token_signing_alg_values_supported",
  "authorization_response_iss_parameter_supported",
] as const;

/** Only these members are stored, because storage is limited and the full metadata can be long. */
export const flowMetadata = (metadata: AuthMetadata): PendingFlow["metadata"] =>
  Object.fromEntries(
    FLOW_METADATA.map((member) => [member, metadata[member]]),
  ) as unknown as PendingFlow["metadata"];

/** A pending sign-in. */
export interface PendingFlow {
  /** The complete `state` parameter; the flow's key. */
  readonly state: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** The provider's metadata at the start of the sign-in. It is not fetched again. */
  readonly metadata: Pick<AuthMetadata, (typeof FLOW_METADATA)[number]>;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly responseMode: ResponseMode;
  readonly scope: string;
  /** Absent if no ID token was requested. */
  readonly nonce?: string;
  readonly codeVerifier: string;
  readonly homeserverUrl: string;
  readonly identityServerUrl?: string | undefined;
  readonly deviceId: string;
  /** Whether the page named the device. It may then have another session. */
  readonly isDeviceNamed?: boolean;
  readonly urlState?: string;
  readonly appState?: Readonly<Record<string, string>>;
}

/**
 * Stores a flow in this tab's `sessionStorage`, and deletes expired flows.
 *
 * @throws {OidcFlowError} `StorageUnavailable`: `storage_unavailable` or `storage_full`.
 */
export function storeFlow(flow: PendingFlow): void {
  writeRecord(FLOWS, flow.state, toJson(flow));
}

/** @throws {OidcFlowError} as {@link flowOfRecord} does; `StorageUnavailable`. */
export function takeFlow(state: string): PendingFlow {
  return flowOfRecord(state, takeRecord(FLOWS, state));
}

/**
 * The flow in a record that was removed from the store.
 *
 * @throws {OidcFlowError} `MissingOrInvalidStoredState`: `flow_unknown`, `flow_expired` or
 *   `flow_invalid`.
 */
export function flowOfRecord(state: string, record: string | null): PendingFlow {
  const flow = parseFlow(record ?? "");
  if (flow?.state === state && !isExpired(flow.createdAt)) return flow;
  const fault = flow?.state === state ? "flow_expired" : "flow_invalid";
  const code = record === null ? "flow_unknown" : fault;
  throw new OidcFlowError("State required to finish logging in is not found in storage.", code);
}

/** The flows that have not expired. @throws {OidcFlowError} `StorageUnavailable`. */
export function pendingFlows(): readonly PendingFlow[] {
  return [...readRecords(FLOWS).values()]
    .flatMap((record) => parseFlow(record) ?? [])
    .filter(({ createdAt }) => !isExpired(createdAt));
}

const STRING_MEMBERS = [
  "state",
  "clientId",
  "redirectUri",
  "scope",
  "codeVerifier",
  "homeserverUrl",
  "deviceId",
] as const;

const METADATA_LISTS = ["grant_types_supported", "id_token_signing_alg_values_supported"];

/** Other code on the page can write to the storage too, so its contents are validated. */
function parseFlow(record: string): PendingFlow | undefined {
  const flow = parseJson(record);
  if (!isJsonObject(flow) || !isJsonObject(flow["metadata"])) return undefined;
  const { issuer, token_endpoint, jwks_uri, ...metadata } = flow["metadata"];
  const isFlow =
    STRING_MEMBERS.every((member) => typeof flow[member] === "string") &&
    typeof flow["createdAt"] === "number" &&
    (flow["responseMode"] === "query" || flow["responseMode"] === "fragment") &&
    ["string", "undefined"].includes(typeof flow["nonce"]) &&
    [issuer, token_endpoint, jwks_uri ?? issuer].every(parseTrustworthyUrl) &&
    METADATA_LISTS.every((member) => isListOfStrings(metadata[member] ?? []));
  return isFlow ? (flow as unknown as PendingFlow) : undefined;
}

export const FLOWS: TabRecords = {
  ...FLOW_RECORDS,
  error: (code, cause) =>
    new OidcFlowError("Storage required to log in is not available", code, cause),
};
