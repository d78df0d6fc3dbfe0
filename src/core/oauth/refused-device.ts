import { parseJson, presentMembers, toJson } from "../http/json.js";
import { isExpired, peekRecord, type TabRecords, writeRecord } from "../shared/tab-records.js";
import { FLOWS, type PendingFlow } from "./flow-store.js";
import type { AuthMetadata } from "./metadata.js";
import { refusalReason } from "./refusal.js";

/** Kept in this tab, for the lifetime of a pending sign-in. */
const REFUSED_DEVICES: TabRecords = {
  prefix: "matrix-auth-elements:refused-device:",
  error: FLOWS.error,
};

const keyOf = (issuer: string, deviceId: string): string => toJson([issuer, deviceId]);

/**
 * After `invalid_scope` for a device that the page named, the next sign-in requests a new one. Some
 * providers (continuwuity) don't sign in an existing device, so a user couldn't sign in again after
 * a soft logout.
 */
export function noteRefusedDevice(
  {
    metadata,
    deviceId,
    isDeviceNamed,
  }: Pick<PendingFlow, "deviceId" | "isDeviceNamed"> & {
    readonly metadata: Pick<AuthMetadata, "issuer">;
  },
  error: unknown,
): void {
  if (!isDeviceNamed || refusalReason(error) !== "invalid_scope") return;
  const record = toJson({ createdAt: Date.now() });
  try {
    writeRecord(REFUSED_DEVICES, keyOf(metadata.issuer, deviceId), record);
  } catch {
    // Without storage, the page itself must leave out the device.
  }
}

export function isRefusedDevice(issuer: string, deviceId: string): boolean {
  const record = peekRecord(REFUSED_DEVICES.prefix + keyOf(issuer, deviceId));
  return record !== null && !isExpired(presentMembers(parseJson(record))["createdAt"]);
}
