import type { AccountClient } from "../../../context/auth-client.js";
import { isText, presentMembers } from "../../../core/http/json.js";
import { asShowable } from "../../../core/shared/identifiers.js";
import type { LocalizeController } from "../../../ui/localize.js";
import { languagesOf } from "../../../ui/lazy/format-text.js";

/** One of the account's devices, as the homeserver lists it. */
export type AccountDevice = Awaited<ReturnType<AccountClient["getDevices"]>>["devices"][number];

/** A longer name would hide the others. */
export const MAX_NAME_LENGTH = 100;
const MAX_NAMES = 5;

/** Matrix did not exist before, so an earlier time is an error of a clock. */
const EARLIEST_MS = Date.UTC(2014, 8);
const MAX_CLOCK_SKEW_MS = 5 * 60_000;

const UNITS = [
  ["minute", 60],
  ["hour", 24],
  ["day", 30],
  ["month", 12],
  ["year", Infinity],
] as const;

export function isDevice(each: unknown): each is AccountDevice {
  const { device_id, display_name, last_seen_ip } = presentMembers(each);
  const texts = [display_name, last_seen_ip].filter((text) => text !== undefined);
  return isText(device_id) && texts.every(isText);
}

/** The name of a device, else its ID. */
export function deviceName({ display_name, device_id }: AccountDevice): string {
  const own = typeof display_name === "string" && display_name.trim();
  const name = own || asShowable(device_id);
  return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH).trim()}…` : name;
}

/** Undefined if the homeserver does not report a valid time. */
export function lastActiveMs({ last_seen_ts: ms }: AccountDevice): number | undefined {
  const now = Date.now();
  const isPlausible = typeof ms === "number" && ms >= EARLIEST_MS && ms <= now + MAX_CLOCK_SKEW_MS;
  return isPlausible ? Math.min(ms, now) : undefined;
}

/** This device first, the others by their last activity. */
export const inOrder = (
  devices: readonly AccountDevice[],
  ownId: string | undefined,
): readonly AccountDevice[] => {
  const rank = (device: AccountDevice): number =>
    device.device_id === ownId ? Infinity : (lastActiveMs(device) ?? 0);
  return [...devices].sort((a, b) => rank(b) - rank(a));
};

/** A time in the past, such as "3 days ago". */
export function relativeTime(localize: LocalizeController, time: Date): string {
  const languages = languagesOf(localize, "lastActive");
  const format = new Intl.RelativeTimeFormat(languages, { numeric: "auto" });
  let ago = (Date.now() - time.getTime()) / 60_000;
  for (const [unit, size] of UNITS) {
    if (ago < size) return format.format(-Math.floor(ago), unit);
    ago /= size;
  }
  return "";
}

/** The names of some devices, and the total number if not all are named. */
export function deviceNames(
  localize: LocalizeController,
  devices: readonly AccountDevice[],
): string {
  const languages = languagesOf(localize, "devicesSignedOut");
  const named = devices.slice(0, MAX_NAMES).map((device) => `\u2068${deviceName(device)}\u2069`);
  const isAll = devices.length === named.length;
  const shown = isAll ? named : [...named, "…"];
  const list = new Intl.ListFormat(languages, { type: "unit" }).format(shown);
  return isAll ? list : `${list} (${devices.length.toLocaleString(languages)})`;
}
